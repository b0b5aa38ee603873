import CloudAPI
import Lies
import Signing

/// What a hostile server has told whom, so that what a device says of it can be held against that.
final class Ledger {
  private struct Place: Hashable {
    let device: String
    let branch: CloudID?
  }

  /// By device and branch, what may be said of what was told. Without a branch: of any.
  private var explained: [Place: Set<Complaint>] = [:]
  /// Devices that were shown another server for a while, with pasts of its own.
  private var astray: Set<String> = []
  /// How often each lie was told, and how often something was said that it explains.
  private(set) var told: [String: Int] = [:]
  private(set) var noticed = 0

  /// - Parameter branch: nil where it is about people, or about any branch.
  func note(_ name: String, _ complaints: Set<Complaint>, to device: String, about branch: CloudID?) {
    told[name, default: 0] += 1
    explained[Place(device: device, branch: branch), default: []].formUnion(complaints)
  }

  func lead(astray device: String) {
    told["another server", default: 0] += 1
    astray.insert(device)
  }

  /// Whether what a device says of a branch comes of something that it was told.
  func explains(_ complaint: Complaint, on device: String, of branch: CloudID?) -> Bool {
    let said = (explained[Place(device: device, branch: branch)] ?? []).union(
      explained[Place(device: device, branch: nil)] ?? [])
    let isExplained =
      said.contains(complaint) || astray.contains(device) && Self.ofAnotherServer.contains(complaint)
      || Self.consequences(of: said).contains(complaint)
    if isExplained { noticed += 1 }
    return isExplained
  }

  /// Whether an owner was refused without ground to take somebody's key away.
  func hasRefused(_ device: String, _ branch: CloudID) -> Bool {
    explained[Place(device: device, branch: branch)]?.contains(.keepsChange(.refusalUnfounded)) == true
  }

  /// Whether a device was told anything false of a branch.
  func wasTold(_ device: String, of branch: CloudID) -> Bool {
    astray.contains(device) || explained[Place(device: device, branch: branch)] != nil
      || explained[Place(device: device, branch: nil)] != nil
  }

  /// Whether a device may have read another past of a branch than the others.
  func mayHaveForked(_ device: String, _ branch: CloudID) -> Bool {
    astray.contains(device) || explained[Place(device: device, branch: branch)]?.contains(.stops(.fork)) == true
  }

  /// A server that was led to another past contradicts what was read there, and does not know whom that knows. Keyrings are
  /// appended to on the real one alone, which refuses what continues the other's.
  private static let ofAnotherServer: Set<Complaint> = [
    .stops(.fork), .stops(.letterMissing), .stops(.branchDenied), .stops(.notFound), .stops(.keyringStale),
    .ends("\(CloudFailure.refused(.notFound))"), .ends("\(CloudFailure.refused(.chainBroken))"),
    .ends("\(CloudFailure.refused(.deviceUnknown))"),
  ]

  /// What follows from something that was said before: what was set aside is missing to what stands on it, a deletion to what went with it,
  /// which has no contents any more, nor has what was deleted where a branch was not read to its end; and nobody is denied a trunk. A permissions
  /// record that is shown again may cite less of a keyring than the one in force.
  private static func consequences(of said: Set<Complaint>) -> Set<Complaint> {
    let isApart = said.contains { if case .setsAside = $0 { true } else { false } }
    let ofDenied: Set<Complaint> = said.contains(.stops(.branchDenied)) ? [.stops(.refusalUnfounded)] : []
    let ofApart: Set<Complaint> = [.setsAside(.parentWrong), .setsAside(.rowMissing), .setsAside(.contentMissing)]
    let isCutOff = said.contains { if case .stops = $0 { true } else { false } }
    let ofReplayed: Set<Complaint> = said.contains(.stops(.permissionsSuperseded)) ? [.stops(.keyringStale)] : []
    return ofDenied.union(ofReplayed).union(isApart ? ofApart : []).union(isCutOff ? [.setsAside(.contentMissing)] : [])
  }
}
