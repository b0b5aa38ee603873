"""Mallory edits a list that alice shares with them, and is not on alice's list Secret. They give nodes of the shared list the ids of what is on
Secret, of a todo and of the list itself, below a todo that alice then moves there. Alice's device must not join them into what is there, nor
delete that when mallory deletes theirs."""

from members import Hurt, accounts, database, share, sync


def play(stage):
    accounts(stage, "alice", "mallory")
    for word in ("todo", "root"):
        stage.must("alice", "lists", "add", f"Shared {word}", "--no-sync")
        stage.must("alice", "add", f"Shared {word}", f"Bait {word}", "--no-sync")
        stage.must("alice", "add", f"Secret {word}", "pay the plumber", "--no-sync")
    sync(stage, "alice")
    for word in ("todo", "root"):
        share(stage, "alice", f"Shared {word}", "mallory")
        attack(stage, word)
    expect(stage)


def attack(stage, word):
    shared, secret = f"Shared {word}", f"Secret {word}"
    with database(stage, "alice") as db:
        # Members learn ids from tombstones of what was moved; here they are looked up.
        root, branch = db.execute(
            "SELECT n.cloud_id, n.branch FROM lists l JOIN nodes n ON n.id = l.node WHERE l.title = ?", (secret,)).fetchone()
        todo = db.execute(
            "SELECT n.cloud_id FROM todos t JOIN nodes n ON n.id = t.node WHERE n.branch = ?", (branch,)).fetchone()[0]
    stage.must("mallory", "add", "--under", f"{shared}/Bait {word}", "pay mallory", "--no-sync")
    with database(stage, "mallory") as db:
        node = db.execute("SELECT node FROM todos WHERE title = 'pay mallory' AND state = 'open'").fetchall()[-1][0]
        cloud_id = todo if word == "todo" else root
        db.execute("UPDATE nodes SET cloud_id = ? WHERE id = ?", (cloud_id, node))
        db.execute("UPDATE operations SET cloud_id = ? WHERE node = ?", (cloud_id, node))
    sync(stage, "mallory")
    stage.must("alice", "mv", f"{shared}/Bait {word}", "--to", secret, "--no-sync")
    sync(stage, "alice", "mallory", "alice")


def expect(stage):
    lists = {each["name"] for each in stage.json("alice", "lists")["lists"]}
    if not {"Secret todo", "Secret root"} <= lists:
        raise Hurt(f"alice's private list has another name: {sorted(lists)}")
    for word in ("todo", "root"):
        titles = sorted(todo["title"] for todo in stage.json("alice", "ls", f"Secret {word}", "--all")["todos"])
        if titles != [f"Bait {word}", "pay mallory", "pay the plumber"]:
            raise Hurt(f"alice's private list Secret {word} holds {titles}")
