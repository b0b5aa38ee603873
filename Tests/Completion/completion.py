#!/usr/bin/env python3
"""Drives real interactive shells in a pty and checks the completion scripts.

usage: completion.py [-v] [-s SHELL] [-k TEXT] [-j N]
"""
import argparse, fcntl, multiprocessing, os, pty, re, select, shutil, signal, struct, sys, tempfile, termios, time

# Where todo.bash, _todo and todo.fish lie.
HERE = os.path.abspath(os.environ.get("TODO_COMPLETIONS", "."))
MARK = "<<READY>>"
LIMIT = 5.0

FAKE = """#!/bin/sh
if [ "$1" = complete ]; then
  printf '%s\\0' "$@" >"$FAKE_DIR/asked.$$" && mv "$FAKE_DIR/asked.$$" "$FAKE_DIR/asked"
  cat "$FAKE_DIR/candidates"
  echo "noise on stderr" >&2
else
  printf '%s\\0' "$@" >"$FAKE_DIR/argv.$$" && mv "$FAKE_DIR/argv.$$" "$FAKE_DIR/argv"
fi
"""

# CANARY is replaced by the path of a file that must never come into being.
HOSTILE = [
    ("plain", "Groceries"),
    ("space", "Buy milk  and eggs"),
    ("lead-space", " x"),
    ("trail-space", "x "),
    ("dollar-paren", "$(touch CANARY)"),
    ("backtick", "`touch CANARY`"),
    ("semicolon", "a;touch CANARY"),
    ("semicolon-first", ";touch CANARY;"),
    ("ampersand", "a & touch CANARY &"),
    ("pipe", "a|touch CANARY"),
    ("pipe-or", "x||touch CANARY||"),
    ("redirect", "a >CANARY"),
    ("redirect-in", "<(touch CANARY)"),
    ("fish-paren", "(touch CANARY)"),
    ("dq", 'say "hi"'),
    ("dq-only", '"'),
    ("dq-escape", '";touch CANARY;"'),
    ("sq", "it's"),
    ("sq-only", "'"),
    ("sq-escape", "';touch CANARY;'"),
    ("sq-trail", "dogs'"),
    ("both-quotes", "'\"'\"`$(touch CANARY)`\"'\"'"),
    ("backslash", "a\\b\\\\c"),
    ("backslash-end", "end\\"),
    ("backslash-n", "a\\nb\\$HOME\\`"),
    ("backslash-quote", "\\';touch CANARY;\\\""),
    ("glob-star", "*"),
    ("glob-mix", "a*b?[c-d]"),
    ("zsh-globqual", "*(e:'touch CANARY':)"),
    ("ext-glob", "a~b^c#d"),
    ("tilde", "~"),
    ("tilde-user", "~root/x"),
    ("bang", "hey!"),
    ("bang-bang", "!!"),
    ("bang-word", "wow !touch it's \"!x\" done"),
    ("bang-nr", "a!-1 b"),
    ("hash", "#tag"),
    ("hash-mid", "a #tag"),
    ("equals", "=ls"),
    ("assign", "a=~root:~/x"),
    ("braces", "{a,b}"),
    ("braces-seq", "x{1..3}y"),
    ("dash", "-n"),
    ("dashdash", "--help me"),
    ("two-dashes", "--"),
    ("percent", "%s%n%d"),
    ("percent-zsh", "%F{red}X%f%{y%}"),
    ("percent-job", "%1"),
    ("var", "$HOME ${PATH} $0 $"),
    ("arith", "$((1+1)) $[1]"),
    ("ansi-c", "$'\\x41'"),
    ("ansi-c-dq", "$'\\x22;touch CANARY;\\x22'"),
    ("ansi-c-sub", "$'\\x24(touch CANARY)' $'!!' \\$'"),
    ("locale-quote", '$"`touch CANARY`"'),
    ("caret", "^a^b"),
    ("at-colon", "@home:a=b"),
    ("emoji", "🛒 Einkäufe 👩‍👩‍👧"),
    ("combining", "e\u0301te\u0301 日本語"),
    ("escape-code", "a\x1b[31mred $(touch CANARY)"),
    ("bell-del-cr", "a\x07b\x7fc\rd"),
    ("c1-control", "a\u009b31mb"),
    ("long", "long " + "x$y 'z' " * 60 + "end"),
    ("slash-end", "dir name/"),
    ("equals-end", "--due="),
    ("empty-like", "''"),
    ("newline-like", "a\\"+"x0ab"),
    ("ampersand-pat", "&&\\&"),
    ("files-like", ":files "),
]

