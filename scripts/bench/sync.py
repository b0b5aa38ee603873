"""Measures `todo sync` against a `todo-server` over loopback: real binaries, one folder, two cores for all of it.

For each size a server and an account with one list of so many todos. What is measured is always the whole process of one
`todo sync`, and what the server spends on it meanwhile:

  push all      everything, by the device that wrote it
  pull all      everything, by a fresh device that has logged in (`todo login --no-sync`) and has nothing yet
  no-op         nothing, by a device that has everything
  push 1,000    1,000 new todos, into the list that is there
  pull 1,000    the same, by a device that has everything else
"""

import pathlib
import statistics
import tempfile

from checks import Checks
from process import Process, Server, run

SIZES = {1_000: 9, 10_000: 5, 50_000: 3}
NOTHING_ROUNDS = 41
MORE = 1_000


class Account:
    """One person's devices and their server."""

    def __init__(self, todo, server, folder):
        self.todo = todo
        self.server = server
        self.folder = pathlib.Path(folder)
        self.environment = {"TODO_HOME": str(self.folder / "home")}
        self.devices = 0

    def command(self, device, *words):
        return [self.todo, "--quiet", "--profile", device, *words]

    def tell(self, device, *words, lines=None):
        run(self.command(device, *words), self.environment, lines)

    def sign_up(self, device):
        self.tell(device, "signup", "alice", "--server", self.server.url)
        self.tell(device, "recovery", "--out", str(self.folder / "words"))

    def fresh_device(self):
        self.devices += 1
        device = f"device-{self.devices}"
        words = (self.folder / "words").read_text().splitlines()
        self.tell(device, "login", "--no-sync", "alice", "--server", self.server.url, lines=words)
        return device

    def add(self, device, count):
        titles = [f"todo number {number} of the list" for number in range(count)]
        self.tell(device, "add", "--no-sync", "Groceries", "-", lines=titles)

    def sync(self, device):
        """The cost of one sync, and the server's seconds meanwhile."""
        before = self.server.cpu()
        cost = Process(self.command(device, "sync"), self.environment).cost()
        return cost, self.server.cpu() - before


class Measurement:
    """One thing that was measured several times."""

    def __init__(self, what, size, todos):
        self.what, self.size, self.todos, self.costs = what, size, todos, []

    def add(self, costs):
        self.costs.append(costs)

    def cpu(self):
        """Seconds of CPU, the client's and the server's."""
        return (
            statistics.median(cost.cpu for cost, _ in self.costs), statistics.median(server for _, server in self.costs))

    def row(self, check):
        walls = [cost.wall for cost, _ in self.costs]
        wall, (cpu, server) = statistics.median(walls), self.cpu()
        memory = max(cost.memory for cost, _ in self.costs)
        cells = [f"{self.size:,}", self.what, str(len(walls)), milliseconds(wall), milliseconds(min(walls))]
        cells += [milliseconds(cpu), milliseconds(server), f"{memory:.0f} MiB"]
        cells += [f"{wall / self.todos * 1e6:.0f} µs", f"{wall / (self.todos * check):.2f}"] if self.todos else ["–", "–"]
        return f"| {' | '.join(cells)} |"


def milliseconds(seconds):
    return f"{seconds * 1000:,.0f} ms" if seconds >= 0.1 else f"{seconds * 1000:.1f} ms"


def measure(size, rounds, todo, todo_server, checks):
    """All measurements of one size, with the seconds of one signature check in the same minutes."""
    found = [Measurement("push all", size, size), Measurement("pull all", size, size), Measurement("no-op", size, 0)]
    found += [Measurement("push 1,000", size, MORE), Measurement("pull 1,000", size, MORE)]
    push, pull, nothing, push_more, pull_more = found
    check = [checks.seconds()]
    with tempfile.TemporaryDirectory() as folder, Server(todo_server, folder) as server:
        account = Account(todo, server, folder)
        account.sign_up("laptop")
        account.add("laptop", size)
        push.add(account.sync("laptop"))
        for _ in range(rounds):
            device = account.fresh_device()
            pull.add(account.sync(device))
            check.append(checks.seconds())
        for _ in range(NOTHING_ROUNDS):
            nothing.add(account.sync("laptop"))
        for _ in range(rounds):
            account.add("laptop", MORE)
            push_more.add(account.sync("laptop"))
            pull_more.add(account.sync(device))
            check.append(checks.seconds())
        memory = server.memory()
    return found, statistics.median(check), memory


def main(todo, todo_server, sizes=SIZES):
    checks = Checks()
    print("| todos there | what | rounds | median | fastest | CPU | server's CPU | memory | a todo | : checks |")
    print("|---:|---|---:|---:|---:|---:|---:|---:|---:|---:|", flush=True)
    notes, growth = [], {}
    for size in sizes:
        found, check, memory = measure(size, SIZES[size], todo, todo_server, checks)
        for measurement in found:
            print(measurement.row(check), flush=True)
            growth.setdefault(measurement.what, []).append(sum(measurement.cpu()) / (measurement.todos or 1))
        notes.append(f"{size:,} todos: a check took {check * 1e6:.0f} µs, the server's memory reached {memory:.0f} MiB")
    print("\n" + "\n".join(notes))
    print("\nCPU of both sides, for each todo that changed (of no-op, for the sync):\n")
    print(f"| what | {' | '.join(f'{size:,}' for size in sizes)} |")
    print(f"|---|{'---:|' * len(sizes)}")
    for what, seconds in growth.items():
        print(f"| {what} | {' | '.join(f'{spent * 1e6:,.0f} µs' for spent in seconds)} |")
