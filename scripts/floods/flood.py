"""Where an attack plays: a server, alice who is honest, bob whose inbox is there, and mallory."""

import collections
import contextlib
import pathlib
import threading

from forging import new_list, sign_up, signed_up
from honest import Honest, Watch, watching
from sending import Sender, told
from stage import Failed, Stage

LIFE = 300  # seconds that a server has
WAIT = 0.5  # seconds that an honest account may wait


class Through(Exception):
    """An attack got through."""


class Flood:
    def __init__(self, folder, programs):
        self.stage = Stage(folder, programs)
        self.answers, self.watch = collections.Counter(), Watch()
        self.alice, self.bob, self.mallory = (signed_up(name) for name in ("alice", "bob", "mallory"))

    @property
    def port(self) -> int:
        return self.stage.port

    def open(self, *options):
        """Starts a server, and signs up who plays."""
        self.options = options
        self._start(*options)
        for person in (self.alice, self.bob, self.mallory):
            self.join(person)
        self.honest = Honest(self.port, self.alice)
        if self.honest.begin() != ["accepted", "accepted"]:
            raise Failed("alice has no list")
        self.attacker = self.sender(self.mallory)

    def restart(self):
        """Nothing of what the server had in memory is left."""
        self.stage.stop_server()
        self._start(*self.options)

    def _start(self, *options):
        self.stage.start_server("--quiet", *options)
        timer = threading.Timer(LIFE, self.stage.server.kill)
        timer.daemon = True
        timer.start()

    def join(self, person):
        answer = Sender(self.port).send("/v1/accounts", sign_up(person))
        if answer.status != 201:
            raise Failed(f"{person.name} could not sign up: {answer.word}")

    def sender(self, person=None, **options) -> Sender:
        return Sender(self.port, person, **options)

    def list_of(self, person, name: str):
        branch, operations = new_list(person, name)
        if self.sender(person).batch(operations) != ["accepted", "accepted"]:
            raise Failed(f"{person.name} has no list")
        return branch

    def meanwhile(self) -> contextlib.AbstractContextManager:
        """Alice goes about her day in this block."""
        return watching(self.honest, self.watch)

    def saw(self, *words):
        self.answers.update(words)

    def at_once(self, count: int, body):
        """Runs `body(number)` in so many threads; it returns words. What one of them trips over counts as a word."""

        def run(number):
            try:
                self.answers.update(body(number))
            except Exception as error:
                self.answers[f"tripped over {error!r}"] += 1

        threads = [threading.Thread(target=run, args=(number,), daemon=True) for number in range(count)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(LIFE)

    def memory(self) -> int:
        """The most bytes that the server ever had of the machine's memory."""
        status = pathlib.Path(f"/proc/{self.stage.server.pid}/status").read_text()
        return next(int(line.split()[1]) * 1024 for line in status.splitlines() if line.startswith("VmHWM"))

    def lives(self) -> bool:
        return self.stage.server.poll() is None and self.sender().send("/health", method="GET").status == 200

    def only(self, *allowed):
        """Whatever else was answered is an answer to an attack that nobody expects."""
        others = {word: count for word, count in self.answers.items() if word not in allowed}
        if others:
            raise Through(f"it answered {told(collections.Counter(others))}")

    def at_most(self, word: str, most: int):
        if self.answers[word] > most:
            raise Through(f"{self.answers[word]} were {word}, and {most} may be")

    def judge(self):
        """What holds for every attack, at its end."""
        if not self.lives():
            raise Through("the server has ended")
        if self.watch.refusals:
            raise Through(f"alice was answered {told(collections.Counter(self.watch.refusals))}")
        if self.watch.slowest > WAIT:
            raise Through(f"alice waited {self.watch.slowest * 1000:.0f} ms")
