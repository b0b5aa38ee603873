"""document: joins (§7)."""

from ..documents import CREATED, DONE, KIND, TITLE, document, is_deleted, join, time_value
from ..schema import documents, encode

T = 1_750_000_000_000
BASE = ((TITLE, "milk".encode(), T, "a"), (CREATED, time_value(T), T, "a"), (KIND, b"todo", T, "a"))


def case(name, comment, a, b, unknown=b""):
    """`unknown` are the bytes of unknown fields that the join keeps."""
    joined = join(a, b)
    return (
        "document",
        f"good-{name}",
        "ok",
        comment,
        {
            "a": encode(a).hex(),
            "b": encode(b).hex(),
            "join": (encode(joined) + unknown).hex(),
            "deleted": is_deleted(joined),
        },
    )


def cases():
    milk = document(*BASE)

    def edited(*registers, **options):
        kept = [register for register in BASE if register[0] not in [r[0] for r in registers]]
        return document(*kept, *registers, **options)

    def title(text, time, replica, **options):
        value = text if isinstance(text, bytes) else text.encode()
        return edited((TITLE, value, time, replica), **{"context": {"a": T}, **options})

    done = edited((DONE, time_value(T + 5), T + 5, "b"))
    yield case("same", "A document joined with itself.", milk, milk)
    yield case("empty", "A document joined with an empty one.", milk, documents.Document())
    yield case("both-empty", "Two empty documents.", documents.Document(), documents.Document())
    yield case(
        "disjoint-fields", "One edits the title, the other ticks: both stay.", title("oat milk", T + 3, "c"), done
    )
    yield case("later-time", "The later title wins.", title("oat milk", T + 3, "c"), title("soy milk", T + 4, "b"))
    yield case(
        "earlier-operand-wins",
        "The winner is on the left.",
        title("soy milk", T + 4, "b"),
        title("oat milk", T + 3, "c"),
    )
    yield case(
        "tie-by-replica",
        "Equal times: the greater replica wins.",
        title("oat milk", T + 3, "b"),
        title("almond milk", T + 3, "c"),
    )
    yield case(
        "tie-by-value",
        "Equal stamps (a restored backup): the greater value wins.",
        title("oat milk", T + 3, "b"),
        title("soy milk", T + 3, "b"),
    )
    yield case(
        "value-bytes-unsigned", "0xff is greater than 0x7f.", title(b"\x7f", T + 3, "b"), title(b"\xff", T + 3, "b")
    )
    yield case(
        "value-prefix",
        "The longer of two values with one beginning is greater.",
        title("milk", T + 3, "b"),
        title("milks", T + 3, "b"),
    )
    yield case(
        "value-not-length-first",
        "Bytes before length: z is greater than milk.",
        title("milk", T + 3, "b"),
        title("z", T + 3, "b"),
    )
    yield case(
        "time-unsigned", "Times are unsigned.", title("oat milk", 2**63 + 1, "b"), title("soy milk", 2**63 - 1, "c")
    )
    yield case(
        "done-and-undone",
        "The later undone (an empty value) wins.",
        done,
        edited((DONE, b"", T + 6, "c"), context={"b": T + 5}),
    )
    yield case(
        "unknown-field",
        "A register of a later version merges all the same.",
        milk,
        edited((99, b"\x01\x02", T + 7, "d")),
    )
    yield case(
        "unknown-field-both",
        "The later of two registers of a later version wins.",
        edited((99, b"\x03", T + 8, "b")),
        edited((99, b"\x01\x02", T + 7, "d")),
    )
    yield case(
        "context-by-replica",
        "The highest time of each replica, whatever the registers say.",
        document(*BASE, context={"b": T + 9, "c": T + 1}),
        document(*BASE, context={"b": T + 2, "d": T + 4}),
    )
    yield from deletions(milk, done, title)
    yield case_unknown(milk)


def deletions(milk, done, title):
    gone = document(*BASE, deleted={"a": T})
    yield case("deleted", "A deletion meets what it covers.", milk, gone)
    yield case("edit-beats-deletion", "A concurrent edit is not covered.", gone, title("oat milk", T + 1, "b"))
    yield case(
        "own-later-edit-beats-deletion",
        "The same replica goes on after the deletion's context.",
        gone,
        title("oat milk", T + 1, "a", context={}),
    )
    yield case(
        "deletion-of-edit",
        "A deletion that covers the edit.",
        title("oat milk", T + 1, "b"),
        title("oat milk", T + 1, "b", deleted={"a": T, "b": T + 1}),
    )
    yield case(
        "two-deletions",
        "Two deletions, each of which covers one edit, together cover both.",
        document(*BASE, (DONE, time_value(T + 5), T + 5, "b"), deleted={"a": T, "b": T + 5}),
        title("oat milk", T + 3, "c", deleted={"a": T, "c": T + 3}),
    )
    yield case(
        "deletion-later-time-wins",
        "Of two deletions the later context of a replica counts.",
        title("oat milk", T + 8, "a", context={}, deleted={"a": T + 8}),
        gone,
    )
    yield case(
        "deletion-knows-more",
        "A deletion that covers stamps that no register has any more.",
        milk,
        document(*BASE, context={"b": T + 4}, deleted={"a": T, "b": T + 4}),
    )
    yield case(
        "not-deleted-by-greater-replica-time",
        "A time of another replica does not cover.",
        done,
        document(*BASE, context={"c": T + 50}, deleted={"a": T, "c": T + 50}),
    )


def case_unknown(milk):
    """Field 15 of a later Document: kept from the operand with the greater encoded context."""
    unknown = bytes.fromhex("7a03010203")
    newer = document(*BASE, context={"a": T + 1})
    newer.MergeFromString(unknown)
    return case(
        "unknown-message-field", "A field of a later Document is kept from the greater context.", newer, milk, unknown
    )
