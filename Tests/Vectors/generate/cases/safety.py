"""safety: §2.4."""

import itertools

from ..identity import Person, safety_half, safety_number
from ..primitives import Stream


def case(name, comment, a: bytes, b: bytes):
    fields = {"a": a.hex(), "b": b.hex(), "digits": safety_number(a, b)}
    return "safety", name, "ok", comment, fields


def cases():
    alice, bob, carol, dora = (Person(name).user for name in ("alice", "bob", "carol", "dora"))
    yield case("good-alice-bob", "Two people.", alice, bob)
    yield case("good-bob-alice", "The same the other way round.", bob, alice)
    yield case("good-carol-dora", "Two others.", carol, dora)
    yield case("good-oneself", "Twice the same six groups.", alice, alice)
    yield case("good-zeros-ones", "A user of zeros, a user of ones.", bytes(20), b"\xff" * 20)
    yield case("good-one-bit", "Users that differ in one bit.", bytes(20), bytes(19) + b"\x01")
    yield from sought(alice)


def sought(alice):
    """Users that somebody would have to seek: their groups are of a kind that is easy to get wrong."""

    def user(fits):
        taken = (Stream(f"safety {number}").take(20) for number in itertools.count())
        return next(one for one in taken if fits(one, groups(one)))

    mine = groups(alice)
    yield case(
        "good-digits-order-not-users",
        "The lower user has the higher groups: the groups are put in order, not the users.",
        alice,
        user(lambda one, theirs: one < alice and theirs > mine),
    )
    yield case(
        "good-digits-order-users",
        "The lower user has the lower groups, too.",
        alice,
        user(lambda one, theirs: one < alice and theirs < mine),
    )
    yield case(
        "good-first-group-equal",
        "The first groups are the same, the second ones tell which six come first.",
        alice,
        user(lambda one, theirs: theirs[0] == mine[0]),
    )
    yield case(
        "good-leading-zeros",
        "A first group that begins with zeros stands before the others.",
        alice,
        user(lambda one, theirs: theirs[0] < "00010"),
    )
    yield case("good-group-of-zeros", "A group of five zeros.", alice, user(lambda one, theirs: "00000" in theirs))


def groups(user: bytes):
    half = safety_half(user)
    return [half[at : at + 5] for at in range(0, 30, 5)]