# (shell, context, value name) -> reason; filled where a shell cannot do it.
EXPECTED = {
    ("zshopts", "words", "sq escape"): "with rcquotes zsh cannot complete after '\\'' typed by hand",
}
for _value in ("tilde", "tilde-user"):
    EXPECTED["fish", "bare", _value] = "fish would leave the leading ~ bare, so it is not offered"
for _case in ("open-dq", "open-dq+prefix", "open-dq+list", "open-sq", "open-sq+prefix", "open-sq+list"):
    for _value in ("escape-code", "bell-del-cr", "c1-control"):
        EXPECTED["fish", _case, _value] = "fish prints it raw inside quotes, so it is not offered"
for _case in ("bare", "bare+prefix", "bare+list"):
    EXPECTED["fish", _case, "c1-control"] = "fish prints C1 raw, so it is not offered"


class Shell:
    """An interactive shell in a 200x50 pty."""

    def __init__(self, name, work):
        self.name, self.work = name, work
        env = {
            "PATH": work + "/bin:" + os.environ["PATH"], "HOME": work + "/home",
            "TERM": "xterm", "LANG": "C.UTF-8", "LC_ALL": "C.UTF-8",
            "FAKE_DIR": work, "HISTFILE": "", "XDG_CONFIG_HOME": work + "/home",
            "XDG_DATA_HOME": work + "/home", "INPUTRC": "/dev/null",
        }
        argv, setup = getattr(self, "setup_" + name)()
        self.pid, self.fd = pty.fork()
        if self.pid == 0:
            os.chdir(work + "/cwd")
            os.execvpe(argv[0], argv, env)
        fcntl.ioctl(self.fd, termios.TIOCSWINSZ, struct.pack("HHHH", 50, 200, 0, 0))
        self.out = b""
        self.quiet(0.3)
        for line in setup:
            self.send(line + "\r")
            self.quiet(0.1)
        self.out = b""
        self.send("\r")
        if not self.until(lambda: MARK.encode() in self.out, 6 * LIMIT):
            raise RuntimeError(f"{name}: no prompt: {self.out[-400:]!r}")
        self.quiet()

    def setup_bash(self):
        return ["bash", "--norc", "--noprofile", "-i"], [
            "bind 'set enable-bracketed-paste off'", "bind 'set bell-style none'", "bind 'set page-completions off'",
            f"source {HERE}/todo.bash", "PS1='<<''READY>> '", "PS2='<<MORE>> '"]

    def setup_bashu(self):
        argv, setup = self.setup_bash()
        return argv, setup + ["set -u; shopt -s nocasematch failglob extglob globstar"]

    def setup_bashall(self):
        argv, setup = self.setup_bash()
        return argv, setup + ["bind 'set show-all-if-ambiguous on'",
                              "bind 'set completion-ignore-case on'"]

    def setup_zsh(self):
        return ["zsh", "-f", "-i"], [
            f"fpath=({HERE} $fpath); unsetopt beep; LISTMAX=0",
            "autoload -U compinit; compinit -D -u", "PS1='<<''READY>> '"]

    def setup_zshopts(self):
        return ["zsh", "-f", "-i"], [
            "unsetopt beep; LISTMAX=0; autoload -U compinit; compinit -D -u",
            "PS1='<<''READY>> '", "setopt extendedglob interactivecomments magicequalsubst rcquotes globdots "
            "braceccl autocd correct promptsubst promptbang",
            f"source <(cat {HERE}/_todo)"]

    def setup_fish(self):
        return ["fish", "--no-config", "-i"], [
            f"source {HERE}/todo.fish", "function fish_prompt; echo -n '<<''READY>> '; end"]

    def send(self, text):
        os.write(self.fd, text.encode())

    def pump(self, wait):
        if not select.select([self.fd], [], [], wait)[0]:
            return False
        try:
            data = os.read(self.fd, 65536)
        except OSError:
            data = b""
        self.out += data
        return bool(data)

    def until(self, done, limit=LIMIT):
        end = time.time() + limit
        while not done():
            if time.time() > end:
                return False
            self.pump(0.01)
        return True

    def quiet(self, gap=0.06):
        end = time.time() + LIMIT
        while time.time() < end and self.pump(gap):
            pass

    def close(self):
        os.kill(self.pid, signal.SIGKILL)
        os.close(self.fd)
        os.waitpid(self.pid, 0)


