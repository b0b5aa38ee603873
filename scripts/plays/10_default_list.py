"""Mallory, an editor of a list of alice's, calls it as alice's default list and as a private list of hers are called.

The first takes what alice adds without naming a list, the second what she adds by the private list's name on her next device. No database
is changed: any editor can retitle.
"""

from members import Hurt, accounts, share, sync


def read_by(stage, person, title):
    sync(stage, person)
    return any(todo["title"] == title for todo in stage.json(person, "ls", "--no-sync")["todos"])


def play(stage):
    accounts(stage, "alice", "mallory")
    stage.must("alice", "add", "Groceries", "milk")
    stage.must("alice", "add", "Diary", "monday")
    share(stage, "alice", "Groceries", "mallory")

    stage.must("mallory", "lists", "rename", "Groceries", "Todo", "--sync")
    sync(stage, "alice")
    stage.must("alice", "add", "see the lawyer", "--sync")
    if read_by(stage, "mallory", "see the lawyer"):
        raise Hurt("what alice added without naming a list went to the list that mallory called Todo")

    stage.must("mallory", "lists", "rename", "Todo" if listed(stage, "mallory", "Todo") else "Groceries", "Diary", "--sync")
    stage.must("alice", "recovery", "--out", "words.txt")
    words = (stage.folder / "words.txt").read_text()
    stage.must("tablet", "login", "alice", "--server", stage.address, text=words)
    sync(stage, "tablet")
    stage.must("tablet", "add", "Diary", "saw the lawyer", "--sync")
    if read_by(stage, "mallory", "saw the lawyer"):
        raise Hurt("what alice added to her private Diary on a new device went to the list that mallory called Diary")


def listed(stage, person, name):
    return any(known["name"] == name for known in stage.json(person, "lists", "--no-sync")["lists"])
