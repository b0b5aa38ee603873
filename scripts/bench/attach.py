"""Measures an image of 10 MiB that is attached and sent, beside `age` encrypting the same file and a copy of what it made.

Both end durable: the copy with fsync, the image with the server's answer. In turns, each time another file.
"""

import os
import pathlib
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

from process import Process, Server, run

sys.path.append(str(pathlib.Path(__file__).resolve().parent.parent))
from photo import picture

MEBIBYTES = 10
ROUNDS = 7


class Age:
    """Encrypts to a key, copies the result, and has the copy durable."""

    def __init__(self, folder, clear):
        key = folder / "age.key"
        subprocess.run(["age-keygen", "-o", key], check=True, capture_output=True)
        recipient = subprocess.run(["age-keygen", "-y", key], check=True, capture_output=True, text=True).stdout.strip()
        self.sealed, self.copy = folder / "photo.age", folder / "copy.age"
        self.process = Process(["age", "-r", recipient, "-o", str(self.sealed), str(clear)], {})

    def seconds(self):
        seconds = self.process.run(0)
        begin = time.perf_counter()
        shutil.copyfile(self.sealed, self.copy)
        with open(self.copy, "rb") as file:
            os.fsync(file.fileno())
        return seconds + time.perf_counter() - begin


def main(todo, todo_server):
    if not shutil.which("age"):
        print("age is not installed: nothing to compare an attachment with")
        return
    with tempfile.TemporaryDirectory(prefix="todo-bench-") as folder:
        folder = pathlib.Path(folder)
        clear = folder / "photo.png"
        picture(clear, MEBIBYTES)
        environment = {"TODO_HOME": str(folder / "home")}
        with Server(todo_server, folder) as server:
            run([todo, "config", "background-sync", "off"], environment)
            run([todo, "signup", "alice", "--server", server.url], environment)
            run([todo, "add", "Food", "sauce"], environment)
            attach = Process([todo, "image", "add", "Food/sauce", str(clear), "--keep-metadata", "--no-sync"], environment)
            send = Process([todo, "sync"], environment)
            age = Age(folder, clear)
            rows = {"age, and a copy": [], "todo image add": [], "todo sync": []}
            for _ in range(ROUNDS):
                picture(clear, MEBIBYTES)
                rows["age, and a copy"].append(age.seconds())
                rows["todo image add"].append(attach.run(0))
                rows["todo sync"].append(send.run(0))
    rows["attached and sent"] = [add + sync for add, sync in zip(rows["todo image add"], rows["todo sync"])]
    print(f"| an image of {MEBIBYTES} MiB | ms, median | : age and a copy, median of rounds |")
    print("|---|---:|---:|")
    for name, times in rows.items():
        ratio = statistics.median(one / other for one, other in zip(times, rows["age, and a copy"]))
        print(f"| {name} | {statistics.median(times) * 1000:.0f} | {ratio:.1f} |", flush=True)
