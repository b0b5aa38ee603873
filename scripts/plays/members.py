"""People, lists that they share, and profiles whose database one of them changes."""

import contextlib
import re
import sqlite3


class Hurt(Exception):
    """An attack got through."""


def accounts(stage, *people):
    """Starts a server and signs people up on it. Nothing syncs unless a play says so."""
    stage.start_server()
    for person in people:
        offline(stage, person)
        stage.must(person, "signup", person, "--server", stage.address)


def offline(stage, person):
    stage.must(person, "config", "background-sync", "off")


def sync(stage, *people):
    """Syncs one after another. What a sync has to say is no failure of the play: the play looks at what is shown."""
    return [stage.todo(person, "sync") for person in people]


def share(stage, owner, name, *members, role="editor"):
    """Shares a list, and has each member accept it under its own name."""
    for member in members:
        stage.must(owner, "share", name, "--with", member, "--role", role, "--sync")
        sync(stage, owner, member)
        stage.must(member, "accept", name, "--sync")
    sync(stage, owner, *members)


@contextlib.contextmanager
def database(stage, person):
    """The profile's database, to be read and changed behind the program's back."""
    connection = sqlite3.connect(stage.profile(person) / "todo.db")
    try:
        with connection:
            yield connection
    finally:
        connection.close()


def words(output):
    """What was printed, without colours and runs of space."""
    return re.sub(r"\s+", " ", re.sub(r"\x1b\[[0-9;]*m", "", output)).strip()
