"""comment: whose words a comment's are (§7.8)."""

from ..comments import comment, signed
from ..people import signed_up
from ..primitives import Stream
from ..schema import encode

T = 1_750_000_000_000
TEXT = "half fat, please".encode()


def cases():
    alice, bob = signed_up("alice"), signed_up("bob")
    random = Stream("comment")
    todo, node, other = (random.take(16) for _ in range(3))
    said = [bob.user, bob.device.id, bob.position, todo, node, T, TEXT]

    def case(name, comment_, document, person=bob, **changed):
        fields = {
            "keyrings": {person.user.hex(): [encode(entry).hex() for entry in person.entries]},
            "todo": todo.hex(),
            "comment_id": node.hex(),
            "document": encode(document).hex(),
            **changed,
        }
        return "comment", name, "ok" if name.startswith("good-") else "signature-bad", comment_, fields

    def by(*changed, key=None, text=TEXT, time=T, writer=bob.user, more=(), **options):
        """A comment whose signature is over `said` with some places changed: (place, value)."""
        over = list(said)
        for place, value in changed:
            over[place] = value
        return comment(writer, text, time, signed(key or bob.device.key, *over, **options), more)

    yield case("good-words", "A comment that its writer signed.", by())
    yield case("good-empty-line", "Text of several lines.", by((6, b"a\n\nb"), text=b"a\n\nb"))
    yield case("good-first-position", "Signed when the keyring was shorter.", by((2, 2)))
    yield case("unsigned", "No signature, as older programs write it.", comment(bob.user, TEXT, T, b""))
    yield case("short", "A signature that is cut off.", comment(bob.user, TEXT, T, signed(bob.device.key, *said)[:-1]))
    yield case("other-text", "Another text.", by(text=b"pay mallory"))
    yield case("other-time", "Another time.", by(time=T + 1))
    yield case("other-todo", "Below another todo.", by(), todo=other.hex())
    yield case("other-comment", "Under another id.", by(), comment_id=other.hex())
    yield case("other-writer", "Signed by bob for alice.", by(writer=alice.user), alice)
    yield case("writer-in-words", "Signed by bob, who says that alice says it.", by((0, alice.user)))
    yield case("other-device", "A device that is not the writer's.", by((1, alice.device.id), key=alice.device.key))
    yield case("other-key", "Another key than the device's.", by(key=alice.device.key))
    yield case("before-device", "A position at which the device was not there yet.", by((2, 1)))
    yield case("beyond-keyring", "A position that the keyring does not have.", by((2, bob.position + 1)))
    yield case("two-texts", "Two texts, one of them signed.", by(more=[(b"and pay mallory", T + 5)]))
    yield case("other-domain", "Signed for something else.", by(domain="node-header"))
    yield case("two-domains", "Signed for an ownership transfer.", by(domain="ownership-transfer"))
