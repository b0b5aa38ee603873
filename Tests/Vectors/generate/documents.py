"""docs/spec/07-documents.md."""

from .primitives import u64
from .schema import documents

TITLE, DONE, CREATED, KIND = 1, 2, 3, 4
REPLICAS = {letter: bytes([16 * number] * 8) for number, letter in enumerate("abcdef", 10)}


def document(*registers, context=None, deleted=None):
    """registers: (field, value, time, replica letter); stamps as {letter: time}. The context defaults to what the
    registers say."""
    made = documents.Document()
    seen = {}
    for field, value, time, replica in sorted(registers, key=lambda register: register[0]):
        stamp = documents.Stamp(time=time, replica=REPLICAS[replica])
        made.registers.add(field=field, value=value, stamp=stamp)
        seen[replica] = max(seen.get(replica, 0), time)
    made.context.extend(stamps(seen | (context or {})))
    made.deleted.extend(stamps(deleted or {}))
    return made


def stamps(times):
    return [documents.Stamp(time=time, replica=REPLICAS[letter]) for letter, time in sorted(times.items())]


def join(a, b):
    made = documents.Document()
    registers = {register.field: register for register in a.registers}
    for register in b.registers:
        if register.field not in registers or order(register) > order(registers[register.field]):
            registers[register.field] = register
    made.registers.extend(registers[field] for field in sorted(registers))
    made.context.extend(highest(a.context, b.context))
    made.deleted.extend(highest(a.deleted, b.deleted))
    return made


def order(register):
    return register.stamp.time, register.stamp.replica, register.value


def highest(a, b):
    times = {}
    for stamp in [*a, *b]:
        times[stamp.replica] = max(times.get(stamp.replica, 0), stamp.time)
    return [documents.Stamp(time=times[replica], replica=replica) for replica in sorted(times)]


def is_deleted(made) -> bool:
    covered = {stamp.replica: stamp.time for stamp in made.deleted}
    return bool(covered) and all(
        r.stamp.replica in covered and covered[r.stamp.replica] >= r.stamp.time for r in made.registers
    )


def time_value(time: int) -> bytes:
    return u64(time)
