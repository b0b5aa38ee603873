"""strace, as far as it is needed here: what a program calls, and a program that is killed or fails at one call.

strace counts the calls of each thread by themselves, and each system call by itself. So a point is a system call and a
number: the process is hit in whichever thread comes to that number first. Everything runs on one processor, where all
work on a database is done by one thread, and the network has another.
"""

import collections
import contextlib
import pathlib
import re
import subprocess
import time

# What changes something that lasts, or that another process sees.
DURABLE = [
    "write", "pwrite64", "writev", "pwritev", "pwritev2", "fsync", "fdatasync", "rename", "renameat", "renameat2", "unlink",
    "unlinkat", "ftruncate", "fallocate", "mkdir", "mkdirat", "link", "linkat", "sendto", "sendmsg", "sendfile",
]
SYNCS = ["fsync", "fdatasync"]
GROWS = ["pwrite64", "ftruncate", "openat", "mkdir"]


def is_allowed():
    """Whether this machine lets one process trace another."""
    try:
        return subprocess.run(
            ["strace", "-f", "-qq", "-o", "/dev/null", "-e", "inject=getppid:error=EIO", "true"], capture_output=True
        ).returncode == 0
    except OSError:
        return False


def watching(calls, log):
    """Puts every one of these calls into a file."""
    return ["strace", "-f", "-qq", "--seccomp-bpf", "-o", str(log), "-e", f"trace={','.join(calls)}", "-e", "signal=none"]


def hitting(call, effect, number, log="/dev/null"):
    """Lets an effect (`signal=SIGKILL`, `error=EIO`) happen at the one call; `3+` is from the third on."""
    return [
        "strace", "-f", "-qq", "-o", str(log), "-e", f"trace={call}", "-e", "signal=none", "-e",
        f"inject={call}:{effect}:when={number}",
    ]


def numbers(log):
    """For each call the numbers that some thread came to, and how many there were in all."""
    of_thread, found, all_of = collections.Counter(), collections.defaultdict(set), collections.Counter()
    for line in pathlib.Path(log).read_text(errors="replace").splitlines():
        match = re.match(r"(\d+) +(\w+)\(", line)
        if not match:
            continue
        thread, call = match.groups()
        of_thread[thread, call] += 1
        # Of files that are opened, those matter that are made.
        if call != "openat" or "O_CREAT" in line:
            found[call].add(of_thread[thread, call])
            all_of[call] += 1
    return found, all_of


def was_hit(log):
    """Whether the call came: one that failed is marked, and one that a process was killed on never returned."""
    text = pathlib.Path(log).read_text(errors="replace")
    return "(INJECTED)" in text or "= ?" in text


@contextlib.contextmanager
def attached(command, pid):
    """Runs strace on a process that runs already; goes on once it holds every thread."""
    tracer = subprocess.Popen([*command, "-p", str(pid)], stdin=subprocess.DEVNULL, stderr=subprocess.PIPE)
    deadline = time.monotonic() + 20
    while not all(is_traced(task) for task in pathlib.Path(f"/proc/{pid}/task").glob("*")):
        if tracer.poll() is not None or time.monotonic() > deadline:
            raise RuntimeError(f"strace does not hold {pid}: {tracer.stderr.read() if tracer.poll() is not None else ''}")
        time.sleep(0.005)
    try:
        yield tracer
    finally:
        tracer.terminate()
        tracer.wait(20)


def is_traced(task):
    with contextlib.suppress(OSError):
        return re.search(r"TracerPid:\t(\d+)", (task / "status").read_text()).group(1) != "0"
    return True
