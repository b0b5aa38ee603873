"""Takes each defence out of the server in turn and runs the tests that look at it, which have to notice.

    python3 -B scripts/defences FOLDER [--only NAME ...] [--jobs N] [--tests | --floods]
    python3 -B scripts/defences --check

`work.py`, `storage.py` and `strangers.py` beside this file say what the defences are. In a copy of the server's sources each of them
gets a switch, so that one build is enough for all: FOLDER keeps the copy and what is built from it. A text that does not stand in its
file exactly once, or a filter that fits no test, is an error: the tables have to be mended then. `--check` looks for that alone.
The checkout stays as it is.

Where floods try one, they are played as well, on a server that is built for release; that takes a Python with what they need (`make floods`).

Writes docs/server-limits.md where all are tried. Fails if a defence is gone, and one of those that look at it does not notice.
"""

import argparse
import concurrent.futures
import os
import pathlib
import re
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
sys.path[:0] = [str(HERE), str(HERE.parent)]

import storage  # noqa: E402
import strangers  # noqa: E402
import work  # noqa: E402
from bundle import run, shown  # noqa: E402

DEFENCES = [*work.DEFENCES, *storage.DEFENCES, *strangers.DEFENCES]
# What the tests of the server are built from. Package.swift leaves out what is not there.
FOLDERS = [
    "Sources/CSodium", "Sources/Signing", "Sources/CloudAPI", "Sources/CloudClient", "Sources/CloudServer", "Sources/TodoServer",
    "Tests/CloudServerTests",
]
FILES = ["Package.swift", "Package.resolved", "Packages.txt"]
# Where the switches are: everything else imports it.
SWITCHES = "Sources/Signing/Missing.swift"
VARIABLE = "TODO_WITHOUT"
SECONDS = 300
FAILED = re.compile(r"^✘ Test (\w+)\(.*failed after", re.MULTILINE)
PAGE = ROOT / "docs/server-limits.md"

HEAD = """# What bounds a server

`make defences` writes this page. Each check stands between a server and an account, or a stranger, that wants to stop, stall or fill it
(spec [§6.4](spec/06-requests.md), §6.7). It is taken out of the server, and the tests that look at it are run: one of them at least has to
fail. So has the flood that tries it (`make floods`), where there is one. What is taken out, and where, the tables in `scripts/defences/` say.

| defence | what it keeps out | what happens instead | tests that notice that it is gone | flood that gets through |
|---|---|---|---|---|
"""


def switched(text, defences):
    """A file in which each of the defences can be taken out."""
    for defence in defences:
        if (count := text.count(defence.text)) != 1:
            sys.exit(f"{defence.name}: its text stands {count} times in {defence.path}")
        text = text.replace(defence.text, defence.code)
    if not re.search(r"^(public |package )?import Signing$", text, re.MULTILINE):
        text = "import Signing\n" + text
    return text


def switches():
    lines = "\n".join(f'  package static let {defence.name} = name == "{defence.name}"' for defence in DEFENCES)
    return f"""import Glibc

package enum Missing {{
  private static let name = unsafe getenv("{VARIABLE}").map {{ unsafe String(cString: $0) }}
{lines}
}}
"""


def sources():
    """What the copy consists of, by path."""
    paths = subprocess.run(
        ["git", "-C", ROOT, "ls-files", "-z", "--cached", "--others", "--exclude-standard", *FILES, *FOLDERS],
        stdout=subprocess.PIPE, check=True).stdout.decode().split("\0")
    found = {path: (ROOT / path).read_bytes() for path in paths if path and (ROOT / path).is_file()}
    for path in dict.fromkeys(defence.path for defence in DEFENCES):
        if path not in found:
            sys.exit(f"there is no {path}")
        found[path] = switched(found[path].decode(), [each for each in DEFENCES if each.path == path]).encode()
    found[SWITCHES] = switches().encode()
    return found


def write(copy, found):
    """Only what is another one, so that little is built again."""
    for path, content in found.items():
        target = copy / path
        if not target.is_file() or target.read_bytes() != content:
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(content)
    for path in [path for folder in FOLDERS for path in (copy / folder).rglob("*")]:
        if path.is_file() and str(path.relative_to(copy)) not in found:
            path.unlink()


def build(copy, scratch, *options):
    command = ["swift", "build", "--package-path", copy, "--scratch-path", scratch, *options]
    subprocess.run(command, check=True, env=os.environ | {"TODO_PINNED": "1"})


