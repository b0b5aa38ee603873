"""Messages to somebody's inbox that never end."""

import time

from flood import Through
from forging import Grant, burn, content, copy, message, node, permit, put, signed
from stage import Failed

MESSAGES = 100  # that lie there
LINES = 2000  # a day


def many_puts(flood):
    """130 messages to bob's inbox, put with a recipient and not copied."""
    flood.open()
    letters = [put(signed(message(flood.bob, flood.mallory), flood.mallory)) for _ in range(130)]
    with flood.meanwhile():
        flood.saw(*flood.attacker.batch(letters))
    flood.at_most("accepted", MESSAGES)
    flood.only("accepted", "refused too-many")


def put_and_burn(flood):
    """2,240 messages in turn with their deletion, 80 at a time, so that never more than 100 lie there."""
    flood.open()
    rounds, lines = [], 0
    for _ in range(28):
        letters = [signed(message(flood.bob, flood.mallory), flood.mallory) for _ in range(80)]
        rounds.append(
            ([put(letter) for letter in letters], [burn(flood.bob, flood.mallory, letter) for letter in letters])
        )
    with flood.meanwhile():
        for letters, burned in rounds:
            for operations in (letters, burned):
                found = flood.attacker.batch(operations)
                lines += found.count("accepted")
                flood.saw(*found)
            time.sleep(0.01)
    if lines > LINES:
        raise Through(f"bob's inbox took {lines} lines of a day, and {LINES} may be")


def copies(flood):
    """130 copies of a todo to bob's inbox, in one batch, three times."""
    flood.open()
    branch = flood.list_of(flood.mallory, "Copies")
    reference, data = content(flood.mallory, 200)
    todo = node(branch, flood.mallory, branch.id, contents=[reference])
    if (found := flood.attacker.batch([put(signed(todo, flood.mallory), [data])])) != ["accepted"]:
        raise Failed(f"the todo is {found}")

    def one():
        letter = message(flood.bob, flood.mallory, contents=[reference])
        return copy(signed(letter, flood.mallory), branch.id, todo.cloud_id)

    with flood.meanwhile():
        for _ in range(3):
            flood.saw(*flood.attacker.batch([one() for _ in range(130)]))
    flood.at_most("accepted", MESSAGES)
    flood.only("accepted", "refused too-many")


def refused_sender(flood):
    """500 messages to bob, who has the server refuse mallory, ten times."""
    flood.open()
    inbox = flood.bob.trunks["inbox"]
    line = inbox.permit([*inbox.grants, Grant(flood.mallory, "")])
    if (found := flood.sender(flood.bob).batch([permit(inbox.records[line])])) != ["accepted"]:
        raise Failed(f"bob's record is {found}")
    letters = [put(signed(message(flood.bob, flood.mallory), flood.mallory)) for _ in range(500)]
    with flood.meanwhile():
        for _ in range(10):
            flood.saw(*flood.attacker.batch(letters))
    flood.only("refused letter-missing")
