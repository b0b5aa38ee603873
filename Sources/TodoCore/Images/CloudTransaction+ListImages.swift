import Signing
public import Treesystem

extension CloudTransaction {
  /// The images of a list's todos, of those in its trash too; earlier ones are among them.
  public func images(on list: NodeID) throws -> [TodoImage] {
    try [TodoState.open, .done, .trash].flatMap { try todos(in: list, $0) }
      .flatMap { try [image(of: $0)].compactMap(\.self) + earlierImages(of: $0) }
  }

  /// Those of them whose pictures are not on this device.
  public func imagesElsewhere(on list: NodeID) throws -> [TodoImage] {
    try images(on: list).filter { try !isHere(.data, of: $0.file) }
  }
}
