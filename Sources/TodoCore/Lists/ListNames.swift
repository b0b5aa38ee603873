/// Gives each list a name that no other list of this person has: a second one that is accepted becomes `Groceries (alice)`.
enum ListNames {
  /// What a name is made of.
  struct Source {
    /// The name that this person's own pointer says; nil where it says none yet.
    var given: String?
    /// The name that a list without one gets, as far as it is free.
    let title: String
    /// The owner's handle, where that is somebody else.
    let owner: String?
  }

  /// The names, in the order of the sources. Of two that were given the same name the first keeps it.
  static func unique(_ sources: [Source]) -> [String] {
    var names = [String?](repeating: nil, count: sources.count)
    var taken: Set<String> = []
    // Only this person writes what a pointer says: no title takes that from another list.
    for (index, source) in sources.enumerated() {
      if let given = source.given, taken.insert(folded(given)).inserted { names[index] = given }
    }
    return sources.indices.map { index in
      if let name = names[index] { return name }
      let source = sources[index]
      let name = candidates(source).first { isFree($0, for: source) && !taken.contains(folded($0)) } ?? source.title
      taken.insert(folded(name))
      return name
    }
  }

  /// People take the list of this name for the one of todos without a list: nobody else's comes to have it by its title.
  private static func isFree(_ name: String, for source: Source) -> Bool {
    source.owner == nil || source.given != nil || folded(name) != folded(ListName.standard.text)
  }

  /// `Groceries`, `Groceries (alice)`, `Groceries (alice 2)`, …; for one's own `Groceries`, `Groceries (2)`, …
  private static func candidates(_ source: Source) -> some Sequence<String> {
    let plain = source.given ?? source.title
    let first = source.owner.map { ["\(plain)", "\(plain) (\($0))"] } ?? [plain]
    return (1...).lazy.map { number in
      if number <= first.count { return first[number - 1] }
      return source.owner.map { "\(plain) (\($0) \(number - 1))" } ?? "\(plain) (\(number))"
    }
  }
}
