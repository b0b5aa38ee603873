"""ids, words, padding, seal."""

from mnemonic import Mnemonic

from .. import primitives as p
from ..identity import Device, Person
from ..primitives import Stream


def cases():
    yield from ids()
    yield from derived()
    yield from words()
    yield from padding()
    yield from seals()


def ids():
    for name, salt in (("alice", "5a17"), ("bob", "5a17"), ("dora", "ff17")):
        person, device = Person(name), Device(f"{name} laptop")
        replica = p.replica(person.user, device.id, bytes.fromhex(salt))
        yield "ids", f"good-{name}", "ok", "The ids that follow from public keys.", {
            "root_public_key": person.root_public.hex(),
            "user_id_text": p.user_id_text(person.user),
            "user_id": person.user.hex(),
            "device_sign_key": device.sign_key.hex(),
            "device_box_key": device.box_key.hex(),
            "device_id": device.id.hex(),
            "replica": replica.hex(),
            "disowned_replica": p.disowned(replica).hex(),
            "trunks": {trunk: p.trunk_id(person.user, trunk).hex() for trunk in p.TRUNKS},
        }


def derived():
    key, other = Stream("list name key").take(32), Stream("another name key").take(32)
    known = Stream("known id").take(16)

    def case(name, comment, domain, x, key=key):
        make = p.derived_todo_id if domain in ("occurrence", "imported") else p.derived_id
        return "derived", name, "ok", comment, {
            "key": key.hex(), "domain": domain, "from": x.hex(), "id": make(key, domain, x).hex(),
        }

    yield case("good-pointer", "A graft's pointer, of the branch that it leads to.", "pointer", known)
    yield case("good-conversation", "The node of a conversation.", "conversation-node", known)
    yield case("good-occurrence", "The todo that follows a repeating one.", "occurrence", known)
    yield case("good-occurrence-elsewhere", "The same on a list with another key.", "occurrence", known, key=other)
    yield case("good-imported", "A todo of another program.", "imported", "taskwarrior:6f0b".encode())
    yield case("good-imported-again", "Where something else has that id.", "imported",
               p.derived_todo_id(key, "imported", "taskwarrior:6f0b".encode()))


def words():
    book = Mnemonic("english")

    def good(name, comment, root, change=lambda text: text):
        sign = p.SigningKey(p.K(root, p.D("root-sign")))
        return (
            "words",
            name,
            "ok",
            comment,
            {
                "words": change(book.to_mnemonic(root)),
                "entropy": root.hex(),
                "root_sign_public": bytes(sign.verify_key).hex(),
                "root_box_public": p.box_public(p.K(root, p.D("root-box"))).hex(),
            },
        )

    random = Stream("words").take(32)
    yield good("good-zeros", "Entropy of zeros.", bytes(32))
    yield good("good-ones", "Entropy of ones.", b"\xff" * 32)
    yield good("good-7f", "BIP39's own 7f vector.", b"\x7f" * 32)
    yield good("good-random", "Any root.", random)
    yield good("good-capitals", "Case does not matter.", random, str.upper)
    yield good(
        "good-white-space",
        "White space around words does not matter.",
        random,
        lambda text: "\n  " + text.replace(" ", "\t \n") + " \r\n",
    )

    def bad(name, comment, text):
        assert not (len(text.split()) == 24 and book.check(text.lower()))
        return "words", name, "words-wrong", comment, {"words": text}

    text = book.to_mnemonic(random).split()
    other = next(w for w in book.wordlist if not book.check(" ".join(text[:-1] + [w])) and w != text[-1])
    yield bad("checksum-wrong", "The last word carries another checksum.", " ".join(text[:-1] + [other]))
    swapped = [text[1], text[0], *text[2:]]
    yield bad("two-words-swapped", "The first two words changed places.", " ".join(swapped))
    yield bad("word-unknown", "A word that is not on the list.", " ".join(["grocery", *text[1:]]))
    at = next(i for i, word in enumerate(text) if len(word) > 4 and word[:4] not in book.wordlist)
    yield bad(
        "word-abbreviated", "Four letters are not the word.", " ".join([*text[:at], text[at][:4], *text[at + 1 :]])
    )
    yield bad("word-missing", "23 words.", " ".join(text[:-1]))
    yield bad("word-too-many", "25 words.", " ".join([*text, "abandon"]))
    yield bad("twelve-words", "A valid BIP39 phrase of 128 bits.", book.to_mnemonic(random[:16]))
    yield bad("empty", "No words.", "")


