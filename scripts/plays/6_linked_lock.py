"""todo.db is a link, or has a second name. `todo lock` says "locked"; somebody who reads the disk finds everything plain under the other name.
"""

import os

from members import Hurt

PASSPHRASE = "correct horse battery\n"


def play(stage):
    for person, link in (("alice", os.symlink), ("bob", os.link)):
        stage.must(person, "config", "background-sync", "off")
        stage.must(person, "add", "Food", "a very private todo")
        database = stage.profile(person) / "todo.db"
        other = stage.folder / f"{person}.db"
        if link is os.symlink:
            database.rename(other)
            link(other, database)
        else:
            link(database, other)
        said = stage.todo(person, "lock", text=PASSPHRASE)
        if said.status == 0 and b"a very private todo" in other.read_bytes():
            raise Hurt(f"{person}'s profile is said to be locked, and is plain under its other name")
        if said.status == 0:
            stage.must(person, "lock")
        elif "a very private todo" not in stage.must(person, "ls", "Food"):
            raise Hurt(f"{person}'s todo is gone after a lock that was refused")
