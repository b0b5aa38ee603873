"""The programs that everyday.py compares: each with its data, its commands, and what these have to print."""

import json
import os
import pathlib
import re
import shutil
import signal
import sys
import threading
import time

# Seconds: what takes longer is not waited for.
LIMIT = 120
TODO = r"(todo number|small thing|one more) \d+"


class Contender:
    """A program with its data in a folder of its own."""

    def __init__(self, folder, environment, count):
        self.folder, self.environment, self.count, self.imported = folder, {**os.environ, **environment}, count, count
        folder.mkdir()

    def run(self, words, limit=None):
        """Seconds, and what it printed; None if it was not waited for."""
        path, errors = shutil.which(words[0]), self.folder / "errors"
        output, input = os.pipe()
        files = [(os.POSIX_SPAWN_OPEN, 0, os.devnull, os.O_RDONLY, 0), (os.POSIX_SPAWN_DUP2, input, 1)]
        files.append((os.POSIX_SPAWN_OPEN, 2, str(errors), os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600))
        begin = time.perf_counter()
        # A group of its own, because a script's children would keep the pipe open after it.
        child = os.posix_spawn(path, words, self.environment, file_actions=files, setpgroup=0)
        os.close(input)
        timer = threading.Timer(limit or threading.TIMEOUT_MAX, os.killpg, [child, signal.SIGKILL])
        timer.start()
        with open(output, "rb") as pipe:
            printed = pipe.read()
        _, status = os.waitpid(child, 0)
        seconds = time.perf_counter() - begin
        timer.cancel()
        if limit and seconds >= limit:
            return None, ""
        if status != 0:
            code = os.waitstatus_to_exitcode(status)
            sys.exit(f"failed ({code}): {' '.join(words)}\n{errors.read_text()[:500]}")
        return seconds, printed.decode()

    def step(self, name, number):
        """Seconds of a step. It has to print so many lines of a kind: to measure what fails would be worse than not to measure."""
        words, pattern, count = self.command(name, number)
        seconds, printed = self.run(words, LIMIT)
        found = len(re.findall(pattern, printed, re.MULTILINE))
        if seconds is not None and found != count:
            sys.exit(f"{' '.join(words)} printed {found} lines in place of {count}:\n{printed[:500]}")
        # Everything is one more from now on.
        self.count += 1 if name == "add" else 0
        return seconds

    def check(self, name, done):
        """Looks, on no clock, for what a step has left behind: a program can also say that it did something and not do it."""
        count, found = {"done": done, "import": self.imported}[name], self.left(name)
        if found != count:
            sys.exit(f"{type(self).__name__}: {name} left {found} todos in place of {count}")


class Ours(Contender):
    """`todo`, in a profile without an account."""

    def __init__(self, folder, binary, all_todos):
        super().__init__(folder, {"TODO_HOME": str(folder / "home")}, len(all_todos))
        self.binary, self.file = binary, str(folder / "in.json")
        lines = ",\n".join(json.dumps(self.fields(todo)) for todo in all_todos)
        pathlib.Path(self.file).write_text(f'{{"format":"todo-1","todos":[\n{lines}\n]}}\n')
        self.run([binary, "import", self.file])
        exported = json.loads(self.run([binary, "export", "--format", "json"])[1])["todos"]
        self.ids = {todo["title"]: todo["id"] for todo in exported}

    def fields(self, todo):
        special = {"due": "2199-03-01", "priority": "high", "tags": ["tag"]}
        return {"title": todo.title, "list": todo.list, **(special if todo.special else {})}

    def command(self, name, number):
        title = f"todo number {number} of the list"
        words, pattern, count = {
            "add": (["add", "List0", f"one more {number}"], rf"^added \S+ one more {number}\b", 1),
            "list of 20": (["ls", "Small"], TODO, 20),
            "everything": (["ls"], TODO, self.count),
            "search": (["search", "marzipan"], "marzipan", 3),
            "done": (["done", self.ids.get(title)], rf"^done \S+ {title}", 1),
            "export": (["export", "--format", "json"], rf'"title":"{TODO}', self.count),
            "import": (["import", self.file], rf"^imported {self.imported} todos", 1)}[name]
        return [self.binary, *words], pattern, count

    def left(self, name):
        return len(re.findall(TODO, self.run([self.binary, "ls", *(["--done"] if name == "done" else [])])[1]))

    def empty(self):
        shutil.rmtree(self.folder / "home")


