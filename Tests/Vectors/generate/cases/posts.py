"""post: what people say to each other (§8.5); origin: who wrote what was taken out of an inbox (§8.6)."""

from ..messages import SENT, send
from ..nodes import seal_section
from ..people import World, signed_up
from ..permissions import setting
from ..posts import conversation_id, origin_id, post_id
from ..primitives import Stream, flip, pad, trunk_id
from ..schema import encode, records, sharing, treesystem

NUMBER = Stream("post id").take(16)
TOPIC = Stream("topic").take(16)
NODE_KEY = Stream("origin node key").take(32)


def cases():
    yield from posts()
    yield from origins()


def message(sender, recipients, **changes) -> "sharing.Message":
    post = sharing.Post(id=NUMBER, recipients=sorted(recipients), number=7, text="Grüße 🥦 ירקות")
    for field, value in changes.items():
        if field == "named":
            del post.recipients[:]
            post.recipients.extend(value)
        else:
            setattr(post, field, value)
    return sharing.Message(sender=sender, sent=SENT, post=post)


def posts():
    alice, bob, carol, dora = (signed_up(name).user for name in ("alice", "bob", "carol", "dora"))

    def case(name, expect, comment, to=None, reader=bob, sender=None, **changes):
        what = message(sender or alice, to or [bob, carol], **changes)
        fields = {"message": encode(what).hex(), "signer": alice.hex(), "reader": reader.hex()}
        if expect == "ok":
            everybody = [alice, *what.post.recipients]
            conversation = conversation_id(everybody, what.post.topic)
            fields |= {
                "id": post_id(alice, what.post.id).hex(),
                "conversation": conversation.hex(),
            }
        return "post", name, expect, comment, fields

    yield case("good-for-two", "ok", "Alice says something to bob and carol; bob reads it.")
    yield case("good-other-reader", "ok", "Carol reads it: the same id and conversation.", reader=carol)
    yield case("good-own", "ok", "Alice reads it in her outbox.", reader=alice)
    yield case("good-topic", "ok", "With a topic it is another conversation.", topic=TOPIC)
    yield case("good-for-one", "ok", "For bob alone.", to=[bob])
    yield case("good-another-id", "ok", "Another post of the same conversation.", id=flip(NUMBER))
    yield case("good-nothing-said", "ok", "Neither text nor data: a file may be all.", text="")
    yield case("good-longest-text", "ok", "32,768 bytes.", text="ä" * 16384)
    yield case("good-longest-data", "ok", "16,384 bytes.", data=bytes(16384))
    many = [Stream(f"user {number}").take(20) for number in range(255)]
    yield case("good-for-256", "ok", "As many as there may be.", to=[bob, *many])
    yield case("sender-another", "sender-mismatch", "The message says carol, alice signed.", sender=carol)
    yield case("reader-not-named", "recipient-mismatch", "Dora reads what is for bob and carol.", reader=dora)
    wrong = "malformed"
    yield case("id-too-short", wrong, "15 bytes.", id=NUMBER[:-1])
    yield case("id-missing", wrong, "None.", id=b"")
    yield case("topic-too-long", wrong, "17 bytes.", topic=TOPIC + b"x")
    yield case("recipients-missing", wrong, "For nobody.", named=[])
    yield case("recipients-not-ascending", wrong, "In another order.", named=sorted([bob, carol], reverse=True))
    yield case("recipient-twice", wrong, "Bob twice.", named=[bob, bob])
    yield case("recipient-too-short", wrong, "19 bytes of one.", named=sorted([bob, carol[:-1]]))
    yield case("recipients-with-sender", wrong, "Alice says it to herself too.", named=sorted([alice, bob]))
    yield case("recipients-too-many", wrong, "257.", to=[bob, carol, *many])
    yield case("text-too-long", wrong, "32,769 bytes.", text="ä" * 16384 + "a")
    yield case("data-too-long", wrong, "16,385 bytes.", data=bytes(16385))


