"""Mallory, an admin of a list of alice's, deletes the list's document; then she lets carol in.

The stock client deletes no list's document. Mallory queues a change of it, and writes the deletion into her own database before it is sent.
"""

from documents import deleted
from members import Hurt, accounts, database, share, sync


def play(stage):
    accounts(stage, "alice", "mallory", "carol")
    stage.must("alice", "add", "Groceries", "milk")
    share(stage, "alice", "Groceries", "mallory", role="admin")
    stage.must("mallory", "lists", "rename", "Groceries", "Food", "--no-sync")
    with database(stage, "mallory") as connection:
        for node, document in connection.execute("SELECT node, document FROM lists").fetchall():
            connection.execute("UPDATE lists SET document = ? WHERE node = ?", (deleted(document), node))
    sync(stage, "mallory", "alice")
    lists = stage.json("alice", "lists", "--no-sync")["lists"]
    if len(lists) != 1:
        raise Hurt("the list that alice owns is gone: she can neither see who is on it nor take anybody off")
    stage.must("mallory", "share", "Food", "--with", "carol", "--sync")
    sync(stage, "alice")
    if not any(news["kind"] == "joined" and news["user"] == "carol" for news in stage.json("alice", "news")["news"]):
        raise Hurt("alice was not told that carol may read her list")
    stage.must("alice", "unshare", lists[0]["name"], "--with", "carol", "--sync")
