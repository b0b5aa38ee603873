"""A key file that went missing while the profile is unlocked; what lies beside a locked profile; a list that is kept after signing out, by whose
ids everybody who still shares it knows it again. An empty restore request and a server that lies about a moved account need a client or server of
their own: the tests RestoreDeskTests and MovedServerTests play them.
"""

import members
from members import Hurt

PASSPHRASE = "correct horse battery\n"


def play(stage):
    keep_lists(stage)
    lost_key(stage)
    beside(stage)


def keep_lists(stage):
    members.accounts(stage, "alice", "bob")
    stage.must("alice", "add", "Home", "fix the door", "water the plants")
    members.share(stage, "alice", "Home", "bob")
    before = ids(stage, "bob")
    stage.must("bob", "logout", "--keep-lists", "--yes")
    if "fix the door" not in stage.must("bob", "ls", "Home"):
        raise Hurt("the kept list is gone")
    if common := before & ids(stage, "bob"):
        raise Hurt(f"{len(common)} ids of the kept copy are those of the shared list")


def ids(stage, person):
    with members.database(stage, person) as rows:
        found = rows.execute("SELECT n.cloud_id, t.todo_id FROM todos t JOIN nodes n ON n.id = t.node").fetchall()
    return {one for row in found for one in row if one is not None}


def lost_key(stage):
    members.offline(stage, "carol")
    stage.must("carol", "add", "Food", "milk")
    stage.must("carol", "lock", text=PASSPHRASE)
    if stage.todo("carol", "unlock", text=PASSPHRASE).status != 0:
        return  # This kernel keeps no keys.
    (stage.profile("carol") / "todo.db.key").unlink()
    if "todo.db.key" not in stage.must("carol", "status"):
        raise Hurt("nothing says that the key file is gone")
    stage.todo("carol", "lock", text=PASSPHRASE)
    if stage.todo("carol", "unlock", text=PASSPHRASE).status != 0:
        raise Hurt("'todo lock' threw the only key away")
    stage.must("carol", "lock")


def beside(stage):
    members.offline(stage, "dora")
    stage.must("dora", "add", "Food", "milk")
    profile = stage.profile("dora")
    stage.must("dora", "config", "passphrase-command", "printf 'correct horse battery'")
    (profile / "copy.db").write_bytes((profile / "todo.db").read_bytes())
    locked = stage.todo("dora", "lock", text=PASSPHRASE)
    if "copy.db" not in locked.errors:
        raise Hurt("lock says that all is locked, and a copy that can be read lies beside it")
    with open(profile / "todo.db", "ab") as file:
        file.write(b"junk" * 100)
    said = stage.todo("dora", "doctor", "--no-sync")
    stage.todo("dora", "lock")
    if "copy.db" not in said.output or "behind" not in said.output:
        raise Hurt("doctor names neither the copy beside the locked database nor the bytes behind it")
