"""Mallory, an editor of a shared list, writes a title, and a history, with stamps of the end of time, and a message of the year 9999.

A client from before stamps were judged sends them. One from after brings back what its own database says before it sends it, so with new programs on
both sides this shows what a stock client can still send; the tests show what a client makes of what an older one sent.
"""

import time

from members import Hurt, accounts, database, share, sync
from wire import fields, message, with_register

YEAR_9999 = 253_370_764_800_000
TITLE, END, REPLICA = 1, 2**64 - 1, b"\xff" * 8


def play(stage):
    accounts(stage, "alice", "mallory")
    stage.must("alice", "add", "Shared", "milk", "eggs", "bread")
    share(stage, "alice", "Shared", "mallory")
    stage.must("mallory", "edit", "milk", "--title", "mine for ever", "--no-sync")
    stage.must("mallory", "edit", "eggs", "--title", "oat eggs", "--no-sync")
    stage.must("mallory", "mv", "bread", "--top", "--no-sync")
    with database(stage, "mallory") as db:
        rewrite(db, "mine for ever", TITLE)
        rewrite(db, "bread", 5)
        junk = [(1, message([(1, TITLE), (2, b"junk %02d" % n), (3, message([(1, END), (2, REPLICA)]))])) for n in range(32)]
        db.execute("UPDATE todos SET history = ? WHERE title = 'oat eggs'", (message(junk),))
    sync(stage, "mallory", "alice")
    ids = {todo["title"]: todo["short_id"] for todo in stage.json("alice", "ls", "Shared")["todos"]}
    milk = ids.get("mine for ever") or ids["milk"]
    eggs = ids.get("oat eggs") or ids["eggs"]
    answered = stage.todo("alice", "edit", milk, "--title", "oat milk", "--no-sync")
    if answered.status:
        raise Hurt(f"alice cannot answer the title: {answered.errors.strip()}")
    shown = stage.must("alice", "show", eggs, "--plain")
    if "oat eggs" in shown and "junk" in shown:
        raise Hurt("the history of a todo is full of the end of time")
    moved = stage.todo("alice", "mv", eggs, "--after", ids["bread"], "--no-sync")
    if moved.status:
        raise Hurt(f"alice cannot move a todo beside one of mallory's: {moved.errors.strip()}")
    last_word(stage)
    sync(stage, "alice", "mallory", "alice")
    if "oat milk" not in [todo["title"] for todo in stage.json("alice", "ls", "Shared")["todos"]]:
        raise Hurt("alice's title did not stay")


def last_word(stage):
    """A message of the year 9999, and an answer to it; this is sent as it stands by new programs too."""
    stage.must("mallory", "message", "alice", "the last word", "--no-sync")
    with database(stage, "mallory") as db:
        for node, sent in db.execute("SELECT node, message FROM outgoing").fetchall():
            found = [(number, YEAR_9999 if number == 2 else value) for number, value in fields(sent)]
            found = [(number, posted(value) if number == 18 else value) for number, value in found]
            db.execute("UPDATE outgoing SET message = ? WHERE node = ?", (message(found), node))
    sync(stage, "mallory", "alice")
    stage.must("alice", "chat", "mallory", "--plain")
    time.sleep(0.05)
    stage.must("alice", "message", "mallory", "an answer", "--no-sync")
    with database(stage, "alice") as db:
        numbers = [number for number, in db.execute("SELECT number FROM posts")]
    if max(numbers) > (time.time() + 7200) * 1000:
        raise Hurt("a message of the year 9999 stays the last one, and answers are numbered after it")


def posted(post):
    return message([(number, YEAR_9999 if number == 4 else value) for number, value in fields(post)])


def rewrite(db, title, field):
    node, document = db.execute("SELECT node, document FROM todos WHERE title = ?", (title,)).fetchone()
    changed = with_register(document, field, lambda value, time, replica: (value, END, REPLICA))
    db.execute("UPDATE todos SET document = ? WHERE node = ?", (changed, node))
