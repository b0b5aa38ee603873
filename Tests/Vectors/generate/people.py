"""The people of the vectors, each with a keyring as sign-up makes it."""

import copy
import functools

from .identity import Device, Person
from .log import Branch, Grant
from .primitives import TRUNKS, Stream, trunk_id


@functools.cache
def _signed_up(name: str, handle: str, anyone: str) -> Person:
    person = Person(name)
    person.set_handle(handle)
    person.add_device(Device(f"{name} laptop"), with_key=False)
    person.rotate()
    for trunk in TRUNKS:
        branch = Branch(trunk_id(person.user, trunk), person, f"trunk {trunk} of {name}")
        person.trunks[trunk] = branch
        grants = [Grant(person, "rws", 3)]
        if trunk == "inbox":
            grants.append(Grant(None, anyone))
        branch.permit(grants, position=3)
    person.set_trunks()
    return person


def signed_up(name: str, handle=None, anyone="WB") -> Person:
    """A fresh copy, so that a case can let the keyring grow."""
    return copy.deepcopy(_signed_up(name, handle or name, anyone))


class World:
    """alice's list (branch), with bob as editor, carol as viewer; dora is signed up but not in it.
    Lines: 1 permissions, 2 root, 3 milk, 4 eggs (by bob)."""

    def __init__(self, nodes=True, grants=None):
        self.alice, self.bob, self.carol, self.dora = (signed_up(n) for n in ("alice", "bob", "carol", "dora"))
        self.branch = Branch(Stream("list id").take(16), self.alice, "list branch")
        self.branch.permit(
            [
                Grant(getattr(self, name), text)
                for name, text in (grants or {"alice": "rws", "bob": "rw", "carol": "r"}).items()
            ]
        )
        self.milk = self.branch.node("5f0c8d7e-milk", data=b"milk")
        self.eggs = self.branch.node("9a41b2c3-eggs", data=b"eggs")
        if nodes:
            self.branch.root.name = "Groceries"
            self.branch.put(self.branch.root)
            self.branch.put(self.milk)
            self.branch.put(self.eggs, self.bob)

    @property
    def people(self):
        return [self.alice, self.bob, self.carol, self.dora]

    def page(self, omit=()):
        return self.branch.page(self.people, omit)
