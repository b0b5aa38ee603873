import Foundation
public import GRDB
public import Signing

extension FixedBytes where Self: DatabaseValueConvertible {
  /// The bytes, as a BLOB.
  public var databaseValue: DatabaseValue { Data(bytes).databaseValue }
  /// Nil for a value that is no BLOB of this length.
  public static func fromDatabaseValue(_ value: DatabaseValue) -> Self? {
    Data.fromDatabaseValue(value).flatMap { Self(bytes: $0) }
  }
}

extension UserID: DatabaseValueConvertible {}
extension DeviceID: DatabaseValueConvertible {}
extension CloudID: DatabaseValueConvertible {}
extension LoginID: DatabaseValueConvertible {}
extension ContentID: DatabaseValueConvertible {}
extension OperationID: DatabaseValueConvertible {}
extension Hash32: DatabaseValueConvertible {}
extension NodeID: DatabaseValueConvertible {}
extension BranchID: DatabaseValueConvertible {}

extension SecretBytes {
  /// For a column of keys.
  var column: Data { Data(copied()) }
  convenience init(column: Data) { self.init(Array(column)) }
}
