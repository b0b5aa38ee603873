"""Plays attacks of members with changed clients on the real programs.

    python3 -B scripts/plays PROGRAMS [NAME ...]

PROGRAMS is a folder with `todo` and `todo-server`. Each play is a file `NN_name.py` beside this one with a docstring, which says who
attacks whom and how, and a function `play(stage)`. It raises `Hurt` with a sentence where the victim lost something.

`Stage` (scripts/crash/stage.py) has profiles, a server and commands: `stage.must("alice", "add", "Home", "x")`,
`stage.json("alice", "ls")`, `stage.todo(...)` for what may fail. `members` has what several plays need: accounts, shared lists and
the database of a profile.
"""

import importlib
import pathlib
import sys
import tempfile

HERE = pathlib.Path(__file__).parent
sys.path[:0] = [str(HERE), str(HERE.parent / "crash")]

from members import Hurt  # noqa: E402
from stage import Failed, Stage  # noqa: E402


def plays(wanted):
    names = sorted(path.stem for path in HERE.glob("[0-9]*.py"))
    return [name for name in names if not wanted or any(name.startswith(word) for word in wanted)]


def run(name, programs):
    """Plays one attack in a folder of its own. Returns what it came to."""
    play = importlib.import_module(name)
    with tempfile.TemporaryDirectory(prefix="todo-play-") as folder:
        stage = Stage(folder, programs)
        try:
            play.play(stage)
            return "held"
        except Hurt as hurt:
            return f"HURT: {hurt}"
        except Failed as failed:
            return f"FAILED: {failed}"
        finally:
            stage.clear()


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    outcomes = {name: run(name, sys.argv[1]) for name in plays(sys.argv[2:])}
    for name, outcome in outcomes.items():
        print(f"{name}: {outcome}")
    bad = [name for name, outcome in outcomes.items() if outcome != "held"]
    print(f"{len(outcomes) - len(bad)} of {len(outcomes)} attacks held")
    sys.exit(bool(bad) or not outcomes)


if __name__ == "__main__":
    main()
