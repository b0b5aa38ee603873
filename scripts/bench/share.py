"""Measures `todo share` and `todo unshare` on lists of several sizes, in turns.

Both are one permissions record however long the list is. What is measured is the whole process, which sends the record and waits for the
server, over loopback.
"""

import pathlib
import statistics
import tempfile

from process import Process, Server, run

SIZES = [10, 1_000, 10_000]
ROUNDS = 21


class Owner:
    """Somebody with one list of so many todos, on a server that bob is on too."""

    def __init__(self, todo, server, folder, size):
        self.size = size
        self.words = [todo, "--quiet", "--profile", f"owner-{size}"]
        self.environment = {"TODO_HOME": str(pathlib.Path(folder) / "home")}
        self.tell("signup", f"owner-{size}", "--server", server.url)
        titles = [f"todo number {number} of the list" for number in range(size)]
        self.tell("add", "--no-sync", "Groceries", "-", lines=titles)
        self.tell("sync")
        self.costs = {"share": [], "unshare": []}

    def tell(self, *words, lines=None):
        run([*self.words, *words], self.environment, lines)

    def measure(self, verb):
        command = [*self.words, verb, "Groceries", "--with", "bob"]
        self.costs[verb].append(Process(command, self.environment).cost())

    def median(self, verb, what):
        return statistics.median(getattr(cost, what) for cost in self.costs[verb])


def main(todo, todo_server):
    with tempfile.TemporaryDirectory() as folder, Server(todo_server, folder) as server:
        run([todo, "--quiet", "--profile", "bob", "signup", "bob", "--server", server.url],
            {"TODO_HOME": str(pathlib.Path(folder) / "home")})
        owners = [Owner(todo, server, folder, size) for size in SIZES]
        for _ in range(ROUNDS):
            for verb in ("share", "unshare"):
                for owner in owners:
                    owner.measure(verb)
    least = owners[0]
    print("| todos | share | CPU | : 10 todos | unshare | CPU | : 10 todos |")
    print("|---:|---:|---:|---:|---:|---:|---:|")
    for owner in owners:
        cells = [f"{owner.size:,}"]
        for verb in ("share", "unshare"):
            wall, cpu = owner.median(verb, "wall"), owner.median(verb, "cpu")
            cells += [f"{wall * 1000:.1f} ms", f"{cpu * 1000:.1f} ms", f"{wall / least.median(verb, 'wall'):.2f}"]
        print(f"| {' | '.join(cells)} |", flush=True)
