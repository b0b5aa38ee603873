"""document: joins (§7)."""

from ..documents import (
    CREATED,
    DONE,
    KIND,
    NOTE,
    ORDER,
    TAG,
    TAKEN,
    TITLE,
    document,
    is_deleted,
    join,
    time_value,
)
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
        edited((47, b"\x01\x02", T + 7, "d")),
    )
    yield case(
        "unknown-field-both",
        "The later of two registers of a later version wins.",
        edited((47, b"\x03", T + 8, "b")),
        edited((47, b"\x01\x02", T + 7, "d")),
    )
    yield case(
        "context-by-replica",
        "The highest time of each replica, whatever the registers say.",
        document(*BASE, context={"b": T + 9, "c": T + 1}),
        document(*BASE, context={"b": T + 2, "d": T + 4}),
    )
    yield from deletions(milk, done, title)
    yield from elements(milk, title)
    yield from crowds(milk)
    yield case_unknown(milk)


def deletions(milk, done, title):
    gone = document(*BASE, deleted={"a": T})
    yield case("deleted", "A deletion meets what it covers.", milk, gone)
    yield case("edit-beats-deletion", "A concurrent edit is not covered.", gone, title("oat milk", T + 1, "b"))
    said = (TAKEN, b"1", T + 5, "b")
    yield case(
        "deletion-with-deleter",
        "Whoever deletes says so in field 15, which the deletion covers.",
        milk,
        document(*BASE, said, deleted={"a": T, "b": T + 5}),
    )
    yield case(
        "deletion-taken-back",
        "An empty field 15 that the deletion does not cover.",
        document(*BASE, said, deleted={"a": T, "b": T + 5}),
        document(*BASE, (TAKEN, b"", T + 9, "c"), context={"b": T + 5}, deleted={"a": T, "b": T + 5}),
    )
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


