"""Where a story plays: a folder with a server and people's profiles, and the programs that work on them."""

import atexit
import dataclasses
import json
import pathlib
import shutil
import signal
import socket
import subprocess
import time

# Longer than any command takes that is not stuck; what is stuck is a defect to report, not to wait for.
PATIENCE = 60


@dataclasses.dataclass
class Outcome:
    """What a command came to."""

    status: int
    output: str
    errors: str

    @property
    def was_killed(self):
        return self.status == -signal.SIGKILL or self.status == 128 + signal.SIGKILL


class Failed(Exception):
    """A command that had to succeed did not."""


def free_port():
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


class Stage:
    """A folder in which `todo` and `todo-server` of one folder of programs are run.

    `prefix` is put before every command, for example to keep it on one processor.
    """

    def __init__(self, folder, programs, port=None, prefix=()):
        self.folder = pathlib.Path(folder)
        self.programs = pathlib.Path(programs).resolve()
        self.port = port or free_port()
        self.prefix = list(prefix)
        self.server = None
        self.folder.mkdir(parents=True, exist_ok=True)
        # No server outlives a run that went wrong.
        atexit.register(self.stop_server, signal.SIGKILL)

    @property
    def address(self):
        return f"http://127.0.0.1:{self.port}"

    @property
    def server_folder(self):
        return self.folder / "server"

    def profile(self, person):
        return self.folder / "home" / "profiles" / person

    def environment(self):
        return {
            "PATH": "/usr/bin:/bin", "HOME": str(self.folder), "TODO_HOME": str(self.folder / "home"), "LANG": "C.UTF-8",
            "TZ": "UTC", "SWIFT_BACKTRACE": "enable=no",
        }

    def todo(self, person, *words, wrap=(), text=""):
        """Runs `todo` as a person; `wrap` is what runs it, for example strace and its options."""
        command = [*self.prefix, *wrap, str(self.programs / "todo"), "--profile", person, *words]
        done = subprocess.run(
            command, input=text, capture_output=True, text=True, cwd=self.folder, env=self.environment(), timeout=PATIENCE)
        return Outcome(done.returncode, done.stdout, done.stderr)

    def must(self, person, *words, text=""):
        """Runs `todo` and returns what it printed; it has to succeed."""
        outcome = self.todo(person, *words, text=text)
        if outcome.status != 0:
            raise Failed(f"{person}$ todo {' '.join(words)}: {outcome.status} {outcome.errors.strip()}")
        return outcome.output

    def json(self, person, *words):
        return json.loads(self.must(person, *words, "--json"))

    def start_server(self, *options, wrap=()):
        log = open(self.folder / "server.log", "ab")
        begin = log.tell()
        command = [
            *self.prefix, *wrap, str(self.programs / "todo-server"), "--data", str(self.server_folder), "--listen",
            f"127.0.0.1:{self.port}", *options,
        ]
        self.server = subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stdout=log, stderr=log, cwd=self.folder, env=self.environment())
        log.close()
        deadline = time.monotonic() + PATIENCE
        while b"listening on" not in (self.folder / "server.log").read_bytes()[begin:]:
            if self.server.poll() is not None or time.monotonic() > deadline:
                raise Failed(f"the server did not start: {self.server_log()[begin:]}")
            time.sleep(0.005)

    def server_log(self):
        return (self.folder / "server.log").read_text(errors="replace")

    def stop_server(self, how=signal.SIGTERM):
        if self.server is None:
            return None
        if self.server.poll() is None:
            self.server.send_signal(how)
        status = self.server.wait(PATIENCE)
        self.server = None
        return status

    def clear(self):
        self.stop_server(signal.SIGKILL)
        shutil.rmtree(self.folder, ignore_errors=True)
