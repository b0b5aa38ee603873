import CKeyring
import CloudAPI
import Glibc
import Sealing
import Signing

/// The keys of unlocked profiles, which the kernel keeps for this user: in all sessions, until their time is over or the
/// machine stops. Not every kernel has such keys, and not every container may use them.
enum KernelKeyring {
  /// A key, and until when it is kept, in milliseconds.
  struct Kept {
    let key: DatabaseKey
    let until: Int64
  }

  /// A key's 32 bytes, and the time in 8.
  private static let length = 40
  /// Its owner may see, read and find it without having it in the keyrings of the session; who has it may do everything.
  private static let permissions: UInt32 = 0x3F0B_0000

  /// The key with an id, if it is kept.
  static func find(_ id: DatabaseKeyID) -> Kept? {
    guard let number = number(of: id) else { return nil }
    var bytes = [UInt8](repeating: 0, count: length + 1)
    guard keyring_read(number, &bytes, bytes.count) == length,
      let key = DatabaseKey(id: id, secret: SecretBytes(Array(bytes[..<32])))
    else { return nil }
    return Kept(key: key, until: Int64(bitPattern: BigEndian.read(bytes[32..<length])))
  }

  /// Keeps a key for so many minutes. Nil where the kernel does not.
  static func keep(_ key: DatabaseKey, minutes: Int, now: Int64) -> Kept? {
    let until = now + Int64(minutes) * 60_000
    let payload = key.secret.copied() + BigEndian.bytes(UInt64(bitPattern: until))
    // It gets its time while only this process has it, so that it is never kept for longer.
    let number = Int32(truncatingIfNeeded: keyring_add(name(key.id), payload, payload.count, KEY_SPEC_PROCESS_KEYRING))
    guard number > 0 else { return nil }
    defer { _ = keyring_unlink(number, KEY_SPEC_PROCESS_KEYRING) }
    guard keyring_set_timeout(number, UInt32(minutes) * 60) == 0, keyring_set_permissions(number, permissions) == 0,
      keyring_link(number, KEY_SPEC_USER_KEYRING) == 0
    else { return nil }
    return Kept(key: key, until: until)
  }

  /// Forgets a key. False where none was kept.
  static func forget(_ id: DatabaseKeyID) -> Bool {
    guard let number = number(of: id) else { return false }
    return keyring_invalidate(number) == 0
  }

  private static func number(of id: DatabaseKeyID) -> Int32? {
    let number = Int32(truncatingIfNeeded: keyring_search(KEY_SPEC_USER_KEYRING, name(id)))
    return number > 0 ? number : nil
  }

  private static func name(_ id: DatabaseKeyID) -> String { "todo:\(id)" }
}
