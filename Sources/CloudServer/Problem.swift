import CloudAPI

/// An answer that is not 2xx (spec §6.2).
struct Problem: Error, Equatable {
  let status: Int
  let reason: Refusal

  /// A request that is refused as a whole.
  init(_ reason: Refusal) {
    self.reason = reason
    status = Self.statuses[reason] ?? 400
  }

  /// A request of which a record is refused: the record's reason says nothing about who sent it.
  init(record reason: Refusal) {
    self.reason = reason
    status = reason == .chainBroken ? 409 : 400
  }

  /// A body that is longer than any request of ours.
  static let tooLong = Problem(status: 413, .limitExceeded)

  /// A range that an answer does not have.
  static let rangeOutside = Problem(status: 416, .malformed)

  private init(status: Int, _ reason: Refusal) {
    self.status = status
    self.reason = reason
  }

  private static let statuses: [Refusal: Int] = [
    .malformed: 400, .limitExceeded: 400,
    .signatureBad: 401, .clockSkew: 401, .nonceSeen: 401, .digestWrong: 401, .deviceUnknown: 401,
    .letterMissing: 403, .signUpClosed: 403, .restoreClosed: 403, .accountDeleted: 403, .tokenWrong: 403,
    .notFound: 404, .tooSlow: 408,
    .fork: 409, .handleTaken: 409, .listsShared: 409, .chainBroken: 409,
    .otherServer: 421, .clientTooOld: 426, .tooMany: 429, .internal: 500, .diskFull: 507, .quotaExceeded: 507,
  ]

  /// Runs what judges a record, so that its refusal becomes the request's.
  static func ofRecord<T>(_ body: () throws -> T) throws -> T {
    do {
      return try body()
    } catch let refusal as Refusal {
      throw Problem(record: refusal)
    }
  }
}
