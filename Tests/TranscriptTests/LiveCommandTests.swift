import Foundation
import Testing

/// `todo watch` and the sync in the background, with the real programs: what happens by itself is waited for, with a deadline.
@Suite struct LiveCommandTests {
  private static let friends = """
    server$ todo-server --data server --listen 127.0.0.1:0
    todo-server: listening on http://127.0.0.1:<port:server>
    alice$ todo signup alice --server http://127.0.0.1:<port:server> --quiet
    bob$ todo signup bob --server http://127.0.0.1:<port:server> --quiet
    alice$ todo add Groceries milk --quiet
    alice$ todo share Groceries --with bob --quiet
    bob$ todo accept 1 --quiet
    alice$ todo sync --quiet
    """

  @Test func watchShowsWhatOthersDoAndEndsWithCtrlC() async throws {
    try await play { stage in
      let watch = try Program("exec env TODO_HOME=alice todo watch", as: "watch", in: stage.folder)
      try stage.play(text: "bob$ todo add Groceries \"BBQ sauce\" --sync --quiet\nbob$ todo done milk --sync --quiet")
      let lines = watch.lines(after: .seconds(60)) { $0.count >= 2 }
      let start = ContinuousClock.now
      let exit = watch.stop()
      #expect(ContinuousClock.now - start < .seconds(30))
      #expect(exit == 130)
      #expect(lines.count == 2)
      #expect(lines.first?.wholeMatch(of: /bob added [a-z0-9]{4} BBQ sauce · Groceries/) != nil, "\(lines)")
      #expect(lines.last?.wholeMatch(of: /bob ticked [a-z0-9]{4} milk · Groceries/) != nil, "\(lines)")
    }
  }

  @Test func watchWaitsForAServerAndSendsWhatIsChangedHere() async throws {
    try await play { stage in
      try stage.play(text: "server$ ^C\nalice$ todo add Groceries tea --quiet")
      let watch = try Program("exec env TODO_HOME=alice todo watch --json", as: "watch", in: stage.folder)
      // It has tried, and failed: then the server comes.
      _ = try Program("sleep 1", as: "pause", in: stage.folder).exit
      try stage.play(
        text: """
          server$ todo-server --data server --listen 127.0.0.1:<port:server>
          todo-server: listening on http://127.0.0.1:<port:server>
          bob$ for i in $(seq 200); do todo ls Groceries --sync | grep -o tea && break; sleep 0.1; done
          tea
          bob$ todo edit tea --title "green tea" --sync --quiet
          """)
      let lines = watch.lines(after: .seconds(60)) { !$0.isEmpty }
      _ = watch.stop()
      let event = try #require(lines.first.map { Data($0.utf8) })
      let object = try #require(JSONSerialization.jsonObject(with: event) as? [String: Any])
      #expect(object["kind"] as? String == "retitled")
      #expect(object["by"] as? String == "bob")
      #expect(object["title"] as? String == "green tea")
      #expect(object["title_before"] as? String == "tea")
    }
  }

  @Test func watchSaysThatAServerIsSilent() async throws {
    try await play { stage in
      try stage.play(text: "server$ ^C\nserver$ fake-server silent 127.0.0.1:<port:server>\n...")
      let watch = try Program("exec env TODO_HOME=alice todo watch", as: "watch", in: stage.folder)
      let lines = watch.lines(after: .seconds(60)) { !$0.isEmpty }
      #expect(lines == ["todo: the server does not answer, waiting for it"])
      _ = watch.stop()
    }
  }

  @Test func watchEndsWithAWordWhenTheProfileIsSignedOut() async throws {
    try await play { stage in
      let watch = try Program("exec env TODO_HOME=alice todo watch", as: "watch", in: stage.folder)
      try stage.play(text: "bob$ todo add Groceries tea --sync --quiet")
      _ = watch.lines(after: .seconds(60)) { !$0.isEmpty }
      try stage.play(text: "alice$ todo logout --yes --quiet")
      let lines = watch.lines(after: .seconds(60)) { _ in false }
      #expect(lines.last?.hasPrefix("todo: hint: sign in with") == true, "\(lines)")
      #expect(lines.dropLast().last == "todo: error: this profile was signed out while its lists were watched")
      #expect(watch.exit == 78)
    }
  }

  @Test func watchEndsWhenNobodyReadsIt() async throws {
    try await play { stage in
      let watch = try Program("env TODO_HOME=alice todo watch | head -n 1", as: "watch", in: stage.folder)
      try stage.play(text: "bob$ todo add Groceries tea --sync --quiet")
      let lines = watch.lines(after: .seconds(60)) { _ in false }
      #expect(lines.count == 1)
      #expect(watch.exit == 0)
    }
  }

