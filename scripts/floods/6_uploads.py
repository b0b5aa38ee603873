"""Files that nobody lists, and parts of them."""

import os

from generate.files import sealed_length

QUOTA = 1024 * 1024
SMALLEST = 64 * 1024  # what a file counts at least


def small_files(flood):
    """60 files of a few bytes until a quota of 1 MiB is full, with `--quota 1M`."""
    flood.open("--quota", "1M")
    with flood.meanwhile():
        flood.saw(*[_upload(flood.attacker, 100) for _ in range(60)])
    flood.at_most("204", QUOTA // SMALLEST)
    flood.only("204", "507 quota-exceeded")


def large_files(flood):
    """Files of 4 MiB from eight connections, ten each."""
    flood.open()

    def send(number):
        mine = flood.sender(flood.mallory)
        return [_upload(mine, 4 * 1024 * 1024) for _ in range(10)]

    with flood.meanwhile():
        flood.at_once(8, send)
    flood.only("204", "429 too-many")


def wrong_parts(flood):
    """Parts that are not what their head says, 100 times, and 100 of files that there cannot be."""
    flood.open()
    with flood.meanwhile():
        for _ in range(100):
            flood.saw(_upload(flood.attacker, 5000, short=1), _upload(flood.attacker, 5000, longer=7))
    flood.only("400 malformed", "400 limit-exceeded", "400 content-mismatch")


def _upload(sender, size: int, short=0, longer=0) -> str:
    """A whole file in its one part."""
    metadata = sealed_length(100)
    length = 80 + metadata + sealed_length(size)
    query = f"length={length + longer}&metadata={metadata}&thumbnail=0"
    path = f"/v1/files/{os.urandom(16).hex()}/0"
    return sender.send(path, os.urandom(length - short), method="PUT", query=query).word
