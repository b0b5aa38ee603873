"""A device that was not shown the root of its own home makes another one over it.

The account has ended a device once, so home has a second epoch. alice's tablet is as one is to which the server did not show the row of
that root: its row and its keys are taken out of the tablet's database, and nothing else. The tablet syncs, and then a device signs in
that has never been there, with the 24 words and an honest server. It has to show alice's list.
"""

from members import Hurt, accounts, database, offline, sync


def play(stage):
    accounts(stage, "alice")
    stage.must("alice", "add", "Home", "water the plants", "--sync")
    words = stage.folder / "words"
    stage.must("alice", "recovery", "--out", str(words))
    for device in ("laptop", "tablet"):
        sign_in(stage, device, words)
    stage.must("alice", "devices", "revoke", "laptop", "--yes", "--sync")
    sync(stage, "alice", "tablet")
    with database(stage, "tablet") as tablet:
        hide_root(tablet)
    sync(stage, "tablet", "tablet", "alice")
    sign_in(stage, "phone", words)
    sync(stage, "phone", "alice", "phone")
    for device in ("phone", "tablet", "alice"):
        shown = stage.must(device, "ls", "--all")
        if "water the plants" not in shown:
            raise Hurt(f"{device} shows nothing of alice's list")


def sign_in(stage, device, words):
    offline(stage, device)
    stage.must(device, "login", "alice", "--server", stage.address, "--device", device, text=words.read_text())
    sync(stage, device)


def hide_root(tablet):
    home = "SELECT id FROM branches WHERE trunk = 'home'"
    tablet.execute(
        f"DELETE FROM node_states WHERE branch = ({home}) AND cloud_id = (SELECT cloud_id FROM branches WHERE trunk = 'home')"
    )
    tablet.execute(f"UPDATE nodes SET name_key = NULL, node_key = NULL WHERE branch = ({home}) AND parent IS NULL")
