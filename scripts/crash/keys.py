"""A profile whose key stands under the name that a conversion gives it, and every call on its files failing: no key is ever lost."""

import collections
import pathlib
import re
import shutil
import tempfile

import trace
from run import Point
from stage import Stage
from story import Wrong, without_background

PASSPHRASE = "correct horse battery"
ERRORS = ["EMFILE", "EIO", "EACCES", "ELOOP"]
CALLS = ["openat", "newfstatat", "fstat", "stat", "lstat", "access", "faccessat2", "read", "pread64", "fcntl", "flock", "fsync", "rename", "unlink"]
FILES = ["todo.db", "todo.db-wal", "todo.db.key", "todo.db.key.new", "todo.db.new", "todo.db.key.old", ""]
# Between the rename of the sealed copy and that of its key; before the rename of the plain copy; a key file of another key in its place.
LEFT = ["sealed", "plain", "two"]
COMMANDS = [("ls",), ("lock",), ("lock", "--remove")]


class Keys:
    """A profile as an interrupted conversion left it, in three ways."""

    def __init__(self, folder, programs):
        self.stage = Stage(folder / "stage", programs, prefix=["taskset", "-c", "0"])
        self.kept = folder / "kept"
        without_background(self.stage, "alice")
        self.stage.must("alice", "config", "passphrase-command", "cat passphrase")
        self.say(PASSPHRASE)
        self.stage.must("alice", "add", "Food", "milk", "eggs")
        self.profile = self.stage.profile("alice")
        plain = (self.profile / "todo.db").read_bytes()
        self.stage.must("alice", "lock", text=PASSPHRASE + "\n")
        key = self.profile / "todo.db.key"
        self.key = key.read_bytes()
        key.rename(self.profile / "todo.db.key.new")
        shutil.copytree(self.stage.folder, self.kept / "sealed")
        key.write_bytes(self.key[:17] + bytes(16) + self.key[33:])
        shutil.copytree(self.stage.folder, self.kept / "two")
        key.unlink()
        (self.profile / "todo.db").write_bytes(plain)
        shutil.copytree(self.stage.folder, self.kept / "plain")
        self.points = []

    def say(self, passphrase):
        (self.stage.folder / "passphrase").write_text(passphrase + "\n")

    def enter(self, left):
        shutil.rmtree(self.stage.folder)
        shutil.copytree(self.kept / left, self.stage.folder)

    def paths(self):
        return [word for name in FILES for word in ("-P", str(self.profile / name).rstrip("/"))]

    def rehearse(self):
        """Counts the calls on these files, of each command."""
        log = self.kept.parent / "trace"
        for left in LEFT:
            for words in COMMANDS:
                self.enter(left)
                self.run_command(words, ["strace", "-f", "-qq", *self.paths(), "-o", str(log), "-e", f"trace={','.join('?' + call for call in CALLS)}"])
                for call, count in counted(log).items():
                    self.points += [
                        Point("client", (left, words), call, str(number), f"error={error}")
                        for number in range(1, count + 1) for error in ERRORS
                    ]

    def run_command(self, words, wrap=()):
        text = PASSPHRASE + "\n" if words[0] == "lock" else ""
        return self.stage.todo("alice", *words, text=text, wrap=wrap)

    def run(self, point):
        """Lets one call fail. Whether it came."""
        left, words = point.step
        self.enter(left)
        log = self.kept.parent / "hit"
        outcome = self.run_command(words, [
            "strace", "-f", "-qq", *self.paths(), "-o", str(log), "-e", f"trace={point.call}", "-e",
            f"inject={point.call}:{point.effect}:when={point.number}"])
        if outcome.status not in (0, 64, 73, 74, 75, 76, 77):
            raise Wrong(f"{outcome.status} {outcome.errors}")
        if not any(path.read_bytes() == self.key for path in self.profile.glob("todo.db.key*") if path.is_file()):
            if not (self.profile / "todo.db").read_bytes().startswith(b"SQLite format 3\0"):
                raise Wrong(f"no key is left: {sorted(path.name for path in self.profile.iterdir())}")
            raise Wrong(f"the key was removed: {sorted(path.name for path in self.profile.iterdir())}")
        shown = self.stage.must("alice", "ls", "Food")
        if "milk" not in shown or "eggs" not in shown:
            raise Wrong(f"there is {shown}")
        return trace.was_hit(log)


def counted(log):
    """How often the thread that called it most made each call."""
    of_thread = collections.Counter(re.findall(r"^(\d+) +(\w+)\(", pathlib.Path(log).read_text(errors="replace"), re.M))
    most = collections.Counter()
    for (_, call), count in of_thread.items():
        most[call] = max(most[call], count)
    return most


def disturb(programs, choose, tried):
    """Tries those of all points that `choose` picks, and returns what came of each."""
    with tempfile.TemporaryDirectory(prefix="todo-keys-") as folder:
        keys = Keys(pathlib.Path(folder), programs)
        keys.rehearse()
        return [tried(keys, point) for point in choose(keys.points)]
