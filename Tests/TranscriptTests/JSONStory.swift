/// A story in which every command prints what `--json` makes of it. Behind `#` stands to which row of docs/json.md that belongs: for a shell
/// it is nothing.
enum JSONStory {
  /// What is printed is compared with the document, and not with lines.
  static var page: Page {
    get throws {
      let scenes = [beginning, sharing, people, devices, refusals, ends, restoration, lock, accounts]
      let lines = scenes.joined(separator: "\n").split(separator: "\n").map { line in
        line.contains("todo ") || line.contains(" # ") ? "\(line)\n..." : String(line)
      }
      return try Page(name: "(what --json prints)", text: lines.joined(separator: "\n"))
    }
  }

  private static let beginning = """
    server$ todo-server --data server --listen 127.0.0.1:0
    todo-server: listening on http://127.0.0.1:<port:server>
    other$ todo-server --data other --listen 127.0.0.1:0
    todo-server: listening on http://127.0.0.1:<port:other>
    alice$ todo add Groceries milk eggs tea --json # add
    alice$ todo edit milk --due today --start yesterday --priority high --repeat daily --json # edit
    alice$ todo today --json # today
    alice$ todo search mil --json # search
    alice$ todo done milk --json # done
    alice$ todo undo --json # undo
    alice$ todo lists add Gone --json # lists add
    alice$ todo undo --json # undo
    alice$ todo edit milk --repeat none --due none --start none --priority none --json # edit
    alice$ todo add --under milk "look for the bottle" --json # add
    alice$ todo show milk --json # show
    alice$ todo done "look for the bottle" --json # done
    alice$ todo lists clear Groceries --json # lists clear
    alice$ todo lists add Spare --json # lists add
    alice$ todo lists merge Spare --into Groceries --json # lists merge
    alice$ todo export out.json --json # export to a file
    alice$ todo import out.json --json # import
    alice$ printf -- '- [ ] a\\n- [ ]\\n- b\\n' | todo import - --format markdown --skip-broken --json # import
    alice$ todo done milk --json # done
    alice$ todo undone milk --json # undone
    alice$ todo edit milk --note "2 l" --tag dairy --json # edit
    alice$ todo mv milk --bottom --json # mv
    alice$ todo show milk --json # show
    alice$ todo image add tea sauce.png --json # image add
    alice$ todo rm tea --json # rm
    alice$ todo trash --json # trash
    alice$ todo restore tea --json # restore
    alice$ todo rm tea --quiet
    alice$ todo add Attic lamp --quiet
    alice$ todo lists rm Attic --json # lists rm
    alice$ todo trash empty --yes --json # trash empty
    alice$ todo lists add Werk --json # lists add
    alice$ todo lists rename Werk Work --json # lists rename
    alice$ todo lists rm Work --json # lists rm
    alice$ todo --json # todo
    alice$ todo image add milk sauce.png --json # image add
    alice$ todo image add milk sauce.png --keep-metadata --json # image add
    alice$ todo image show milk --json # image show
    alice$ todo image save milk milk.png --json # image save
    alice$ todo show milk --json # show
    alice$ todo image rm milk --json # image rm
    alice$ todo config --json # config
    alice$ todo version --json # version
    alice$ todo show nothing --json # what went wrong
    [exit 66]
    alice$ todo signup alice --server http://127.0.0.1:<port:server> --device desk --json # signup
    bob$ todo signup bob --server http://127.0.0.1:<port:server> --json # signup
    carol$ todo signup carol --server http://127.0.0.1:<port:server> --quiet
    dora$ todo signup dora --server http://127.0.0.1:<port:server> --quiet
    alice$ todo recovery --out words.txt --json # recovery
    """

  private static let sharing = """
    alice$ todo share Groceries --with bob --role admin --json # share --with
    alice$ todo share Groceries --with carol --json # share --with
    alice$ todo share Groceries --code > code.txt
    alice$ todo share Groceries --code --json # share --code
    bob$ todo invites --json # invites
    carol$ todo decline 1 --json # decline <number>
    bob$ todo accept 1 --json # accept <number>
    dora$ todo accept "$(cat code.txt)" --json # accept <code>
    dora$ todo invites --json # invites
    dora$ todo decline "$(cat code.txt)" --json # decline <code>
    alice$ todo share Groceries --role owner --with bob --json # share --role owner
    alice$ todo members --json # members
    alice$ todo unshare Groceries --codes --json # unshare --codes
    bob$ todo decline 2 --quiet
    bob$ todo add Groceries bread --quiet --sync
    alice$ todo add Games chess --quiet
    alice$ todo share Games --with carol --quiet
    alice$ todo ls --sync --json # ls
    alice$ todo news --count --json # news --count
    carol$ todo sync --quiet
    carol$ todo news --json # news
    alice$ todo unshare Games --with carol --json # unshare
    carol$ todo accept Games --no-sync --quiet
    carol$ todo sync --quiet 2> /dev/null || true
    carol$ todo lists rm Games --json # lists rm of a list that never came
    """

