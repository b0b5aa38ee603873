"""Measures when a new device shows the last messages of every conversation, beside when it has all of them: bytes and seconds."""

import pathlib
import subprocess
import tempfile

from process import Server

MESSAGES = 100_000
CONVERSATIONS = 20
# Of all bytes, in percent.
AIM = 2


def main(todo_sim, todo_server, messages=MESSAGES):
    with tempfile.TemporaryDirectory(prefix="todo-bench-") as folder:
        folder = pathlib.Path(folder)
        with Server(todo_server, folder) as server:
            command = [todo_sim, "talk", "--server", server.url, "--folder", str(folder),
                       "--messages", str(messages), "--conversations", str(CONVERSATIONS)]
            words = subprocess.run(command, capture_output=True, check=True, text=True).stdout.split()
    count, first, few, seconds, all_bytes = int(words[0]), float(words[1]), int(words[2]), float(words[3]), int(words[4])
    share = 100 * few / all_bytes
    print(f"| {count:,} messages in {CONVERSATIONS} conversations | MB | % | s | : all |")
    print("|---|---:|---:|---:|---:|")
    print(f"| the last 20 of each are shown | {few / 1e6:.2f} | {share:.2f} | {first:.2f} | {first / seconds:.4f} |")
    print(f"| all are here | {all_bytes / 1e6:.1f} | 100 | {seconds:.1f} | 1 |", flush=True)
    if count >= MESSAGES and share >= AIM:
        raise SystemExit(f"{share:.2f} % of the bytes, and {AIM} is the aim")
