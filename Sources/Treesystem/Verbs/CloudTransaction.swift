public import CloudAPI
public import GRDB
public import Signing

/// One transaction on the local database. The verbs are extensions, each in a file of its own, in the module that owns it.
public struct CloudTransaction {
  /// The app's own tables are read and written through this.
  public let db: Database
  /// Where ids and keys are drawn from.
  public let entropy: any Entropy
  /// What time it is here.
  public let clock: any WallClock
  /// The app, where it was given: asked for what is deleted, told of what comes back.
  let app: (any TreesystemDelegate)?
  let keyrings: KeyringMemory
}