class Task(Contender):
    """taskwarrior; a list is a project."""

    def __init__(self, folder, all_todos):
        super().__init__(folder, {"TASKRC": str(folder / "rc")}, len(all_todos))
        self.environment.pop("TASKDATA", None)
        (folder / "rc").write_text(f"data.location={folder / 'data'}\nconfirmation=no\ndefaultwidth=200\n")
        (folder / "data").mkdir()
        self.uuids, self.file = [todo.uuid for todo in all_todos], str(folder / "in.json")
        pathlib.Path(self.file).write_text(json.dumps([self.fields(todo) for todo in all_todos]))
        self.run(["task", "import", self.file])

    def fields(self, todo):
        special = {"due": "21990301T000000Z", "priority": "H", "tags": ["tag"]}
        always = {"uuid": todo.uuid, "status": "pending", "entry": "20260101T120000Z"}
        return {**always, "description": todo.title, "project": todo.list, **(special if todo.special else {})}

    def command(self, name, number):
        words, pattern, count = {
            "add": (["add", "project:List0", f"one more {number}"], r"^Created task \d+", 1),
            "list of 20": (["project:Small", "list"], TODO, 20),
            "everything": (["list"], TODO, self.count),
            "search": (["/marzipan/", "list"], "marzipan", 3),
            "done": ([self.uuids[number], "done"], rf"^Completed task \S+ 'todo number {number} of", 1),
            "export": (["export"], rf'"description":"{TODO}', self.count),
            "import": (["import", self.file], r"^ add +\S+ (todo number|small thing)", len(self.uuids))}[name]
        return ["task", *words], pattern, count

    def left(self, name):
        # It must not file away now what the next step would have to.
        status = "status:completed" if name == "done" else "status:pending"
        return len(re.findall(rf'"description":"{TODO}', self.run(["task", "rc.gc=off", status, "export"])[1]))

    def empty(self):
        shutil.rmtree(self.folder / "data")
        (self.folder / "data").mkdir()


class TodoTxt(Contender):
    """todo.txt's own script, which neither exports nor imports; a list is a project."""

    def __init__(self, folder, all_todos):
        super().__init__(folder, {}, len(all_todos))
        names = {"TODO_FILE": "todo.txt", "DONE_FILE": "done.txt", "REPORT_FILE": "report.txt"}
        settings = [f"export TODO_DIR={folder}", *(f"export {key}={folder / name}" for key, name in names.items())]
        (folder / "config").write_text("\n".join(settings) + "\n")
        (folder / "todo.txt").write_text("".join(map(self.line, all_todos)))

    def line(self, todo):
        before, after = ("(A) ", " @tag due:2199-03-01") if todo.special else ("", "")
        return f"{before}{todo.title} +{todo.list}{after}\n"

    def command(self, name, number):
        words, pattern, count = {
            "add": (["add", f"one more {number} +List0"], rf"^\d+ one more {number} ", 1),
            "list of 20": (["ls", "+Small"], TODO, 20),
            "everything": (["ls"], TODO, self.count),
            "search": (["ls", "marzipan"], "marzipan", 3),
            # What is ticked leaves the file, so that the next one is the first again.
            "done": (["do", "1"], rf"^1 x \S+ todo number {number} of", 1)}[name]
        # Without -p there are colours in a pipe too, which the others leave out there.
        return ["todo-txt", "-d", str(self.folder / "config"), "-p", *words], pattern, count

    def left(self, name):
        return len(re.findall(TODO, (self.folder / "done.txt").read_text()))
