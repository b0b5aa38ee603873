"""Kills and troubles the real programs, call by call, and checks that nothing was lost, damaged or doubled.

  points   kills client and server at every durable system call of a story (docs/crash-tests.md)
  faults   lets every sync fail with EIO, and everything that needs room with ENOSPC
  sample   a few points and faults of a few commands
  lock     the same for a profile that gets a passphrase and loses it again; --sample 0 is all of it
  keys     lets every call on the files of a half converted profile fail: no key file is lost; --sample 0 is all of it
  space    a disk that is full for a while, under the client and under the server
  upload   kills client and server while an image of 200 MiB is on its way up
  stress   many processes on one profile at once
"""

import argparse
import collections
import hashlib
import json
import multiprocessing
import os
import pathlib
import random
import signal
import sys
import tempfile
import time

import keys
import lock
import space
import stress
import trace
import upload
from run import Point, Theatre


class Count:
    """The calls of a story that nothing disturbs, and the points that follow from them."""

    def __init__(self, effects):
        self.effects = effects
        self.calls = sorted({call for call, _ in effects})
        self.points = []
        self.all = collections.Counter()

    def hear(self, side, step, log):
        numbers, all_of = trace.numbers(log)
        for call, effect in self.effects:
            self.all[side] += all_of[call]
            self.points += [Point(side, step, call, str(number), effect) for number in sorted(numbers[call])]


KILLS = [(call, "signal=SIGKILL") for call in trace.DURABLE]
FAULTS = [(call, "error=EIO") for call in trace.SYNCS] + [(call, "error=ENOSPC") for call in trace.GROWS]


def work(folder, programs, processor, tasks, results):
    """A worker: its own stage, and a point after the other."""
    theatre = Theatre(pathlib.Path(folder), programs, processor)
    try:
        theatre.rehearse()
        for point in iter(tasks.get, None):
            results.put(tried(theatre, point))
    except Exception as wrong:
        print(f"\nthe story itself\n  {wrong}", flush=True)
        results.put({"point": "the story itself", "hit": False, "wrong": str(wrong)})
    finally:
        theatre.stage.clear()
        results.put(None)


def results_of(folder, what, programs):
    """The file for results of these very programs and scripts: others say nothing about them."""
    digest = hashlib.sha256()
    scripts = sorted(pathlib.Path(__file__).parent.glob("*.py"))
    for path in [programs / "todo", programs / "todo-server", *scripts]:
        digest.update(path.read_bytes())
    folder.mkdir(parents=True, exist_ok=True)
    return folder / f"{what}-{digest.hexdigest()[:12]}.jsonl"


def points_of(theatre, effects, some):
    """Every point of some commands of the story, which is played first."""
    count = Count(effects)
    theatre.rehearse()
    theatre.count(count, some)
    print(f"calls: {', '.join(f'{side} {number}' for side, number in count.all.items())}", flush=True)
    return count.points


def all_points(programs, effects, wanted):
    with tempfile.TemporaryDirectory(prefix="todo-crash-") as folder:
        theatre = Theatre(pathlib.Path(folder), programs, 0)
        try:
            points = points_of(theatre, effects, range(len(theatre.steps)))
        finally:
            theatre.stage.clear()
    return [point for point in points if wanted in str(point)]


def try_sample(programs, size, dice):
    """A few points of a few commands, one after the other on one stage: counting takes longer than trying."""
    with tempfile.TemporaryDirectory(prefix="todo-crash-") as folder:
        theatre = Theatre(pathlib.Path(folder), programs, 0)
        try:
            points = points_of(theatre, KILLS + FAULTS, sorted(dice.sample(range(len(theatre.steps)), 3)))
            return [tried(theatre, point) for point in dice.sample(points, min(size, len(points)))]
        finally:
            theatre.stage.clear()


def tried(theatre, point):
    try:
        return {"point": str(point), "hit": theatre.run(point), "wrong": None}
    except Exception as wrong:
        print(f"\n{point}\n  {type(wrong).__name__}: {wrong}", flush=True)
        return {"point": str(point), "hit": True, "wrong": f"{type(wrong).__name__}: {wrong}"}


