"""code: §8.3."""

from ..codes import check_values, code_id, proof, written
from ..people import signed_up
from ..primitives import Stream


def cases():
    alice, bob, branch = signed_up("alice"), signed_up("bob"), Stream("list id").take(16)
    values = bytes(byte % 32 for byte in Stream("code").take(20))
    plain = written(values, "alice")

    def good(name, comment, values, handle="alice", text=None):
        both = alice.user + bob.user
        fields = {
            "text": text or written(values, handle),
            "written": written(values, handle),
            "handle": handle,
            "id": code_id(values).hex(),
            "inviter": alice.user.hex(),
            "claimant": bob.user.hex(),
            "branch": branch.hex(),
            "claim": proof(values, "code-claim", both).hex(),
            "answer": proof(values, "code-answer", both + branch).hex(),
        }
        return "code", name, "ok", comment, fields

    yield good("good-code", "Any code.", values)
    yield good("good-zeros", "Values of zeros.", bytes(20))
    yield good("good-ones", "Values of 31.", b"\x1f" * 20)
    yield good("good-every-digit", "All 32 signs.", bytes(range(20)))
    yield good("good-rest-of-digits", "The other signs.", bytes(range(12, 32)))
    yield good("good-longest-handle", "A handle of 32 characters.", values, "a" * 32)
    yield good("good-handle-with-signs", "A handle with a hyphen and a line.", values, "a-b_2")
    yield good("good-lower-case", "Case does not matter.", values, text=plain.lower())
    yield good("good-handle-in-capitals", "Nor does that of the handle.", values, text=plain.upper())
    yield good("good-without-hyphens", "Nor do hyphens.", values, text=plain.replace("-", ""))
    yield good("good-hyphens-elsewhere", "Wherever they stand.", values, text="-" + plain.replace("-", "--"))
    zeros = written(bytes(20), "alice")
    yield good("good-o-for-zero", "O is 0.", bytes(20), text=zeros.replace("0", "O"))
    yield good("good-small-o-for-zero", "So is o.", bytes(20), text=zeros.replace("0", "o"))
    ones = written(b"\x01" * 20, "alice")
    yield good("good-i-for-one", "I is 1.", b"\x01" * 20, text=ones.replace("1", "I"))
    yield good("good-l-for-one", "L is 1, and so are small ones.", b"\x01" * 20, text=ones.split(".")[0].replace("1", "l") + ".alice")
    yield from slips(values, plain)


def slips(values, plain):
    def bad(name, comment, text):
        return "code", name, "malformed", comment, {"text": text}

    def other(sign):
        return "Z" if sign != "Z" else "Y"

    yield bad("sign-changed", "One sign is another: the check finds it.", other(plain[0]) + plain[1:])
    yield bad("check-changed", "One sign of the check is another.", plain[:28] + other(plain[28]) + plain[29:])
    swapped = next(at for at in range(3) if plain[at] != plain[at + 1])
    yield bad("signs-swapped", "Two signs changed places.", plain[:swapped] + plain[swapped + 1] + plain[swapped] + plain[swapped + 2:])
    yield bad("handle-changed", "The check is of the handle, too.", plain.replace("alice", "alicf"))
    yield bad("check-of-another-handle", "The check was made for bob.", written(values, "alice", check_values(values, "bob")))
    yield bad("sign-missing", "23 signs.", plain[1:])
    yield bad("sign-too-many", "25 signs.", "0" + plain)
    yield bad("letter-u", "U is no sign.", "U" + plain[1:])
    yield bad("sign-beyond-ascii", "A sign that looks like one.", "\uff10" + plain[1:])
    yield bad("space", "A space is no hyphen.", plain.replace("-", " "))
    yield bad("handle-missing", "Nobody is named.", plain.split(".")[0])
    yield bad("handle-empty", "Nobody stands behind the point.", plain.split(".")[0] + ".")
    yield bad("empty", "Nothing.", "")
