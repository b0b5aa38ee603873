"""Mallory, an editor, puts a todo of hers where the next one of a todo that comes back is to be.

The id of the next one follows from the id of the one before and a key that every member has. Mallory finds it by ticking in a copy of her
own profile that never syncs. She adds a todo, and gives it that id in her own database before it is sent: once under the very name, once
under another one.
"""

import shutil

from members import Hurt, accounts, database, share, sync

NEXT = "SELECT t.todo_id, n.cloud_id FROM todos t JOIN nodes n ON n.id = t.node WHERE t.title = ? AND t.state = 'open'"


def next_one(stage, title):
    """The name and the id that the next one of a todo is to have."""
    copy = stage.profile("ghost")
    shutil.copytree(stage.profile("mallory"), copy)
    stage.must("ghost", "done", title, "--no-sync")
    with database(stage, "ghost") as connection:
        rows = connection.execute(NEXT, (title,)).fetchall()
    shutil.rmtree(copy)
    if len(rows) != 1:
        raise Hurt(f"the copy of mallory's profile has {len(rows)} next ones of '{title}'")
    return rows[0]


def squat(stage, before, title, isNamed):
    name, wanted = next_one(stage, before)
    stage.must("mallory", "add", "Home", title, "--literal", "--no-sync")
    with database(stage, "mallory") as connection:
        (node, old) = connection.execute("SELECT node, todo_id FROM todos WHERE title = ?", (title,)).fetchone()
        name = name if isNamed else old
        connection.execute("UPDATE operations SET cloud_id = ? WHERE node = ?", (wanted, node))
        connection.execute("UPDATE nodes SET cloud_id = ?, name = ? WHERE id = ?", (wanted, name, node))
        connection.execute("UPDATE todos SET todo_id = ? WHERE node = ?", (name, node))
    return wanted


def play(stage):
    accounts(stage, "alice", "mallory")
    for title in ["take out the bins", "water the plants"]:
        stage.must("alice", "add", "Home", title, "--repeat", "every week", "--due", "today")
    share(stage, "alice", "Home", "mallory")
    todos = {todo["title"]: todo for todo in stage.json("alice", "ls", "--no-sync")["todos"]}
    taken = [
        squat(stage, "take out the bins", "pay mallory 900", isNamed=True),
        squat(stage, "water the plants", "pay mallory 901", isNamed=False),
    ]
    sync(stage, "mallory", "alice")
    # Else she has taken nothing, and the play shows nothing.
    with database(stage, "alice") as connection:
        for wanted in taken:
            if connection.execute("SELECT 1 FROM nodes WHERE cloud_id = ?", (wanted,)).fetchone() is None:
                raise Hurt("what mallory put there did not arrive")
    for title, todo in todos.items():
        done = stage.todo("alice", "done", todo["id"], "--json")
        if done.status != 0:
            raise Hurt(f"alice cannot tick '{title}': {done.status} {done.errors.strip()[:200]}")
        if title not in [todo["title"] for todo in stage.json("alice", "ls", "--no-sync")["todos"] if not todo["done"]]:
            raise Hurt(f"alice ticked '{title}', and no next one came")
