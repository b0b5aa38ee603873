"""A profile that gets a passphrase, is written to, gets another and loses it again, killed and troubled at every call."""

import pathlib
import shutil
import tempfile

import trace
from run import Point
from stage import Stage
from story import Wrong, todos, without_background

OLD, NEW = "correct horse battery", "staple of horses"
# The words of each command, what comes in, and what its acknowledgement is.
COMMANDS = [
    (("lock",), f"{OLD}\n", "locked"),
    (("add", "Food", "bread"), "", "added"),
    (("lock", "--change"), f"{OLD}\n{NEW}\n", "locked"),
    (("lock", "--remove"), f"{NEW}\n", "there is no passphrase"),
]


class Locksmith:
    """A profile before each of the commands, and what has to be true after each was disturbed."""

    def __init__(self, folder, programs, processor=0):
        self.stage = Stage(folder / "stage", programs, prefix=["taskset", "-c", str(processor)])
        self.kept = folder / "kept"
        without_background(self.stage, "alice")
        self.stage.must("alice", "config", "passphrase-command", "cat passphrase")
        self.stage.must("alice", "add", "Food", "milk", "eggs")
        self.points = []

    def rehearse(self, effects):
        """Plays it through, and counts the calls of each command."""
        log = self.kept.parent / "trace"
        calls = sorted({call for call, _ in effects})
        for number, (words, text, said) in enumerate(COMMANDS):
            self.say(OLD if number < 3 else NEW)
            shutil.copytree(self.stage.folder, self.kept / str(number))
            outcome = self.stage.todo("alice", *words, text=text, wrap=trace.watching(calls, log))
            if outcome.status != 0 or not outcome.output.startswith(said):
                raise Wrong(f"todo {' '.join(words)}: {outcome.status} {outcome.output}{outcome.errors}")
            found, _ = trace.numbers(log)
            for call, effect in effects:
                self.points += [Point("client", number, call, str(one), effect) for one in sorted(found[call])]

    def say(self, passphrase):
        (self.stage.folder / "passphrase").write_text(passphrase + "\n")

    def run(self, point):
        """Disturbs one call. Whether it came."""
        words, text, said = COMMANDS[point.step]
        shutil.rmtree(self.stage.folder)
        shutil.copytree(self.kept / str(point.step), self.stage.folder)
        log = self.kept.parent / "hit"
        outcome = self.stage.todo("alice", *words, text=text, wrap=trace.hitting(point.call, point.effect, point.number, log))
        if not outcome.was_killed and outcome.status not in (0, 73, 74, 75):
            raise Wrong(f"{outcome.status} {outcome.errors}")
        was_done = self.look(words)
        if outcome.output.startswith(said) and not was_done:
            raise Wrong(f"it said {outcome.output.strip()}, and has not done it")
        if not was_done:
            self.stage.must("alice", *words, text=text)
            if not self.look(words):
                raise Wrong("given again it does nothing")
        if (self.stage.profile("alice") / "todo.db.key").exists():
            # Else the kernel keeps a key for each point, for hours.
            self.stage.todo("alice", "lock", text="")
        left = {path.name for path in self.stage.profile("alice").iterdir()}
        left = {name for name in left if not name.startswith("todo.db.key.old")}
        if strange := left - {"todo.db", "todo.db.lock", "todo.db.sync", "todo.db.transfer", "todo.db.fetch", "todo.db.key"}:
            raise Wrong(f"left over: {strange}")
        return trace.was_hit(log)

    def look(self, words):
        """Whether the command took effect. Everything is there, whether or not."""
        profile = self.stage.profile("alice")
        is_sealed = (profile / "todo.db").read_bytes().startswith(b"todo/v1/database")
        if words == ("lock", "--change"):
            self.say(NEW)
            self.stage.todo("alice", "lock")
            if self.stage.todo("alice", "unlock").status != 0:
                self.say(OLD)
                self.stage.must("alice", "unlock")
                self.check([])
                return False
        added = self.check(["bread"] if words[0] == "add" else [])
        if words == ("lock",):
            return is_sealed
        if words == ("lock", "--remove"):
            return not is_sealed
        return added

    def check(self, may_come):
        """Whether what may come is there. What was there before has to be, and sound."""
        self.stage.must("alice", "doctor", "--no-sync", "--quiet")
        titles = sorted(title for title, _ in todos(self.stage, "alice", "Food"))
        before = [title for title in titles if title not in may_come]
        if before not in (["eggs", "milk"], ["bread", "eggs", "milk"]) or len(titles) != len(set(titles)):
            raise Wrong(f"there is {titles}")
        return all(title in titles for title in may_come)


def disturb(programs, effects, choose, tried):
    """Tries those of all points that `choose` picks, and returns what came of each."""
    with tempfile.TemporaryDirectory(prefix="todo-lock-") as folder:
        smith = Locksmith(pathlib.Path(folder), programs)
        smith.rehearse(effects)
        return [tried(smith, point) for point in choose(smith.points)]
