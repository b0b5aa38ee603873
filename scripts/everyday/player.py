"""The world of a random player, what the player does in it, and the laws that hold."""

import json

from stage import Stage

DEVICES = {"phone": "alice", "laptop": "alice", "bob": "bob"}
TITLES = ["milk", "bread", "call mum", "tax return", "paint the fence", "Äpfel", "ירקות", "fix bike", "book flight", "water plants"]


class Finding(Exception):
    """A law that did not hold."""


class Shown:
    """What a device shows: its todos by id, and which of them are open, done or in the trash."""

    def __init__(self, todos, trash):
        self.todos = {todo["id"]: todo for todo in [*todos, *trash]}
        self.trash = {todo["id"] for todo in trash}
        self.done = {todo["id"] for todo in todos if todo["done"]}
        self.open = {todo["id"] for todo in todos} - self.done

    def below(self, ids):
        """Some todos with their parts, and those of these."""
        found, size = set(ids), -1
        while len(found) != size:
            size = len(found)
            found |= {todo["id"] for todo in self.todos.values() if todo["parent"] in found}
        return found

    def words(self, ids):
        return ", ".join(sorted(f"{self.todos[id]['title']} ({id[:4]})" for id in ids if id in self.todos))

    def told(self, without=()):
        """What people see of it, but for who changed it when."""
        return {
            id: (
                "trash" if id in self.trash else "done" if id in self.done else "open", todo["title"], todo["list"],
                todo["parent"], todo["due"], todo["priority"], tuple(todo["tags"]), todo["repeat"],
            )
            for id, todo in self.todos.items() if id not in without
        }


class World:
    """Alice with two devices and bob with one share a list; each has one of their own."""

    def __init__(self, folder, programs, dice):
        self.stage, self.dice = Stage(folder, programs), dice
        self.commands, self.history = 0, []

    def begin(self):
        stage = self.stage
        stage.start_server()
        for device in ("phone", "bob"):
            stage.must(device, "config", "background-sync", "off")
            stage.must(device, "signup", DEVICES[device], "--server", stage.address)
        stage.must("phone", "recovery", "--out", "words.txt")
        words = (stage.folder / "words.txt").read_text()
        stage.must("laptop", "config", "background-sync", "off")
        stage.must("laptop", "login", "alice", "--server", stage.address, text=words)
        self.must("phone", "add", "Home", "laundry", "dishes")
        self.must("bob", "add", "Garden", "hedge")
        self.must("phone", "add", "Flat", "rent", "electricity")
        self.must("phone", "share", "Flat", "--with", "bob", "--sync")
        self.must("bob", "sync")
        self.must("bob", "accept", "Flat", "--sync")
        self.settle()

    def run(self, device, *words):
        self.commands += 1
        outcome = self.stage.todo(device, *words)
        self.history.append(f"{device}$ todo {' '.join(words)} → {outcome.status} {outcome.output.strip()[:90]!r}")
        # A defect of the program, or the end of its process, is never right.
        if outcome.status == 70 or outcome.status < 0 or outcome.status > 100:
            raise Finding(f"{device}: todo {' '.join(words)} ended with {outcome.status}: {outcome.errors.strip()}")
        return outcome

    def must(self, device, *words):
        outcome = self.run(device, *words)
        if outcome.status != 0:
            raise Finding(f"{device}: todo {' '.join(words)}: {outcome.status} {outcome.errors.strip()}")
        return outcome

    def shown(self, device):
        def todos(*words):
            return json.loads(self.stage.must(device, *words, "--json"))["todos"]

        return Shown(todos("ls", "--all"), todos("trash"))

    def lists(self, device):
        return json.loads(self.stage.must(device, "lists", "--json"))["lists"]

    def settle(self):
        for _ in range(3):
            for device in DEVICES:
                self.stage.must(device, "sync")

    def agree(self):
        """All devices of a person show the same, and all members of a list the same of it."""
        shown = {device: self.shown(device) for device in DEVICES}
        for device, of in (("laptop", "phone"), ("bob", "phone")):
            shared = None if device == "laptop" else {"Flat"}
            views = [
                {id: told for id, told in shown[name].told().items() if shared is None or told[2] in shared}
                for name in (device, of)
            ]
            if views[0] != views[1]:
                apart = {id for id in views[0].keys() | views[1].keys() if views[0].get(id) != views[1].get(id)}
                raise Finding(f"{device} and {of} differ: " + "; ".join(
                    f"{id[:4]}: {views[0].get(id)} / {views[1].get(id)}" for id in sorted(apart)))


