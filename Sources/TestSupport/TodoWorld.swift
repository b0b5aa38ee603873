public import CloudAPI
public import CloudServer
public import Signing
import TodoCore
@_exported public import TreeSupport

extension World {
  /// A world whose devices run the todo list.
  public convenience init(seed: String = "world", policy: SignUpPolicy = .open) throws {
    try self.init(running: TodoDelegate(), TodoTables.migrations, seed: seed, policy: policy)
  }
}

extension Device {
  /// A device that runs the todo list.
  public convenience init(
    path: String, transport: InProcessTransport, clock: any WallClock, entropy: any Entropy,
    pageLines: Int = Limits.pageLines
  ) throws {
    try self.init(
      path: path, transport: transport, clock: clock, entropy: entropy, app: TodoDelegate(),
      tables: TodoTables.migrations, pageLines: pageLines)
  }
}
