/// How a terminal shows pictures.
public enum DrawingMethod: Hashable, Sendable {
  /// The protocol of kitty, and of those that follow it.
  case kitty
  /// The protocol of iTerm2.
  case iterm2
  /// The protocol of the DEC VT340: foot, WezTerm, Konsole, xterm on request.
  case sixel
  /// Letters that look like parts of a picture, which every terminal has.
  case symbols(Colours)

  /// How many colours letters may have.
  public enum Colours: Hashable, Sendable {
    case none
    case sixteen
    /// 240 that no settings change, and sixteen that are not used.
    case twoHundred
    case all
  }

  /// What a terminal says of itself in the environment. Terminals that say nothing get letters; one that answers that it knows more can be given more.
  public static func detected(in environment: [String: String]) throws(PictureError) -> DrawingMethod {
    let chafa = try Chafa.loaded()
    if ["", "dumb"].contains(environment["TERM"] ?? "") || !(environment["NO_COLOR"] ?? "").isEmpty {
      return .symbols(.none)
    }
    return chafa.detect(environment)
  }
}
