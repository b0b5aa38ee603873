"""docs/spec/07-documents.md, by a second route: joins from sorted lists, and checks the laws."""

from ..schema import documents, encode


def document(case):
    a, b = (documents.Document.FromString(bytes.fromhex(case[name])) for name in "ab")
    join = bytes.fromhex(case["join"])
    assert joined(a, b) == joined(b, a) == joined(documents.Document.FromString(join), a) == joined_known(join)
    kept = documents.Document.FromString(join)
    written = [r.stamp for r in [*kept.registers, *kept.elements]]
    assert (bool(kept.deleted) and all(covers(table(kept.deleted), stamp) for stamp in written)) == case["deleted"]
    return []


def joined_known(join):
    kept = documents.Document.FromString(join)
    kept.DiscardUnknownFields()
    return encode(kept)


def joined(a, b):
    result = documents.Document()
    best = {}
    for r in sorted([*a.registers, *b.registers], key=key):
        best[r.field] = r
    result.registers.extend(best[field] for field in sorted(best))
    seen = [table([*x.context, *x.deleted, *(r.stamp for r in [*x.registers, *x.elements])]) for x in (a, b)]
    context = shortened(merged(*seen))
    deleted = shortened(merged(table(a.deleted), table(b.deleted)))
    for name, times in (("context", context), ("deleted", deleted)):
        getattr(result, name).extend(documents.Stamp(time=times[r], replica=r) for r in sorted(times))
    # By status: unknown, present, removed; the greater of both.
    every = {e.SerializeToString(deterministic=True): e for e in [*a.elements, *b.elements]}
    for e in sorted(every.values(), key=key):
        statuses = []
        for x, known in zip((a, b), seen):
            known = shortened(known)
            statuses.append(1 if e in x.elements else 2 if known.get(e.stamp.replica, -1) >= e.stamp.time else 0)
        if max(statuses) == 1 and not below(context, e.stamp):
            result.elements.append(e)
    return encode(result)


def key(r):
    return r.stamp.time, r.stamp.replica, r.field, r.value


def table(stamps):
    times = {}
    for stamp in sorted(stamps, key=lambda stamp: stamp.time):
        times[stamp.replica] = stamp.time
    return times


def merged(a, b):
    return {replica: max(a.get(replica, 0), b.get(replica, 0)) for replica in {*a, *b}}


def shortened(times):
    pairs = sorted((time, replica) for replica, time in times.items())
    return {replica: time for time, replica in pairs[-400:]}


def below(times, stamp):
    return len(times) == 400 and (stamp.time, stamp.replica) < min((t, r) for r, t in times.items())


def covers(times, stamp):
    return times.get(stamp.replica, -1) >= stamp.time or below(times, stamp)
