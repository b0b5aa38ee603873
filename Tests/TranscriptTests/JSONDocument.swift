import Foundation

/// The tables of docs/json.md.
struct JSONDocument {
  /// What an object has: a row.
  struct Shape: Sendable {
    /// What it is called where something is wrong with it.
    let name: String
    let members: [Member]
  }

  struct Member: Hashable {
    let name: String
    /// The object that it is, or of which it has several; nil where it is a text or the like.
    var object: String?
    var isArray = false
  }

  /// A row that cannot be read.
  struct Unreadable: Error {
    let row: String
  }

  /// By what a command is called.
  private(set) var commands: [String: Shape] = [:]
  private(set) var objects: [String: Shape] = [:]

  /// Reads the text of the page.
  init(text: String) throws {
    for section in text.split(separator: "\n## ").dropFirst() {
      for line in section.split(separator: "\n") where line.hasPrefix("| ") && !line.hasSuffix("| members |") {
        // What stands in parentheses explains.
        let cells = line.replacing(#/ \([^()]*\)/#, with: "").dropFirst(2).dropLast(2).components(separatedBy: " | ")
        guard cells.count == 2 else { throw Unreadable(row: String(line)) }
        let shape = Shape(name: cells[0], members: try Self.members(cells[1]))
        for name in cells[0].components(separatedBy: ", ").map({ $0.filter { $0 != "`" && $0 != "*" } }) {
          if section.hasPrefix("Commands") { commands[name] = shape } else { objects[name] = shape }
        }
      }
    }
    commands = try commands.mapValues(whole)
    objects = try objects.mapValues(whole)
  }

  /// Every name of a member.
  var names: Set<String> { Set((Array(commands.values) + Array(objects.values)).flatMap { $0.members.map(\.name) }) }

  /// With the members of objects that it has all of.
  private func whole(_ shape: Shape) throws -> Shape {
    let members = try shape.members.flatMap { member in
      guard member.name.isEmpty, let name = member.object else { return [member] }
      guard let object = objects[name] else { throw Unreadable(row: shape.name) }
      return try whole(object).members
    }
    return Shape(name: shape.name, members: members)
  }

  /// "`name`, `name` *object*, `name` [*object*], those of *object*", whose members are found later.
  private static func members(_ cell: String) throws -> [Member] {
    try cell.components(separatedBy: ", ").map { part in
      if let match = part.wholeMatch(of: /those of \*([a-z ]+)\*/) { return Member(name: "", object: String(match.1)) }
      guard let match = part.wholeMatch(of: /`([a-z_]+)`( (\[?)\*([a-z ]+)\*\]?)?/) else { throw Unreadable(row: cell) }
      return Member(name: String(match.1), object: match.4.map { String($0) }, isArray: match.3 == "[")
    }
  }
}

/// What programs printed, beside what the page says of it.
struct JSONReading {
  let document: JSONDocument
  /// The rows that something was read as.
  private(set) var rows: Set<String> = []
  /// Row and member, where there was such an object.
  private(set) var reached: Set<[String]> = []
  private(set) var mismatches: [String] = []

  init(_ document: JSONDocument) { self.document = document }

  /// Compares one object and all in it with a row.
  mutating func read(_ object: [String: Any], as shape: JSONDocument.Shape) {
    rows.insert(shape.name)
    let names = Set(shape.members.map(\.name))
    for name in names.symmetricDifference(object.keys).sorted() {
      mismatches.append(
        "\(shape.name): \(name) is \(names.contains(name) ? "documented, and not printed" : "not documented")")
    }
    for member in shape.members {
      guard let value = object[member.name] else { continue }
      let values = value as? [Any]
      guard let name = member.object else {
        if (values ?? [value]).contains(where: { $0 is [String: Any] }) {
          mismatches.append("\(shape.name): nothing says what \(member.name) is")
        }
        continue
      }
      let found = (values ?? [value]).compactMap { $0 as? [String: Any] }
      guard let inner = document.objects[name], (values != nil) == member.isArray,
        found.count == values?.count ?? 1 || value is NSNull
      else {
        mismatches.append("\(shape.name): \(member.name) is something else")
        continue
      }
      if !found.isEmpty { reached.insert([shape.name, member.name]) }
      for object in found { read(object, as: inner) }
    }
  }
}
