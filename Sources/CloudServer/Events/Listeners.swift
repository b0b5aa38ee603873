import CloudAPI
import Signing

/// The event streams of one user, and which branches they tell of: the user's own trunks, and those that devices of theirs asked about while
/// a stream was open. Who is named in somebody's list hears nothing of it before that.
struct Listeners {
  var subscriptions: [BranchSubscription] = []
  private let trunks: Set<CloudID>
  private var asked: Set<CloudID> = []
  /// In the order in which they were asked about; from `oldest` on, once it is full.
  private var order: [CloudID] = []
  private var oldest = 0

  init(of user: UserID) { trunks = Set(Trunk.allCases.map { $0.cloudID(of: user) }) }

  /// By id.
  var branches: [CloudID] { trunks.union(asked).sorted() }

  func hear(of branch: CloudID) -> Bool { asked.contains(branch) || trunks.contains(branch) }

  /// Remembers that a device of the user asked about a branch. Of too many those go that were asked about first.
  mutating func ask(_ branch: CloudID) {
    guard asked.insert(branch).inserted else { return }
    guard order.count >= ServerLimits.askedBranches else { return order.append(branch) }
    asked.remove(order[oldest])
    order[oldest] = branch
    oldest = (oldest + 1) % order.count
  }
}
