/// The room in which a picture is drawn, in cells of a terminal, and how large one of them is.
public struct DrawingRoom: Hashable, Sendable {
  public let columns: Int
  public let rows: Int
  /// Of a cell, in pixels, like its height. Most terminals say it when they are asked; cells are twice as high as wide if nothing else is known.
  public let cellWidth: Int
  public let cellHeight: Int

  public init(columns: Int, rows: Int, cellWidth: Int = 8, cellHeight: Int = 16) {
    // More than any terminal has would cost memory only.
    self.columns = min(max(1, columns), 1000)
    self.rows = min(max(1, rows), 1000)
    self.cellWidth = min(max(1, cellWidth), 100)
    self.cellHeight = min(max(1, cellHeight), 200)
  }

  /// How many pixels its longer side has: more of a picture cannot be seen in it.
  public var side: Int { max(columns * cellWidth, rows * cellHeight) }

  /// The most cells that a picture fills without being distorted.
  func cells(for bitmap: Bitmap) -> (columns: Int, rows: Int) {
    let (width, height) = (columns * cellWidth, rows * cellHeight)
    // In pixels, limited by whichever side is reached first.
    let isWide = width * bitmap.height <= height * bitmap.width
    let seenWidth = isWide ? width : height * bitmap.width / bitmap.height
    let seenHeight = isWide ? width * bitmap.height / bitmap.width : height
    func cells(_ seen: Int, _ cell: Int, _ limit: Int) -> Int { min(limit, max(1, (seen + cell / 2) / cell)) }
    return (cells(seenWidth, cellWidth, columns), cells(seenHeight, cellHeight, rows))
  }
}

extension Bitmap {
  /// What to write to a terminal so that it shows the picture, as large as the room allows; without a line feed at the end.
  public func drawn(in room: DrawingRoom, by method: DrawingMethod) throws(PictureError) -> String {
    try Chafa.loaded().draw(self, room, method)
  }
}