  private static let people = """
    bob$ todo watch --json > watch.json 2> /dev/null & TODO_HOME=alice todo add Groceries soap --quiet --sync; for i in $(seq 100); do grep -q soap watch.json && break; sleep 0.1; done; kill $!; cat watch.json # watch
    dora$ todo watch --json > invited.json 2> /dev/null & TODO_HOME=alice todo share Games --with dora --quiet; for i in $(seq 100); do grep -q invited invited.json && break; sleep 0.1; done; kill $!; grep invited invited.json # watch where somebody invites
    bob$ todo comment milk "half fat" --json # comment
    bob$ todo message alice "which?" --image sauce.png --json # message
    dora$ todo message alice hello --no-sync --json # message
    dora$ todo status --no-sync --json # status
    dora$ todo sync --quiet
    alice$ todo news --sync --json # news
    alice$ todo log --json # log
    bob$ todo log milk --json # log
    alice$ todo image add milk sauce.png --quiet --sync
    alice$ todo image add milk sauce.png --keep-metadata --quiet --sync
    alice$ todo show milk --json # show
    alice$ todo chat --json # chat
    alice$ todo chat bob --json # chat <user>
    alice$ todo chat bob --save-image "$(TODO_HOME=alice todo chat bob | grep -o '[0-9a-f]*]' | tr -d ']')" --as of-bob.png --json # chat --save-image
    mallory$ todo signup mallory --server http://127.0.0.1:<port:server> --quiet
    mallory$ todo message bob hello --quiet
    bob$ todo chat --sync --json # chat
    bob$ todo --json # todo
    bob$ todo chat --decline mallory --json # chat --decline
    mallory$ todo message bob "hello again" --quiet
    bob$ todo chat --accept mallory --json # chat --accept
    dora$ todo watch --json > said.json 2> /dev/null & TODO_HOME=alice todo message dora "who are you?" --quiet; for i in $(seq 100); do grep -q who said.json && break; sleep 0.1; done; kill $!; cat said.json # watch where somebody says something
    alice$ todo users --json # users
    alice$ todo users verify bob --json # users verify
    alice$ todo users block carol --json # users block
    alice$ todo users unblock carol --json # users unblock
    """

  private static let devices = """
    alice$ todo recovery --rehearse --quiet < words.txt
    phone$ todo login alice --server http://127.0.0.1:<port:server> --device phone --json < words.txt # login
    tablet$ todo login alice --server http://127.0.0.1:<port:server> --device tablet --approve --quiet
    [exit 75]
    alice$ todo devices --json # devices
    alice$ todo devices deny --json # devices deny
    laptop$ todo login alice --server http://127.0.0.1:<port:server> --device laptop --approve --quiet
    [exit 75]
    phone$ todo devices --quiet
    laptop$ todo login alice --server http://127.0.0.1:<port:server> --device laptop --approve --json > approve.json
    [exit 75]
    laptop$ cat approve.json # login --approve until it was approved
    phone$ todo devices approve $(grep -o '[0-9]*-[0-9]*' approve.json | head -1) --json # devices approve
    laptop$ todo login alice --server http://127.0.0.1:<port:server> --device laptop --approve --yes --json # login
    laptop$ todo devices rename laptop notebook --json # devices rename
    alice$ todo sync --quiet
    alice$ todo news --json # news
    laptop$ todo sync --quiet
    alice$ todo devices revoke phone --yes --json # devices revoke
    laptop$ todo logout --yes --json # logout
    dora$ todo recovery --out of-dora.txt --quiet
    tablet-of-dora$ todo login dora --server http://127.0.0.1:<port:server> --quiet < of-dora.txt
    tablet-of-dora$ todo status --no-sync --json # status
    """

  private static let refusals = """
    bob$ todo add Groceries salt sugar --no-sync --quiet
    alice$ todo share Groceries --with bob --role viewer --quiet
    bob$ todo status --no-sync --json # status
    bob$ todo sync --json # sync
    [exit 77]
    bob$ todo status --no-sync --json > status.json; cat status.json # status
    bob$ todo sync --retry --json # sync
    [exit 77]
    bob$ todo sync --discard $(grep -o '"number":[0-9]*' status.json | cut -d: -f2) --yes --json # sync
    alice$ todo share Groceries --with bob --role admin --quiet
    """

  private static let ends = """
    alice$ todo add Party cake --quiet
    alice$ todo add Flat rent --quiet
    alice$ todo share Party --with bob --quiet
    alice$ todo share Flat --with bob --quiet
    bob$ todo accept Party --quiet
    bob$ todo accept Flat --quiet
    bob$ todo sync --quiet
    alice$ todo lists rm Party --yes --json # lists rm of a list that others share
    alice$ todo unshare Flat --with bob --quiet
    bob$ todo sync --json # sync
    bob$ todo ls --json # ls
    bob$ todo lists --json # lists
    bob$ todo members --json # members
    bob$ todo status --json # status
    bob$ todo lists keep Party --json # lists keep
    bob$ todo news --json # news
    """

  private static let restoration = """
    server$ ^C
    $ cp -r server backup
    server$ todo-server --data server --listen 127.0.0.1:<port:server>
    todo-server: listening on http://127.0.0.1:<port:server>
    alice$ todo add Groceries rice --quiet --sync
    server$ ^C
    $ rm -r server && mv backup server
    server$ todo-server --data server --listen 127.0.0.1:<port:server> --accept-restores
    todo-server: listening on http://127.0.0.1:<port:server>
    alice$ todo sync --json # sync
    [exit 76]
    alice$ todo status --no-sync --json # status
    alice$ todo doctor --repair-server --json # doctor
    [exit 75]
    """

  private static let lock = """
    erin$ todo add Diary secret --quiet
    erin$ todo unlock --json # unlock
    erin$ echo "correct horse battery" | todo lock --json # lock
    """

  private static let accounts = """
    bob$ todo leave Groceries --yes --json # leave
    carol$ todo account --json # account
    carol$ todo whoami --json # whoami
    carol$ todo account move --server http://localhost:<port:server> --json # account move
    carol$ todo account delete --yes --json # account delete
    """
}