def require_tests(tests):
    """That each filter names a test, or a suite."""
    names = re.findall(r"^struct (\w+)|^@Suite struct (\w+)|@Test.*?func (\w+)\(", tests, re.MULTILINE | re.DOTALL)
    suites, functions = {a or b for a, b, _ in names}, [name for *_, name in names if name]
    for defence in DEFENCES:
        for chosen in defence.tests.split("|"):
            suite, _, function = chosen.removeprefix("CloudServerTests.").partition("/")
            if suite not in suites or not any(name.startswith(function) for name in functions):
                sys.exit(f"{defence.name}: no test is called {chosen}")


def noticed_by_tests(bundle, defence):
    """Which tests fail."""
    output, ended = run(bundle, defence.tests, SECONDS, **{VARIABLE: defence.name})
    if "Test run with 0 tests" in output:
        sys.exit(f"{defence.name}: no test is called {defence.tests}")
    return sorted(set(FAILED.findall(output))) + ([] if ended else ["the tests do not come to their end"])


def play(server, flood, without=""):
    """Plays a flood. Returns how it ended, if it did not hold."""
    with tempfile.TemporaryDirectory(prefix="todo-defences-") as folder:
        program = pathlib.Path(folder) / "todo-server"
        program.write_text(f'#!/bin/sh\nexec env {VARIABLE}={without} "{server}" "$@"\n')
        program.chmod(0o755)
        result = subprocess.run(
            [sys.executable, "-B", HERE.parent / "floods", folder, flood], stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
            text=True, check=False)
    if "attacks held" not in result.stdout:
        sys.exit(f"the flood {flood} does not play:\n{result.stdout}")
    return "".join(re.findall(r"(?:NOT HELD|FAILED): .*", result.stdout))


def hunt_tests(bundle, defences, jobs):
    """Which tests notice that each is gone."""
    every = "|".join(dict.fromkeys(defence.tests for defence in defences))
    output, ended = run(bundle, every, 4 * SECONDS)
    if not ended or FAILED.search(output):
        sys.exit("tests fail with every defence in place:\n" + output[-6000:])
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        for defence, noticed in zip(defences, pool.map(lambda each: noticed_by_tests(bundle, each), defences)):
            print(f"{'noticed' if noticed else 'MISSED '} {defence.name}: {shown(noticed)}", flush=True)
            yield defence.name, noticed


def hunt_floods(server, defences):
    """Which floods do not hold any more where one is gone; one after the other, since they look at how long others wait."""
    tried = [defence for defence in defences if defence.floods]
    for flood in dict.fromkeys(flood for defence in tried for flood in defence.floods):
        if ended := play(server, flood):
            sys.exit(f"the flood {flood} does not hold with every defence in place: {ended}")
    for defence in tried:
        ends = {flood: ended for flood in defence.floods if (ended := play(server, flood, defence.name))}
        print(f"{'noticed' if ends else 'MISSED '} {defence.name}: the flood {ends or ' and '.join(defence.floods)}", flush=True)
        yield defence.name, [f"`{flood}`" for flood in ends]


def page(defences, tests, floods):
    for each in defences:
        attack = shown(floods[each.name]) if each.name in floods else ""
        yield f"| {each.name} | {each.bound} | {each.answer} | {shown(tests[each.name])} | {attack} |\n"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", type=pathlib.Path, nargs="?")
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--tests", action="store_true")
    parser.add_argument("--floods", action="store_true")
    parser.add_argument("--only", nargs="+", default=[])
    parser.add_argument("--jobs", type=int, default=2)
    options = parser.parse_args()
    if len({defence.name for defence in DEFENCES}) != len(DEFENCES):
        sys.exit("two defences have one name")
    found = sources()
    require_tests("\n".join(text.decode() for path, text in found.items() if path.startswith("Tests/")))
    if options.check:
        return
    if not options.folder:
        parser.error("where is the copy to be?")
    defences = [defence for defence in DEFENCES if not options.only or defence.name in options.only]
    copy = options.folder / "source"
    write(copy, found)
    tests, floods = {}, {}
    if not options.floods:
        build(copy, options.folder / "build", "--build-tests")
        tests = dict(hunt_tests(options.folder / "build/debug/todoPackageTests.xctest", defences, options.jobs))
    if not options.tests and any(defence.floods for defence in defences):
        release = options.folder / "release"
        build(copy, release, "--configuration", "release", "--static-swift-stdlib", "--product", "todo-server")
        floods = dict(hunt_floods((release / "release/todo-server").resolve(), defences))
    missed = [name for kind in (tests, floods) for name, noticed in kind.items() if not noticed]
    if len(tests) == len(DEFENCES) and not missed:
        PAGE.write_text(HEAD + "".join(page(defences, tests, floods)), encoding="utf-8")
    print(f"{len(tests)} defences with tests, {len(floods)} with floods: {len(missed)} of them are not missed when they are gone")
    if missed:
        sys.exit("something does not notice that these are gone: " + ", ".join(missed))


if __name__ == "__main__":
    main()
