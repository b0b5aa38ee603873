"""Compares what people do every day with taskwarrior and todo.txt: the time from the start of a process until it has ended.

For each size every contender does its thing once a round, in turn, so that all of them see the same machine; the medians are
compared. A third of the todos are due, every fifth is important, and all have a tag; they lie on lists (projects) of 500.
"""

import dataclasses
import json
import os
import pathlib
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
import uuid

SIZES = [100, 1_000, 10_000, 100_000]
ROUNDS = {100: 21, 1_000: 21, 10_000: 11, 100_000: 3}
# What takes longer is not waited for, and not tried again.
LIMIT = 300
STEPS = ["add", "list of 20", "everything", "search", "done", "export", "import"]
EMPTY = 101


@dataclasses.dataclass
class Todo:
    """One of the todos that all contenders get."""

    number: int
    id: str
    title: str
    list: str
    due: str
    priority: bool


def todos(size):
    """So many, and a list of 20 beside them. Three have a word that no other has."""
    all_of_them = [
        Todo(number, str(uuid.UUID(int=0x4000_8000 << 64 | number)), f"todo number {number} of the list",
             f"List{number // 500}", "2199-03-01" if number % 3 == 0 else "", number % 5 == 0)
        for number in range(size)]
    for number in [size // 4, size // 2, size - 1]:
        all_of_them[number].title += " marzipan"
    return all_of_them + [
        Todo(size + number, str(uuid.UUID(int=0x4000_8000 << 64 | size + number)), f"small thing {number}", "Small", "", False)
        for number in range(20)]


class Contender:
    """A program with its data in a folder of its own."""

    def __init__(self, folder, environment):
        self.folder, self.environment = folder, {**os.environ, **environment}
        folder.mkdir()

    def run(self, words, input=None):
        """Seconds, and what it printed. A benchmark of what fails would be worse than none."""
        begin = time.perf_counter()
        done = subprocess.run(
            words, input=input, stdin=None if input else subprocess.DEVNULL, capture_output=True, text=True,
            env=self.environment, timeout=LIMIT)
        seconds = time.perf_counter() - begin
        if done.returncode != 0:
            sys.exit(f"failed: {' '.join(words)[:200]}\n{done.stderr[:500]}")
        return seconds, done.stdout

    def counted(self, words, pattern, count):
        """Seconds of a command that has to print so many lines of a kind."""
        seconds, output = self.run(words)
        found = len(re.findall(pattern, output, re.MULTILINE))
        if found != count:
            sys.exit(f"{' '.join(words)[:200]} printed {found} lines in place of {count}:\n{output[:500]}")
        return seconds


class Ours(Contender):
    def __init__(self, folder, binary, all_of_them):
        super().__init__(folder, {"TODO_HOME": str(folder)})
        self.binary, self.size, self.folder = binary, len(all_of_them), folder
        self.file = folder / "in.json"
        self.file.write_text('{"format":"todo-1","todos":[\n' + ",\n".join(map(self.line, all_of_them)) + "\n]}\n")
        self.run([binary, "import", str(self.file), "--quiet"])
        listed = json.loads(self.run([binary, "ls", "--json"])[1])["todos"]
        self.ids = [todo["short_id"] for todo in listed if todo["list"] != "Small"]

    @staticmethod
    def line(todo):
        fields = {"title": todo.title, "list": todo.list, "tags": ["tag"]}
        fields |= {"due": todo.due} if todo.due else {}
        return json.dumps(fields | ({"priority": "high"} if todo.priority else {}))

    def step(self, name, number):
        todo = self.binary
        match name:
            case "add": return self.run([todo, "add", "List0", f"one more {number}"])[0]
            case "list of 20": return self.counted([todo, "ls", "Small"], r"small thing", 20)
            case "everything":
                return self.counted([todo, "ls", "--all"], r"^.{1,12}(todo number|small thing|one more)", self.all(number))
            case "search": return self.counted([todo, "search", "marzipan"], r"marzipan", 3)
            case "done": return self.run([todo, "done", self.ids[1 + number]])[0]
            case "export": return self.counted([todo, "export"], r'^\{"id"', self.all(number))
            case "import":
                shutil.rmtree(self.folder / "again", ignore_errors=True)
                self.environment["TODO_HOME"] = str(self.folder / "again")
                try:
                    return self.run([todo, "import", str(self.file), "--quiet"])[0]
                finally:
                    self.environment["TODO_HOME"] = str(self.folder)

    def all(self, number):
        """How many there are after so many rounds, each of which has added one."""
        return self.size + number + 1


class Task(Contender):
    def __init__(self, folder, all_of_them):
        super().__init__(folder, {"TASKRC": str(folder / "rc")})
        self.ids, self.size = [todo.id for todo in all_of_them], len(all_of_them)
        (folder / "rc").write_text(f"data.location={folder / 'data'}\nconfirmation=no\nverbose=nothing\ndefaultwidth=200\n")
        (folder / "data").mkdir()
        self.file = folder / "in.json"
        self.file.write_text(json.dumps([self.task(todo) for todo in all_of_them]))
        self.run(["task", "import", str(self.file)])

    @staticmethod
    def task(todo):
        fields = {
            "uuid": todo.id, "status": "pending", "entry": "20260101T120000Z", "description": todo.title, "project": todo.list,
            "tags": ["tag"]}
        fields |= {"due": "21990301T000000Z"} if todo.due else {}
        return fields | ({"priority": "H"} if todo.priority else {})

    def step(self, name, number):
        every = r"(todo number|small thing|one more)"
        match name:
            case "add": return self.run(["task", "add", "project:List0", f"one more {number}"])[0]
            case "list of 20": return self.counted(["task", "project:Small", "list"], r"small thing", 20)
            case "everything": return self.counted(["task", "list"], every, self.size + 1)
            case "search": return self.counted(["task", "/marzipan/", "list"], r"marzipan", 3)
            case "done": return self.run(["task", self.ids[1 + number], "done"])[0]
            case "export": return self.counted(["task", "export"], r'"description"', self.size + number + 1)
            case "import":
                shutil.rmtree(self.folder / "data")
                (self.folder / "data").mkdir()
                return self.run(["task", "import", str(self.file)])[0]


class TodoTxt(Contender):
    def __init__(self, folder, all_of_them):
        super().__init__(folder, {})
        (folder / "config").write_text(
            f"export TODO_DIR={folder}\nexport TODO_FILE={folder}/todo.txt\nexport DONE_FILE={folder}/done.txt\n"
            f"export REPORT_FILE={folder}/report.txt\n")
        (folder / "todo.txt").write_text("".join(map(self.line, all_of_them)))
        self.size = len(all_of_them)
        # -a: what is ticked stays where it is, as with the others; -p: no colours, which a pipe gets from nobody else.
        self.program = ["todo-txt", "-d", str(folder / "config"), "-a", "-p"]

    @staticmethod
    def line(todo):
        due = f" due:{todo.due}" if todo.due else ""
        return f"{'(A) ' if todo.priority else ''}{todo.title} +{todo.list} @tag{due}\n"

    def step(self, name, number):
        every = r"(todo number|small thing|one more)"
        match name:
            case "add": return self.run([*self.program, "add", f"one more {number} +List0"])[0]
            case "list of 20": return self.counted([*self.program, "ls", "+Small"], r"small thing", 20)
            case "everything": return self.counted([*self.program, "ls"], every, self.size + number + 1)
            case "search": return self.counted([*self.program, "ls", "marzipan"], r"marzipan", 3)
            case "done": return self.run([*self.program, "do", str(2 + number)])[0]
        return None


def measure(folder, binary, size):
    """The median seconds of each step and contender; None for what there is not, or what takes too long."""
    all_of_them = todos(size)
    contenders = {"todo": Ours(folder / "todo", binary, all_of_them)}
    if shutil.which("task"):
        contenders["task"] = Task(folder / "task", all_of_them)
    if shutil.which("todo-txt"):
        contenders["todo-txt"] = TodoTxt(folder / "txt", all_of_them)
    seconds = {(step, name): [] for step in STEPS for name in contenders}
    ended = set()
    for number in range(ROUNDS[size]):
        # An import replaces everything: once is enough, at the end.
        for step in STEPS if number == ROUNDS[size] - 1 else STEPS[:-1]:
            for name, contender in contenders.items():
                if (step, name) in ended:
                    continue
                try:
                    spent = contender.step(step, number)
                except subprocess.TimeoutExpired:
                    ended.add((step, name))
                    continue
                if spent is not None:
                    seconds[step, name].append(spent)
    return {key: statistics.median(values) if values else None for key, values in seconds.items()}


def cell(seconds):
    return "–" if seconds is None else f"{seconds * 1000:,.0f} ms" if seconds >= 0.1 else f"{seconds * 1000:.1f} ms"


def print_versions(binary):
    """How long it takes to start, beside a program that does nothing."""
    with tempfile.TemporaryDirectory() as name:
        source, empty = pathlib.Path(name) / "main.swift", pathlib.Path(name) / "empty"
        source.write_text("")
        subprocess.run(["swiftc", "-O", "-static-stdlib", str(source), "-o", str(empty)], check=True, capture_output=True)
        seconds = {"todo": [], "empty": []}
        for _ in range(EMPTY):
            for program, words in [("todo", [binary, "--version"]), ("empty", [str(empty)])]:
                begin = time.perf_counter()
                subprocess.run(words, check=True, stdout=subprocess.DEVNULL)
                seconds[program].append(time.perf_counter() - begin)
        medians = {program: statistics.median(values) for program, values in seconds.items()}
        print(f"\ntodo --version {cell(medians['todo'])}, an empty Swift program {cell(medians['empty'])}: "
              f"{medians['todo'] / medians['empty']:.2f}; median of {EMPTY} rounds")


def main(binary, sizes):
    for program, package in [("task", "taskwarrior"), ("todo-txt", "todotxt-cli")]:
        if not shutil.which(program):
            print(f"without {program}, which is not installed (apt-get install {package})")
    print("| todos | what | todo | task | todo : task | todo-txt | todo : todo-txt |")
    print("|---:|---|---:|---:|---:|---:|---:|")
    for size in sizes:
        with tempfile.TemporaryDirectory() as name:
            medians = measure(pathlib.Path(name), binary, size)
        for step in STEPS:
            ours = medians[step, "todo"]
            cells = [f"{size:,}", step, cell(ours)]
            for peer in ["task", "todo-txt"]:
                theirs = medians.get((step, peer))
                cells += [cell(theirs), "–" if theirs is None or ours is None else f"{ours / theirs:.2f}"]
            print(f"| {' | '.join(cells)} |", flush=True)
    print_versions(binary)
