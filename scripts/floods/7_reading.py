"""Much that is asked for in little, and requests that were made for somebody else."""

import collections

from flood import Through
from forging import content, node, put, requests, signed
from stage import Failed

MEMORY = 128 * 1024 * 1024  # far less than four times all rows
ANSWER = 1024 * 1024 + 128 * 1024  # a page, and a row that was begun


def newest(flood):
    """The newest of a list with 1,000 rows of 60 KB, asked for 1,000 times in one request, ten requests from four
    connections each."""
    branch = _big(flood)
    wanted = requests.NewestRequest(branch=branch.id, parents=[branch.id] * 1000, count=1000)
    _ask(flood, "/v1/newest", wanted)


def pages(flood):
    """A pull of the same list, of 1,000 lines, ten from four connections each."""
    branch = _big(flood)
    wanted = requests.PullRequest(branch=branch.id, after_line=0, after_hash=branch.hashes[0], limit=1000)
    _ask(flood, "/v1/pull", wanted)


def another_name(flood):
    """Requests that were signed for another server, with `--name todo.example.org` where the server knows that."""
    try:
        flood.open("--name", "todo.example.org")
    except Failed:
        flood.open()
    with flood.meanwhile():
        for authority in ("todo.evil.example", "todo.example.org.evil.example", "todo.example.org"):
            mine = flood.sender(flood.mallory, authority=authority)
            flood.saw(f"{mine.send('/v1/logins/open').word} for {authority}")
    flood.only(
        "421 other-server for todo.evil.example",
        "421 other-server for todo.example.org.evil.example",
        "200 for todo.example.org",
    )


def _big(flood):
    flood.open()
    branch = flood.list_of(flood.mallory, "Big")
    for _ in range(63):
        some = []
        for _ in range(16):
            reference, data = content(flood.mallory, 60_000)
            some.append(
                put(signed(node(branch, flood.mallory, branch.id, contents=[reference]), flood.mallory), [data])
            )
        found = collections.Counter(flood.attacker.batch(some))
        if set(found) != {"accepted"}:
            raise Through(f"the rows are {found}")
    return branch


def _ask(flood, path: str, wanted):
    longest = 0

    def send(number):
        nonlocal longest
        mine, found = flood.sender(flood.mallory), []
        for _ in range(10):
            answer = mine.send(path, wanted)
            longest = max(longest, len(answer.body))
            found.append(answer.word)
        return found

    before = flood.memory()
    with flood.meanwhile():
        flood.at_once(4, send)
    if (taken := flood.memory() - before) > MEMORY:
        raise Through(f"the server took {taken // 1024**2} MiB of memory more")
    if longest > ANSWER:
        raise Through(f"an answer has {longest} bytes")
    flood.only("200", "429 too-many")