def elements(milk, title):
    """What a field with several values shows (§7.2)."""

    def tagged(*tags, **options):
        return document(*BASE, elements=[(TAG, *tag) for tag in tags], **options)

    def noted(*notes, **options):
        return document(*BASE, elements=[(NOTE, *note) for note in notes], **options)

    a, b = (b"cold", T + 1, "a"), (b"dairy", T + 2, "b")
    yield case("elements-of-both", "Tags of two people both stay.", tagged(a), tagged(b))
    yield case("element-same", "One tag that both have.", tagged(a), tagged(a, b))
    yield case("element-removed", "A removal that saw the tag.", tagged(a), tagged(context={"a": T + 1}))
    yield case(
        "element-added-again",
        "An addition that the removal did not see stays.",
        tagged(a, context={"b": T + 2}),
        tagged((b"cold", T + 3, "c"), context={"a": T + 1, "b": T + 2}),
    )
    yield case(
        "element-unseen-by-removal",
        "The removal saw an earlier stamp of the same replica.",
        tagged((b"cold", T + 5, "a")),
        tagged(context={"a": T + 4}),
    )
    yield case(
        "element-seen-by-time-alone",
        "A context that names a later time of the replica saw it.",
        tagged(a),
        tagged(context={"a": T + 9}),
    )
    yield case(
        "element-of-other-replica",
        "A later time of another replica is no removal.",
        tagged(a),
        tagged(context={"b": T + 9}),
    )
    yield case(
        "element-removed-by-both",
        "Each removed what the other has.",
        tagged(a, context={"b": T + 2}),
        tagged(b, context={"a": T + 1}),
    )
    yield case(
        "element-left-out-of-context",
        "The stamp of an element is in the context all the same.",
        without(tagged(a), "a"),
        tagged(b),
    )
    yield case(
        "elements-in-order",
        "Elements are sorted by time, replica, field and value.",
        tagged((b"z", T + 4, "a"), (b"a", T + 3, "b")),
        document(*BASE, elements=[(NOTE, b"x", T + 4, "a"), (TAG, b"y", T + 3, "a")]),
    )
    yield case(
        "element-one-stamp-two-values",
        "Equal stamps (a backup that was restored unnoticed): each takes the other for removed.",
        tagged((b"x", T + 4, "b")),
        tagged((b"y", T + 4, "b")),
    )
    yield case(
        "notes-at-the-same-time",
        "Two notes that were written at the same time both stay.",
        noted((b"3 litres", T + 3, "b"), context={"a": T + 1}),
        noted((b"not the red one", T + 4, "c"), context={"a": T + 1}),
    )
    yield case(
        "note-replaces-seen",
        "A note replaces all that its author saw.",
        noted((b"3 litres", T + 3, "b"), (b"red", T + 4, "c")),
        noted((b"3 litres, red", T + 5, "b"), context={"b": T + 5, "c": T + 4}),
    )
    yield case(
        "note-replaces-one-of-two",
        "A note that its author did not see stays beside the new one.",
        noted((b"3 litres", T + 3, "b"), (b"red", T + 4, "c")),
        noted((b"4 litres", T + 5, "b"), context={"b": T + 5}),
    )
    yield case(
        "element-unknown-field",
        "Elements of a later version merge all the same.",
        document(*BASE, elements=[(48, b"x", T + 3, "b")]),
        document(*BASE, elements=[(48, b"y", T + 3, "c")]),
    )
    yield case(
        "register-and-element",
        "A register and an element of one field have nothing to do with each other.",
        document(*BASE, (48, b"x", T + 3, "b")),
        document(*BASE, elements=[(48, b"y", T + 3, "c")]),
    )
    yield case(
        "order",
        "The later place wins.",
        document(*BASE, (ORDER, b"00UTnXE0001", T + 3, "b")),
        document(*BASE, (ORDER, b"00UTnXE0002", T + 4, "c")),
    )
    gone = {"a": T}
    yield case(
        "element-beats-deletion", "A tag that the deletion did not see.", document(*BASE, deleted=gone), tagged(b)
    )
    yield case(
        "deletion-of-element", "A deletion that covers the tag.", tagged(b), tagged(b, deleted={"a": T, "b": T + 2})
    )
    yield case(
        "deletion-of-removed-element",
        "The removal of a tag is no edit that a deletion did not see.",
        tagged(b, deleted={"a": T, "b": T + 2}),
        tagged(context={"b": T + 2}),
    )
    yield case(
        "deletion-left-out-of-context",
        "What a deletion covers was seen.",
        tagged(b),
        without(document(*BASE, deleted={"a": T, "b": T + 2}), "b"),
    )


def without(made, letter):
    """As a careless writer makes it: a replica is missing in the context."""
    replica = bytes([16 * ("abcdef".index(letter) + 10)] * 8)
    kept = [stamp for stamp in made.context if stamp.replica != replica]
    del made.context[:]
    made.context.extend(kept)
    return made


def crowds(milk):
    """More replicas than a context names (§7.2)."""

    def crowd(count, first=0):
        made = document(*BASE)
        stamps = [
            documents.Stamp(time=T + 10 + n, replica=(n + 1).to_bytes(8, "big")) for n in range(first, first + count)
        ]
        kept = list(made.context)
        del made.context[:]
        made.context.extend(sorted([*stamps, *kept], key=lambda stamp: stamp.replica))
        return made

    early = document(*BASE, elements=[(TAG, b"cold", T + 1, "a")])
    late = document(*BASE, elements=[(TAG, b"cold", T + 20, "a")])
    yield case("crowd", "A context of 401 replicas loses the least.", crowd(400), milk)
    yield case("crowd-of-two", "Two contexts of 300 replicas.", crowd(300), crowd(300, first=200))
    yield case("crowd-forgets", "An element below a full context is gone.", crowd(400), early)
    yield case("crowd-keeps", "An element above the least stays.", crowd(400), late)
    yield case("crowd-not-full", "A context of 400 replicas is full, one of 399 is not.", crowd(398), early)
