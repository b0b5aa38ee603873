"""Many processes on one profile at once: they add, they read, one syncs. And who holds the lock when something is written."""

import collections
import pathlib
import re
import tempfile
import threading

import checks
import story
import trace
from stage import Stage
from story import Wrong, todos, without_background


def hammer(programs, writers, adds):
    """Nothing may be lost, doubled, damaged, or refused because others are busy."""
    with tempfile.TemporaryDirectory(prefix="todo-stress-") as folder:
        stage = Stage(folder, programs)
        stage.start_server()
        without_background(stage, "alice")
        stage.must("alice", "signup", "alice", "--server", stage.address)
        stage.must("alice", "add", "Food", "milk")
        wrong, running = [], threading.Event()
        running.set()

        def give(*words, allowed=(0,)):
            outcome = stage.todo("alice", *words)
            if outcome.status not in allowed:
                wrong.append(f"todo {' '.join(words)}: {outcome.status} {outcome.errors.strip()}")

        def write(number):
            for count in range(adds):
                give("add", "Food", f"writer {number} thing {count}", "--quiet")

        def repeat(*words, allowed=(0,)):
            while running.is_set():
                give(*words, allowed=allowed)

        hands = [threading.Thread(target=write, args=(number,)) for number in range(writers)]
        others = [threading.Thread(target=repeat, args=("ls", "--json", "--no-sync"))]
        others.append(threading.Thread(target=repeat, args=("sync", "--quiet"), kwargs={"allowed": (0, 75)}))
        for hand in hands + others:
            hand.start()
        for hand in hands:
            hand.join()
        running.clear()
        for other in others:
            other.join()
        stage.must("alice", "sync")
        titles = collections.Counter(title for title, _ in todos(stage, "alice", "Food"))
        stage.stop_server()
        checks.undamaged(stage)
    expected = collections.Counter(f"writer {number} thing {count}" for number in range(writers) for count in range(adds))
    expected["milk"] += 1
    if wrong or titles != expected:
        raise Wrong(f"{wrong[:3]} lost {list(expected - titles)[:3]} doubled {list(titles - expected)[:3]}")


def locks(programs):
    """Every write to the database and its log happens while the profile's lock is held. Returns how many there were."""
    with tempfile.TemporaryDirectory(prefix="todo-locks-") as folder:
        stage = Stage(pathlib.Path(folder), programs)
        stage.start_server()
        story.prepare(stage)
        log, count = pathlib.Path(folder) / "trace", 0
        calls = ["flock", "pwrite64", "ftruncate", "unlink"]
        for step in story.steps(stage):
            outcome = stage.todo(step.person, *step.words, wrap=[*trace.watching(calls, log), "-y"])
            if outcome.status != 0:
                raise Wrong(f"{step}: {outcome.errors}")
            count += written_under_lock(log.read_text(errors="replace"), step)
        stage.stop_server()
    return count


def written_under_lock(text, step):
    is_held, count = False, 0
    for line in text.splitlines():
        if "todo.db.lock>, LOCK_EX" in line:
            is_held = True
        elif "todo.db.lock>, LOCK_UN" in line:
            is_held = False
        elif re.search(r'(pwrite64|ftruncate)\(\d+<[^>]*todo\.db(-wal)?>|unlink\("[^"]*todo\.db-(wal|shm)"', line):
            count += 1
            if not is_held:
                raise Wrong(f"{step}: written without the lock: {line[:120]}")
    return count


def main(programs, writers, adds):
    count = locks(programs)
    print(f"{count} writes to profiles, each under the lock")
    for number in sorted({2, writers}):
        hammer(programs, number, adds)
        print(f"{number} processes added {adds} todos each while others read and synced: all are there once", flush=True)
    return 0 if count else 1
