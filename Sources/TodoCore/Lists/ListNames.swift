/// Gives each list a name that no other list of this person has: a second one that is accepted becomes `Groceries (alice)`.
enum ListNames {
  /// What a name is made of. Earlier elements keep their name when later ones have the same.
  struct Source {
    /// The title, or the name that this person gave the list.
    let base: String
    /// The owner's handle, where that is somebody else.
    let owner: String?
    /// What it was called before, as long as that was made of the same base.
    var kept: String?
    /// Whether the base is the name that this person gave the list.
    var isChosen = false
  }

  /// The names, in the order of the sources. One's own lists come before those of others.
  static func unique(_ sources: [Source]) -> [String] {
    var names = [String](repeating: "", count: sources.count)
    var taken: Set<String> = []
    // Scripts mean by a name what it meant before, whatever came or went since.
    for (index, source) in sources.enumerated() {
      if let kept = source.kept, isFree(kept, for: source), taken.insert(folded(kept)).inserted { names[index] = kept }
    }
    let ownFirst =
      sources.indices.filter { sources[$0].owner == nil } + sources.indices.filter { sources[$0].owner != nil }
    // Who is alone with a name has it, whatever the others have to be called.
    let counts = Dictionary(sources.map { (folded($0.base), 1) }, uniquingKeysWith: +)
    for index in ownFirst where names[index].isEmpty && counts[folded(sources[index].base)] == 1 {
      guard isFree(sources[index].base, for: sources[index]) else { continue }
      if taken.insert(folded(sources[index].base)).inserted { names[index] = sources[index].base }
    }
    for index in ownFirst where names[index].isEmpty {
      let source = sources[index]
      let name = candidates(source).first { isFree($0, for: source) && !taken.contains(folded($0)) } ?? source.base
      names[index] = name
      taken.insert(folded(name))
    }
    return names
  }

  /// What is added without a list's name goes to the list of that name: nobody else's comes to have it by its title.
  private static func isFree(_ name: String, for source: Source) -> Bool {
    source.owner == nil || source.isChosen || folded(name) != folded(ListName.standard.text)
  }

  /// `Groceries`, `Groceries (alice)`, `Groceries (alice 2)`, …; for one's own `Groceries`, `Groceries (2)`, …
  private static func candidates(_ source: Source) -> some Sequence<String> {
    let plain = source.base
    let first = source.owner.map { ["\(plain)", "\(plain) (\($0))"] } ?? [plain]
    return (1...).lazy.map { number in
      if number <= first.count { return first[number - 1] }
      return source.owner.map { "\(plain) (\($0) \(number - 1))" } ?? "\(plain) (\(number))"
    }
  }
}
