public import Signing

extension FileLayout {
  /// What the request of a part asks (spec §10.5).
  public var query: String { "length=\(length)&metadata=\(metadata)&thumbnail=\(thumbnail)" }

  /// Reads it; nil for anything but that, and for lengths that no file has.
  public init?(query: String) {
    guard let numbers = Query.numbers(query, ["length", "metadata", "thumbnail"]) else { return nil }
    self.init(length: numbers[0], metadata: numbers[1], thumbnail: numbers[2])
  }
}

/// Queries of ours: these names, in this order, each with a number.
public enum Query {
  /// The numbers; nil for anything else.
  public static func numbers(_ query: String, _ names: [String]) -> [UInt64]? {
    let items = query.split(separator: "&", omittingEmptySubsequences: false)
    guard items.count == names.count else { return nil }
    var numbers: [UInt64] = []
    for (item, name) in zip(items, names) {
      guard item.hasPrefix("\(name)="), let number = Digits.value(item.dropFirst(name.utf8.count + 1)) else {
        return nil
      }
      numbers.append(number)
    }
    return numbers
  }
}