def padding():
    random = Stream("padding")
    for length in (0, 1, 254, 255, 256, 511, 4095, 4096, 5000, 10_000):
        plain = random.take(length) if length else b""
        padded = p.pad(plain)
        assert p.unpad(padded) == plain
        yield "padding", f"good-{length:05}", "ok", f"{length} bytes go to a bucket of {len(padded)}.", {
            "plain": plain.hex(),
            "padded": padded.hex(),
        }
    yield "padding", "good-ends-in-80", "ok", "The plaintext itself ends in 0x80 and a zero.", {
        "plain": b"milk\x80\0".hex(),
        "padded": p.pad(b"milk\x80\0").hex(),
    }
    for name, comment, padded in (
        ("only-zeros", "No 0x80.", bytes(256)),
        ("empty", "Nothing at all.", b""),
        ("ends-in-text", "Text up to the end.", b"m" * 256),
        ("ends-in-one", "The marker is 0x01.", b"milk\x01".ljust(256, b"\0")),
        ("byte-after-zeros", "Something follows the zeros.", p.pad(b"milk")[:-1] + b"\x01"),
    ):
        assert p.unpad(padded) is None
        yield "padding", name, "padding-wrong", comment, {"plain": "", "padded": padded.hex()}


def seals():
    random = Stream("seal")
    key, ad = random.take(32), random.take(37)

    def case(name, expect, comment, plain=b"oat milk", sealed=None, key=key, domain="content", ad=ad):
        assert (p.unseal(key, domain, ad, sealed) == plain) == (expect == "ok")
        return (
            "seal",
            name,
            expect,
            comment,
            {"key": key.hex(), "domain": domain, "ad": ad.hex(), "sealed": sealed.hex(), "plain": plain.hex()},
        )

    sealed = p.seal(key, "content", ad, b"oat milk", random.take(24))
    wrapped = p.seal(key, "wrap-node-key", ad, random.take(32), random.take(24))
    yield case("good-content", "ok", "A sealed text.", sealed=sealed)
    yield case("good-empty", "ok", "Nothing, sealed: 40 bytes.", b"", p.seal(key, "content", ad, b"", random.take(24)))
    yield case(
        "good-no-ad",
        "ok",
        "No associated data beside the domain.",
        ad=b"",
        sealed=p.seal(key, "content", b"", b"oat milk", random.take(24)),
    )
    yield case(
        "good-other-domain",
        "ok",
        "Another domain.",
        p.unseal(key, "wrap-node-key", ad, wrapped),
        wrapped,
        domain="wrap-node-key",
    )
    wrong = "content-unopenable"
    yield case("key-wrong", wrong, "Another key.", sealed=sealed, key=p.flip(key))
    yield case("domain-wrong", wrong, "Sealed for another use.", sealed=wrapped)
    yield case("ad-wrong", wrong, "Other associated data.", sealed=sealed, ad=p.flip(ad))
    yield case("nonce-changed", wrong, "One bit of the nonce changed.", sealed=p.flip(sealed, 0))
    yield case("text-changed", wrong, "One bit of the ciphertext changed.", sealed=p.flip(sealed, 24))
    yield case("tag-changed", wrong, "One bit of the tag changed.", sealed=p.flip(sealed))
    yield case("cut", wrong, "The last byte is missing.", sealed=sealed[:-1])
    yield case("too-short", wrong, "39 bytes cannot be sealed.", b"", sealed[:39])
