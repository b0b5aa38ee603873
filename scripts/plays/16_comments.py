"""Mallory, an editor of a shared list, writes a comment that names alice as its writer; alice takes the todo to another list.

Alice's device signs what it moves. Whoever reads the other list must not take mallory's words for alice's.
"""

from members import Hurt, accounts, database, share, sync
from wire import with_register

WRITER = 8


def play(stage):
    accounts(stage, "alice", "mallory", "carol")
    stage.must("alice", "add", "Shared", "rent")
    share(stage, "alice", "Shared", "mallory")
    alice = user(stage, "alice")
    stage.must("mallory", "comment", "rent", "I will pay all of it", "--no-sync")
    with database(stage, "mallory") as db:
        query = "SELECT node, document FROM todos WHERE state = 'other'"
        for node, document in db.execute(query).fetchall():
            changed = with_register(document, WRITER, lambda value, time, replica: (alice, time, replica))
            db.execute("UPDATE todos SET document = ? WHERE node = ?", (changed, node))
    sync(stage, "mallory", "alice")
    stage.must("alice", "add", "Flat", "keys")
    share(stage, "alice", "Flat", "carol")
    stage.must("alice", "mv", "rent", "--to", "Flat", "--sync")
    sync(stage, "alice", "carol")
    comments = stage.json("carol", "show", "Flat/rent")["comments"]
    if any(comment["by"] == "alice" and comment["via"] is None for comment in comments):
        raise Hurt("carol reads words of mallory's as alice's")


def user(stage, person):
    with database(stage, person) as db:
        return db.execute("SELECT user FROM account").fetchone()[0]
