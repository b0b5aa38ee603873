"""docs/spec/07-documents.md, by a second route: joins from sorted lists, and checks the laws."""

from ..schema import documents, encode


def document(case):
    a, b = (documents.Document.FromString(bytes.fromhex(case[name])) for name in "ab")
    join = bytes.fromhex(case["join"])
    assert joined(a, b) == joined(b, a) == joined(documents.Document.FromString(join), a) == joined_known(join)
    covered = {stamp.replica: stamp.time for stamp in documents.Document.FromString(join).deleted}
    registers = documents.Document.FromString(join).registers
    deleted = bool(covered) and all(covered.get(r.stamp.replica, -1) >= r.stamp.time for r in registers)
    assert deleted == case["deleted"]
    return []


def joined_known(join):
    kept = documents.Document.FromString(join)
    kept.DiscardUnknownFields()
    return encode(kept)


def joined(a, b):
    result = documents.Document()
    best = {}
    for r in sorted([*a.registers, *b.registers], key=lambda r: (r.stamp.time, r.stamp.replica, r.value)):
        best[r.field] = r
    result.registers.extend(best[field] for field in sorted(best))
    for name in ("context", "deleted"):
        highest = {}
        for stamp in sorted([*getattr(a, name), *getattr(b, name)], key=lambda stamp: stamp.time):
            highest[stamp.replica] = stamp
        getattr(result, name).extend(highest[replica] for replica in sorted(highest))
    return encode(result)
