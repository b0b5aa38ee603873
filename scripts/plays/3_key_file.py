"""An interrupted `todo lock` leaves a sealed database and `todo.db.key.new`, the only key. The next command cannot open todo.db: too many
files are open, or it leads nowhere for a moment. Nobody attacks; the program must not guess.
"""

import trace
from members import Hurt

PASSPHRASE = "correct horse battery\n"


def play(stage):
    stage.must("alice", "config", "background-sync", "off")
    stage.must("alice", "add", "Food", "milk", "eggs")
    stage.must("alice", "lock", text=PASSPHRASE)
    profile = stage.profile("alice")
    database, key = profile / "todo.db", profile / "todo.db.key"
    bytes_of_key = key.read_bytes()
    key.rename(profile / "todo.db.key.new")

    if trace.is_allowed():
        stage.todo("alice", "ls", wrap=failing(database))
    database.rename(profile / "elsewhere")
    database.symlink_to("todo.db")
    stage.todo("alice", "ls")
    database.unlink()
    (profile / "elsewhere").rename(database)

    if not any(path.read_bytes() == bytes_of_key for path in profile.glob("todo.db.key*")):
        raise Hurt("the only key was deleted because todo.db could not be opened")
    stage.must("alice", "unlock", text=PASSPHRASE)
    if "milk" not in stage.must("alice", "ls", "Food"):
        raise Hurt("what was locked does not come back")
    stage.must("alice", "lock")


def failing(path):
    """Lets the first attempt to open a file fail as if too many were open."""
    return ["strace", "-f", "-qq", "-o", "/dev/null", "-P", str(path), "-e", "trace=openat,open", "-e", "inject=openat,open:error=EMFILE:when=1"]
