"""Whoever joins last has done it.

Mallory is an editor. She gives a todo another title, and takes the history out of her own database before she syncs. The device of another
member misses nothing: it joins what it had with what came, and uploads that at once. Nobody may read of that member, for what mallory
wrote, that they wrote it, and the member whose device did it still reads that it was mallory. The same with a deletion, which bears no stamp.
"""

from members import Hurt, accounts, database, share, sync, words

BEFORE, AFTER = "pay the plumber 100", "pay mallory 900"


def play(stage):
    accounts(stage, "alice", "bob", "mallory")
    stage.must("alice", "add", "Home", "pay the plumber")
    stage.must("alice", "edit", "pay the plumber", "--title", BEFORE)
    share(stage, "alice", "Home", "bob", "mallory")
    sync(stage, "bob", "alice", "mallory")
    for person in ("alice", "bob", "mallory"):
        stage.must(person, "news")
    stage.must("mallory", "edit", BEFORE, "--title", AFTER, "--no-sync")
    with database(stage, "mallory") as tables:
        tables.execute("UPDATE todos SET history = x'' WHERE title = ?", [AFTER])
    # Alice's device joins; bob sees what it uploaded.
    sync(stage, "mallory", "alice", "alice", "bob")
    told = words(stage.must("bob", "news"))
    if "alice renamed" in told or AFTER not in told:
        raise Hurt(f"bob reads: {told}")
    if "mallory, as alice says, renamed" not in told:
        raise Hurt(f"bob does not read who it was: {told}")
    [news] = stage.json("bob", "log", "Home", "-n", "1")["changes"] or [{}]
    if (news.get("by"), news.get("via")) != ("mallory", "alice"):
        raise Hurt(f"bob's scripts read: by {news.get('by')}, via {news.get('via')}")
    for person in ("alice", "bob"):
        shown = words(stage.must(person, "show", AFTER))
        if "changed by mallory" not in shown:
            raise Hurt(f"{person} is not told that mallory changed it: {shown}")
    sync(stage, "mallory")
    stage.must("mallory", "rm", AFTER, "--no-sync")
    with database(stage, "mallory") as tables:
        tables.execute("UPDATE todos SET history = x'' WHERE title = ?", [AFTER])
    sync(stage, "mallory", "alice", "alice", "bob")
    told = words(stage.must("bob", "news"))
    if "mallory, as alice says, removed" not in told:
        raise Hurt(f"bob reads: {told}")
