package import CloudAPI
import Foundation
package import Signing
import SwiftProtobuf

/// A page whose parts do not fit each other, or what it carries.
package struct PageLie: Sendable {
  package let name: String
  package let defence: Defence?
  package let record: RecordKind
  package let end: Ending
  /// Which line or row of a page of four lines shows best what becomes of it.
  package let place: Int
  private let bend: @Sendable (inout WirePage, Int) -> Void

  private init(
    _ name: String, _ defence: Defence?, _ end: Ending, on record: RecordKind = .log, at place: Int = 0,
    _ bend: @escaping @Sendable (inout WirePage, Int) -> Void
  ) {
    self.name = name
    self.defence = defence
    self.end = end
    self.record = record
    self.place = place
    self.bend = bend
  }

  /// Changes a page at one of its lines or rows. Returns whether there was anything to change.
  package func change(_ page: inout WirePage, at place: Int) -> Bool {
    let before = page
    bend(&page, place)
    return page != before
  }

  package static let all = chains + rows + contents

  private static let chains: [PageLie] = [
    line("lines omitted", .lineOrder, .stops(.chainBroken), at: 2) { page, entries, index in
      // The last one's absence is another lie.
      guard index < entries.count - 1 else { return }
      let number = entries.remove(at: index).number
      page.rows.removeAll { $0.line == number }
    },
    // So that what follows cites lines that are not there. A page may end before the head, and says so then.
    line("lines left out, and the others counted anew", .pageEnd, .stops(.chainBroken), at: 1) { page, entries, index in
      guard index < entries.count - 1, entries.last?.number == page.headLine,
        !entries[index...].contains(where: { $0.kind == .permissions })
      else { return }
      let number = entries.remove(at: index).number
      page.rows.removeAll { $0.line == number }
      for row in page.rows.indices where page.rows[row].line > number { page.rows[row].line -= 1 }
      entries = entries.map { line in
        Line(
          number: line.number > number ? line.number - 1 : line.number, kind: line.kind, cloudID: line.cloudID,
          hash: line.hash)
      }
      page.headLine -= 1
    },
    line("lines reordered", .lineOrder, .stops(.chainBroken)) { _, entries, index in
      guard entries.count > 1 else { return }
      entries.swapAt(index, index == 0 ? 1 : index - 1)
    },
    line("line duplicated", .lineOrder, .stops(.chainBroken), at: 3) { _, entries, index in
      entries.append(entries[index])
    },
    line("line rewritten that has a row", .rowHash, .stops(.rowMismatch), at: 2) { page, entries, index in
      let line = entries[index]
      guard page.rows.contains(where: { $0.line == line.number }) else { return }
      entries[index] = Line(number: line.number, kind: line.kind, cloudID: line.cloudID, hash: .zeros)
    },
    line("line rewritten whose row was superseded", .headHash, .stops(.chainBroken), at: 1) { page, entries, index in
      let line = entries[index]
      guard !page.rows.contains(where: { $0.line == line.number }) else { return }
      entries[index] = Line(number: line.number, kind: line.kind, cloudID: line.cloudID, hash: .zeros)
    },
    line("line given to another node", .headHash, .stops(.chainBroken), at: 3) { _, entries, index in
      let line = entries[index]
      guard line.kind == .header, let other = entries.last(where: { $0.kind == .header && $0.cloudID != line.cloudID })
      else { return }
      entries[index] = Line(number: line.number, kind: line.kind, cloudID: other.cloudID, hash: line.hash)
    },
    PageLie("no lines at all", .pageProgress, .stops(.chainBroken)) { page, _ in
      page.lines = Data()
      page.rows = []
    },
    PageLie("lines cut off", nil, .stops(.malformed)) { page, _ in page.lines = page.lines.dropLast() },
    PageLie("line of an unknown kind", nil, .stops(.malformed)) { page, _ in
      if !page.lines.isEmpty { page.lines[page.lines.startIndex + 8] = 9 }
    },
    PageLie("page with another head", .headHash, .stops(.chainBroken)) { page, _ in
      page.headHash = data([UInt8](repeating: 7, count: 32))
    },
    PageLie("page with a head further than its lines", .pageProgress, .stops(.chainBroken, showing: .between)) {
      page, _ in
      page.headLine += 1
    },
    PageLie("page with a head before its lines", .headAhead, .stops(.fork)) { page, _ in
      if let first = page.entries.first { page.headLine = first.number - 1 }
    },
    PageLie("page of another branch", .pageBranch, .stops(.branchMismatch)) { page, _ in
      page.branch = data([UInt8](repeating: 7, count: 16))
    },
  ]

  private static let rows: [PageLie] = [
    row("two rows swapped", .rowHash, .stops(.rowMismatch), at: 1) { page, index in
      guard page.rows.count > 1 else { return }
      let other = (index + 1) % page.rows.count
      let record = page.rows[index].record
      page.rows[index].record = page.rows[other].record
      page.rows[other].record = record
    },
    row("row without a line", nil, .stops(.rowMismatch), at: 1) { $0.rows[$1].line = 999_999 },
    row("permissions record withheld", .permissionsRow, .stops(.rowMissing)) { page, index in
      guard page.kind(ofRow: index) == .permissions else { return }
      page.rows.remove(at: index)
    },
    row("row withheld", .latestRow, .setsAside(.rowMissing, .mends), at: 2) { page, index in
      guard page.kind(ofRow: index) != .permissions else { return }
      page.rows.remove(at: index)
    },
  ]

  private static let contents: [PageLie] = [
    content("content changed", .contentHash, .contentMismatch) { $0[$0.count - 1].ciphertext[50] ^= 1 },
    content("content cut off", .contentHash, .contentMismatch) { $0[$0.count - 1].ciphertext.removeLast(8) },
    content("content withheld", nil, .contentMissing) { $0.removeLast() },
    row("contents of another node", nil, .setsAside(.contentMissing, .recovers), on: .content, at: 2) { page, index in
      guard page.rows.count > 1, !page.rows[index].contents.isEmpty else { return }
      page.rows[index].contents = page.rows[(index + page.rows.count - 1) % page.rows.count].contents
    },
    content("content swapped between sections", .contentHash, .contentMismatch) { contents in
      guard contents.count > 1 else { return }
      let first = contents[0].ciphertext
      contents[0].ciphertext = contents[1].ciphertext
      contents[1].ciphertext = first
    },
    row("content swapped between nodes", .contentHash, .setsAside(.contentMismatch, .recovers), on: .content, at: 2) {
      page, index in
      let other = page.rows[(index + page.rows.count - 1) % page.rows.count].contents
      for part in other.indices.prefix(page.rows[index].contents.count) {
        page.rows[index].contents[part].ciphertext = other[part].ciphertext
      }
    },
  ]

  private static func line(
    _ name: String, _ defence: Defence?, _ end: Ending, at place: Int = 0,
    _ bend: @escaping @Sendable (inout WirePage, inout [Line], Int) -> Void
  ) -> PageLie {
    PageLie(name, defence, end, at: place) { page, place in
      var entries = page.entries
      guard !entries.isEmpty else { return }
      bend(&page, &entries, place % entries.count)
      page.entries = entries
    }
  }

  private static func row(
    _ name: String, _ defence: Defence?, _ end: Ending, on record: RecordKind = .log, at place: Int = 0,
    _ bend: @escaping @Sendable (inout WirePage, Int) -> Void
  ) -> PageLie {
    PageLie(name, defence, end, on: record, at: place) { page, place in
      if !page.rows.isEmpty { bend(&page, place % page.rows.count) }
    }
  }

  private static func content(
    _ name: String, _ defence: Defence?, _ reason: Refusal, _ bend: @escaping @Sendable (inout [WireContent]) -> Void
  ) -> PageLie {
    row(name, defence, .setsAside(reason, .recovers), on: .content, at: 2) { page, index in
      if let last = page.rows[index].contents.last, last.ciphertext.count > 60 { bend(&page.rows[index].contents) }
    }
  }
}

extension WirePage {
  /// Of the line that a row belongs to.
  fileprivate func kind(ofRow index: Int) -> Line.Kind? {
    entries.first { $0.number == rows[index].line }?.kind
  }
}
