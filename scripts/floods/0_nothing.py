"""What alice waits for where nobody attacks: what the others are compared with."""

import time


def nothing(flood):
    """Nobody attacks for two seconds."""
    flood.open()
    with flood.meanwhile():
        time.sleep(2)
