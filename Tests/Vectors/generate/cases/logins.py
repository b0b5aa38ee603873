"""login: §2.6."""

import itertools

from ..codes import commitment, login_code
from ..identity import Device
from ..people import signed_up
from ..primitives import Stream, flip
from ..schema import encode, treesystem


def cases():
    alice, new = signed_up("alice"), Device("tablet")
    random = Stream("login")
    login, nonce, secret = random.take(16), random.take(32), random.take(32)

    def opening(name="tablet", **changes):
        fields = {"sign_key": new.sign_key, "box_key": new.box_key, "nonce": secret, "name": name, **changes}
        return encode(treesystem.LoginOpening(**fields))

    def case(name, expect, comment, said, committed=None, nonce=nonce, of=None):
        fields = {
            "user": alice.user.hex(),
            "device": alice.device.id.hex(),
            "login": login.hex(),
            "nonce": nonce.hex(),
            "opening": said.hex(),
            "commitment": (committed or commitment(of or login, said)).hex(),
        }
        if expect == "ok":
            message = treesystem.LoginOpening.FromString(said)
            fields["new_device"], fields["name"] = new.id.hex(), message.name
            fields["code"] = login_code(alice.user, alice.device.id, login, nonce, said)
        return "login", name, expect, comment, fields

    yield case("good-login", "ok", "Both sides come to this code.", opening())
    yield case("good-name-empty", "ok", "A device without a name.", opening(""))
    yield case("good-name-longest", "ok", "A name of 64 bytes.", opening("ä" * 32))
    yield case("good-another-nonce", "ok", "Another nonce makes another code.", opening(), nonce=flip(nonce))
    yield case("good-unknown-field", "ok", "What is hashed is what came.", opening() + bytes.fromhex("fa0703010203"))
    short = next(one for one in nonces() if login_code(alice.user, alice.device.id, login, one, opening())[:2] == "00")
    yield case("good-leading-zeros", "ok", "The code has its zeros.", opening(), nonce=short)
    bad = "content-mismatch"
    yield case("another-opening", bad, "Other keys than those that were committed to.", opening("laptop"), commitment(login, opening()))
    yield case("another-login", bad, "The commitment of another login.", opening(), of=flip(login))
    yield case("commitment-flipped", bad, "One bit changed.", opening(), flip(commitment(login, opening())))
    yield case("nonce-too-short", "malformed", "31 bytes, which somebody could guess from.", opening(nonce=secret[:-1]))
    yield case("nonce-missing", "malformed", "None at all: the commitment would tell what it hides.", opening(nonce=b""))
    yield case("sign-key-too-short", "malformed", "31 bytes.", opening(sign_key=new.sign_key[:-1]))
    yield case("box-key-too-long", "malformed", "33 bytes.", opening(box_key=new.box_key + b"x"))
    yield case("name-too-long", "malformed", "A name of 65 bytes.", opening("a" * 65))
    yield case("not-parsed", "malformed", "It is no message.", opening()[:-1])


def nonces():
    return (Stream(f"nonce {number}").take(32) for number in itertools.count())
