"""Numbers at their end. What is added to one of these must not end the server."""

from flood import Through
from forging import ZERO, burn, message, node, permit, put, records, requests, signed, tombstone, delete

ENDS = [2**64 - 1, 2**63, 2**63 - 1, 2**53 + 1]


def burned_versions(flood):
    """A tombstone in bob's inbox burns a header of version 2^64-1, 2^63, 2^63-1 or 2^53+1."""
    flood.open()
    with flood.meanwhile():
        for end in ENDS:
            ended = signed(message(flood.bob, flood.mallory, version=end), flood.mallory)
            flood.saw(*flood.attacker.batch([burn(flood.bob, flood.mallory, ended)]))
            _alive(flood, f"a burned header of version {end}")
    flood.only("refused malformed")


def other_counters(flood):
    """The same numbers as version, epoch, line, time and generation of records."""
    flood.open()
    branch = flood.list_of(flood.mallory, "Numbers")
    mallory, bob = flood.mallory, flood.bob

    def own(**fields):
        return put(signed(node(branch, mallory, branch.id, **fields), mallory))

    def gone(**fields):
        return delete(signed(tombstone(branch, mallory, branch.id, ZERO, **fields), mallory))

    with flood.meanwhile():
        for end in ENDS:
            read = (end, ZERO)
            late = records.Author(
                user=mallory.user, device=mallory.device.id, keyring_position=2**32 - 1, read_line=end, read_hash=ZERO
            )
            tried = [
                own(version=end),
                own(epoch=end),
                own(revived=end),
                own(version=end, revived=end),
                own(author=late),
                own(expires=end),
                gone(version=end),
                gone(epoch=end),
                gone(revived=end),
                gone(read=read),
                put(signed(message(bob, mallory, recipient_generation=2**32 - 1), mallory)),
                put(signed(message(bob, mallory, revived=end), mallory)),
                _permit(branch, mallory, version=end),
                _permit(branch, mallory, epoch=end),
            ]
            for operation in tried:
                flood.saw(*flood.attacker.batch([operation]))
                _alive(flood, f"{operation.WhichOneof('change')} with {end}")
    if flood.answers["accepted"]:
        raise Through("a record with such a number was accepted")


def asked_numbers(flood):
    """The same numbers in what is asked: lines, positions, lengths and ranges."""
    flood.open()
    branch = flood.list_of(flood.mallory, "Numbers")
    who, mallory = flood.attacker, flood.mallory
    with flood.meanwhile():
        for end in ENDS:
            small = end % 2**32
            name = bytes(16).hex()
            questions = [
                ("pull", requests.PullRequest(branch=branch.id, after_line=end, after_hash=ZERO, limit=small)),
                (
                    "pull",
                    requests.PullRequest(branch=branch.id, after_line=0, after_hash=branch.hashes[0], limit=small),
                ),
                ("newest", requests.NewestRequest(branch=branch.id, parents=[branch.id], count=small)),
                ("keyrings", requests.KeyringsRequest(users=[requests.KeyringRequest(user=mallory.user, after=small)])),
                ("restore", requests.RestoreRequest(branch=branch.id, after_line=end, after_hash=ZERO)),
            ]
            for verb, question in questions:
                flood.saw(who.send(f"/v1/{verb}", question).word)
                _alive(flood, f"{verb} with {end}")
            for path in (f"files/{name}/{end}", f"files/{name}/0"):
                flood.saw(
                    who.send(
                        f"/v1/{path}", b"x", method="PUT", query=f"length={end}&metadata={end}&thumbnail={end}"
                    ).word
                )
                _alive(flood, f"{path} with {end}")
            for query in (f"from={end}", "from=-1"):
                flood.saw(who.send(f"/v1/contents/{branch.id.hex()}/{name}/leaves", method="GET", query=query).word)
                _alive(flood, f"leaves {query}")


def _permit(branch, person, **changed):
    record, _ = branch.permissions[-1]
    again = records.PermissionsRecord.FromString(record.SerializeToString())
    again.version, again.created = 2, 0
    for field, value in changed.items():
        setattr(again, field, value)
    return permit(signed(again, person))


def _alive(flood, tried: str):
    if not flood.lives():
        raise Through(f"{tried} ended the server")
