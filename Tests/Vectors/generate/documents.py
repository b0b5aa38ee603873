"""docs/spec/07-documents.md."""

from .primitives import u64
from .schema import documents

TITLE, DONE, CREATED, KIND, ORDER, ARCHIVED, TAKEN, NOTE, TAG = 1, 2, 3, 4, 5, 6, 15, 16, 17
REPLICAS_LIMIT = 400
REPLICAS = {letter: bytes([16 * number] * 8) for number, letter in enumerate("abcdef", 10)}


def document(*registers, context=None, deleted=None, elements=()):
    """registers and elements: (field, value, time, replica letter); stamps as {letter: time}. The context defaults to
    what these say."""
    made = documents.Document()
    seen = {}
    for name, items in (("registers", sorted(registers)), ("elements", sorted(elements, key=by_stamp))):
        for field, value, time, replica in items:
            stamp = documents.Stamp(time=time, replica=REPLICAS[replica])
            getattr(made, name).add(field=field, value=value, stamp=stamp)
            seen[replica] = max(seen.get(replica, 0), time)
    made.context.extend(stamps(seen | (context or {})))
    made.deleted.extend(stamps(deleted or {}))
    return made


def by_stamp(item):
    field, value, time, replica = item
    return time, REPLICAS[replica], field, value


def stamps(times):
    return [documents.Stamp(time=time, replica=REPLICAS[letter]) for letter, time in sorted(times.items())]


def join(a, b):
    a, b = read(a), read(b)
    made = documents.Document()
    registers = {register.field: register for register in a.registers}
    for register in b.registers:
        if register.field not in registers or order(register) > order(registers[register.field]):
            registers[register.field] = register
    made.registers.extend(registers[field] for field in sorted(registers))
    made.context.extend(highest(a.context, b.context))
    made.deleted.extend(highest(a.deleted, b.deleted))
    kept = [e for e in a.elements if e in b.elements or not names(b.context, e.stamp)]
    kept += [e for e in b.elements if e not in a.elements and not names(a.context, e.stamp)]
    made.elements.extend(e for e in sorted(kept, key=order) if not forgets(made.context, e.stamp))
    return made


def read(a):
    """What a reader adds to the context."""
    made = documents.Document()
    made.CopyFrom(a)
    del made.context[:]
    stamps = [register.stamp for register in [*a.registers, *a.elements]]
    made.context.extend(highest(a.context, [*stamps, *a.deleted]))
    return made


def order(register):
    return register.stamp.time, register.stamp.replica, register.field, register.value


def highest(a, b):
    times = {}
    for stamp in [*a, *b]:
        times[stamp.replica] = max(times.get(stamp.replica, 0), stamp.time)
    latest = sorted(((time, replica) for replica, time in times.items()), reverse=True)[:REPLICAS_LIMIT]
    return [documents.Stamp(time=time, replica=replica) for replica, time in sorted((r, t) for t, r in latest)]


def names(context, stamp):
    return any(known.replica == stamp.replica and known.time >= stamp.time for known in context)


def forgets(context, stamp):
    return len(context) >= REPLICAS_LIMIT and (stamp.time, stamp.replica) < min((s.time, s.replica) for s in context)


def is_deleted(made) -> bool:
    return len(made.deleted) > 0 and all(
        names(made.deleted, r.stamp) or forgets(made.deleted, r.stamp) for r in [*made.registers, *made.elements]
    )


def time_value(time: int) -> bytes:
    return u64(time)
