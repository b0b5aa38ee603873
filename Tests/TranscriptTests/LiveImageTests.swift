import Foundation
import Testing

/// What takes long with images, with the real programs: in the middle of it somebody else comes, looks, or wants it to end.
@Suite struct LiveImageTests {
  /// Another process sends the image that a sync waits for: stopped in the middle, so that there is something to wait for.
  @Test func aSyncListsWhatAnotherProcessSent() async throws {
    try await play(
      """
      server$ todo-server --data server --listen 127.0.0.1:0
      todo-server: listening on http://127.0.0.1:<port:server>
      alice$ todo signup alice --server http://127.0.0.1:<port:server> --quiet
      alice$ todo add milk --sync --quiet
      alice$ (cat sauce.png; head -c 60000000 /dev/zero) > big.png
      alice$ todo image add milk big.png --keep-metadata --quiet
      alice$ echo 'todo sync --background & other=$!' > meet.sh
      alice$ echo 'until grep -q ":$(stat -c %i alice/profiles/default/todo.db.transfer) " /proc/locks; do kill -0 $other || exit 3; done' >> meet.sh
      alice$ echo 'kill -STOP $other; todo sync > synced & this=$!; sleep 1.5; kill -CONT $other; wait $this' >> meet.sh
      alice$ touch alice/profiles/default/todo.db.transfer; sh meet.sh
      alice$ grep -c left synced
      0
      [exit 1]
      alice$ todo status | grep '^not sent'
      not sent   nothing
      """)
  }

  /// A row that wraps stays on the screen.
  @Test func progressFitsANarrowTerminal() async throws {
    try await play(
      """
      server$ todo-server --data server --listen 127.0.0.1:0
      todo-server: listening on http://127.0.0.1:<port:server>
      alice$ todo signup alice --server http://127.0.0.1:<port:server> --quiet
      server$ ^C
      server$ fake-server silent 127.0.0.1:<port:server>
      ...
      alice$ sh end-when.sh 'no answer from the' 'stty cols 30 rows 9; exec todo sync'; echo $?
      130
      """
    ) { folder in
      let rows = try String(contentsOf: folder.appending(path: "drawn"), encoding: .utf8).split(separator: "\u{1B}[K")
        .dropFirst().map { $0.prefix { !$0.isNewline } }
      #expect(rows.contains("syncing …") && rows.contains("syncing, no answer from the …"), "\(rows)")
      #expect(rows.allSatisfy { $0.count < 30 }, "\(rows)")
    }
  }

  /// A small file of many pixels, which takes long to look through.
  @Test func attachingShowsThatItTakesLongAndCanBeEnded() async throws {
    try await play(
      """
      alice$ todo add milk --quiet
      alice$ python3 -c '
      > import struct, sys, zlib
      > side = 11000
      > chunk = lambda kind, data: struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
      > deflate = zlib.compressobj(1)
      > rows = b"".join(deflate.compress(bytes(side + 1)) for _ in range(side)) + deflate.flush()
      > head = struct.pack(">IIBBBBB", side, side, 8, 0, 0, 0, 0)
      > sys.stdout.buffer.write(b"\\x89PNG\\r\\n\\x1a\\n" + chunk(b"IHDR", head) + chunk(b"IDAT", rows) + chunk(b"IEND", b""))
      > ' > large.png
      alice$ NO_COLOR=1 sh end-when.sh looking 'exec todo image add milk large.png'; echo $?
      > tr '\\r' '\\n' < drawn | grep -oE 'looking.*|todo: .*' | sort -u
      130
      looking through the picture …
      todo: error: interrupted
      todo: hint: nothing was attached
      alice$ ls alice/profiles/default/todo.db.files 2>/dev/null | wc -l
      0
      alice$ todo show milk | grep -c image
      0
      [exit 1]
      """)
  }

  /// Draws a command into the file `drawn`, and ends it as Ctrl-C does once a text is seen there: on a busy machine as on a quick one.
  private static let endWhen = """
    rm -f drawn pid
    (for try in $(seq 1000); do if grep -qs "$1" drawn; then exec kill -INT $(cat pid); fi; sleep 0.05; done) &
    script -qefc 'echo $$ > pid; '"$2" drawn > shown 2>&1
    """

  private func play(_ text: String, _ check: @escaping @Sendable (URL) throws -> Void = { _ in }) async throws {
    try await onStage { stage in
      try Data(Self.endWhen.utf8).write(to: stage.folder.appending(path: "end-when.sh"))
      try stage.play(text: text)
      try check(stage.folder)
    }
  }
}
