"""stamp: versions from beyond the reader's horizon (§7.2)."""

from ..documents import CREATED, KIND, REPLICAS, TAG, TITLE, document, time_value
from ..schema import documents, encode

T = 1_750_000_000_000
LAST = T + 24 * 60 * 60 * 1000
END = 2**64 - 1


def cases():
    def case(name, comment, made, history=()):
        kept = documents.History()
        for time in history:
            stamp = documents.Stamp(time=time, replica=REPLICAS["b"])
            kept.overwritten.add(field=TITLE, value=b"before", stamp=stamp)
        fields = {"document": encode(made).hex(), "history": encode(kept).hex(), "now": T}
        return "stamp", name, "ok" if name.startswith("good-") else "stamp-ahead", comment, fields

    base = ((CREATED, time_value(T), T, "a"), (KIND, b"todo", T, "a"))

    def title(time, **options):
        return document(*base, (TITLE, b"milk", time, "b"), **options)

    def tag(time):
        return document(*base, elements=[(TAG, b"cold", time, "b")])

    yield case("good-now", "Stamps of the reader's time.", title(T))
    yield case("good-zone", "A clock that shows the time of another zone.", title(T + 14 * 60 * 60 * 1000))
    yield case("good-last", "The last time that is believed.", title(LAST), [LAST])
    yield case("good-value", "A far time in a value is no stamp.", document((CREATED, time_value(END), T, "a"), (KIND, b"todo", T, "a")))
    yield case("register", "A register that is a millisecond later.", title(LAST + 1))
    yield case("register-end", "A register of the end of time.", title(END))
    yield case("element", "An element.", tag(LAST + 1))
    yield case("context", "A replica that is only named in the context.", title(T, context={"c": LAST + 1}))
    yield case("deleted", "A deletion.", title(T, deleted={"c": LAST + 1}))
    yield case("history", "A value that was overwritten.", title(T), [T, LAST + 1])
    yield case("history-end", "A history that is full of the end of time.", title(T), [END])
