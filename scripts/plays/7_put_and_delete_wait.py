"""A deletion and the upload of the very same todo wait for each other for ever.

alice's tablet takes a todo from Home to Ideas, while her phone, offline, has deleted it for good in Home. The phone's sync dies after it has
read Ideas and before it has read Home; then she takes the todo back to Home there. No command stops a sync at that place, so this is seed
700688 of the simulator, which does; `todo-sim` has to lie beside the programs.
"""

import subprocess

from members import Hurt
from stage import Failed


def play(stage):
    simulator = stage.programs / "todo-sim"
    if not simulator.exists():
        raise Failed("there is no todo-sim beside the programs")
    done = subprocess.run([simulator, "--seed", "700688"], capture_output=True, text=True, env=stage.environment())
    waiting = [line.strip() for line in done.stdout.splitlines() if "waits for ever" in line]
    if waiting:
        raise Hurt(waiting[-1])
    if done.returncode:
        raise Failed(done.stdout.splitlines()[-1])
