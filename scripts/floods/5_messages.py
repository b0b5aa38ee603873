"""Messages to somebody's inbox that never end."""

import time

from flood import Through
from forging import burn, message, put, signed

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
    rounds, puts = [], 0
    for _ in range(28):
        letters = [signed(message(flood.bob, flood.mallory), flood.mallory) for _ in range(80)]
        rounds.append(
            ([put(letter) for letter in letters], [burn(flood.bob, flood.mallory, letter) for letter in letters])
        )
    with flood.meanwhile():
        for letters, burned in rounds:
            found = flood.attacker.batch(letters)
            puts += found.count("accepted")
            flood.saw(*found, *flood.attacker.batch(burned))
            time.sleep(0.01)
    if puts > LINES:
        raise Through(f"bob's inbox took {puts} messages of a day, and {LINES} may be")
