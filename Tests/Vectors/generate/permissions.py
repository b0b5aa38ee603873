"""docs/spec/03-permissions.md: edits that cases make to a permissions record before it is signed."""

from .log import letters
from .schema import encode


def entry_of(record, person):
    return next(entry for entry in record.entries if entry.user == (person.user if person else b""))


def without(record, person):
    kept = [copy(entry) for entry in record.entries if entry.user != person.user]
    del record.entries[:]
    record.entries.extend(kept)


def copy(message):
    return type(message).FromString(encode(message))


def leave(branch, person, device=None, **options):
    """The author's own entry goes, every other byte of the entries stays."""
    before = copy(branch.permissions[-1][0])

    def edit(record):
        del record.entries[:]
        record.entries.extend(before.entries)
        without(record, person)
        options.get("also", lambda _: None)(record)

    branch.grants = [grant for grant in branch.grants if grant.person is not person]
    return branch.permit(None, person, device, edit=edit, new_epoch=options.get("new_epoch", False))


def closing(branch, person, **options):
    """The owner's last record: the entries as they were, byte for byte."""
    before = copy(branch.permissions[-1][0])

    def edit(record):
        del record.entries[:]
        record.entries.extend(before.entries)
        record.closed = True
        options.get("also", lambda _: None)(record)

    return branch.permit(None, person, edit=edit, new_epoch=options.get("new_epoch", False))


def give(person, text):
    """Other letters for one entry, its sealed key as it is."""

    def edit(record):
        entry_of(record, person).letters = letters(text)

    return edit


def setting(field, value):
    """One field of the record, or of a part of it by a dotted path."""

    def edit(message):
        *owners, last = field.split(".")
        for owner in owners:
            message = getattr(message, owner)
        setattr(message, last, value(getattr(message, last)) if callable(value) else value)

    return edit


def entry_setting(person, field, value):
    def edit(record):
        entry = entry_of(record, person)
        setattr(entry, field, value(getattr(entry, field)) if callable(value) else value)

    return edit


def anyone(letters_given, **fields):
    """Adds an entry for anyone, in its place at the front."""

    def edit(record):
        kept = [copy(entry) for entry in record.entries]
        del record.entries[:]
        record.entries.add(letters=letters(letters_given), **fields)
        record.entries.extend(kept)

    return edit


def reorder(change):
    def edit(record):
        kept = change([copy(entry) for entry in record.entries])
        del record.entries[:]
        record.entries.extend(kept)

    return edit
