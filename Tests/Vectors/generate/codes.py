"""docs/spec/08-messages.md §8.3: invite codes; 02-identity.md §2.6: the code of a login."""

from .primitives import D, H, Hn, K

DIGITS = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"


def check_values(values: bytes, handle: str) -> bytes:
    return bytes(byte % 32 for byte in H(D("code-check"), values + handle.encode("ascii"))[:4])


def written(values: bytes, handle: str, checks=None) -> str:
    """As it is shown, up to the server."""
    text = "".join(DIGITS[value] for value in values + (checks or check_values(values, handle)))
    return "-".join(text[at : at + 4] for at in range(0, len(text), 4)) + "." + handle


def code_id(values: bytes) -> bytes:
    return Hn(16, D("code-id"), values)


def proof(values: bytes, name: str, context: bytes) -> bytes:
    return K(H(D("code-key"), values), D(name), context)


def commitment(login: bytes, opening: bytes) -> bytes:
    return H(D("login-commitment"), login + opening)


def login_code(user: bytes, device: bytes, login: bytes, nonce: bytes, opening: bytes) -> str:
    hashed = H(D("login-code"), user + device + login + nonce + opening)
    digits = str(int.from_bytes(hashed[:8], "big") % 10**8).zfill(8)
    return digits[:4] + "-" + digits[4:]
