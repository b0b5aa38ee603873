"""lock, unit: docs/spec/09-lock.md."""

from .. import primitives as p
from ..locks import FLOOR, STANDARD, key_file, unit
from ..primitives import Stream

PASSPHRASE = "correct horse battery staple"


def cases():
    yield from key_files()
    yield from units()


def key_files():
    def case(name, expect, comment, file, passphrase=PASSPHRASE, key=None):
        fields = {"file": file.hex(), "passphrase": passphrase}
        return "lock", name, expect, comment, fields | ({} if key is None else {"key": key.hex()})

    def made(seed, cost=FLOOR, passphrase=PASSPHRASE, **changes):
        random = Stream(f"lock {seed}")
        name, key, salt, nonce = random.take(16), random.take(32), random.take(16), random.take(24)
        return key_file(name, key, salt, nonce, passphrase, cost, **changes), key

    file, key = made("good")
    yield case("good-least", "ok", "With the least cost that is not refused.", file, key=key)
    yield case("wrong-passphrase", "key-unopenable", "Another passphrase.", file, PASSPHRASE + "s")
    yield case("passphrase-with-a-space", "key-unopenable", "A space behind the passphrase counts.", file, PASSPHRASE + " ")
    for name, place in {"id": 20, "salt": 40, "nonce": 60, "box": 100, "tag": 128}.items():
        changed = p.flip(file, place)
        yield case(f"{name}-changed", "key-unopenable", f"A bit of the {name} is changed.", changed)
    yield case("passes-changed", "key-unopenable", "It says four passes, and was made with three.", file[:52] + b"\x04" + file[53:])
    standard, key = made("standard", STANDARD)
    yield case("good-standard", "ok", "With the cost that a writer uses.", standard, key=key)
    text = "Überraschungsei 🐣"
    other, key = made("text", passphrase=text)
    yield case("good-text", "ok", "A passphrase beyond ASCII.", other, text, key)
    decomposed = "U\u0308berraschungsei 🐣"
    yield case("not-normalised", "key-unopenable", "The same to the eye, in other bytes.", other, decomposed)
    for name, cost in {"passes": (2, 65536), "memory": (3, 65535), "none": (1, 8)}.items():
        comment = f"{cost[0]} passes, {cost[1]} KiB; it would open."
        yield case(f"cost-too-low-{name}", "cost-too-low", comment, made(name, cost)[0])
    for name, cost in {"passes": (17, 65536), "memory": (3, 4194305), "all": (2**32 - 1, 2**32 - 1)}.items():
        comment = f"{cost[0]} passes, {cost[1]} KiB."
        yield case(f"cost-too-high-{name}", "cost-too-high", comment, made(name, FLOOR, written=cost)[0])
    yield case("suite-newer", "newer", "Suite 2.", made("suite", suite=2)[0])
    yield case("magic-wrong", "malformed", "Another first byte.", p.flip(file, 0))
    yield case("cut", "malformed", "The last byte is missing.", file[:-1])
    yield case("longer", "malformed", "A byte too many.", file + b"\0")
    yield case("empty", "malformed", "Nothing.", b"")


def units():
    def case(name, expect, comment, sealed, key, file, number, plain=None):
        fields = {"key": key.hex(), "file": file, "number": number, "sealed": sealed.hex()}
        return "unit", name, expect, comment, fields | ({} if plain is None else {"plain": plain.hex()})

    random = Stream("units")
    key, page = random.take(32), random.take(4096)
    sealed = unit(key, 1, 7, page, random.take(24))
    yield case("good-page", "ok", "Page 7 of a database.", sealed, key, 1, 7, page)
    for name, size, number in (("log-header", 32, 0), ("frame-header", 24, 5), ("frame-page", 4096, 6)):
        plain = random.take(size)
        log = unit(key, 2, number, plain, random.take(24))
        yield case(f"good-{name}", "ok", f"Unit {number} of a log.", log, key, 2, number, plain)
    yield case("page-moved", "content-unopenable", "Page 7 where page 8 is.", sealed, key, 1, 8)
    yield case("page-in-log", "content-unopenable", "Page 7 of the database as unit 7 of the log.", sealed, key, 2, 7)
    yield case("page-changed", "content-unopenable", "A bit of the page is changed.", p.flip(sealed, 2000), key, 1, 7)
    yield case("page-torn", "content-unopenable", "Only its first sectors came.", sealed[:512] + bytes(4136 - 512), key, 1, 7)
    yield case("key-wrong", "content-unopenable", "Another key.", sealed, p.flip(key), 1, 7)
