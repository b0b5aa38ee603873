"""Measures the release binaries, beside peers where there are some.

Usage: python3 scripts/bench FOLDER [everyday|add|sync|share|watch|files|attach|carry|talk] [SIZE…]   (the folder of the binaries)
"""

import os
import sys

import add
import attach
import carry
import everyday
import files
import share
import sync
import talk
import watch

PARTS = ["everyday", "add", "sync", "share", "watch", "files", "attach", "carry", "talk"]


def main():
    folder = os.path.abspath(sys.argv[1])
    todo, todo_server = os.path.join(folder, "todo"), os.path.join(folder, "todo-server")
    parts = [word for word in sys.argv[2:] if word in PARTS] or PARTS
    sizes = [int(word) for word in sys.argv[2:] if word.isdigit()]
    try:
        # Before what else this machine is busy with; its disk is shared all the same.
        os.sched_setscheduler(0, os.SCHED_RR, os.sched_param(1))
    except PermissionError:
        pass
    print(f"{os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}\n", flush=True)
    if "everyday" in parts:
        everyday.main(todo, sizes or everyday.SIZES)
        print()
    if "add" in parts:
        add.main(todo)
        print()
    if "sync" in parts:
        sync.main(todo, todo_server, sizes or sync.SIZES)
        print()
    if "share" in parts:
        share.main(todo, todo_server)
        print()
    if "watch" in parts:
        watch.main(todo, todo_server)
        print()
    if "files" in parts:
        files.main(os.path.join(folder, "todo-sim"))
        print()
    if "attach" in parts:
        attach.main(todo, todo_server)
        print()
    if "carry" in parts:
        carry.main(os.path.join(folder, "todo-sim"), todo_server)
        print()
    if "talk" in parts:
        talk.main(os.path.join(folder, "todo-sim"), todo_server, *sizes[:1])


main()
