import CloudAPI
import Foundation
import Lies
import Signing

extension Liar {
  /// A page with something wrong in it, or a page of another history.
  func lieAboutPage(_ request: CloudRequest, _ response: CloudResponse, _ device: SimDevice) -> CloudResponse? {
    guard let page = try? decode(WirePage.self, response.body), let branch = CloudID(bytes: page.branch),
      let asked = try? decode(WirePullRequest.self, request.body), let hash = Hash32(bytes: asked.afterHash)
    else { return nil }
    switch dice.roll(10) {
    case 0: return claimFork(device, branch)
    case 1..<6: return bend(page, response, device, branch)
    default:
      let cursor = LogHead(line: asked.afterLine, hash: hash)
      guard let retelling = try? Retelling(page, after: cursor), retelling.page.headHash == page.headHash,
        !retelling.told.isEmpty
      else { return bend(page, response, device, branch) }
      return retell(retelling, response, device)
    }
  }

  private func claimFork(_ device: SimDevice, _ branch: CloudID) -> CloudResponse {
    note("fork claimed", [.stops(.fork)], to: device, about: branch)
    return .refusing(.fork, status: 409, at: world.executor.now)
  }

  private func bend(
    _ page: WirePage, _ response: CloudResponse, _ device: SimDevice, _ branch: CloudID
  ) -> CloudResponse? {
    var page = page
    guard let lie = dice.pick(PageLie.all), lie.change(&page, at: dice.roll(64)) else { return nil }
    return tell(lie.name, lie.end.complaints, to: device, about: branch, page, in: response)
  }

  /// Lines, hashes and heads fit each other, and are not those that the others read.
  private func retell(_ honest: Retelling, _ response: CloudResponse, _ device: SimDevice) -> CloudResponse? {
    var retelling = honest
    let index = dice.roll(retelling.told.count)
    let record = retelling.told[index].kind.record
    let told: (name: String, end: Ending)? =
      switch dice.roll(8) {
      case 0..<3: history(&retelling, index, record)
      case 3: replay(&retelling, record)
      default: row(&retelling, index, record)
      }
    guard let told, retelling.page != honest.page else { return nil }
    return tell(
      told.name, reasons(told.end, record), to: device, about: retelling.branch, retelling.page, in: response)
  }

  /// Whoever has read another history finds that out sooner or later, and what they read further there is not what it was.
  private func reasons(_ end: Ending, _ record: RecordKind) -> Set<Complaint> {
    var reasons = end.complaints.union([.stops(.fork)])
    // What was left out or put elsewhere is missing to what stands on it.
    if end.complaint?.stops == .fork || record == .permissions { reasons.formUnion(Self.ofMissingLines) }
    // What is told once more may be older than a removal.
    if end.complaints.contains(.setsAside(.versionStale)) { reasons.insert(.setsAside(.permissionsSuperseded)) }
    return reasons
  }

  private static let ofMissingLines: Set<Complaint> = [
    .setsAside(.versionStale), .setsAside(.parentWrong), .setsAside(.permissionsUnknown), .setsAside(.readWrong),
    .setsAside(.permissionsSuperseded), .setsAside(.unseenChildren), .setsAside(.nameTaken), .setsAside(.rowMissing),
    .setsAside(.contentUnknown), .stops(.permissionsSuperseded), .stops(.firstRecordWrong), .stops(.rowMissing),
    .stops(.permissionsUnknown),
  ]

  private func history(
    _ retelling: inout Retelling, _ index: Int, _ record: RecordKind
  ) -> (name: String, end: Ending)? {
    guard let lie = dice.pick(HistoryLie.all), let end = lie.end(for: record) else { return nil }
    lie.change(&retelling, at: index)
    return (lie.name, end)
  }

  private func row(
    _ retelling: inout Retelling, _ index: Int, _ record: RecordKind
  ) -> (name: String, end: Ending)? {
    guard let lie = dice.pick(RowLie.all), let end = lie.end(for: record) else { return nil }
    let other = lie.wantsOther ? foreign(to: retelling.branch, kind: retelling.told[index].kind)?.record : nil
    guard (try? lie.change(&retelling.told[index], record, other: other)) != nil else { return nil }
    return (lie.name, end)
  }

  /// A record as it was some time ago, on top of all.
  private func replay(_ retelling: inout Retelling, _ record: RecordKind) -> (name: String, end: Ending)? {
    guard let older = older(of: retelling.branch, kind: record.line) else { return nil }
    retelling.told.append(older)
    return ("older record replayed", HistoryLie.repetition.end(for: record) ?? .stops(.fork))
  }
}
