"""Accounts, and names for them, without end."""

import subprocess

from flood import Through
from forging import requests, sign_up, signed_up

STRANGER = {"x-forwarded-for": "203.0.113.9"}  # what a proxy on this machine says of somebody elsewhere
HANDLES, ACCOUNTS = 10, 50


def handles(flood):
    """One account takes 40 handles, one after another, with entries that its root signs."""
    flood.open()
    who, taken = flood.mallory, 1
    with flood.meanwhile():
        for number in range(40):
            who.set_handle(f"mallory{number}")
            word = _append(flood, who, who.entries[-1:])
            flood.saw(word)
            if word == "200":
                taken += 1
            else:
                who.entries.pop()
                who.generations.pop()
    if taken > HANDLES:
        raise Through(f"one account has {taken} handles, and may have {HANDLES}")


def sign_ups(flood):
    """60 accounts from one address elsewhere, with `--sign-up open`."""
    flood.open("--sign-up", "open")
    with flood.meanwhile():
        for number in range(60):
            flood.saw(_sign_up(flood, f"stranger{number}"))
    flood.at_most("201", ACCOUNTS)
    flood.only("201", "429 too-many")


def strangers(flood):
    """Somebody elsewhere signs up without a token, with a wrong one, and with the right one; no `--sign-up` was
    given."""
    flood.open()
    with flood.meanwhile():
        without, wrong = _sign_up(flood, "without"), _sign_up(flood, "wrong", "swordfish")
        command = [flood.stage.programs / "todo-server", "token", "--data", flood.stage.server_folder]
        done = subprocess.run(command, capture_output=True, text=True, timeout=20)
        token = done.stdout.split()[-1] if done.returncode == 0 and done.stdout.split() else ""
        right = _sign_up(flood, "right", token)
    flood.saw(f"{without} without", f"{wrong} with a wrong one", f"{right} with the token")
    if "201" in (without, wrong):
        raise Through("whoever reaches the server has an account, without a token")
    if right != "201":
        raise Through(f"the token lets nobody in: {right}")


def _append(flood, person, entries) -> str:
    append = requests.KeyringAppend(user=person.user, entries=entries)
    return flood.sender(person).send("/v1/keyrings/append", append, key=person.root_key).word


def _sign_up(flood, name: str, token="") -> str:
    return flood.sender(fields=STRANGER).send("/v1/accounts", sign_up(signed_up(name), token)).word
