"""The story: what two people do, command by command, and how each sees whether it is done."""

import dataclasses
import json
import typing


class Wrong(Exception):
    """Something that must never be: a loss, a duplicate, damage, or a command that does not come through."""


@dataclasses.dataclass(frozen=True)
class Step:
    """One command. `said` is how its acknowledgement begins."""

    person: str
    words: tuple
    said: str
    # How often its effect is there, as its person sees it. None: the command can be given again whatever happened.
    look: typing.Callable = None

    def __str__(self):
        return f"{self.person}$ todo {' '.join(self.words)}"


def todos(stage, person, name):
    """A list as somebody sees it: titles, and whether they are done. None: there is no such list."""
    outcome = stage.todo(person, "ls", name, "--all", "--json", "--no-sync")
    if outcome.status == 66:
        return None
    if outcome.status != 0:
        raise Wrong(f"{person} cannot see {name}: {outcome.status} {outcome.errors.strip()}")
    return [(todo["title"], todo["done"]) for todo in json.loads(outcome.output)["todos"]]


def trash(stage, person):
    return [todo["title"] for todo in stage.json(person, "trash", "--no-sync")["todos"]]


def names(stage, person):
    return [found["name"] for found in stage.json(person, "lists", "--no-sync")["lists"]]


def together(counts):
    """A command does all it was asked or nothing."""
    if len(set(counts)) > 1:
        raise Wrong(f"half of a command is there: {counts}")
    if counts[0] > 1:
        raise Wrong(f"a command took effect {counts[0]} times")
    return counts[0]


def added(person, name, *titles):
    def look(stage):
        found = [title for title, _ in todos(stage, person, name) or []]
        return together([found.count(title) for title in titles])
    return look


def removed(person, name, *titles):
    def look(stage):
        found, gone = [title for title, _ in todos(stage, person, name)], trash(stage, person)
        if any(found.count(title) + gone.count(title) != 1 for title in titles):
            raise Wrong(f"{titles} are neither here nor in the trash, or twice: {found} {gone}")
        return together([gone.count(title) for title in titles])
    return look


def after_sync(person, look):
    """What waits to be sent or fetched is seen after a sync; its outcome is the look's business."""
    def synced_look(stage):
        stage.todo(person, "sync")
        return look(stage)
    return synced_look


def is_signed_up(stage):
    return int(stage.json("carol", "whoami", "--no-sync")["handle"] == "carol")


def has_list(person, name):
    return lambda stage: names(stage, person).count(name)


def is_done(stage):
    return [done for title, done in todos(stage, "bob", "Food") if title == "milk"].count(True)


def is_edited(stage):
    return together([[title for title, _ in todos(stage, "alice", "Food")].count("ten eggs")])


def is_restored(stage):
    return 1 - removed("alice", "Food", "tea")(stage)


def is_emptied(stage):
    return 1 - trash(stage, "alice").count("salt")


def is_unshared(stage):
    members = stage.json("alice", "members", "Work", "--no-sync")
    return int("bob" not in [member["handle"] for found in members["lists"] for member in found["members"]])


def prepare(stage):
    """What is there before the story begins."""
    for person in ["alice", "bob"]:
        without_background(stage, person)
        stage.must(person, "signup", person, "--server", stage.address)
    stage.must("alice", "add", "Work", "report")
    stage.must("alice", "share", "Work", "--with", "bob")
    stage.must("bob", "accept", "Work")


def without_background(stage, person):
    """Nothing may sync but the commands of the story, or no two runs would be alike."""
    stage.todo(person, "config", "background-sync", "off")


def steps(stage):
    return [
        Step("carol", ("signup", "carol", "--server", stage.address, "--no-sync"), "signed up", is_signed_up),
        Step("alice", ("add", "Groceries", "milk", "eggs", "tea", "salt"), "added",
             added("alice", "Groceries", "milk", "eggs", "tea", "salt")),
        Step("alice", ("lists", "rename", "Groceries", "Food"), "renamed", has_list("alice", "Food")),
        Step("alice", ("share", "Food", "--with", "bob", "-m", "for the dinner"), "shared"),
        Step("bob", ("accept", "Food"), "accepted", after_sync("bob", has_list("bob", "Food"))),
        Step("bob", ("add", "Food", "bread", "jam"), "added", added("bob", "Food", "bread", "jam")),
        Step("bob", ("done", "Food/milk"), "done", is_done),
        Step("alice", ("edit", "Food/eggs", "--title", "ten eggs"), "edited", is_edited),
        Step("alice", ("rm", "Food/tea", "Food/salt"), "removed", removed("alice", "Food", "tea", "salt")),
        Step("bob", ("sync",), ""),
        Step("alice", ("restore", "Food/tea"), "restored", is_restored),
        Step("alice", ("trash", "empty", "--yes"), "", is_emptied),
        Step("alice", ("sync",), ""),
        Step("alice", ("unshare", "Work", "--with", "bob"), "", after_sync("alice", is_unshared)),
    ]


# How the story ends for everybody who shares the list.
END = sorted([("milk", True), ("ten eggs", False), ("tea", False), ("bread", False), ("jam", False)])


def play(stage, step):
    """Gives a command that nothing disturbs."""
    outcome = stage.todo(step.person, *step.words)
    if outcome.status != 0:
        raise Wrong(f"{step}: {outcome.status} {outcome.errors.strip()}")
    return outcome
