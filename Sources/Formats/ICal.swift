private import CICal
private import Glibc

/// libical, which knows what the lines of calendars mean: their parameters, texts, dates, durations and time zones.
///
/// It is given each line by itself, because it does not tell on which line of a file something is wrong, and ends a component with
/// whatever ends first.
@safe struct ICal: @unchecked Sendable {
  /// Functions only, which never change.
  private let library: ical_library

  private static let shared: ICal? = {
    var library = ical_library()
    return unsafe ical_library_load(&library) ? ICal(library: library) : nil
  }()

  static func loaded() throws(CalendarError) -> ICal {
    guard let shared else { throw .libraryMissing }
    return shared
  }

  /// A time zone that a calendar describes itself.
  @safe final class OwnZone {
    fileprivate let pointer: OpaquePointer
    private let library: ical_library

    fileprivate init(_ pointer: OpaquePointer, _ library: ical_library) {
      unsafe (self.pointer, self.library) = (pointer, library)
    }

    deinit { unsafe library.zone_free(pointer, 1) }
  }

  /// The zone that a VTIMEZONE describes, line by line; nil for one that is not understood.
  func zone(_ lines: [[UInt8]]) -> OwnZone? {
    guard let component = unsafe component(lines) else { return nil }
    guard unsafe library.count_errors(component) == 0, let pointer = library.zone_new() else {
      unsafe library.component_free(component)
      return nil
    }
    guard unsafe library.zone_set_component(pointer, component) != 0 else {
      unsafe library.component_free(component)
      unsafe library.zone_free(pointer, 1)
      return nil
    }
    return unsafe OwnZone(pointer, library)
  }

  /// What stands on a line, which can be several values: of each its name, value, offset and parameters, as `ParsedCalendar` holds them. Empty
  /// for what libical cannot read.
  func properties(of line: MendedLine, _ zones: [[UInt8]: OwnZone]) -> [[[UInt8]]] {
    guard let component = unsafe component([Array("BEGIN:VTODO".utf8), line.bytes, Array("END:VTODO".utf8)]) else {
      return []
    }
    defer { unsafe library.component_free(component) }
    var found: [[[UInt8]]] = []
    var next = unsafe library.first_property(component, Int32(ICAL_ANY_PROPERTY))
    while let property = unsafe next {
      let name = unsafe taken(library.property_name(property))
      if name != Array("X-LIC-ERROR".utf8) {
        let parameters = ContentLine.wanted.map {
          line.hasParameters ? unsafe taken(library.property_parameter(property, $0)) : []
        }
        let value = unsafe library.property_value(property)
        let offset = unsafe value.flatMap { unsafe self.offset(of: $0, zones[parameters[0]]) }
        let text = unsafe value.map { unsafe self.text(of: $0) } ?? []
        found.append([name, text, offset.map { Array("\($0)".utf8) } ?? []] + parameters)
      }
      unsafe next = library.next_property(component, Int32(ICAL_ANY_PROPERTY))
    }
    return found
  }

  /// The first component that lines end.
  private func component(_ lines: [[UInt8]]) -> OpaquePointer? {
    guard let parser = library.parser_new() else { return nil }
    defer { unsafe library.parser_free(parser) }
    for line in lines {
      var text = line.map { CChar(bitPattern: $0) } + [0]
      if let component = unsafe library.parser_add_line(parser, &text) { return unsafe component }
    }
    return nil
  }

  private func text(of value: OpaquePointer) -> [UInt8] {
    switch unsafe Int(library.value_kind(value)) {
    case ICAL_TEXT_VALUE: return unsafe Self.bytes(library.value_text(value))
    case ICAL_X_VALUE: return unsafe Self.bytes(library.value_x(value))
    case ICAL_DURATION_VALUE:
      let duration = unsafe library.value_duration(value)
      guard duration.is_neg == 0 else { return [] }
      let days = Int(duration.weeks) * 7 + Int(duration.days)
      let seconds = Int(duration.hours) * 3600 + Int(duration.minutes) * 60 + Int(duration.seconds)
      return Array("\(days) \(seconds)".utf8)
    default: return unsafe taken(library.value_string(value))
    }
  }

  /// Seconds that the clocks of a zone are ahead of UTC at a time.
  private func offset(of value: OpaquePointer, _ zone: OwnZone?) -> Int32? {
    guard let zone, unsafe Int(library.value_kind(value)) == ICAL_DATETIME_VALUE else { return nil }
    var time = unsafe library.value_datetime(value)
    // Up to 2582 it keeps what it has worked out; of later years it would do so for each date anew.
    unsafe time.year = min(time.year, 2500)
    return unsafe library.zone_offset(zone.pointer, &time, nil)
  }

  /// A text that is ours to free.
  private func taken(_ text: UnsafeMutablePointer<CChar>?) -> [UInt8] {
    defer { unsafe library.buffer_free(text) }
    return unsafe Self.bytes(text)
  }

  private static func bytes(_ text: UnsafePointer<CChar>?) -> [UInt8] {
    guard let text = unsafe text else { return [] }
    return unsafe Array(UnsafeRawBufferPointer(start: text, count: strlen(text)))
  }
}
