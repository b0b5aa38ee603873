import Foundation
import Testing

/// What somebody writes in an editor, and what is left of it.
@Suite struct DraftTests {
  /// An editor that writes what lies in `new.txt`, leaves a file beside it as editors do, and ends with the status that it is given.
  private static let editor = """
    alice$ printf '#!/bin/sh\\ngrep -v "^#" "$2"; touch "$2~"; cp new.txt "$2"; exit "$1"\\n' > editor; chmod +x editor
    """

  /// It opens again with what somebody wrote, until that is understood or taken out.
  @Test func whatWasWrittenIsKept() async throws {
    try await onStage { stage in
      try stage.play(
        text: """
          # terminal: 100 x 40
          alice$ todo add Home tea --quiet
          \(Self.editor)
          alice$ printf 'title: tea\\ndue: blursday\\n' > new.txt
          alice$ EDITOR="./editor 0" todo edit tea
          title: tea
          due:
          start:
          priority:
          assign:
          repeat:
          tags:


          todo: error: 'blursday' is no date that is understood
          todo: hint: <text>
          edit it again? [Y/n]<text>
          todo: error: nothing was changed
          todo: hint: what you wrote is kept: todo edit <id> goes on with it
          [exit 65]
          alice$ printf 'title: green tea\\n' > new.txt
          alice$ EDITOR="./editor 1" todo edit tea
          todo: this is what you wrote <text>; leave nothing of it, and it is forgotten
          title: tea
          due: blursday
          todo: error: the editor './editor 1' failed with status 1
          todo: hint: what you wrote is kept: todo edit <id> goes on with it
          [exit 66]
          alice$ EDITOR="./editor 0" todo edit tea
          todo: this is what you wrote <text>; leave nothing of it, and it is forgotten
          title: green tea
          edited <id> green tea · Home
          alice$ printf 'title: black tea\\n' > new.txt
          alice$ EDITOR="./editor 1" todo edit "green tea"
          ...
          todo: hint: what you wrote is kept: todo edit <id> goes on with it
          [exit 66]
          alice$ printf '# nothing\\n' > new.txt
          alice$ EDITOR="./editor 0" todo edit "green tea"
          todo: this is what you wrote <text>; leave nothing of it, and it is forgotten
          title: black tea
          todo: nothing was changed
          alice$ EDITOR="./editor 0" todo edit "green tea"
          title: green tea
          ...
          todo: nothing was changed
          alice$ ls /dev/shm /run/user/$(id -u) 2> /dev/null | grep todo-edit-$(stat --format=%d-%i alice/profiles/default); ls alice/profiles/default | grep edit
          [exit 1]
          """)
    }
  }

  /// Of a profile with an account, a shared list, posts, a log and a draft nothing can be read once it is locked.
  @Test func nothingOfALockedProfileCanBeRead() async throws {
    let words = [
      "Zwetschgenknödel", "Quittengelee", "Festtafel", "für den Feiertag", "Mohnstrudel am Rand", "bobinsky",
      "alicechen", "Entwurf ohne Ende",
    ]
    let (before, after) = try await onThread { () -> (Data, Data) in
      let stage = try Stage()
      defer { try? stage.clear() }
      try stage.play(
        text: """
          server$ todo-server --data server --listen 127.0.0.1:0
          todo-server: listening on http://127.0.0.1:<port:server>
          alice$ todo add Festtafel Zwetschgenknödel Quittengelee --quiet
          alice$ todo signup alicechen --server http://127.0.0.1:<port:server> --quiet
          bob$ todo signup bobinsky --server http://127.0.0.1:<port:server> --quiet
          alice$ todo share Festtafel --with bobinsky -m "für den Feiertag" --quiet
          bob$ todo accept 1 --quiet
          bob$ todo edit Quittengelee --note "Mohnstrudel am Rand" --sync --quiet
          alice$ todo sync --quiet
          """)
      try stage.play(
        text: """
          # terminal: 100 x 40
          \(Self.editor)
          alice$ printf 'title: Entwurf ohne Ende\\n' > new.txt
          alice$ EDITOR="./editor 1" todo edit Quittengelee
          title: Quittengelee
          ...
          todo: hint: what you wrote is kept: todo edit <id> goes on with it
          [exit 66]
          """)
      let folder = stage.folder.appending(path: "alice")
      let before = try Data(allOf: folder)
      try stage.play(
        text: """
          alice$ echo "correct horse battery" | todo lock
          locked; 'todo unlock' opens it
          """)
      return (before, try Data(allOf: folder))
    }
    #expect(words.filter { !before.holds($0) } == [], "this test would find them")
    #expect(words.filter(after.holds) == [])
  }

  /// What else lies in the folder is no part of the profile, and is not locked with it.
  @Test func lockNamesWhatCanBeRead() async throws {
    try await onStage { stage in
      try stage.play(
        text: """
          alice$ todo add Home tea --quiet
          alice$ echo tea > alice/profiles/default/notes.txt
          alice$ echo "correct horse battery" | todo lock
          todo: error: the profile is locked, but what else lies in its folder is not: notes.txt
          todo: hint: look at it, and move it away: <text>
          [exit 76]
          alice$ rm alice/profiles/default/notes.txt; todo lock
          locked already
          """)
    }
  }
}
