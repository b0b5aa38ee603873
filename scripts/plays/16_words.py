"""Mallory, an editor of a shared list, names and titles todos so that alice cannot reach her own, or changes what she did not mean to.

A todo gets the id and title of one of alice's private ones; a title has an empty line in it, so that all below it in the form of `todo edit` is read as
the note; a title begins with a NUL; a title turns the writing around in an export.
"""

import os
import pty
import time

from members import Hurt, accounts, database, share, sync
from wire import with_register

TITLE = 1


def play(stage):
    accounts(stage, "alice", "mallory")
    stage.must("alice", "add", "Private", "pay the plumber")
    stage.must("alice", "add", "Shared", "milk")
    stage.must("alice", "add", "Shared", "rent")
    stage.must("alice", "add", "Shared", "eggs")
    share(stage, "alice", "Shared", "mallory")
    mine = stage.json("alice", "ls", "Private")["todos"][0]
    stage.must("alice", "edit", "milk", "--due", "2030-01-01", "--sync")
    sync(stage, "mallory")
    stage.must("mallory", "add", "Shared", "pay the plumber", "--no-sync")
    for title in ("milk", "rent", "eggs"):
        stage.must("mallory", "edit", title, "--title", f"{title}!", "--no-sync")
    with database(stage, "mallory") as db:
        node = db.execute("SELECT node FROM todos WHERE title = 'pay the plumber'").fetchone()[0]
        db.execute("UPDATE nodes SET name = ? WHERE id = ?", (mine["id"], node))
        db.execute("UPDATE todos SET todo_id = ? WHERE node = ?", (mine["id"], node))
        retitle(db, "milk!", b"milk\n\nand more")
        retitle(db, "rent!", b"\0pay mallory")
        retitle(db, "eggs!", "eggs\u202e\u009b2J".encode())
    sync(stage, "mallory", "alice")
    both = [todo for todo in stage.json("alice", "ls")["todos"] if todo["title"] == "pay the plumber"]
    if len(both) != 2:
        raise Hurt(f"{len(both)} todos of the title are shown")
    for todo in both:
        if stage.todo("alice", "done", todo["short_id"], "--no-sync").status:
            raise Hurt(f"alice cannot tick {todo['short_id']}: two todos are called so")
    shown = [todo["title"] for todo in stage.json("alice", "ls", "Shared")["todos"]]
    if "" in shown:
        raise Hurt("a title is hidden behind a NUL")
    exported = stage.must("alice", "export")
    if "\u202e" in exported or "\u009b" in exported:
        raise Hurt("an export has what turns the writing around, or steers a terminal")
    milk = next(todo for todo in stage.json("alice", "ls", "Shared")["todos"] if todo["title"].startswith("milk"))
    close_the_form(stage, "alice", milk["short_id"])
    after = next(todo for todo in stage.json("alice", "ls", "Shared")["todos"] if todo["short_id"] == milk["short_id"])
    if after["due"] != milk["due"] or after["title"] != milk["title"]:
        raise Hurt("a form that alice only looked at took the due date away")


def retitle(db, title, new):
    node, document = db.execute("SELECT node, document FROM todos WHERE title = ?", (title,)).fetchone()
    changed = with_register(document, TITLE, lambda value, time, replica: (new, time, replica))
    db.execute("UPDATE todos SET document = ? WHERE node = ?", (changed, node))


def close_the_form(stage, person, todo):
    """Opens a todo in an editor that changes nothing, on a terminal."""
    child, terminal = pty.fork()
    if child == 0:
        environment = stage.environment() | {"EDITOR": "true", "TERM": "xterm"}
        program = str(stage.programs / "todo")
        os.execve(program, [program, "--profile", person, "edit", todo], environment)
    deadline = time.monotonic() + 20
    while time.monotonic() < deadline:
        try:
            if not os.read(terminal, 4096):
                break
        except OSError:
            break
    os.close(terminal)
    os.waitpid(child, 0)
