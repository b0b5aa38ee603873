"""Plays attacks of one hostile account on a real server, with records that it forges.

    python3 -B scripts/floods PROGRAMS [NAME ...]

PROGRAMS is a folder with `todo-server`, built for release: one for debugging makes everybody wait much longer. Python
needs what Tests/Vectors/generate/requirements.txt lists (`make setup-vectors`), and `protoc`.

Each file `N_name.py` beside this one has functions with a docstring, which says what is tried. While one plays, another
account does what everybody does every 50 ms, and must never wait for more than half a second. A function raises
`Through` where a limit was passed. One line is printed for each: what was tried, what the server answered, the slowest
answer to the honest account, and whether it held. NAME is the beginning of the name of a file, or of a function.
"""

import importlib
import inspect
import pathlib
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / "crash"), str(HERE.parents[1] / "Tests" / "Vectors")]

# The generator asks for the slow implementation of protobuf, and does not get it where another one is there already.
import google.protobuf.descriptor  # noqa: E402, F401

from flood import Flood, Through  # noqa: E402
from sending import told  # noqa: E402
from stage import Failed  # noqa: E402


def attacks(wanted):
    """Files in order, and their functions as they are written."""
    for path in sorted(HERE.glob("[0-9]*.py")):
        module = importlib.import_module(path.stem)
        for name, play in list(vars(module).items()):
            ours = (
                inspect.isfunction(play) and play.__module__ == path.stem and play.__doc__ and not name.startswith("_")
            )
            if ours and (not wanted or any(name.startswith(word) or path.stem.startswith(word) for word in wanted)):
                yield f"{path.stem.split('_')[0]} {name}", play


def run(play, programs):
    """Plays one attack on a server of its own. Returns what it came to, and what was seen."""
    with tempfile.TemporaryDirectory(prefix="todo-flood-") as folder:
        flood = Flood(folder, programs)
        try:
            outcome = "held"
            try:
                play(flood)
            finally:
                if flood.stage.server:
                    flood.judge()
        except Through as through:
            outcome = f"NOT HELD: {through}"
            if isinstance(through.__context__, Through):
                outcome += f"; {through.__context__}"
        except (Failed, OSError) as failed:
            outcome = f"FAILED: {failed}"
        finally:
            flood.stage.clear()
        return outcome, flood


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    outcomes = []
    for name, play in attacks(sys.argv[2:]):
        outcome, flood = run(play, sys.argv[1])
        outcomes.append(outcome)
        tried = " ".join(inspect.getdoc(play).split("\n\n")[0].split())
        slowest = f"{flood.watch.slowest * 1000:.0f} ms ({flood.watch.verb})"
        print(f"{name}: {tried} Answers: {told(flood.answers)}. Slowest: {slowest}. {outcome}", flush=True)
    held = outcomes.count("held")
    print(f"{held} of {len(outcomes)} attacks held")
    sys.exit(held < len(outcomes) or not outcomes)


if __name__ == "__main__":
    main()
