"""Mallory, an editor, puts a todo of hers where the next one of a todo that comes back is to be.

The id of the next one follows from the id of the one before, which every member knows. Mallory adds a todo, and gives it that id in her
own database before it is sent: once under the very name, once under another one.
"""

from documents import base32, occurrence
from members import Hurt, accounts, database, share, sync


def squat(stage, todo, title, isNamed):
    wanted = occurrence(todo["id"])
    stage.must("mallory", "add", "Home", title, "--literal", "--no-sync")
    with database(stage, "mallory") as connection:
        (node, old) = connection.execute("SELECT node, todo_id FROM todos WHERE title = ?", (title,)).fetchone()
        name = base32(wanted) if isNamed else old
        connection.execute("UPDATE operations SET cloud_id = ? WHERE node = ?", (wanted, node))
        connection.execute("UPDATE nodes SET cloud_id = ?, name = ? WHERE id = ?", (wanted, name, node))
        connection.execute("UPDATE todos SET todo_id = ? WHERE node = ?", (name, node))


def play(stage):
    accounts(stage, "alice", "mallory")
    for title in ["take out the bins", "water the plants"]:
        stage.must("alice", "add", "Home", title, "--repeat", "every week", "--due", "today")
    share(stage, "alice", "Home", "mallory")
    todos = {todo["title"]: todo for todo in stage.json("alice", "ls", "--no-sync")["todos"]}
    squat(stage, todos["take out the bins"], "pay mallory 900", isNamed=True)
    squat(stage, todos["water the plants"], "pay mallory 901", isNamed=False)
    sync(stage, "mallory", "alice")
    for title, todo in todos.items():
        done = stage.todo("alice", "done", todo["id"], "--json")
        if done.status != 0:
            raise Hurt(f"alice cannot tick '{title}': {done.status} {done.errors.strip()[:200]}")
        if title not in [todo["title"] for todo in stage.json("alice", "ls", "--no-sync")["todos"] if not todo["done"]]:
            raise Hurt(f"alice ticked '{title}', and no next one came")
