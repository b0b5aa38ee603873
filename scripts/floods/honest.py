"""An account that does what everybody does all day, and notes how long it waits.

It is a process of its own: the attacker's work in this program shall not count for the server's.
"""

import collections
import contextlib
import multiprocessing
import time

from forging import new_list, put, requests
from sending import Sender, words

PAUSE = 0.05  # seconds from one request to the next
PATIENCE = 40


class Honest:
    def __init__(self, port: int, person):
        self.sender = Sender(port, person, patience=PATIENCE)
        self.person = person
        self.list, self.first = new_list(person, "Groceries")

    def begin(self):
        return self.sender.batch(self.first)

    def heads(self):
        branches = [trunk.id for trunk in self.person.trunks.values()] + [self.list.id]
        return self.sender.send("/v1/heads", requests.HeadsRequest(branches=branches)).word

    def write(self):
        line = self.list.put(self.list.node(f"todo {len(self.list.lines)}", data=b"milk"))
        found = words(
            self.sender.send(
                "/v1/batch", requests.Batch(operations=[put(self.list.records[line], self.list.contents[line])])
            )
        )[0]
        if found != "accepted":
            # What the server does not have, nothing goes on from.
            self.list.lines.pop()
            self.list.hashes.pop()
        return found

    def read(self):
        line = max(0, len(self.list.lines) - 3)
        wanted = requests.PullRequest(
            branch=self.list.id, after_line=line, after_hash=self.list.hashes[line], limit=100
        )
        return self.sender.send("/v1/pull", wanted).word

    def live(self, ended, told):
        """Until the attack is over."""
        slowest, answers = (0.0, ""), collections.Counter()
        verbs = [self.heads, self.write, self.read]
        self.heads()
        while not ended.is_set():
            begun = time.monotonic()
            verb = verbs[sum(answers.values()) % 3]
            answers[verb()] += 1
            spent = time.monotonic() - begun
            slowest = max(slowest, (spent, verb.__name__))
            ended.wait(max(0.0, PAUSE - spent))
        told.send((slowest, answers))


class Watch:
    """How somebody fared meanwhile."""

    def __init__(self):
        self.slowest, self.verb = 0.0, ""
        self.answers = collections.Counter()

    @property
    def refusals(self):
        return {word: count for word, count in self.answers.items() if word not in ("200", "accepted")}


@contextlib.contextmanager
def watching(honest: Honest, watch: Watch):
    context = multiprocessing.get_context("fork")
    ended, (ours, theirs) = context.Event(), context.Pipe(duplex=False)
    honest.sender.close()
    process = context.Process(target=honest.live, args=(ended, theirs), daemon=True)
    process.start()
    time.sleep(6 * PAUSE)
    try:
        yield
    finally:
        time.sleep(4 * PAUSE)
        ended.set()
        if ours.poll(2 * PATIENCE):
            slowest, answers = ours.recv()
            watch.slowest, watch.verb = max((watch.slowest, watch.verb), slowest)
            watch.answers += answers
        else:
            watch.slowest = watch.slowest or 2.0 * PATIENCE
        process.join(5)
        process.kill()