class Taken:
    """What bob has read of alice's, and where his device puts it."""

    def __init__(self, edit=None, **options):
        self.world = world = World(nodes=False)
        self.what = message(world.alice.user, [world.bob.user])
        self.again = None
        sections = {1: encode(treesystem.NodeMetadata(name="post", name_key=Stream("names").take(32)))}
        sections[2] = encode(self.what)

        def edited(header):
            if edit:
                edit(self, header)

        self.signed, contents = send(
            world.bob.trunks["inbox"], world.alice, world.bob, sections, "taken", edit=edited, node_key=NODE_KEY, **options
        )
        self.sealed = self.again or contents[1][1]
        self.signature, self.node_key, self.node = self.signed.signature, NODE_KEY, None
        self.reader, self.keyrings = world.bob.user, {world.alice.user: world.alice.entries}

    def fields(self, expect):
        record = records.SignedRecord(body=self.signed.body, signature=self.signature)
        origin = treesystem.Origin(body=record.body, signature=record.signature, node_key=self.node_key)
        fields = {
            "origin": encode(origin).hex(),
            "node": (self.node or origin_id(record)).hex(),
            "reader": self.reader.hex(),
            "sealed": self.sealed.hex(),
            "keyrings": {user.hex(): [encode(entry).hex() for entry in entries] for user, entries in self.keyrings.items()},
        }
        if expect == "ok":
            fields |= {"sender": self.world.alice.user.hex(), "message": encode(self.what).hex()}
        return fields


def origins():
    def case(name, expect, comment, change=lambda taken: None, **options):
        taken = Taken(**options)
        change(taken)
        return "origin", name, expect, comment, taken.fields(expect)

    def with_(**changes):
        def change(taken):
            for field, value in changes.items():
                setattr(taken, field, value(getattr(taken, field)) if callable(value) else value)

        return change

    def resealed(key=NODE_KEY, plain=None, **options):
        def edit(taken, header):
            text = encode(taken.what) if plain is None else plain
            reference, taken.again = seal_section(key, 2, header.author.device, text, Stream("again"), **options)
            header.contents[1].CopyFrom(reference)

        return edit

    yield case("good-post", "ok", "What bob has taken out of his inbox.")
    yield case("good-sealed-again", "ok", "Another nonce.", edit=resealed())
    place = "origin-wrong"
    yield case("node-another", place, "It lies at another id.", with_(node=Stream("node").take(16)))
    dora = signed_up("dora")
    yield case("reader-another", place, "It came to bob, and dora has it.", with_(reader=dora.user))
    yield case(
        "inbox-another",
        place,
        "The header is of dora's inbox, and names bob.",
        edit=lambda taken, header: setting("branch", trunk_id(dora.user, "inbox"))(header),
    )
    yield case(
        "recipient-another",
        place,
        "The header is of bob's inbox, and names dora.",
        edit=lambda taken, header: setting("recipient", dora.user)(header),
    )
    yield case("key-another", "key-mismatch", "Another node key.", with_(node_key=flip))
    yield case(
        "commitment-another",
        "key-mismatch",
        "The header commits to another key.",
        edit=lambda taken, header: setting("key_commitment", flip)(header),
    )
    yield case("key-too-short", "malformed", "31 bytes.", with_(node_key=lambda key: key[:-1]))
    yield case("signature-too-short", "malformed", "63 bytes.", with_(signature=lambda signature: signature[:-1]))
    yield case("ciphertext-changed", "content-mismatch", "One bit changed.", with_(sealed=flip))
    yield case("ciphertext-cut", "content-mismatch", "The last byte is missing.", with_(sealed=lambda text: text[:-1]))
    yield case("content-of-another-node", "content-unopenable", "Another key.", edit=resealed(Stream("other").take(32)))
    yield case("content-of-another-section", "content-unopenable", "Sealed as history.", edit=resealed(sealed_section=4))
    yield case("padding-missing", "padding-wrong", "No padding.", edit=resealed(padded=pad(b"")[:-1] + b"\x01"))
    yield case("signature-changed", "signature-bad", "One bit changed.", with_(signature=flip))
    yield case("signed-by-another", "signature-bad", "Carol's device signed.", key=World(nodes=False).carol.device.key)
    yield case("signed-as-a-tombstone", "signature-bad", "Signed for another use.", domain="tombstone")
    yield case(
        "device-another",
        "device-unknown",
        "A device that alice never had.",
        edit=lambda taken, header: setattr(header.author, "device", Stream("device").take(16)),
    )
    yield case(
        "device-not-yet",
        "device-unknown",
        "At a position before the device was added.",
        edit=lambda taken, header: setattr(header.author, "keyring_position", 1),
    )
