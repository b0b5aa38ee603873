"""Compares `todo add` with taskwarrior's `task add` and with a bare SQLite commit.

For each size of the profile, every contender does its thing once a round, in turn, so that all of them see the same
machine; the medians are compared. All files are in one temporary folder. The contenders:

  todo add    a process that adds one todo to the one list of a profile without an account
  task add    a process that adds one task to as many, with taskwarrior's default settings
  sqlite3     a process of SQLite's command line that inserts one row into as many (WAL, synchronous=FULL)
  commit      the same insert on a connection that is open already, without a process
"""

import json
import os
import pathlib
import shutil
import sqlite3
import statistics
import subprocess
import tempfile
import time
import uuid

from process import Process

SIZES = [10, 1_000, 10_000]
ROUNDS = 41
WARM_UP = 3


class Commit:
    """One insert and its commit on an open connection."""

    def __init__(self, path):
        self.connection = sqlite3.connect(path, isolation_level=None)
        self.connection.execute("PRAGMA synchronous = FULL")

    def run(self, number):
        begin = time.perf_counter()
        self.connection.execute("INSERT INTO todos (title) VALUES (?)", (f"todo {number}",))
        return time.perf_counter() - begin


def titles(size):
    return [f"todo number {number} of the list" for number in range(size)]


def todo(folder, size, binary):
    environment = {"TODO_HOME": str(folder / "todo")}
    subprocess.run(
        [binary, "--quiet", "add", "Groceries", "-"], input="\n".join(titles(size)) + "\n", text=True, check=True,
        env={**os.environ, **environment})
    return Process([binary, "add", "Groceries", "one more NUMBER"], environment)


def task(folder, size):
    (folder / "task").mkdir()
    settings = folder / "taskrc"
    settings.write_text(f"data.location={folder / 'task'}\n")
    environment = {"TASKRC": str(settings)}
    tasks = [
        {"uuid": str(uuid.uuid4()), "status": "pending", "entry": "20260101T120000Z", "description": title}
        for title in titles(size)
    ]
    subprocess.run(
        ["task", "import", "-"], input=json.dumps(tasks), text=True, check=True, capture_output=True,
        env={**os.environ, **environment})
    return Process(["task", "add", "one more NUMBER"], environment)


def database(path, size):
    connection = sqlite3.connect(path)
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute("CREATE TABLE todos (id INTEGER PRIMARY KEY, title TEXT NOT NULL)")
    connection.executemany("INSERT INTO todos (title) VALUES (?)", [(title,) for title in titles(size)])
    connection.commit()
    connection.close()
    return str(path)


def contenders(folder, size, binary):
    found = {"todo add": todo(folder, size, binary)}
    if shutil.which("task"):
        found["task add"] = task(folder, size)
    if shutil.which("sqlite3"):
        insert = "PRAGMA synchronous = FULL; INSERT INTO todos (title) VALUES ('todo NUMBER')"
        found["sqlite3"] = Process(["sqlite3", database(folder / "process.db", size), insert], {})
    found["commit"] = Commit(database(folder / "open.db", size))
    return found


def measure(size, binary):
    """The median milliseconds of each contender."""
    with tempfile.TemporaryDirectory() as name:
        found = contenders(pathlib.Path(name), size, binary)
        seconds = {contender: [] for contender in found}
        for number in range(WARM_UP + ROUNDS):
            for contender, runner in found.items():
                spent = runner.run(number)
                if number >= WARM_UP:
                    seconds[contender].append(spent)
        return {contender: statistics.median(values) * 1000 for contender, values in seconds.items()}


def main(binary):
    for program, package in [("task", "taskwarrior"), ("sqlite3", "sqlite3")]:
        if not shutil.which(program):
            print(f"without {program}, which is not installed (apt-get install {package})")
    print(f"median of {ROUNDS} rounds\n")
    print("| todos | todo add | task add | todo : task | sqlite3 | todo : sqlite3 | commit | todo : commit |")
    print("|---:|---:|---:|---:|---:|---:|---:|---:|")
    for size in SIZES:
        medians = measure(size, binary)
        cells = [f"{size:,}", f"{medians['todo add']:.1f} ms"]
        for peer in ["task add", "sqlite3", "commit"]:
            if peer in medians:
                cells += [f"{medians[peer]:.1f} ms", f"{medians['todo add'] / medians[peer]:.2f}"]
            else:
                cells += ["–", "–"]
        print(f"| {' | '.join(cells)} |", flush=True)
