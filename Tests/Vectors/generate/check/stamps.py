"""docs/spec/07-documents.md §7.2, by a second route: every time that is written anywhere in the bytes."""

from ..schema import documents

DAY = 86_400_000


def stamp(case):
    made = documents.Document.FromString(bytes.fromhex(case["document"]))
    kept = documents.History.FromString(bytes.fromhex(case["history"]))
    writes = [*made.registers, *made.elements, *kept.overwritten]
    times = [write.stamp.time for write in writes] + [known.time for known in [*made.context, *made.deleted]]
    return ["stamp-ahead"] if max(times) - case["now"] > DAY else []
