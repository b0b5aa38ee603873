"""What has to be true when the story has come to its end, whatever happened on the way."""

import json
import sqlite3

from story import END, Wrong, names, todos, trash

# More rounds than any story needs in which everybody syncs in turn.
ROUNDS = 6


def settle(stage):
    """Everybody syncs until nobody has anything left."""
    for _ in range(ROUNDS):
        reports = [report(stage, person) for person in ["alice", "bob", "alice"]]
        if all(found["sent"] == found["received"] == found["unsent"] == 0 for found in reports):
            return
    raise Wrong(f"it never comes to rest: {reports}")


def report(stage, person):
    """Syncs. Bob cannot read Work any more, and nothing else may be wrong."""
    outcome = stage.todo(person, "sync", "--json")
    try:
        found = json.loads(outcome.output)
    except json.JSONDecodeError:
        raise Wrong(f"{person} cannot sync: {outcome.status} {outcome.errors.strip()}") from None
    if found["refused"] or (person == "alice" and outcome.status != 0) or outcome.status not in (0, 76):
        raise Wrong(f"{person}'s sync: {outcome.status} {found} {outcome.errors.strip()}")
    return found


def ended_well(stage):
    """Nothing is lost, nothing is there twice, and both see the same."""
    settle(stage)
    alice, bob = [sorted(todos(stage, person, "Food") or []) for person in ["alice", "bob"]]
    if alice != END:
        raise Wrong(f"alice has {alice}")
    if bob != END:
        raise Wrong(f"bob has {bob}")
    for person in ["alice", "bob"]:
        gone = trash(stage, person)
        if gone:
            raise Wrong(f"{person} has {gone} in the trash")
        status = stage.json(person, "status", "--no-sync")
        if status["unsent"] or status["refused"] or status["quarantined"] or (person == "alice" and status["unreadable"]):
            raise Wrong(f"{person}'s status: {status}")
    if sorted(names(stage, "alice")) != ["Food", "Work"] or names(stage, "bob").count("Food") != 1:
        raise Wrong(f"lists: {names(stage, 'alice')} {names(stage, 'bob')}")
    invites = stage.json("bob", "invites", "--no-sync")["invites"]
    if invites:
        raise Wrong(f"bob is invited again: {invites}")


def undamaged(stage):
    """Every database is whole."""
    profiles = [stage.profile(person) / "todo.db" for person in ["alice", "bob", "carol"]]
    for path in [*profiles, stage.server_folder / "todo-server.sqlite"]:
        if not path.exists():
            continue
        with sqlite3.connect(path) as connection:
            damage = [row for row, in connection.execute("PRAGMA integrity_check") if row != "ok"]
            loose = connection.execute("PRAGMA foreign_key_check").fetchall()
        connection.close()
        if damage or loose:
            raise Wrong(f"{path.name} of {path.parent.name} is damaged: {damage} {loose}")
