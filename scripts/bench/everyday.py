"""Compares what people do every day with taskwarrior and todo.txt: the time from the start of a process until it has ended and
everything it printed has been read.

In each round of a step every contender does it once, in turn, so that all of them see the same machine; the medians are compared.
One step ends before the next begins: what a program puts off until it is next called would otherwise be counted where it does not
belong (taskwarrior files away what was ticked when something is listed). All have their default settings, but for questions,
colours and the width of a line. The todos lie on lists (projects) of 500; every third has a due date, a priority and a tag.
"""

import dataclasses
import pathlib
import shutil
import statistics
import subprocess
import sys
import tempfile
import uuid

from contenders import LIMIT, Ours, Task, TodoTxt
from process import Process

SIZES = [100, 1_000, 10_000, 100_000]
STEPS = ["add", "list of 20", "everything", "search", "done", "export", "import"]
WRITES = ["add", "done"]
# Seconds: what takes longer is not done again.
SLOW = 60
STARTS = 101


@dataclasses.dataclass
class Todo:
    """One of the todos that all contenders get."""

    title: str
    list: str
    special: bool
    uuid: str = dataclasses.field(default_factory=lambda: str(uuid.uuid4()))


def todos(size):
    """So many, three of which have a word that no other has, and a list of 20 beside them."""
    many = [Todo(f"todo number {number} of the list", f"List{number // 500}", number % 3 == 0) for number in range(size)]
    for number in [size // 4, size // 2, size - 1]:
        many[number].title += " marzipan"
    return many + [Todo(f"small thing {number}", "Small", False) for number in range(20)]


def rounds(step, size):
    """The word is looked for in a quarter of the todos and later ones: what is ticked, a todo a round, comes before."""
    if step == "import":
        return 5 if size <= 1_000 else 3 if size <= 10_000 else 1
    return min(21 if size <= 1_000 else 11 if size <= 10_000 else 3, size // 4)


def contenders(folder, binary, size):
    all_todos = todos(size)
    found = {"todo": Ours(folder / "todo", binary, all_todos)}
    if shutil.which("task"):
        found["task"] = Task(folder / "task", all_todos)
    if shutil.which("todo-txt"):
        found["todo-txt"] = TodoTxt(folder / "todo-txt", all_todos)
    return found


def measure(found, step, size):
    """The seconds of each round of those who have the step; None where one was not waited for."""
    able = {name: one for name, one in found.items() if step not in ["export", "import"] or name != "todo-txt"}
    seconds = {name: [] for name in able}
    for number in range(rounds(step, size)):
        for name, contender in able.items():
            if seconds[name] and (seconds[name][-1] is None or seconds[name][-1] > SLOW):
                continue
            if step == "import":
                contender.empty()
            seconds[name].append(contender.step(step, number))
            if seconds[name][-1] is None and step in WRITES:
                # Nobody knows what it left behind.
                del found[name]
    for name, contender in able.items():
        if step in ["done", "import"] and None not in seconds[name]:
            contender.check(step, len(seconds[name]))
    return seconds


def milliseconds(seconds):
    return f"{seconds * 1000:,.0f} ms" if seconds >= 0.1 else f"{seconds * 1000:.1f} ms"


def print_row(size, step, seconds):
    """Prints a row, and returns what was not waited for."""
    medians = {name: statistics.median(values) for name, values in seconds.items() if None not in values}
    texts = {
        name: milliseconds(median) + (" (once)" if len(seconds[name]) == 1 else "") for name, median in medians.items()}
    cells = [f"{size:,}", step, texts.get("todo", "–")]
    for peer in ["task", "todo-txt"]:
        ratio = f"{medians['todo'] / medians[peer]:.2f}" if {"todo", peer} <= medians.keys() else "–"
        cells += [texts.get(peer, "–"), ratio]
    print(f"| {' | '.join(cells)} |", flush=True)
    after = ", so nothing after it" if step in WRITES else ""
    return [f"{name}: {step} at {size:,}{after}" for name in seconds if name not in medians]


def print_starts(binary):
    """What it takes to start, beside a program that does nothing."""
    if not shutil.which("swiftc"):
        print("\nwithout an empty Swift program: swiftc is not installed")
        return
    with tempfile.TemporaryDirectory() as name:
        source, empty = pathlib.Path(name) / "main.swift", pathlib.Path(name) / "empty"
        source.write_text("")
        subprocess.run(["swiftc", "-O", "-static-stdlib", str(source), "-o", str(empty)], check=True, capture_output=True)
        # Process would not notice if nothing came of --version.
        if not subprocess.run([binary, "--version"], check=True, capture_output=True).stdout.strip():
            sys.exit("todo --version prints nothing")
        processes = [Process([binary, "--version"], {}), Process([str(empty)], {})]
        seconds = [[process.run(number) for process in processes] for number in range(STARTS)]
    ours, theirs = map(statistics.median, zip(*seconds))
    print(f"\n`todo --version` {milliseconds(ours)}, an empty Swift program {milliseconds(theirs)}: {ours / theirs:.2f} (median of "
          f"{STARTS} rounds)")


def main(binary, sizes):
    for program, package in [("task", "taskwarrior"), ("todo-txt", "todotxt-cli")]:
        if not shutil.which(program):
            print(f"without {program}, which is not installed (apt-get install {package})")
    if min(sizes) < 4:
        sys.exit("everyday: 4 todos at least")
    print("| todos | what | todo | task | todo : task | todo-txt | todo : todo-txt |")
    print("|---:|---|---:|---:|---:|---:|---:|")
    missed = []
    for size in sizes:
        with tempfile.TemporaryDirectory() as name:
            found = contenders(pathlib.Path(name), binary, size)
            for step in STEPS:
                missed += print_row(size, step, measure(found, step, size))
    if missed:
        print(f"\nnot ended within {LIMIT} s: {'; '.join(missed)}")
    print_starts(binary)
