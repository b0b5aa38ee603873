import Testing

/// What the commands make of images where something is in the way: a server that lies, a list that ended, a reader that has seen enough.
@Suite struct ImageCommandTests {
  private static let friends = """
    server$ todo-server --data server --listen 127.0.0.1:0
    todo-server: listening on http://127.0.0.1:<port:server>
    alice$ todo signup alice --server http://127.0.0.1:<port:server> --quiet
    bob$ todo signup bob --server http://127.0.0.1:<port:server> --quiet
    alice$ todo add Holiday map --image sauce.png --quiet
    alice$ todo add Holiday tent --image sauce.png --quiet
    alice$ todo share Holiday --with bob --quiet
    alice$ todo sync --quiet
    bob$ todo accept Holiday --quiet
    bob$ todo sync --quiet

    """

  /// Other bytes of the same length in place of what alice sent.
  private static let lie = """
    server$ for f in $(find server -type f -path '*-*/*'); do size=$(stat -c %s $f); head -c $size /dev/zero > $f; done

    """

  @Test func aServerThatLiesAboutAnImageIsNotBelieved() async throws {
    try await play(
      Self.friends + Self.lie + """
        bob$ todo image show map
        todo: error: the image is not what alice signed (content-mismatch)
        todo: hint: nothing of it was shown or kept; try again, and if it stays ask whoever runs the server
        [exit 76]
        bob$ todo image show map --full --json 2>&1 | grep -o '"kind":"[a-z_]*"'
        "kind":"not_verified"
        bob$ todo image save map bobs.png
        todo: error: the image is not what alice signed (content-mismatch)
        todo: hint: nothing of it was shown or kept; try again, and if it stays ask whoever runs the server
        [exit 76]
        bob$ todo image save map - > piped.png
        todo: error: the image is not what alice signed (content-mismatch)
        todo: hint: <text>
        [exit 76]
        bob$ stat -c %s piped.png; ls -A | grep -E '^bobs|part'
        0
        [exit 1]
        bob$ todo status | grep -c ^images
        0
        [exit 1]
        """)
  }

  /// As with 'todo sync', whichever command it goes with.
  @Test func aSyncThatIsAskedForSendsImages() async throws {
    try await play(
      Self.friends + """
        alice$ todo add Holiday lamp --image sauce.png --no-sync --quiet
        alice$ todo done tent --sync --quiet
        alice$ todo status --no-sync | grep -c 'to send'
        0
        [exit 1]
        alice$ todo sync
        in sync
        """)
  }

  @Test func whoeverHasSeenEnoughOfAnImageIsToldNothing() async throws {
    try await play(
      """
      alice$ (cat sauce.png; head -c 5000000 /dev/zero) > large.png
      alice$ todo add Groceries sauce --image large.png --keep-metadata --quiet
      alice$ (todo image save sauce -; echo $? > status) | head -c 10 | wc -c
      10
      alice$ cat status
      0
      """)
  }

  @Test func aListThatIsKeptKeepsItsImages() async throws {
    try await play(
      Self.friends + """
        alice$ todo lists rm Holiday --yes --quiet
        bob$ todo sync --quiet
        bob$ todo lists keep Holiday --no-sync
        todo: error: keep 'Holiday' without 2 images that the server may still have: this cannot be taken back
        todo: hint: add --yes if that is what you want
        [exit 64]
        bob$ todo lists keep Holiday --json | grep -o '"images_lost":[0-9]*'
        "images_lost":0
        bob$ todo image save map map.png --no-sync --quiet
        bob$ todo image save tent - --no-sync | cmp - map.png
        bob$ todo sync --quiet
        bob$ todo status | grep -cE '^images +0 bytes kept'
        1
        """)
  }

  /// Without an account, too: who replaces a picture does not take it back.
  @Test func whatIsReplacedBeforeItWasSentIsSentAsAnEarlierOne() async throws {
    try await play(
      """
      alice$ (cat sauce.png; head -c 20000 /dev/zero) > second.png
      alice$ (cat sauce.png; head -c 30000 /dev/zero) > third.png
      alice$ todo add Holiday map --image sauce.png --keep-metadata --quiet
      alice$ todo image add map second.png --keep-metadata --quiet
      alice$ todo image add map third.png --keep-metadata --quiet
      alice$ todo image save map - --earlier 1 | cmp - second.png
      alice$ todo image save map - --earlier 2 | cmp - sauce.png
      alice$ todo image rm map --earlier 1
      took an earlier image off <id> map · Holiday
      alice$ todo image save map - --earlier 1 | cmp - sauce.png
      alice$ todo image rm map --earlier 2
      todo: error: 'map' had only 1 image before
      todo: hint: --earlier takes a number from 1, the latest, to 1
      [exit 66]
      server$ todo-server --data server --listen 127.0.0.1:0
      todo-server: listening on http://127.0.0.1:<port:server>
      alice$ todo signup alice --server http://127.0.0.1:<port:server> --quiet
      bob$ todo signup bob --server http://127.0.0.1:<port:server> --quiet
      alice$ todo share Holiday --with bob --quiet
      alice$ todo sync | grep -o 'with.*images'
      with 2 images
      bob$ todo accept Holiday --quiet
      bob$ todo sync --quiet
      bob$ todo image save map - | cmp - third.png
      bob$ todo image save map - --earlier 1 | cmp - sauce.png
      alice$ todo image rm map --earlier 1
      todo: error: an earlier image of 'map' that may have been sent stays for everybody
      todo: hint: it goes when the todo is deleted for good
      [exit 77]
      """)
  }

  @Test func whatNobodyGivesAnyMoreIsCounted() async throws {
    try await play(
      Self.friends + """
        bob$ todo image save map map.png --quiet
        alice$ todo unshare Holiday --with bob --quiet
        bob$ todo sync --quiet
        bob$ todo lists keep Holiday
        kept list Holiday
        1 image could not come along: nobody gives it to this device any more
        bob$ todo ls
        Holiday  2 open
          <id> map · image
          <id> tent
        bob$ todo sync --quiet
        bob$ todo image save map - --no-sync | cmp - map.png
        """)
  }

  @Test func signingOutSaysWhichImagesAreNotHere() async throws {
    try await play(
      Self.friends + """
        bob$ todo recovery --out words.txt --quiet
        bob$ todo recovery --rehearse --quiet < words.txt
        bob$ todo logout --keep-lists
        todo: error: 2 images are not on this device, and would be gone from your lists here
        todo: hint: 'todo image save' fetches what you want to keep; or add --yes to lose them
        [exit 64]
        bob$ todo image save map map.png --quiet
        bob$ todo logout --keep-lists --yes --quiet
        bob$ todo ls
        Holiday  2 open
          <id> map · image
          <id> tent
        bob$ todo image save map - | cmp - map.png
        """)
  }

  private func play(_ text: String) async throws {
    try await onStage { try $0.play(text: text) }
  }
}
