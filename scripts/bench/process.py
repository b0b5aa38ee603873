"""Runs programs and says what they took."""

import dataclasses
import os
import pathlib
import re
import shutil
import subprocess
import sys
import time


@dataclasses.dataclass
class Cost:
    """What one run of a program took: seconds on the clock, seconds of CPU, and its peak memory in MiB."""

    wall: float
    cpu: float
    memory: float


class Process:
    """Runs a command again and again; the time is from before the start until it has ended."""

    def __init__(self, command, environment, log=os.devnull):
        self.path = shutil.which(command[0])
        self.command = command
        self.environment = {**os.environ, **environment}
        flags = os.O_RDWR | os.O_CREAT | os.O_APPEND
        self.files = [(os.POSIX_SPAWN_OPEN, 0, os.devnull, os.O_RDONLY, 0)]
        self.files += [(os.POSIX_SPAWN_OPEN, descriptor, str(log), flags, 0o600) for descriptor in (1, 2)]

    def cost(self, number=0):
        command = [word.replace("NUMBER", str(number)) for word in self.command]
        begin = time.perf_counter()
        child = os.posix_spawn(self.path, command, self.environment, file_actions=self.files)
        _, status, usage = os.wait4(child, 0)
        seconds = time.perf_counter() - begin
        if status != 0:
            sys.exit(f"failed: {' '.join(command)}")
        return Cost(seconds, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024)

    def run(self, number):
        return self.cost(number).wall


def run(command, environment, lines=None):
    """Runs a command of the preparation."""
    subprocess.run(
        command, input="".join(f"{line}\n" for line in lines or []), text=True, check=True,
        stdout=subprocess.DEVNULL, env={**os.environ, **environment})


class Server:
    """A todo-server on a free port of this machine, with its data in a folder."""

    def __init__(self, binary, folder):
        log = pathlib.Path(folder) / "server.log"
        with open(log, "w") as file:
            self.process = subprocess.Popen(
                [binary, "--data", str(pathlib.Path(folder) / "server"), "--listen", "127.0.0.1:0", "--quiet"],
                stdout=file, stderr=file)
        self.url = self.wait_for_url(log)

    def wait_for_url(self, log):
        for _ in range(500):
            found = re.search(r"listening on (\S+)", log.read_text())
            if found:
                return found.group(1)
            time.sleep(0.02)
        sys.exit(f"todo-server does not start: {log.read_text()}")

    def cpu(self):
        """Seconds of CPU so far."""
        fields = pathlib.Path(f"/proc/{self.process.pid}/stat").read_text().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def memory(self):
        """Its peak memory so far, in MiB."""
        status = pathlib.Path(f"/proc/{self.process.pid}/status").read_text()
        return int(re.search(r"VmHWM:\s+(\d+)", status).group(1)) / 1024

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.terminate()
        self.process.wait()