class Player:
    """Somebody at one device, who does a few things."""

    def __init__(self, world):
        self.world, self.dice = world, world.dice
        self.device = self.dice.choice(list(DEVICES))

    def round(self):
        for _ in range(self.dice.randint(1, 4)):
            self.do(self.dice.choice(MOVES))
            if self.dice.random() < 0.2:
                self.world.run(self.device, "sync")
            if self.dice.random() < 0.3:
                self.device = self.dice.choice(list(DEVICES))

    def do(self, move):
        before = self.world.shown(self.device)
        step = move(self, before)
        if step is None:
            return
        words, named, takes_open = step
        outcome = self.world.run(self.device, *words)
        after = self.world.shown(self.device)
        self.keeps_open(words, before, after, named if takes_open else set())
        # What changed nothing cannot be taken back. Notes and comments are not in what is told.
        is_change = before.told() != after.told() or words[0] == "comment" or "--note" in words
        if outcome.status == 0 and is_change and self.dice.random() < 0.4:
            self.undoes(words, before, after)

    def keeps_open(self, words, before, after, named):
        """What was open is open, or is what was named or a part of it; and that is not gone for good."""
        lost = before.open - after.open - before.below(named)
        if lost:
            raise Finding(f"{self.device}: `todo {' '.join(words)}` took along what was open: {before.words(lost)}")
        gone = before.open - after.todos.keys()
        if gone:
            raise Finding(f"{self.device}: `todo {' '.join(words)}` deleted for good: {before.words(gone)}")

    def undoes(self, words, before, after):
        undo = self.world.run(self.device, "undo")
        again = self.world.shown(self.device)
        if words[0] == "trash":
            if undo.status == 0 or again.told() != after.told():
                raise Finding(f"{self.device}: `undo` after `todo {' '.join(words)}` took back something else")
            return
        if undo.status != 0:
            raise Finding(f"{self.device}: `undo` of `todo {' '.join(words)}`: {undo.status} {undo.errors.strip()}")
        new = after.todos.keys() - before.todos.keys()
        if not new & again.todos.keys() <= again.trash:
            raise Finding(f"{self.device}: `undo` of `todo {' '.join(words)}` left what that made")
        was, now = before.told(), again.told(without=new)
        if was != now:
            apart = {id for id in was.keys() | now.keys() if was.get(id) != now.get(id)}
            raise Finding(f"{self.device}: `undo` of `todo {' '.join(words)}` gives back another state: " + "; ".join(
                f"{id[:4]}: {was.get(id)} → {now.get(id)}" for id in sorted(apart)))

    def pick(self, shown, ids):
        """Some todo, in a fixed order, so that a seed plays the same again but for the ids that are drawn."""
        order = sorted(ids, key=lambda id: (shown.todos[id]["title"], shown.todos[id]["list"], id))
        return self.dice.choice(order) if order else None

    def title(self):
        return f"{self.dice.choice(TITLES)} {self.world.commands}"

    def list(self, own=False):
        names = sorted(list["name"] for list in self.world.lists(self.device) if not (own and (list["shared_with"] or list["owner"])))
        return self.dice.choice(names) if names else None


def add(player, shown):
    title = player.title() + player.dice.choice(["", " +home", " due:tomorrow", " pri:high", " +a +b"])
    return ["add", player.list() or "Home", title], set(), False


def add_new_list(player, shown):
    return ["add", f"List {player.world.commands}", player.title()], set(), False


def add_part(player, shown):
    whole = player.pick(shown, shown.open)
    return whole and (["add", "--under", whole, player.title()], set(), False)


def add_repeating(player, shown):
    return ["add", player.list() or "Home", player.title(), "--due", "tomorrow", "--repeat", "every week"], set(), False


def done(player, shown):
    todo = player.pick(shown, shown.open)
    return todo and (["done", todo], {todo}, True)


def undone(player, shown):
    todo = player.pick(shown, shown.done)
    return todo and (["undone", todo], set(), False)


def remove(player, shown):
    todo = player.pick(shown, shown.open | shown.done)
    return todo and (["rm", todo], {todo}, True)


def restore(player, shown):
    todo = player.pick(shown, shown.trash)
    return todo and (["restore", todo], set(), False)


def empty_trash(player, shown):
    return ["trash", "empty", "--yes"], set(), False


def clear(player, shown):
    name = player.list()
    return name and (["lists", "clear", name], set(), False)


def retitle(player, shown):
    todo = player.pick(shown, shown.open)
    return todo and (["edit", todo, "--title", player.title()], set(), False)


def edit(player, shown):
    todo = player.pick(shown, shown.open)
    option = player.dice.choice([["--due", "friday"], ["--due", "none"], ["--priority", "low"], ["--note", player.title()], ["--tag", "x"]])
    return todo and (["edit", todo, *option], set(), False)


def move(player, shown):
    todo = player.pick(shown, shown.open)
    name = player.list()
    return todo and name and (["mv", todo, "--to", name], set(), False)


def move_below(player, shown):
    todo = player.pick(shown, shown.open)
    other = todo and player.pick(shown, shown.open - shown.below({todo}))
    return other and (["mv", todo, "--under", other], set(), False)


def comment(player, shown):
    todo = player.pick(shown, shown.open)
    return todo and (["comment", todo, "see there"], set(), False)


def merge(player, shown):
    names = [player.list(own=True), player.list()]
    return all(names) and names[0] != names[1] and (["lists", "merge", names[0], "--into", names[1]], set(), False) or None


MOVES = [
    add, add, add, add_new_list, add_part, add_part, add_repeating, done, done, undone, remove, remove, restore, empty_trash,
    clear, retitle, edit, edit, move, move, move_below, comment, merge,
]
