private import CChafa
private import Glibc

/// libchafa, which makes of pixels what a terminal shows.
@safe struct Chafa: @unchecked Sendable {
  /// Functions only, which never change.
  private let library: chafa_library

  /// Blocks, halves and quarters of cells, lines, and nothing that is two cells wide: what fonts have. Where there are no colours, also what
  /// is more or less grey.
  private static func symbols(_ method: DrawingMethod) -> String {
    "block+border+space\(method == .symbols(.none) ? "+solid+stipple" : "")-wide"
  }

  private static let shared: Chafa? = {
    var library = chafa_library()
    return unsafe chafa_library_load(&library) ? Chafa(library: library) : nil
  }()

  static func loaded() throws(PictureError) -> Chafa {
    guard let shared else { throw .libraryMissing }
    return shared
  }

  func detect(_ environment: [String: String]) -> DrawingMethod {
    var texts = unsafe environment.map { unsafe strdup("\($0.key)=\($0.value)") } + [nil]
    defer { for index in unsafe texts.indices { unsafe free(texts[index]) } }
    let info = unsafe library.term_db_detect(library.term_db_get_default(), &texts)
    defer { unsafe library.term_info_unref(info) }
    func knows(_ sequence: Int) -> Bool { unsafe library.term_info_have_seq(info, Int32(sequence)) != 0 }
    if knows(CHAFA_TERM_SEQ_BEGIN_KITTY_IMMEDIATE_IMAGE_V1) { return .kitty }
    if knows(CHAFA_TERM_SEQ_BEGIN_ITERM2_IMAGE) { return .iterm2 }
    if knows(CHAFA_TERM_SEQ_BEGIN_SIXELS) { return .sixel }
    if knows(CHAFA_TERM_SEQ_SET_COLOR_FG_DIRECT) { return .symbols(.all) }
    return .symbols(knows(CHAFA_TERM_SEQ_SET_COLOR_FG_256) ? .twoHundred : .sixteen)
  }

  func draw(_ bitmap: Bitmap, _ room: DrawingRoom, _ method: DrawingMethod) throws(PictureError) -> String {
    guard let config = library.config_new(), let map = library.symbol_map_new() else {
      throw .decoderEnded
    }
    defer {
      unsafe library.config_unref(config)
      unsafe library.symbol_map_unref(map)
    }
    let cells = room.cells(for: bitmap)
    unsafe library.config_set_geometry(config, Int32(cells.columns), Int32(cells.rows))
    unsafe library.config_set_cell_geometry(config, Int32(room.cellWidth), Int32(room.cellHeight))
    unsafe library.config_set_pixel_mode(config, Int32(method.pixelMode))
    unsafe library.config_set_canvas_mode(config, Int32(method.canvasMode))
    _ = unsafe library.symbol_map_apply_selectors(map, Self.symbols(method), nil)
    unsafe library.config_set_symbol_map(config, map)
    guard let canvas = unsafe library.canvas_new(config) else { throw .decoderEnded }
    defer { unsafe library.canvas_unref(canvas) }
    unsafe library.canvas_draw_all_pixels(
      canvas, Int32(CHAFA_PIXEL_RGBA8_UNASSOCIATED), bitmap.pixels, Int32(bitmap.width), Int32(bitmap.height),
      Int32(4 * bitmap.width))
    // Which method it is was chosen before: these are the sequences of all of them.
    let info = unsafe library.term_db_get_fallback_info(library.term_db_get_default())
    defer { unsafe library.term_info_unref(info) }
    guard let text = unsafe library.canvas_print(canvas, info) else { throw .decoderEnded }
    defer { _ = unsafe library.string_free(text, 1) }
    return unsafe String(cString: text.pointee.str)
  }
}

extension DrawingMethod {
  fileprivate var pixelMode: Int {
    switch self {
    case .kitty: CHAFA_PIXEL_MODE_KITTY
    case .iterm2: CHAFA_PIXEL_MODE_ITERM2
    case .sixel: CHAFA_PIXEL_MODE_SIXELS
    case .symbols: CHAFA_PIXEL_MODE_SYMBOLS
    }
  }

  fileprivate var canvasMode: Int {
    switch self {
    case .kitty, .iterm2, .sixel, .symbols(.all): CHAFA_CANVAS_MODE_TRUECOLOR
    case .symbols(.twoHundred): CHAFA_CANVAS_MODE_INDEXED_240
    case .symbols(.sixteen): CHAFA_CANVAS_MODE_INDEXED_16
    case .symbols(.none): CHAFA_CANVAS_MODE_FGBG
    }
  }
}