  @Test func aChangeIsSentInTheBackgroundAndTheLogTellsNobodysWords() async throws {
    try await play { stage in
      try stage.play(
        text: """
          alice$ todo config background-sync on
          background-sync  on<text>
          alice$ todo add Groceries "Zwetschgen"
          added <id> Zwetschgen · Groceries · with bob
          bob$ for i in $(seq 200); do todo ls Groceries --sync | grep -o Zwetschgen && break; sleep 0.1; done
          Zwetschgen
          alice$ for i in $(seq 200); do grep -c '1 sent, 0 received' alice/profiles/default/sync.log && break; sleep 0.1; done
          1
          alice$ stat -c %a alice/profiles/default/sync.log
          600
          alice$ grep -ciE 'zwetschgen|groceries|milk|alice|bob|127.0.0.1' alice/profiles/default/sync.log
          0
          [exit 1]
          """)
    }
  }

  @Test func signingOutWhileTheBackgroundIsBusyLeavesNothingBehind() async throws {
    try await play { stage in
      try stage.play(
        text: """
          alice$ todo config background-sync on --quiet
          alice$ for i in 1 2 3 4 5; do todo add Groceries "todo number $i" --quiet; done; todo logout --yes
          signed out alice
          none of your devices is left in the account: 'todo login' needs your recovery words
          alice$ todo lists
          no lists yet
          alice$ todo whoami
          nobody: this profile has no account, and needs none until you share
          """)
    }
  }

  /// Whoever says --yes from the beginning has seen no code yet: on a terminal, where the same command goes on to the end, it is asked
  /// all the same. Nobody answers here.
  @Test func yesStandsForNoCodeThatWasNotShown() async throws {
    try await play { stage in
      try stage.play(
        text: """
          bob$ echo "todo login bob --server http://127.0.0.1:<port:server> --device laptop --approve --yes" > login.sh
          """)
      let laptop = try Program("exec script -qec 'sh login.sh' /dev/null", as: "laptop", in: stage.folder)
      try stage.play(
        text: """
          bob$ for i in $(seq 200); do todo devices > devices.txt; grep -qa 'this device shows' laptop.log && break; sleep 0.1; done
          bob$ todo devices approve $(grep -ao 'shows [0-9]*-[0-9]*' laptop.log | grep -o '[0-9-]*$') --quiet
          """)
      let lines = laptop.lines(after: .seconds(60)) { _ in false }
      #expect(laptop.exit == 76, "\(lines)")
      #expect(lines.contains { $0.contains("did your other device take") }, "\(lines)")
      try stage.play(
        text: "laptop$ todo whoami\nnobody: this profile has no account, and needs none until you share")
    }
  }

  /// On a terminal a conversation goes on: what is typed is sent, and what comes meanwhile stands above the line.
  @Test func aConversationGoesOnUntilAnEmptyLine() async throws {
    try await play { stage in
      try stage.play(
        text: """
          bob$ todo message alice "are you there?"
          sent to alice
          alice$ mkfifo keys; echo 'exec todo chat bob --sync' > chat.sh
          """)
      let chat = try Program(
        "env TODO_HOME=alice TERM=xterm script -qec 'sh chat.sh' /dev/null < keys", as: "chat", in: stage.folder)
      let keys = try FileHandle(forWritingTo: stage.folder.appending(path: "keys"))
      func wait(for text: String) -> Bool {
        for _ in 0..<200 {
          let log = (try? String(contentsOf: stage.folder.appending(path: "chat.log"), encoding: .utf8)) ?? ""
          if log.contains(text) { return true }
          usleep(100_000)
        }
        return false
      }
      #expect(wait(for: "are you there?"))
      #expect(wait(for: "> "))
      try keys.write(contentsOf: Data("yes, in the shopp".utf8))
      #expect(wait(for: "> yes, in the shopp"))
      try stage.play(text: "bob$ todo message alice milk --quiet")
      // The line was not torn: it stands below what came, and goes on.
      #expect(wait(for: "milk\r\n\r\u{1B}[K> yes, in the shopp"))
      try keys.write(contentsOf: Data("\u{7F}\n".utf8))
      #expect(wait(for: "you  yes, in the shop\u{1B}") || wait(for: "yes, in the shop\r\n"))
      try stage.play(
        text: """
          bob$ for i in $(seq 100); do todo chat alice --sync | grep -o 'yes, in the shop$' && break; sleep 0.1; done
          yes, in the shop
          """)
      try keys.write(contentsOf: Data("\n".utf8))
      try keys.close()
      #expect(chat.exit == 0)
      try stage.play(text: "alice$ todo chat --no-sync | grep -c unread\n0\n[exit 1]")
    }
  }

  /// Sets the stage with two friends and their list.
  private func play(_ body: @escaping @Sendable (Stage) throws -> Void) async throws {
    try await onStage { stage in
      try stage.play(text: Self.friends)
      try body(stage)
    }
  }
}
