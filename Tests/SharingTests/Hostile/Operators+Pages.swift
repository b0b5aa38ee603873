import CloudAPI
import Foundation
import Signing
import TestSupport
import Testing

/// A page whose parts do not fit each other, or what it carries.
struct PageChange: Sendable, CustomTestStringConvertible {
  let testDescription: String
  let defence: Defence?
  let end: Expectation
  let record: RecordKind
  let change: @Sendable (inout WirePage) -> Void

  init(
    _ testDescription: String, _ defence: Defence?, _ end: Expectation, on record: RecordKind = .log,
    _ change: @escaping @Sendable (inout WirePage) -> Void
  ) {
    self.testDescription = testDescription
    self.defence = defence
    self.end = end
    self.record = record
    self.change = change
  }

  /// What is said of it.
  var reason: Complaint? { end.complaint }

  static let all = chains + sealed

  /// The page that is changed has four lines: permissions, Milk as "soy milk" (its row was superseded), Milk as "oat milk",
  /// and "Bread".
  private static let chains: [PageChange] = [
    PageChange("lines omitted", .lineOrder, .stops(.chainBroken)) { page in
      let number = page.entries[2].number
      page.entries.remove(at: 2)
      page.rows.removeAll { $0.line == number }
    },
    PageChange("lines reordered", .lineOrder, .stops(.chainBroken)) { $0.entries.swapAt(0, 1) },
    PageChange("line duplicated", .lineOrder, .stops(.chainBroken)) { $0.entries.append($0.entries[3]) },
    PageChange("line rewritten that has a row", .rowHash, .stops(.rowMismatch)) { page in
      let line = page.entries[2]
      page.entries[2] = Line(number: line.number, kind: line.kind, cloudID: line.cloudID, hash: .zeros)
    },
    PageChange("line rewritten whose row was superseded", .headHash, .stops(.chainBroken)) { page in
      let line = page.entries[1]
      page.entries[1] = Line(number: line.number, kind: line.kind, cloudID: line.cloudID, hash: .zeros)
    },
    PageChange("line given to another node", .headHash, .stops(.chainBroken)) { page in
      let line = page.entries[3]
      page.entries[3] = Line(
        number: line.number, kind: line.kind, cloudID: page.entries[2].cloudID, hash: line.hash)
    },
    PageChange("two rows swapped", .rowHash, .stops(.rowMismatch)) { page in
      let record = page.rows[1].record
      page.rows[1].record = page.rows[2].record
      page.rows[2].record = record
    },
    PageChange("row without a line", nil, .stops(.rowMismatch)) { $0.rows[1].line = 999 },
    PageChange("no lines at all", .pageProgress, .stops(.chainBroken)) { page in
      page.lines = Data()
      page.rows = []
    },
    PageChange("lines cut off", nil, .stops(.malformed)) { $0.lines.removeLast() },
    PageChange("line of an unknown kind", nil, .stops(.malformed)) { $0.lines[8] = 9 },
    PageChange("page with another head", .headHash, .stops(.chainBroken)) {
      $0.headHash = data([UInt8](repeating: 7, count: 32))
    },
    PageChange("page with a head further than its lines", .pageProgress, .stops(.chainBroken, showing: .between)) {
      $0.headLine += 1
    },
    PageChange("page with a head before its lines", .headAhead, .stops(.fork)) { $0.headLine = 1 },
    PageChange("page of another branch", .pageBranch, .stops(.branchMismatch)) {
      $0.branch = data([UInt8](repeating: 7, count: 16))
    },
    PageChange("permissions record withheld", .permissionsRow, .stops(.rowMissing)) { $0.rows.removeFirst() },
    PageChange("row withheld", .latestRow, .setsAside(.rowMissing, .mends)) { $0.rows.removeLast() },
  ]

  private static let sealed: [PageChange] = [
    PageChange("content changed", .contentHash, .setsAside(.contentMismatch, .recovers), on: .content) {
      $0.rows[2].contents[1].ciphertext[50] ^= 1
    },
    PageChange("content cut off", .contentHash, .setsAside(.contentMismatch, .recovers), on: .content) {
      $0.rows[2].contents[1].ciphertext.removeLast(8)
    },
    PageChange("content withheld", nil, .setsAside(.contentMissing, .recovers), on: .content) {
      $0.rows[2].contents.removeLast()
    },
    PageChange("contents of another node", nil, .setsAside(.contentMissing, .recovers), on: .content) { page in
      page.rows[2].contents = page.rows[1].contents
    },
    PageChange("content swapped between sections", .contentHash, .setsAside(.contentMismatch, .recovers), on: .content)
    {
      page in
      let bread = page.rows[2].contents
      page.rows[2].contents[0].ciphertext = bread[1].ciphertext
      page.rows[2].contents[1].ciphertext = bread[0].ciphertext
    },
    PageChange("content swapped between nodes", .contentHash, .setsAside(.contentMismatch, .recovers), on: .content) {
      page in
      let milk = page.rows[1].contents
      for index in milk.indices.prefix(2) { page.rows[2].contents[index].ciphertext = milk[index].ciphertext }
    },
  ]
}

extension Operator {
  static let pages: [Operator] = PageChange.all.map { change in
    Operator(change.testDescription, change.defence, [change.record: change.end]) { scene, _ in
      try await scene.stage.writeFourLines()
      let branch = scene.branch
      scene.server.lie { request, response in Lie(branch: branch).page(response, to: request, change.change) }
      // Nor does the server give out by itself what the page got wrong.
      scene.server.lie { request, response in
        guard case .content? = Route(method: request.method, path: request.path) else { return response }
        return CloudResponse(status: 200, headers: response.headers, body: [0])
      }
      // What was read past comes with the node's next version.
      guard change.end.after == .mends else { return }
      scene.mend = { scene in
        try scene.mallory.tick("Bread")
        try await scene.mallory.sync()
      }
    }
  }
}

extension Stage {
  func writeFourLines() async throws {
    guard try await send(Hand(mallory, on: branch).permit { _ in }) == "accepted" else { throw CloudFailure.nonsense }
    try await mallory.sync()
    try mallory.edit("Milk", to: "soy milk")
    try await mallory.sync()
    try mallory.edit("soy milk", to: "oat milk")
    try await mallory.sync()
    try mallory.add("Groceries", "Bread")
    try await mallory.sync()
  }
}
