"""Runs tests of a bundle that is built, for programs which take something out and look at what fails."""

import os
import subprocess


def run(bundle, chosen, seconds, **environment):
    """Runs the tests that a filter chooses. Returns what they print, and whether they came to their end."""
    command = [str(bundle), "--testing-library", "swift-testing", "--filter", chosen]
    # Naming the lines of so large a program where it crashes takes minutes.
    environment = {"SWIFT_BACKTRACE": "enable=no", "NO_COLOR": "1"} | environment
    try:
        result = subprocess.run(
            command, env=os.environ | environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=seconds,
            check=False)
    except subprocess.TimeoutExpired as expired:
        return (expired.stdout or b"").decode(errors="replace"), False
    output = result.stdout.decode(errors="replace")
    return output, "Test run with" in output


def shown(noticed):
    """The first of what has noticed, in a cell of a table."""
    if len(noticed) <= 4:
        return "; ".join(noticed) or "none"
    return "; ".join(noticed[:4]) + f"; and {len(noticed) - 4} more"
