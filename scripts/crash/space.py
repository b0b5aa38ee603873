"""A disk that is full for a while, under the client and under the server.

The small disks are seen by this one process and its children, and are gone with it.
"""

import os
import pathlib
import subprocess
import sys
import tempfile

import checks
from stage import Stage
from story import Wrong, names, todos, without_background

# How much is left, in KiB: nothing, less than a page of the database, less than a log, nearly enough.
LEFT = [0, 4, 12, 24, 40, 64, 96]
MANY = "\n".join(f"thing number {number}" for number in range(120)) + "\n"


class SmallDisk:
    """8 MiB, and a file that takes up the rest."""

    def __init__(self, folder):
        self.film = folder / "film"
        folder.mkdir(parents=True, exist_ok=True)
        subprocess.run(["mount", "-t", "tmpfs", "-o", "size=8m", "none", str(folder)], check=True)

    def fill(self, left):
        subprocess.run(["sh", "-c", f"cat /dev/zero > {self.film} 2>/dev/null; truncate -s -{left}K {self.film}"], check=False)

    def free(self):
        self.film.unlink()


def refused(outcome, status, *words):
    """A clear error in two lines, or it was done after all."""
    if outcome.status == 0:
        return False
    lines = outcome.errors.strip().splitlines()
    if outcome.status != status or len(lines) < 2 or "error:" not in lines[-2] or "hint:" not in lines[-1]:
        raise Wrong(f"status {outcome.status}: {outcome.errors}")
    for word in words:
        if word not in lines[-2]:
            raise Wrong(f"it does not speak of '{word}': {lines}")
    return True


def under_the_client(folder, programs, some):
    """Returns how many commands were refused for want of room."""
    count = 0
    for left in some:
        stage = Stage(folder / f"client-{left}", programs)
        disk = SmallDisk(stage.folder / "home")
        disk.fill(left)
        count += refused(stage.todo("carol", "add", "First", "ever"), 73, "")
        disk.free()
        stage.must("carol", "add", "Second", "ever")
        stage.start_server()
        for person in ["alice", "bob"]:
            without_background(stage, person)
            stage.must(person, "signup", person, "--server", stage.address)
        stage.must("alice", "add", "Food", "milk")
        stage.must("alice", "share", "Food", "--with", "bob")
        stage.must("bob", "accept", "Food")
        count += add_many(stage, disk, left)
        count += sync_many(stage, disk, left)
        disk.fill(left)
        out = stage.folder / "home" / "words.txt"
        if refused(stage.todo("alice", "recovery", "--out", str(out)), 73):
            count += 1
            if out.exists():
                raise Wrong("half of the words are left behind")
        disk.free()
        stage.stop_server()
        checks.undamaged(stage)
    return count


def add_many(stage, disk, left):
    disk.fill(left)
    outcome = stage.todo("alice", "add", "Food", "-", text=MANY)
    was_refused = refused(outcome, 73, "full")
    disk.free()
    found = len(todos(stage, "alice", "Food"))
    if found != (1 if was_refused else 121):
        raise Wrong(f"{found} todos after {outcome.status}")
    if was_refused:
        stage.must("alice", "add", "Food", "-", text=MANY)
    if len(todos(stage, "alice", "Food")) != 121:
        raise Wrong("not everything is there once there is room")
    return int(was_refused)


def sync_many(stage, disk, left):
    disk.fill(left)
    count = refused(stage.todo("alice", "sync"), 73, "full")
    disk.free()
    stage.must("alice", "sync")
    disk.fill(left)
    count += refused(stage.todo("bob", "sync"), 73, "full")
    disk.free()
    stage.must("bob", "sync")
    if sorted(todos(stage, "bob", "Food")) != sorted(todos(stage, "alice", "Food")):
        raise Wrong("bob has not what alice has")
    return count


def under_the_server(folder, programs, some):
    """The server answers, refuses, and goes on when there is room, without being started again."""
    count = 0
    for left in some:
        stage = Stage(folder / f"server-{left}", programs)
        disk = SmallDisk(stage.server_folder)
        stage.start_server()
        for person in ["alice", "bob"]:
            without_background(stage, person)
            stage.must(person, "signup", person, "--server", stage.address)
        stage.must("alice", "add", "Food", "milk")
        stage.must("alice", "share", "Food", "--with", "bob")
        stage.must("bob", "accept", "Food")
        stage.must("alice", "add", "Food", "-", text=MANY)
        disk.fill(left)
        count += refused(stage.todo("alice", "sync"), 75, "disk-full")
        stage.must("bob", "sync")
        count += refused(stage.todo("carol", "signup", "carol", "--server", stage.address), 75, "disk-full")
        disk.free()
        stage.must("alice", "sync")
        stage.must("bob", "sync")
        stage.must("carol", "lists")
        if len(todos(stage, "bob", "Food")) != 121 or names(stage, "bob") != ["Food"]:
            raise Wrong("not everything arrived once there was room")
        if stage.stop_server() != 0:
            raise Wrong("the server did not stop well")
        checks.undamaged(stage)
    return count


def start_without_room(folder, programs):
    stage = Stage(folder / "start", programs)
    disk = SmallDisk(stage.server_folder)
    disk.fill(0)
    done = subprocess.run(
        [str(stage.programs / "todo-server"), "--data", str(stage.server_folder), "--listen", "127.0.0.1:0"],
        capture_output=True, text=True, timeout=30)
    lines = done.stderr.strip().splitlines()
    if done.returncode != 73 or len(lines) != 2 or "full" not in lines[0]:
        raise Wrong(f"a server that has no room to start says {done.returncode} {lines}")
    disk.free()
    stage.start_server()
    stage.stop_server()
    return 1


def inside(programs, folder, some):
    client, server = under_the_client(folder, programs, some), under_the_server(folder, programs, some)
    start_without_room(folder, programs)
    print(f"{client} commands and {server} requests were refused for want of room, nothing was lost, all went on")
    return 0 if client and server else 1


def main(programs, sample):
    some = LEFT[:sample]
    if os.environ.get("TODO_CRASH_INSIDE"):
        return inside(programs, pathlib.Path(os.environ["TODO_CRASH_INSIDE"]), some)
    alone = ["unshare", "-rm"]
    if subprocess.run([*alone, "sh", "-c", "mount -t tmpfs none /mnt"], capture_output=True).returncode != 0:
        print("skipped: no disk can be mounted here")
        return 0
    command = [*alone, sys.executable, str(pathlib.Path(__file__).parent), "space", str(programs), "--sample", str(sample)]
    with tempfile.TemporaryDirectory(prefix="todo-space-") as folder:
        return subprocess.run(command, env={**os.environ, "TODO_CRASH_INSIDE": folder}).returncode
