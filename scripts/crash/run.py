"""One run of the story with one disturbance: a program is killed, or a system call fails."""

import contextlib
import dataclasses
import os
import shutil
import signal

import checks
import story
import trace
from stage import Failed, Stage
from story import Wrong

ONE_THREAD = ["--threads", "1"]


@dataclasses.dataclass(frozen=True)
class Point:
    """Which call is hit, and how. `step` is a number of the story, or what the server does between two commands."""

    side: str
    step: object
    call: str
    number: str
    effect: str = "signal=SIGKILL"

    def __str__(self):
        return f"{self.side} {self.step} {self.call} {self.number} {self.effect}"


class Theatre:
    """The story, and copies of everything as it is before each command, so that a run begins right there."""

    def __init__(self, folder, programs, processor):
        self.folder = folder
        pinned = ["taskset", "-c", str(processor)]
        self.stage = Stage(folder / "stage", programs, prefix=pinned)
        self.steps = story.steps(self.stage)

    def rehearse(self):
        """Plays the story once, and keeps everything as it is before each command."""
        stage = self.stage
        stage.start_server(*ONE_THREAD)
        story.prepare(stage)
        stage.stop_server()
        for number, step in enumerate(self.steps):
            self.keep(number)
            stage.start_server(*ONE_THREAD)
            outcome = story.play(stage, step)
            if step.said not in outcome.output:
                raise Wrong(f"{step}: {outcome}")
            stage.stop_server()
        self.enter(len(self.steps) - 1)
        stage.start_server(*ONE_THREAD)
        self.tell_on(len(self.steps) - 1)

    def count(self, count, some):
        """Plays some of the commands once more. `count` hears of each call that it and the server made meanwhile."""
        stage = self.stage
        for number in some:
            step = self.steps[number]
            self.enter(number)
            stage.start_server(*ONE_THREAD)
            with trace.attached(trace.watching(count.calls, self.folder / "server.trace"), self.stage.server.pid):
                log = self.folder / "client.trace"
                stage.todo(step.person, *step.words, wrap=trace.watching(count.calls, log))
            count.hear("client", number, log)
            count.hear("server", number, self.folder / "server.trace")
            stage.stop_server()
        self.count_server(count)

    def count_server(self, count):
        """What the server does when it starts for the first time, starts again, and stops."""
        log = self.folder / "server.trace"
        for name, begin in [("first start and stop", "empty"), ("start and stop", len(self.steps) - 1)]:
            self.enter(begin)
            self.stage.start_server(*ONE_THREAD, wrap=trace.watching(count.calls, log))
            self.stop_traced()
            count.hear("server", name, log)

    def stop_traced(self):
        """strace passes no signal on, so the server gets it by itself; strace ends with it."""
        for child in children(self.stage.server.pid):
            with contextlib.suppress(ProcessLookupError):
                os.kill(child, signal.SIGTERM)
        self.stage.server.wait(60)
        self.stage.server = None

    def keep(self, number):
        shutil.copytree(self.stage.folder, self.folder / f"before-{number}")

    def enter(self, number):
        """Everything is as it was before a command."""
        self.stage.clear()
        if number == "empty":
            self.stage.folder.mkdir()
        else:
            shutil.copytree(self.folder / f"before-{number}", self.stage.folder)

    def tell_on(self, number):
        """The rest of the story, and what is to be said of its end."""
        for step in self.steps[number:]:
            story.play(self.stage, step)
        checks.ended_well(self.stage)
        self.stage.stop_server()
        checks.undamaged(self.stage)

    def run(self, point):
        """Returns whether the call was hit."""
        try:
            if point.side == "client":
                return self.disturb_client(point)
            if isinstance(point.step, str):
                return self.disturb_start(point)
            return self.disturb_server(point)
        finally:
            self.stage.stop_server(signal.SIGKILL)

    def disturb_client(self, point):
        step = self.steps[point.step]
        self.enter(point.step)
        self.stage.start_server(*ONE_THREAD)
        log = self.folder / "hit.trace"
        outcome = self.stage.todo(step.person, *step.words, wrap=trace.hitting(point.call, point.effect, point.number, log))
        was_hit = trace.was_hit(log)
        self.judge(step, outcome, allowed=(0, 73, 74, 75))
        self.heal(step, outcome)
        self.tell_on(point.step + 1)
        return was_hit

    def disturb_server(self, point):
        step = self.steps[point.step]
        self.enter(point.step)
        self.stage.start_server(*ONE_THREAD)
        log = self.folder / "hit.trace"
        with trace.attached(trace.hitting(point.call, point.effect, point.number, log), self.stage.server.pid):
            outcome = self.stage.todo(step.person, *step.words)
        was_hit = trace.was_hit(log)
        if was_hit and "SIGKILL" in point.effect:
            self.stage.server.wait(10)
        is_gone = self.stage.server.poll() is not None
        if is_gone and "SIGKILL" not in point.effect:
            raise Wrong(f"the server ended with {self.stage.server.poll()}: {self.stage.server_log()[-500:]}")
        self.judge(step, outcome, allowed=(0, 69, 75))
        if is_gone:
            self.stage.stop_server()
            self.stage.start_server(*ONE_THREAD)
        self.heal(step, outcome)
        self.tell_on(point.step + 1)
        return was_hit

    def disturb_start(self, point):
        """The server is hit while it starts or stops, with nobody there."""
        first = point.step.startswith("first")
        self.enter("empty" if first else len(self.steps) - 1)
        log = self.folder / "hit.trace"
        try:
            self.stage.start_server(*ONE_THREAD, wrap=trace.hitting(point.call, point.effect, point.number, log))
            self.stop_traced()
        except Failed:
            # It came no further; what counts is the next start.
            pass
        self.stage.stop_server(signal.SIGKILL)
        was_hit = trace.was_hit(log)
        self.stage.start_server(*ONE_THREAD)
        if first:
            self.stage.must("carol", "signup", "carol", "--server", self.stage.address)
            self.stage.stop_server()
            checks.undamaged(self.stage)
        else:
            self.tell_on(len(self.steps) - 1)
        return was_hit

    def judge(self, step, outcome, allowed):
        """A command that is not killed says in two lines what is wrong, with a status that is meant for it."""
        if outcome.was_killed:
            return
        # Without the server nobody knows of an invitation; the command says that it could not ask.
        if outcome.status == 66 and "this is what was known before" in outcome.errors:
            return
        if outcome.status not in allowed:
            raise Wrong(f"{step}: status {outcome.status}: {outcome.output} {outcome.errors}")
        if outcome.status == 0:
            return
        lines = outcome.errors.strip().splitlines()
        if [line.split(" ")[1] for line in lines[-2:]] != ["error:", "hint:"]:
            raise Wrong(f"{step}: it says {lines}")

    def heal(self, step, outcome):
        """Does what a person does next: looks whether it was done, and gives the command again if it was not."""
        if "next 'todo sync'" in outcome.output + outcome.errors:
            self.stage.todo(step.person, "sync")
        acknowledged = outcome.status == 0 or (step.said and step.said in outcome.output)
        is_there = step.look(self.stage) if step.look else 0
        if acknowledged and step.look and is_there != 1:
            raise Wrong(f"{step}: acknowledged, and is there {is_there} times")
        if is_there > 1:
            raise Wrong(f"{step}: is there {is_there} times")
        if is_there == 0 and not (acknowledged and step.said and not step.look):
            story.play(self.stage, step)
            if step.look and step.look(self.stage) != 1:
                raise Wrong(f"{step}: given again, and is there {step.look(self.stage)} times")


def children(pid):
    with open(f"/proc/{pid}/task/{pid}/children") as file:
        return [int(child) for child in file.read().split()]
