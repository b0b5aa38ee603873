"""One member's record ends every sync of somebody else, of all their lists.

mallory owns Club, alice writes there. alice takes a todo of it to Secret, a list of her own; mallory lets her only read meanwhile, so that
her device still waits to delete it on Club. mallory has learned Secret's id from a todo that alice took there before, makes a comment of
that id below the todo, and deletes it when alice has read it. alice's device, asked to delete what is the root of Secret, must not stop
there: what she writes on other lists has to go out.
"""

from members import Hurt, accounts, database, share, sync


def play(stage):
    accounts(stage, "mallory", "alice")
    stage.must("mallory", "add", "Club", "plan the party", "book a room", "--sync")
    share(stage, "mallory", "Club", "alice")
    stage.must("alice", "lists", "add", "Secret")
    stage.must("alice", "mv", "book a room", "--to", "Secret", "--yes")
    sync(stage, "alice", "mallory")
    with database(stage, "mallory") as mallory:
        secret = mallory.execute("SELECT destination FROM relocations").fetchone()[0]
    stage.must("alice", "mv", "book a room", "--to", "Club", "--yes")
    sync(stage, "alice", "mallory", "alice")
    stage.must("alice", "mv", "plan the party", "--to", "Secret", "--no-sync", "--yes")
    stage.must("mallory", "share", "Club", "--with", "alice", "--role", "viewer", "--sync")
    sync(stage, "alice")
    stage.must("mallory", "comment", "plan the party", "bring cake", "--no-sync")
    with database(stage, "mallory") as mallory:
        take_id(mallory, secret)
    sync(stage, "mallory", "alice")
    with database(stage, "mallory") as mallory:
        delete(mallory, secret)
    sync(stage, "mallory", "alice")
    stage.must("alice", "add", "Errands", "call the doctor", "--no-sync")
    for _ in range(2):
        outcome = stage.todo("alice", "sync")
    if "call the doctor" in str(stage.json("alice", "status")):
        raise Hurt(f"nothing of alice's goes out any more, on any list: {outcome.errors.strip()}")


def take_id(mallory, wanted):
    """Gives the comment that waits another id."""
    waiting = "SELECT node FROM operations WHERE kind = 'put' AND state = 'pending' ORDER BY sequence DESC LIMIT 1"
    (node,) = mallory.execute(waiting).fetchone()
    mallory.execute("UPDATE nodes SET cloud_id = ? WHERE id = ?", (wanted, node))
    mallory.execute("UPDATE operations SET cloud_id = ? WHERE node = ?", (wanted, node))


def delete(mallory, wanted):
    """Queues the deletion of a node as the program does."""
    mallory.execute(
        """
        INSERT INTO operations (operation, kind, branch, cloud_id, read_line, read_hash, created)
        SELECT randomblob(16), 'delete', b.id, n.cloud_id, b.line, b.log_hash, 0
        FROM nodes n JOIN branches b ON b.id = n.branch WHERE n.cloud_id = ?
        """,
        (wanted,),
    )
    mallory.execute("DELETE FROM nodes WHERE cloud_id = ?", (wanted,))
