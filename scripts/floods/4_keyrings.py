"""Keyrings that grow, and signatures that cost more to check than to make up."""

from nacl.signing import SigningKey

from flood import Through
from forging import requests, signed_up

DAY = 100  # entries of one account that its root signs


def entries(flood):
    """300 entries of one keyring, which its root signs, in one day."""
    flood.open()
    with flood.meanwhile():
        grown = _grow(flood, flood.mallory, 300, flood.saw)
    if grown > DAY:
        raise Through(f"a keyring grew by {grown} entries in a day, and may by {DAY}")


def forged_requests(flood):
    """2,000 requests with a bad signature, by a known device of an account with a keyring as long as it may be,
    from four connections."""
    flood.open()
    _grow(flood, flood.mallory, 890)
    with flood.meanwhile():

        def send(number):
            forger = flood.sender(flood.mallory, key=SigningKey.generate())
            return [forger.send("/v1/logins/open").word for _ in range(500)]

        flood.at_once(4, send)
    flood.only("401 signature-bad")


def forged_entries(flood):
    """A long keyring sent again with one entry more that is signed badly, 200 times, half of them by nobody, from
    four connections."""
    flood.open()
    _grow(flood, flood.mallory, 890)
    who = flood.mallory
    kept = list(who.entries)
    who.set_handle("mallory", key=SigningKey.generate())
    append = requests.KeyringAppend(user=who.user, entries=[*kept, who.entries[-1]])
    with flood.meanwhile():

        def send(number):
            forger = flood.sender(who, key=SigningKey.generate() if number % 2 else who.root_key)
            return [forger.send("/v1/keyrings/append", append).word for _ in range(50)]

        flood.at_once(4, send)
    flood.only("400 signature-bad", "401 signature-bad", "400 limit-exceeded", "413 limit-exceeded")


def keyrings_in_no_memory(flood):
    """A server that has just started is asked by eight accounts with long keyrings at once, with bad signatures
    and then for each other's keyrings."""
    flood.open()
    people = [signed_up(f"mallory{number}") for number in range(8)]
    for person in people:
        flood.join(person)
        _grow(flood, person, 890)
    flood.restart()
    wanted = requests.KeyringsRequest(users=[requests.KeyringRequest(user=person.user, after=900) for person in people])
    with flood.meanwhile():

        def send(number):
            forger, own = flood.sender(people[number], key=SigningKey.generate()), flood.sender(people[number])
            found = [forger.send("/v1/logins/open").word for _ in range(10)]
            return found + [own.send("/v1/keyrings", wanted).word for _ in range(10)]

        flood.at_once(8, send)
    flood.only("401 signature-bad", "200")


def _grow(flood, person, count: int, saw=lambda word: None) -> int:
    """Says over and over what the person's handle is, as their root. Returns how often the server took it."""
    sender, before = flood.sender(person), person.position
    while person.position < before + count:
        length = person.position
        for _ in range(10):
            person.set_handle(person.name)
        append = requests.KeyringAppend(user=person.user, entries=person.entries[length:])
        word = sender.send("/v1/keyrings/append", append, key=person.root_key).word
        saw(word)
        if word != "200":
            del person.entries[length:], person.generations[length + 1 :]
            break
    return person.position - before
