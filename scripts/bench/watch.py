"""Measures how long others wait: from the start of `todo done` on one device to the line in `todo watch` on another.

Between them lie a process that ticks, the sync in the background that it starts, the server, its event, and the pull of the
device that watches. Both devices are one person's and know the whole list; the server is on the same machine.
"""

import os
import select
import statistics
import subprocess
import sys
import tempfile
import time

from process import Server
from sync import Account, milliseconds

SIZES = [100, 10_000]
ROUNDS = 41
PATIENCE = 20


class Watch:
    """A `todo watch` that runs, and the lines that it prints."""

    def __init__(self, account, device):
        self.process = subprocess.Popen(
            [account.todo, "--profile", device, "watch", "--json"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
            env={**os.environ, **account.environment})
        self.seen = b""

    def wait_for(self, text):
        """The moment at which a line with this text is there."""
        end = time.perf_counter() + PATIENCE
        while text.encode() not in self.seen:
            ready, _, _ = select.select([self.process.stdout], [], [], max(0, end - time.perf_counter()))
            read = os.read(self.process.stdout.fileno(), 65536) if ready else b""
            if not read:
                sys.exit(f"todo watch did not say '{text}'")
            self.seen += read
        return time.perf_counter()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.terminate()
        self.process.wait()


def measure(size, todo, todo_server):
    """The seconds of each round."""
    seconds = []
    with tempfile.TemporaryDirectory() as folder, Server(todo_server, folder) as server:
        account = Account(todo, server, folder)
        account.sign_up("laptop")
        account.add("laptop", size)
        account.sync("laptop")
        phone = account.fresh_device()
        account.sync(phone)
        with Watch(account, phone) as watch:
            # Until it says this, nobody knows whether it listens.
            account.tell("laptop", "add", "Groceries", "the first thing")
            watch.wait_for("the first thing")
            for number in range(ROUNDS):
                time.sleep(0.2)
                title = f"todo number {number} of the list"
                begin = time.perf_counter()
                account.tell("laptop", "done", title)
                seconds.append(watch.wait_for(title) - begin)
    return seconds


def main(todo, todo_server):
    if subprocess.run([todo, "watch", "--help"], capture_output=True, check=False).returncode != 0:
        return print("without todo watch, which these binaries do not have")
    print("| todos | rounds | median | fastest | nine in ten |")
    print("|---:|---:|---:|---:|---:|")
    for size in SIZES:
        seconds = sorted(measure(size, todo, todo_server))
        ninth = seconds[len(seconds) * 9 // 10]
        cells = [f"{size:,}", str(len(seconds)), *map(milliseconds, [statistics.median(seconds), seconds[0], ninth])]
        print(f"| {' | '.join(cells)} |", flush=True)
