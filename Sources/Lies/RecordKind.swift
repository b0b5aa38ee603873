package import CloudAPI

/// What a hostile server tampers with.
package enum RecordKind: String, CaseIterable, Sendable {
  case keyring, permissions, header, tombstone, content, log, head, answer, restoration, message, invitation,
    code, login, transfer, event

  /// The kind of the lines that carry it.
  package var line: Line.Kind {
    switch self {
    case .tombstone: .tombstone
    case .permissions: .permissions
    default: .header
    }
  }
}

extension Line.Kind {
  /// What a line of this kind carries.
  package var record: RecordKind {
    switch self {
    case .header: .header
    case .tombstone: .tombstone
    case .permissions: .permissions
    }
  }
}
