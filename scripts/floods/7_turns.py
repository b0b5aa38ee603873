"""Requests that somebody sends over and over, or all at once."""

import http.client
import os

from flood import Through
from forging import HEADER, D, H, node, records, requests, signed

CONNECTIONS = 128
QUOTA = 10 * 1024 * 1024
LINE = 256  # what a line counts with


def crowd(flood):
    """128 connections of one account, each of which asks for the heads of 1,000 branches, five times."""
    flood.open()
    branch = flood.list_of(flood.mallory, "Heads")
    wanted = requests.HeadsRequest(branches=[branch.id] * 1000)

    def send(number):
        mine = flood.sender(flood.mallory)
        return [mine.send("/v1/heads", wanted).word for _ in range(5)]

    with flood.meanwhile():
        flood.at_once(CONNECTIONS, send)
    flood.only("200", "429 too-many")


def replays(flood):
    """One request that was signed once, 500 times each from four connections."""
    flood.open()
    headers = flood.attacker.headers("POST", "/v1/logins/open", "", b"")

    def send(number):
        connection, found = http.client.HTTPConnection("127.0.0.1", flood.port, timeout=20), []
        for _ in range(500):
            connection.request("POST", "/v1/logins/open", b"", headers)
            answer = connection.getresponse()
            answer.read()
            found.append(str(answer.status))
        connection.close()
        return found

    with flood.meanwhile():
        flood.at_once(4, send)
    flood.at_most("200", 1)
    flood.only("200", "401")


def restores(flood):
    """5,000 lines in a request to a server that takes none back, ten each from four connections."""
    flood.open()
    branch = flood.list_of(flood.mallory, "Lost")
    start = len(branch.lines)
    lines = b"".join((start + n).to_bytes(8, "big") + b"\1" + os.urandom(48) for n in range(1, 5001))
    wanted = requests.RestoreRequest(branch=branch.id, after_line=start, after_hash=branch.hashes[-1], lines=lines)

    def send(number):
        mine = flood.sender(flood.mallory)
        return [mine.send("/v1/restore", wanted).word for _ in range(10)]

    with flood.meanwhile():
        flood.at_once(4, send)
    flood.only("403 restore-closed")


def given_back(flood):
    """Twelve todos of 19,998 invented versions and a true one, to a server that takes lines back, with `--quota 10M`."""
    flood.open("--accept-restores", "--quota", "10M")
    # All at first: whoever is over a quota gets no list.
    branches, kept = [flood.list_of(flood.mallory, "Lost") for _ in range(12)], 0
    with flood.meanwhile():
        for branch in branches:
            todo = os.urandom(16)
            for invented in [5000] * 3 + [4998]:
                _give(flood, branch, [_line(branch, todo) for _ in range(invented)])
            before = branch.lines[-1][-32:]
            last = node(branch, flood.mallory, branch.id, cloud_id=todo, version=19_999, previous=before)
            if _give(flood, branch, [], signed(last, flood.mallory)):
                kept += 19_999 * LINE
    flood.only("200", "507 quota-exceeded")
    if kept > QUOTA * 5 // 4:
        raise Through(f"lines of {kept} bytes were kept")


def _line(branch, cloud_id: bytes) -> bytes:
    """One more version of a node, whose record nobody has."""
    line = (len(branch.lines) + 1).to_bytes(8, "big") + b"\1" + cloud_id + os.urandom(32)
    branch.lines.append(line)
    branch.hashes.append(H(D("line"), branch.hashes[-1] + line))
    return line


def _give(flood, branch, lines, record=None) -> bool:
    """Gives back lines, more of which follow, or the record that vouches for all before, with its line."""
    before = len(branch.lines) - len(lines)
    wanted = requests.RestoreRequest(branch=branch.id, after_line=before, after_hash=branch.hashes[before])
    if record:
        cloud_id = records.NodeHeader.FromString(record.body).cloud_id
        wanted.rows.add(line=branch.append(HEADER, cloud_id, record), record=record)
        lines = branch.lines[before:]
    wanted.lines, wanted.more = b"".join(lines), not record
    answer = flood.attacker.send("/v1/restore", wanted)
    flood.saw(answer.word)
    return answer.status == 200