def try_all(points, programs, workers, results_file):
    """Runs every point that the file of results does not know yet, and returns what came of all."""
    known = {}
    if results_file and results_file.exists():
        known = {found["point"]: found for found in map(json.loads, results_file.read_text().splitlines())}
    todo = [point for point in points if str(point) not in known or known[str(point)]["wrong"]]
    found = {point: known[str(point)] for point in map(str, points) if point in known}
    with tempfile.TemporaryDirectory(prefix="todo-crash-") as folder:
        tasks, results = multiprocessing.Queue(), multiprocessing.Queue()
        for task in [*todo, *[None] * workers]:
            tasks.put(task)
        hands = [
            multiprocessing.Process(
                target=work, args=(f"{folder}/{number}", programs, number % os.cpu_count(), tasks, results))
            for number in range(workers)
        ]
        for hand in hands:
            hand.start()
        for answer in answers(results, hands):
            found[answer["point"]] = answer
            if results_file:
                with results_file.open("a") as file:
                    file.write(json.dumps(answer) + "\n")
            progress(len(found), len(points))
        for hand in hands:
            hand.join()
    return list(found.values())


def answers(results, hands):
    """What the workers say, until all have ended."""
    left = len(hands)
    while left:
        answer = results.get()
        if answer is None:
            left -= 1
        else:
            yield answer


def progress(count, total, begin=time.monotonic()):
    if sys.stdout.isatty():
        print(f"\r{count} of {total} points, {time.monotonic() - begin:.0f} s", end="", flush=True)
    elif count % 100 == 0:
        print(f"{count} of {total} points, {time.monotonic() - begin:.0f} s", flush=True)


def tell(found):
    hit = [one for one in found if one["hit"]]
    wrong = [one for one in found if one["wrong"]]
    sides = collections.Counter(one["point"].split()[0] for one in hit)
    print(
        f"\n{len(hit)} points hit ({', '.join(f'{side} {number}' for side, number in sorted(sides.items()))}), "
        f"{len(found) - len(hit)} calls that did not come again; "
        f"{len(wrong)} corruptions, lost acknowledged changes or duplicates", flush=True)
    return 1 if wrong or not hit else 0


def main():
    parser = argparse.ArgumentParser(
        prog="crash", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["points", "faults", "sample", "lock", "keys", "space", "stress", "upload"])
    parser.add_argument("programs", type=pathlib.Path, help="the folder of todo and todo-server")
    parser.add_argument("--only", default="", help="points that contain this, such as 'client 3 pwrite64 17'")
    parser.add_argument("--sample", type=int, default=8, help="so many points or disks")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--adds", type=int, default=50, help="of each process of the stress")
    parser.add_argument("--kills", type=int, default=50, help="of each side of the upload")
    parser.add_argument("--workers", type=int, default=os.cpu_count())
    parser.add_argument("--results", type=pathlib.Path, help="a folder to keep results in, and to go on from")
    options = parser.parse_args()
    # Whoever started this may have blocked signals, which strace and the server would inherit.
    signal.pthread_sigmask(signal.SIG_SETMASK, [])
    if options.what == "space":
        return space.main(options.programs, options.sample)
    if options.what == "upload":
        return upload.main(options.programs, options.kills, options.seed)
    if not trace.is_allowed():
        sys.exit("strace cannot trace here")
    if options.what == "stress":
        return stress.main(options.programs, 8, options.adds)
    if options.what == "sample":
        return tell(try_sample(options.programs, options.sample, random.Random(options.seed)))
    dice = random.Random(options.seed)
    some = lambda points: dice.sample(points, min(options.sample, len(points))) if options.sample else points
    if options.what == "keys":
        return tell(keys.disturb(options.programs, some, tried))
    if options.what == "lock":
        return tell(lock.disturb(options.programs, KILLS + FAULTS, some, tried))
    points = all_points(options.programs, KILLS if options.what == "points" else FAULTS, options.only)
    results = options.results and results_of(options.results, options.what, options.programs)
    return tell(try_all(points, options.programs, min(options.workers, len(points)), results))


if __name__ == "__main__":
    sys.exit(main())