class Tester:
    def __init__(self, verbose):
        self.verbose, self.rows, self.failed = verbose, [], 0
        self.work = tempfile.mkdtemp(prefix="todo-completion.")
        for d in ("bin", "home", "cwd"):
            os.mkdir(f"{self.work}/{d}")
        for f in ("a.txt", "file one.txt", "X", "axb", "touch"):
            open(f"{self.work}/cwd/{f}", "w").close()
        with open(self.work + "/bin/todo", "w") as f:
            f.write(FAKE)
        os.chmod(self.work + "/bin/todo", 0o755)
        self.canary = self.work + "/cwd/CANARY"
        self.shell = None

    def path(self, name):
        return f"{self.work}/{name}"

    def read(self, name):
        try:
            with open(self.path(name), "rb") as f:
                return f.read().decode("utf-8", "surrogateescape").split("\0")[:-1]
        except FileNotFoundError:
            return None

    def start(self, name):
        if self.shell:
            self.shell.close()
        self.shell = Shell(name, self.work)

    def type(self, candidates, typed, tabs=1):
        """Types a line and TABs; returns what the fake was asked."""
        for f in ("asked", "argv"):
            if os.path.exists(self.path(f)):
                os.unlink(self.path(f))
        with open(self.path("candidates"), "w", newline="") as f:
            f.write("".join(c + "\n" for c in candidates))
        sh = self.shell
        sh.send(typed)
        sh.quiet()
        if os.path.exists(self.path("asked")):  # fish: autosuggestion
            os.unlink(self.path("asked"))
        sh.out = b""
        asked = None
        for n in range(tabs):
            sh.send("\t")
            if n == 0:
                sh.until(lambda: os.path.exists(self.path("asked")))
                asked = self.read("asked")
            sh.quiet(0.1)
        return asked

    def enter(self):
        """Presses Enter; returns the argv of the fake and waits for the prompt."""
        sh = self.shell
        sh.out = b""
        sh.send("\r")
        sh.until(lambda: os.path.exists(self.path("argv")), 2.0)
        argv = self.read("argv")
        if argv is not None:
            sh.until(lambda: MARK.encode() in sh.out)
        sh.quiet()
        return argv

    def record(self, shell, case, value, problem):
        if os.path.exists(self.canary):
            problem = "CANARY EXISTS; " + (problem or "")
            os.unlink(self.canary)
        want = EXPECTED.get((shell, case, value))
        if problem and ("CANARY EXISTS" in problem or "raw " in problem):
            want = None  # never excusable
        result = "ok" if not problem else f"expected ({want})" if want else "FAIL " + problem
        if result.startswith("FAIL"):
            self.failed += 1
        self.rows.append((shell, case, value, result))
        if self.verbose or result.startswith("FAIL"):
            print(f"{shell:8} {case:16} {value:18} {result}", flush=True)
        if problem:
            self.start(shell)  # whatever it left behind

    def single(self, shell, case, name, value, typed, asked_words, extra=(), want=None, after=""):
        """TAB must insert exactly `value`."""
        asked = self.type([value + "\tsome $(touch CANARY) `touch CANARY` 'desc\"", *extra], typed)
        shown = self.shell.out
        if after:
            self.shell.send(after)
        argv = self.enter()
        want = want or ["done", value]
        problem = ""
        if argv != want:
            problem = f"argv {argv!r} instead of {want!r}; screen {shown[-200:]!r}"
        elif asked != ["complete", "--", *asked_words]:
            problem = f"asked {asked!r} instead of {asked_words!r}"
        elif b"noise" in shown:
            problem = "standard error shown"
        self.record(shell, case, name, problem)

    def listing(self, shell, case, name, cands, typed, tabs=2, see=()):
        """TAB TAB lists; neither that nor Enter afterwards may run anything."""
        self.type(cands, typed, tabs)
        out = self.shell.out
        problem = ""
        for bad in ("\x1b[31m", "\x1b]0;", "\x9b", "\x07BEL"):
            if bad in out.decode("utf-8", "replace"):
                problem = f"raw {bad!r} reached the terminal: {out!r}"
        for text in see:
            if text.encode() not in out:
                problem = f"{text!r} not listed: {out!r}"
        if os.path.exists(self.canary):
            problem = "canary after listing"
        if not problem:
            quote = typed[typed.index("done ") + 5:][:1] in ("'", '"') and typed[10]
            if shell == "fish":  # the first Enter takes the entry of the pager
                self.shell.send("\r")
                self.shell.quiet(0.1)
            elif quote and shell.startswith("bash"):  # the quote is still open
                self.shell.send(quote)
            argv = self.enter()
            values = [c.split("\t")[0] for c in cands]
            ok = argv is not None and argv[0] == "done" and (
                len(argv) == 1 or len(argv) == 2 and (argv[1] in values or
                argv[1] == os.path.commonprefix(values)))
            if not ok:
                problem = f"argv after the listing {argv!r}; screen {out[-300:]!r}"
        self.record(shell, case, name, problem)

    def run(self, shell, only, part, parts):
        self.start(shell)
        match = lambda n: not only or only in n
        real = lambda v: v.replace("CANARY", self.canary)
        desc = "\x1b[31mC\x1b]0;t\x07BEL %F{red}%n $(touch CANARY) `touch CANARY` ;touch CANARY"
        for name, value in HOSTILE[part::parts]:
            if not match(name):
                continue
            value = real(value)
            for case, quote in (("bare", ""), ("open-dq", '"'), ("open-sq", "'")):
                # no space wanted: zsh and fish then leave the quote open as well
                stays = {"z": "/=", "f": "/=@:.,-"}.get(shell[0], "")
                after = quote if value[-1] in stays else ""
                self.single(shell, case, name, value, f"todo done {quote}", ["done", ""], after=after)
                self.single(shell, case + "+prefix", name, "Groc" + value,
                            f"todo done {quote}Groc", ["done", "Groc"], after=after)
                two = [f"Groc{value}A\t{real(desc)}", f"Groc{value}B\t{real(desc)}"]
                self.listing(shell, case + "+list", name, two, f"todo done {quote}Gr", tabs=3)
        for case, quote in (("bare", ""), ("open-dq", '"'), ("open-sq", "'")):
            if match("all") and part == 0:
                every = [f"{real(v)}\t{real(desc)}" for n, v in HOSTILE if n != "long"]
                for n in range(0, len(every), 16):
                    self.listing(shell, case + "+list", f"all/{n // 16}", every[n:n + 16], f"todo done {quote}")
        if match("words") and part == parts - 1:
            self.words(shell)
        self.shell.close()
        self.shell = None

    def words(self, shell):
        one = lambda name, value, typed, cur, **k: self.single(
            shell, "words", name, value, typed, ["done", cur], **k)
        for c in ":=@":
            one(f"break {c}", f"list{c}Home $x 'y'", f"todo done list{c}Ho", f"list{c}Ho")
            one(f"break {c} dq", f"list{c}Home $x 'y'", f'todo done "list{c}Ho', f"list{c}Ho")
            one(f"break {c} sq", f"list{c}Home $x 'y'", f"todo done 'list{c}Ho", f"list{c}Ho")
            one(f"break {c} end", f"list{c}Home $x 'y'", f"todo done list{c}", f"list{c}")
        one("escaped space", "Buy milk now", "todo done Buy\\ mi", "Buy mi")
        one("escaped break", "a b:c d=e f", "todo done a\\ b:c\\ d=e", "a b:c d=e")
        one("dq space", "Buy milk now", 'todo done "Buy mi', "Buy mi")
        one("sq space", "Buy milk now", "todo done 'Buy mi", "Buy mi")
        one("dq escape", 'Buy "milk" $x now', 'todo done "Buy \\"milk\\" \\$x', 'Buy "milk" $x')
        one("sq escape", "it's $x 'y' now", "todo done 'it'\\''s $x", "it's $x")
        one("dq $'", "a $'b c' d", "todo done \"a \\$'b", "a $'b")
        one("mid quote", "Buy milk now", 'todo done Buy" mi', "Buy mi")
        one("closed quote", "Buy milk now", 'todo done "Buy mi"', "Buy mi")
        one("closed + more", "Buy milk now", 'todo done "Buy "mi', "Buy mi")
        one("emoji", "🛒 Einkauf", "todo done 🛒", "🛒")
        one("emoji dq", "🛒 é Einkauf", 'todo done "🛒 é', "🛒 é")
        self.single(shell, "words", "earlier words", "Buy milk", "todo done 'a b' \"c\\\"d\" e\\ f g:h Bu",
                    ["done", "a b", 'c"d', "e f", "g:h", "Bu"],
                    want=["done", "a b", 'c"d', "e f", "g:h", "Buy milk"])
        self.single(shell, "words", "option=value", "--list=My home", "todo done --list=My",
                    ["done", "--list=My"])
        self.single(shell, "words", "after ;", "Buy milk", "true; todo done Bu", ["done", "Bu"])
        self.single(shell, "words", "after VAR=", "Buy milk", "FOO=1 todo done Bu", ["done", "Bu"])
        self.single(shell, "words", "space appended", "Buy milk", "todo done Bu", ["done", "Bu"],
                    after="x", want=["done", "Buy milk", "x"])
        self.single(shell, "words", "no space after /", "My dir/", "todo done My", ["done", "My"],
                    after="x", want=["done", "My dir/x"])
        self.single(shell, "words", "no space after =", "--due=", "todo done --d", ["done", "--d"],
                    after="x", want=["done", "--due=x"])
        self.single(shell, "words", "same value twice", "Buy milk", "todo done Bu", ["done", "Bu"],
                    extra=["Buy milk\tother list"])
        # several candidates: only what they have in common is inserted
        self.type(["a $x\tone", "a $y\ttwo"], "todo done a")
        self.shell.send("y")
        argv = self.enter()
        self.record(shell, "words", "common part", "" if argv == ["done", "a $y"] else f"{argv!r}")
        self.listing(shell, "words", "order kept", ["zz1\tlast", "zz3\tfirst", "zz2\tmid"], "todo done zz", tabs=3,
                     see=["last", "first", "mid"])
        self.type([":files"], "todo done fil")
        argv = self.enter()
        self.record(shell, "words", ":files", "" if argv == ["done", "file one.txt"] else f"{argv!r}")
        self.type([":files"], 'todo done "fil')
        argv = self.enter()
        self.record(shell, "words", ":files dq", "" if argv == ["done", "file one.txt"] else f"{argv!r}")
        self.type([], "todo done fil")
        argv = self.enter()
        self.record(shell, "words", "nothing", "" if argv == ["done", "fil"] else f"{argv!r}")

    def table(self):
        shells = list(dict.fromkeys(r[0] for r in self.rows))
        cells = {}
        for shell, case, value, result in self.rows:
            key = value if case != "words" else "words: " + value
            cells.setdefault(key, {}).setdefault(shell, []).append((case, result))
        width = max(map(len, cells), default=5)
        print("\n" + "value".ljust(width), *(s.ljust(10) for s in shells))
        for key, row in cells.items():
            out = []
            for s in shells:
                rs = row.get(s, [])
                good = sum(r == "ok" for _, r in rs)
                exp = sum(r.startswith("expected") for _, r in rs)
                text = "-" if not rs else "skipped" if rs[0][1] == "skipped" else f"{good}/{len(rs)}" + (f" +{exp}exp" if exp else "")
                if good + exp < len(rs) and text != "skipped":
                    text += " FAIL"
                out.append(text.ljust(10))
            print(key.ljust(width), *out)
        for shell, case, value, result in self.rows:
            if result.startswith("expected"):
                print(f"{shell} {case} {value}: {result}")


def work(verbose, shell, only, part, parts):
    t = Tester(verbose)
    t.run(shell, only, part, parts)
    shutil.rmtree(t.work)
    return t.rows, t.failed


def main():
    p = argparse.ArgumentParser()
    p.add_argument("-v", action="store_true")
    p.add_argument("-s", action="append")
    p.add_argument("-k")
    p.add_argument("-j", type=int, default=3, help="processes per shell")
    a = p.parse_args()
    t, jobs = Tester(a.v), []
    for shell in a.s or ["bash", "bashu", "bashall", "zsh", "zshopts", "fish"]:
        program = re.match("bash|zsh|fish", shell)[0]
        if not shutil.which(program):
            t.rows.append((shell, "-", "(all)", "skipped"))
            continue
        jobs += [(a.v, shell, a.k, n, a.j) for n in range(a.j)]
    with multiprocessing.Pool(max(len(jobs), 1)) as pool:
        for rows, failed in pool.starmap(work, jobs, 1):
            t.rows += rows
            t.failed += failed
    t.table()
    shutil.rmtree(t.work)
    print(f"\n{len(t.rows)} checks, {t.failed} failed")
    return t.failed > 0


if __name__ == "__main__":
    sys.exit(main())
