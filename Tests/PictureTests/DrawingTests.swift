import Testing

@testable import Pictures

@Suite struct DrawingTests {
  /// Red at the left, blue at the right.
  private static let two = Bitmap(
    width: 32, height: 32,
    pixels: (0..<32 * 32).flatMap { $0 % 32 < 16 ? [255, 0, 0, 255] : [0, 0, 255, 255] as [UInt8] })

  /// What a terminal shows: of each cell its letter and its two colours.
  private func cells(_ text: String) -> [[String]] {
    text.split(separator: "\n").map { line in
      var (front, back, isSwapped) = ("", "", false)
      var rest = line[...]
      var cells: [String] = []
      while let first = rest.first {
        guard first == "\u{1B}" else {
          let (seenFront, seenBack) = isSwapped ? (back, front) : (front, back)
          cells.append(first == " " ? seenBack : "\(first) \(seenFront) \(seenBack)")
          rest = rest.dropFirst()
          continue
        }
        var numbers = rest.dropFirst(2).prefix { $0 != "m" }.split(separator: ";")[...]
        rest = rest.drop { $0 != "m" }.dropFirst()
        while let number = numbers.popFirst() {
          switch number {
          case "0": (front, back, isSwapped) = ("", "", false)
          case "7": isSwapped = true
          case "38", "48":
            let colour = numbers.dropFirst().prefix(3).joined(separator: ",")
            numbers = numbers.dropFirst(4)
            if number == "38" { front = colour } else { back = colour }
          default: Issue.record("what is \(number)?")
          }
        }
      }
      return cells
    }
  }

  @Test func letters() throws {
    let two = try #require(Self.two)
    let text = try two.drawn(in: DrawingRoom(columns: 4, rows: 10), by: .symbols(.all))
    let row = ["255,0,0", "255,0,0", "0,0,255", "0,0,255"]
    #expect(cells(text) == [row, row])
    let wide = try two.drawn(in: DrawingRoom(columns: 100, rows: 3), by: .symbols(.all))
    #expect(cells(wide).map(\.count) == [6, 6, 6])
    #expect(!text.hasSuffix("\n"))
  }

  @Test func withoutColoursThereAreNoSequences() throws {
    let bright = try #require(
      Bitmap(
        width: 32, height: 32,
        pixels: (0..<32 * 32).flatMap { $0 % 32 < 16 ? [0, 0, 0, 255] : [255, 255, 255, 255] as [UInt8] }))
    #expect(try bright.drawn(in: DrawingRoom(columns: 4, rows: 2), by: .symbols(.none)) == "  ██\n  ██")
  }

  @Test(arguments: [
    (DrawingMethod.kitty, "\u{1B}_G"), (.iterm2, "\u{1B}]1337;File=inline=1;width=4;height=2;"), (.sixel, "\u{1B}P"),
  ])
  func protocolsBeginAsTheyShould(method: DrawingMethod, start: String) throws {
    let two = try #require(Self.two)
    #expect(try two.drawn(in: DrawingRoom(columns: 4, rows: 10), by: method).hasPrefix(start))
  }

  @Test(arguments: [
    (["TERM": "xterm-kitty"], DrawingMethod.kitty), (["TERM": "foot"], .sixel),
    (["TERM": "xterm-256color", "LC_TERMINAL": "iTerm2"], .iterm2), (["TERM": "xterm-256color"], .symbols(.all)),
    (["TERM": "screen"], .symbols(.twoHundred)), (["TERM": "linux"], .symbols(.sixteen)),
    (["TERM": "dumb"], .symbols(.none)), ([:], .symbols(.none)),
    (["TERM": "xterm-kitty", "NO_COLOR": "1"], .symbols(.none)),
  ])
  func terminalsAreKnown(environment: [String: String], method: DrawingMethod) throws {
    #expect(try DrawingMethod.detected(in: environment) == method)
  }

  @Test func itFillsTheRoomAndNoMore() throws {
    for (width, height) in [(1, 1), (64, 32), (3000, 1), (1, 3000), (256, 256)] {
      let bitmap = try #require(
        Bitmap(width: width, height: height, pixels: [UInt8](repeating: 255, count: 4 * width * height)))
      for room in [
        DrawingRoom(columns: 80, rows: 24), DrawingRoom(columns: 1, rows: 1), DrawingRoom(columns: 0, rows: -1),
      ] {
        let cells = room.cells(for: bitmap)
        #expect((1...room.columns).contains(cells.columns) && (1...room.rows).contains(cells.rows))
        #expect(cells.columns == room.columns || cells.rows == room.rows)
      }
    }
    #expect(DrawingRoom(columns: 80, rows: 24).side == 640)
  }
}
