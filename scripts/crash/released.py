"""Makes what a released version leaves behind: dumps of its databases, and what its commands say about them.

Usage: python3 scripts/crash/released.py PROGRAMS FOLDER

Run it once for a version, with the programs of that version, and keep what it makes: tests open the dumps with the
program of today. PROGRAMS is the folder of `todo` and `todo-server`. The people, in FOLDER:

  alice    owns lists, shares some; changes wait, one of them sealed because a sync was killed before its answer came
  bob      is a member, became a viewer, and holds a change that the server refused; has invitations in every state
  carol    has no account
  dave     signed up with a server that never answered
  server   what all of this left on the server
"""

import datetime
import json
import pathlib
import shutil
import sqlite3
import subprocess
import sys
import tempfile

from stage import Stage

PEOPLE = ["alice", "bob", "carol", "dave"]


def play(stage):
    must = stage.must
    stage.start_server()
    server = ["--server", stage.address]
    must("alice", "add", "Groceries", "milk", "eggs", "rice", "tea", "Mehl, 1 kg")
    must("alice", "signup", "alice", *server)
    must("bob", "signup", "bob", *server)
    for name in ["Work", "Trip", "Recipes", "Gone", "Draft"]:
        must("alice", "add", name, f"{name} one", f"{name} two")
    must("alice", "lists", "rm", "Gone", "--yes")
    must("alice", "lists", "rename", "Draft", "Plans")
    for name in ["Groceries", "Trip", "Recipes", "Work"]:
        must("alice", "share", name, "--with", "bob", "-m", f"about {name}")
    must("bob", "invites")
    must("bob", "accept", "Groceries")
    must("bob", "accept", "Trip", "--as", "Our trip")
    must("bob", "decline", "Recipes")
    must("bob", "add", "Groceries", "from bob")
    must("bob", "done", "milk")
    must("bob", "sync")
    must("alice", "sync")
    must("alice", "edit", "eggs", "--title", "ten eggs")
    must("alice", "rm", "tea")
    must("alice", "done", "rice")
    must("alice", "sync")
    must("bob", "sync")
    # Bob writes without a network; meanwhile he becomes a viewer.
    must("bob", "add", "Groceries", "too late")
    must("bob", "edit", "ten eggs", "--title", "twelve eggs")
    must("alice", "share", "Groceries", "--with", "bob", "--role", "viewer")
    stage.todo("bob", "sync")
    must("bob", "add", "Our trip", "tickets")
    must("alice", "add", "Groceries", "sealed one")
    must("alice", "edit", "Trip/Trip one", "--title", "Trip uno")
    leave_sealed(stage)
    must("alice", "edit", "sealed one", "--title", "sealed, then edited")
    must("alice", "add", "Groceries", "pending one")
    must("alice", "rm", "Draft one")
    must("carol", "add", "Solo", "alone", "done alone", "gone alone")
    must("carol", "done", "done alone")
    must("carol", "rm", "gone alone")
    must("dave", "add", "Todo list", "waiting")
    stage.stop_server()
    stage.todo("dave", "signup", "dave", *server)


def leave_sealed(stage):
    """Kills a sync after it stored what it was about to send, and before it had an answer."""
    before = stage.folder / "before"
    shutil.copytree(stage.profile("alice"), before)
    for number in range(1, 100):
        kill = ["strace", "-f", "-qq", "-o", "/dev/null", "-e", f"inject=fdatasync:signal=SIGKILL:when={number}"]
        stage.todo("alice", "sync", "--quiet", wrap=kill)
        if states(stage.profile("alice") / "todo.db").get("sealed"):
            return
        shutil.rmtree(stage.profile("alice"))
        shutil.copytree(before, stage.profile("alice"))
    sys.exit("no sync was killed between sealing and its answer")


def states(path):
    with sqlite3.connect(path) as connection:
        return dict(connection.execute("SELECT state, count(*) FROM operations GROUP BY state"))


def facts(stage, person):
    """What the commands say, to be compared with what they say after an update; of the trash, what is stored."""
    todos = stage.json(person, "ls", "--all")["todos"]
    path = stage.profile(person) / "todo.db"
    with sqlite3.connect(path) as connection:
        trash = [title for title, in connection.execute("SELECT title FROM todos WHERE state = 'trash' ORDER BY title")]
    return {
        "lists": [pick(found, "name", "title", "open") for found in stage.json(person, "lists")["lists"]],
        "todos": [{**pick(todo, "id", "title", "list", "done"), **times(todo)} for todo in todos],
        "trash": trash,
        "operations": states(path),
    }


def pick(members, *keys):
    return {key: members[key] for key in keys}


def times(todo):
    """In milliseconds since 1970."""
    return {
        key: todo[key] and round(datetime.datetime.fromisoformat(todo[key]).timestamp() * 1000)
        for key in ["created_at", "done_at"]
    }


def dump(database, path):
    text = subprocess.run(["sqlite3", database, ".dump"], check=True, capture_output=True, text=True).stdout
    path.write_text(text)


def main(programs, target):
    target = pathlib.Path(target)
    target.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        stage = Stage(folder, programs)
        try:
            play(stage)
            for person in PEOPLE:
                said = facts(stage, person)
                (target / f"{person}.json").write_text(json.dumps(said, indent=1, ensure_ascii=False) + "\n")
                dump(stage.profile(person) / "todo.db", target / f"{person}.sql")
            dump(stage.server_folder / "todo-server.sqlite", target / "server.sql")
        finally:
            stage.stop_server()


if __name__ == "__main__":
    main(*sys.argv[1:])
