"""Mallory only views alice's list Work. On a list of their own, which alice may edit, they give a todo the id of one of hers. Alice moves hers
there and takes the move back. Her todo must be there at every moment, and `undo` must take back that move and nothing else."""

from members import Hurt, accounts, database, share, sync


def play(stage):
    accounts(stage, "alice", "mallory")
    stage.must("alice", "add", "Work", "write the report", "--no-sync")
    sync(stage, "alice", "mallory")
    share(stage, "alice", "Work", "mallory", role="viewer")
    stage.must("mallory", "add", "Pool", "bait", "--no-sync")
    with database(stage, "mallory") as db:
        ids = dict(db.execute("SELECT t.title, n.cloud_id FROM todos t JOIN nodes n ON n.id = t.node"))
        bait = db.execute("SELECT node FROM todos WHERE title = 'bait'").fetchone()[0]
        db.execute("UPDATE nodes SET cloud_id = ? WHERE id = ?", (ids["write the report"], bait))
        db.execute("UPDATE operations SET cloud_id = ? WHERE node = ?", (ids["write the report"], bait))
    sync(stage, "mallory")
    share(stage, "mallory", "Pool", "alice")
    stage.must("alice", "add", "Work", "another", "--no-sync")
    stage.must("alice", "mv", "Work/write the report", "--to", "Pool", "--sync")
    expect(stage, "after the move", ["another"], ["bait", "write the report"])
    did = [step["did"] for step in stage.json("alice", "undo", "--sync")["steps"]]
    if did != [["moved"]]:
        raise Hurt(f"undo took back {did} instead of the move")
    expect(stage, "after undo", ["another", "write the report"], ["bait"])
    sync(stage, "mallory", "alice")
    expect(stage, "once all have synced", ["another", "write the report"], ["bait"])


def expect(stage, when, *wanted):
    for name, titles in zip(("Work", "Pool"), wanted):
        found = sorted(todo["title"] for todo in stage.json("alice", "ls", name, "--all")["todos"])
        if found != titles:
            raise Hurt(f"{when} alice's {name} holds {found}")
