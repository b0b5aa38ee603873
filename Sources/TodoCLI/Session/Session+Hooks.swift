import TodoCore
import Treesystem

extension Session {
  /// Lets the hook for a change hear of it. The change is stored whatever becomes of that.
  func runHook(for page: some Page) {
    guard page is ChangePage || page is UndoPage || page is NamesPage else { return }
    let isAddition = (page as? ChangePage)?.verb == "added"
    run(isAddition ? .add : .change) { .object([.init(key: "schema", value: 1)] + page.members) }
  }

  /// Lets the hook for arrivals hear of what has come since it was called last: each change once, whichever process brought it.
  func runArrivalHook() {
    run(.arrival) {
      let news = try database.write { try $0.takeArrivals() }
      if news.isEmpty { return nil }
      let named = try read { try $0.named(news) }
      return ["schema": 1, "news": .array(named.map { .object($0.members) })]
    }
  }

  private func run(_ event: Hook.Event, _ json: () throws -> JSON?) {
    guard let hook = Hook(event, home: profile.home), let json = try? json() else { return }
    if let failure = hook.run(json, profile: profile.name) {
      voice.note("the hook \(event.rawValue) \(failure); what was changed is stored")
    }
  }
}
