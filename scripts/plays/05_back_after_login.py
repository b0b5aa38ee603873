"""A removed member is on the list again after the way out that is advised.

Alice takes mallory off a list after the backup was made, and the server that is put back is not asked to take anything back, so mallory
writes there first. Alice's device finds two pasts, and the advice is to sign out and in again: then it shows the list as the server
has it, with mallory as an editor. Alice has to be told before, and mallory has to lose the list again.
"""

import importlib

from members import Hurt, accounts, share, sync, words

set_back = importlib.import_module("05_who_writes_first").set_back


def play(stage):
    accounts(stage, "alice", "mallory")
    stage.must("alice", "recovery", "--out", str(stage.folder / "words.txt"))
    typed = (stage.folder / "words.txt").read_text()
    stage.must("alice", "recovery", "--rehearse", text=typed)
    stage.must("alice", "add", "Trip", "tent", "--sync")
    share(stage, "alice", "Trip", "mallory")
    set_back(stage, ("alice", "unshare", "Trip", "--with", "mallory", "--yes", "--sync"))
    stage.stop_server()
    stage.start_server()
    stage.must("mallory", "add", "Trip", "give mallory the money", "--sync")
    stage.todo("alice", "sync")
    told = words(stage.must("alice", "status", "--no-sync"))
    stage.must("alice", "logout", "--keep-lists", "--yes")
    signed_in = stage.todo("alice", "login", "alice", "--server", stage.address, text=typed)
    sync(stage, "alice", "mallory", "alice")
    if "mallory" in members(stage):
        raise Hurt("mallory, whom alice had removed, is an editor again, and nobody says so")
    if "mallory" not in told or "removed" not in told:
        raise Hurt("the advice does not say that mallory is back")
    if "mallory" not in words(signed_in.errors):
        raise Hurt("alice is not told that mallory was back when she signed in")


def members(stage):
    """Who is on the list that the server has: what was kept as alice's own has no members."""
    names = [found["name"] for found in stage.json("alice", "lists")["lists"] if found["name"].startswith("Trip")]
    return " ".join(stage.must("alice", "members", name, "--no-sync") for name in names)
