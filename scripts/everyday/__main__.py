"""Plays what people do every day, at random, with the real programs: two people, three devices, a server.

    python3 -B scripts/everyday PROGRAMS [--seconds N] [--seed N]

PROGRAMS is a folder with `todo` and `todo-server`. In each round somebody does a few things, with or without a sync between. Three laws hold:

- nothing open goes as a side effect: what was open before a command is open after it, or is what the command named, or a part of that;
- `undo` gives back what was: a command and its undo leave everything as it stood, and what `add` made lies in the trash;
- all devices agree, once all have synced.

Each world has a seed of its own, so that what is found can be played again.
"""

import argparse
import pathlib
import random
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).parent
sys.path[:0] = [str(HERE), str(HERE.parent / "crash")]

from player import Finding, Player, World  # noqa: E402
from stage import Failed  # noqa: E402

ROUNDS = 25
# So many are enough to look into.
FINDINGS = 5


def play(seed, programs, deadline):
    """Plays one world. Returns how many commands there were; raises `Finding` or `Failed`."""
    with tempfile.TemporaryDirectory(prefix="todo-everyday-") as folder:
        world = World(folder, programs, random.Random(seed))
        try:
            world.begin()
            for _ in range(ROUNDS):
                if time.monotonic() > deadline:
                    break
                Player(world).round()
                world.settle()
                world.agree()
            return world.commands
        except (Finding, Failed) as found:
            found.history = world.history
            raise
        finally:
            world.stage.clear()


def main():
    parser = argparse.ArgumentParser(prog="everyday")
    parser.add_argument("programs")
    parser.add_argument("--seconds", type=int, default=60)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    deadline = time.monotonic() + options.seconds
    seed, commands, findings = options.seed, 0, 0
    while time.monotonic() < deadline and findings < FINDINGS:
        try:
            commands += play(seed, options.programs, deadline)
        except (Finding, Failed) as found:
            findings += 1
            print("\n".join([f"seed {seed}:", *(f"  {line}" for line in found.history[-25:]), f"!! {found}"]), flush=True)
        seed += 1
    print(f"{seed - options.seed} worlds, {commands} commands, {findings} findings")
    sys.exit(findings > 0 or commands == 0)


if __name__ == "__main__":
    main()
