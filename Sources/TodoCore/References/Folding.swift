import Foundation

/// What two names have in common when they are the same to a person: no case, no Unicode form, no spaces around.
func folded(_ name: some StringProtocol) -> String {
  if name.utf8.allSatisfy({ $0 < 0x80 }) { return name.trimmed.lowercased() }
  return name.trimmed.precomposedStringWithCompatibilityMapping.folding(options: .caseInsensitive, locale: nil)
    .precomposedStringWithCanonicalMapping
}

/// Whether two names are the same to a person.
public func areSameName(_ a: String, _ b: String) -> Bool { folded(a) == folded(b) }
