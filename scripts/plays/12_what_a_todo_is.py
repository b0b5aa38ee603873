"""An editor makes something else of a todo, and old and new devices show different lists for ever.

bob is an editor of alice's list. He gives one todo a name such as comments have, and makes a pointer of another. alice's phone, which
had read them before, and her tablet, which signs in afterwards, have to show the same todos under the same ids.
"""

from members import Hurt, accounts, database, offline, share, sync


def play(stage):
    accounts(stage, "alice", "bob")
    stage.must("alice", "add", "Home", "pay the rent", "call the plumber", "--sync")
    share(stage, "alice", "Home", "bob")
    words = stage.folder / "words"
    stage.must("alice", "recovery", "--out", str(words))
    with database(stage, "bob") as bob:
        put(bob, "pay the rent", "name = lower(hex(randomblob(16)))")
        put(bob, "call the plumber", "pointer = (SELECT max(pointer) FROM nodes)")
    sync(stage, "bob", "alice", "alice")
    offline(stage, "tablet")
    stage.must("tablet", "login", "alice", "--server", stage.address, "--device", "tablet", text=words.read_text())
    sync(stage, "tablet", "alice", "tablet")
    old, new = (shown(stage, device) for device in ("alice", "tablet"))
    if old != new:
        raise Hurt(f"alice's old device shows {old}, and her new one {new}")
    if len(old) != 2:
        raise Hurt(f"alice shows {old}")


def put(bob, title, change):
    """Changes a todo's node, and queues it."""
    node = "SELECT node FROM todos WHERE title = ?"
    bob.execute(f"UPDATE nodes SET {change} WHERE id = ({node})", (title,))
    bob.execute(
        f"""
        INSERT INTO operations (operation, kind, branch, node, cloud_id, created)
        SELECT randomblob(16), 'put', branch, id, cloud_id, 0 FROM nodes WHERE id = ({node})
        """,
        (title,),
    )


def shown(stage, device):
    lines = stage.must(device, "ls", "--all").splitlines()
    return sorted(" ".join(line.split()[:4]) for line in lines if "rent" in line or "plumber" in line)
