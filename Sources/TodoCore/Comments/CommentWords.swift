import CloudAPI
import Signing
import Treesystem

/// What the writer of a comment signs (spec §7.8): no list is named, so it goes along where the todo goes.
struct CommentWords {
  let todo: CloudID
  let comment: CloudID
  let time: UInt64
  let text: [UInt8]

  var bytes: [UInt8] { todo.bytes + comment.bytes + bigEndian(time) + text }
}

extension Document {
  /// The writer's own signature under a comment.
  var signedWords: SignedWords? { value(.words).flatMap { SignedWords(bytes: $0) } }

  /// Whether these are words of this keyring's user, about this todo.
  func isProven(as comment: CloudID, below todo: CloudID, by keyring: Keyring) -> Bool {
    guard writer == keyring.user, let signedWords, let words = words(comment, below: todo) else { return false }
    return signedWords.hold(words.bytes, .comment, by: keyring)
  }

  /// What is said, if it is one thing.
  fileprivate func words(_ comment: CloudID, below todo: CloudID) -> CommentWords? {
    let notes = elements(of: Field.note.rawValue)
    guard notes.count == 1 else { return nil }
    return CommentWords(todo: todo, comment: comment, time: notes[0].stamp.time, text: notes[0].value)
  }
}

extension CloudTransaction {
  /// Whether a comment bears its writer's own signature; then nobody else's word is needed for who wrote it.
  func isProven(_ document: Document, at node: Node) throws -> Bool {
    guard document.signedWords != nil, let keyring = try document.writer.flatMap({ try self.keyring($0) }),
      let (comment, todo) = try place(of: node)
    else { return false }
    return document.isProven(as: comment, below: todo, by: keyring)
  }

  /// Signs a comment of this user's, which nobody has yet.
  func sign(_ document: inout Document, at node: Node, now: Int64, replica: Replica) throws {
    guard let (comment, todo) = try place(of: node), let words = document.words(comment, below: todo),
      let signed = try sign(words.bytes, .comment)
    else { return }
    try document.write(.words, signed.bytes, now: now, replica: replica)
  }

  /// Of two versions of a comment the one whose words are its writer's own; nil where that does not tell.
  func proven(_ local: VersionedDocument, _ remote: VersionedDocument, at node: Node) throws -> VersionedDocument? {
    guard node.isPlaceOfComment, local.document != remote.document else { return nil }
    let (mine, theirs) = (try isProven(local.document, at: node), try isProven(remote.document, at: node))
    return mine == theirs ? nil : mine ? local : remote
  }

  /// A comment as this user may put it under their signature: words that somebody else put there in their name, or in nobody's, stay that
  /// one's.
  func attributed(_ content: VersionedDocument, at node: Node) throws -> VersionedDocument {
    let document = content.document
    guard let signer = node.author, node.isPlaceOfComment, let me = try account()?.user, signer != me,
      document.writer == nil || document.writer == me, try !isProven(document, at: node)
    else { return content }
    let (now, replica) = (clock.now(), try replica())
    var content = content
    try content.change { try $0.write(.writer, signer.bytes, now: now, replica: replica) }
    return content
  }

  /// Has the keyring asked for that tells whose words a comment's are.
  func wantWriter(of document: Document, at node: Node) throws {
    guard node.isPlaceOfComment, let writer = document.writer, let signed = document.signedWords else { return }
    try wantKeyring(of: writer, upTo: signed.keyringPosition)
  }

  private func place(of node: Node) throws -> (comment: CloudID, todo: CloudID)? {
    guard let comment = node.cloudID, let todo = try node.parent.flatMap({ try self.node($0)?.cloudID }) else {
      return nil
    }
    return (comment, todo)
  }
}
