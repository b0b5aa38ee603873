"""A removed member writes first on a server that was set back.

Alice takes mallory off a list and reads a message after the backup was made. The disk dies and the backup is put back. Mallory keeps the
profile as it was, so by what the server has mallory is an editor: mallory writes a line there and a message to alice before alice
gives back what the server lost. Nobody has changed a database for this: the stock client is enough, and the order of two syncs.
"""

import shutil

from members import Hurt, accounts, share, sync, words


def set_back(stage, *commands):
    """Puts the server back to how it is now, after these commands."""
    backup = stage.folder / "backup"
    stage.stop_server()
    shutil.copytree(stage.server_folder, backup)
    stage.start_server()
    for person, *command in commands:
        stage.must(person, *command)
    stage.stop_server()
    shutil.rmtree(stage.server_folder)
    backup.rename(stage.server_folder)
    stage.start_server("--accept-restores")


def play(stage):
    accounts(stage, "alice", "mallory", "carol")
    stage.must("alice", "add", "Trip", "tent", "--sync")
    share(stage, "alice", "Trip", "mallory")
    stage.must("carol", "add", "Books", "dune", "--sync")
    set_back(
        stage, ("alice", "unshare", "Trip", "--with", "mallory", "--yes", "--sync"),
        ("carol", "share", "Books", "--with", "alice", "--sync"), ("alice", "sync"))
    # Mallory is first.
    stage.todo("mallory", "add", "Trip", "give mallory the money", "--sync")
    stage.todo("mallory", "message", "alice", "hello", "--sync")
    repaired = stage.todo("alice", "doctor", "--repair-server")
    again = stage.todo("alice", "doctor", "--repair-server")
    sync(stage, "mallory", "alice", "mallory", "alice")
    if "another past" in words(repaired.output + again.output):
        raise Hurt("what alice had read is shut out: the server has gone on without it")
    if "mallory" in stage.must("alice", "members", "Trip", "--no-sync"):
        raise Hurt("mallory, whom alice had removed, is on the list again")
    if "money" in stage.must("alice", "ls", "Trip", "--no-sync"):
        raise Hurt("mallory, whom alice had removed, wrote on the list")
    if "Books" not in stage.must("alice", "invites", "--no-sync"):
        raise Hurt("alice has lost a message that she had read")
    last = stage.todo("alice", "sync")
    if last.status != 0:
        raise Hurt(f"alice's sync ends with {last.status}: {words(last.errors)}")
