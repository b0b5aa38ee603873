"""message: what the owner of an inbox opens (§8)."""

from ..messages import SENT, invitation, sections, send
from ..nodes import node_commitment, seal_section
from ..people import World
from ..permissions import setting
from ..primitives import Stream, box_public, flip, pad, record_hex
from ..schema import sharing


def opened(name, expect, comment, *, edit=None, message=None, secret=None, change=lambda contents: contents, **options):
    world = World(nodes=False)
    what = message(world) if message else invitation(world)
    box = {}

    def edited(header):
        if edit:
            edit(world, header, box)

    sealed_to = options.pop("sealed_to", None)
    signed, contents = send(
        world.bob.trunks["inbox"],
        world.alice,
        world.bob,
        sections(what, Stream("metadata")),
        "message",
        edit=edited,
        node_key=NODE_KEY,
        sealed_to=sealed_to and sealed_to(world),
        **options,
    )
    contents = change([*((c, t) for c, t in contents if c not in box), *box.items()])
    secret = secret(world) if secret else world.bob.user_keys[0]
    fields = {
        "header": record_hex(signed),
        "user_secret_key": secret.hex(),
        "user_public_key": box_public(secret).hex(),
        "contents": [{"content": content.hex(), "ciphertext": text.hex()} for content, text in contents],
        "sender": world.alice.user.hex(),
    }
    if expect == "ok":
        fields |= {"sent": what.sent}
    if expect == "ok" and what.HasField("withdrawal"):
        fields |= {"withdrawal": {"branch": what.withdrawal.branch.hex(), "closed": what.withdrawal.closed}}
    elif expect == "ok":
        fields |= {
            "invitation": {
                "branch": what.invitation.branch.hex(),
                "cloud_path": [token.hex() for token in what.invitation.cloud_path],
                "owner": what.invitation.owner.hex(),
                "first_permissions": what.invitation.first_permissions.hex(),
                "title": what.invitation.title,
                "note": what.invitation.note,
                "letters": what.invitation.letters,
            },
        }
    return "message", name, expect, comment, fields


NODE_KEY = Stream("message node key").take(32)


def resealed(plain=None, **options):
    """The data section sealed in another way than its reference says; length and hash are right."""

    def edit(world, header, box):
        reference, ciphertext = seal_section(
            options.pop("key", NODE_KEY), 2, header.author.device, plain or b"", Stream("again"), **options
        )
        header.contents[1].CopyFrom(reference)
        box[reference.content] = ciphertext

    return edit


def withdrawal(world):
    what = sharing.Withdrawal(branch=world.branch.id, closed=True)
    return sharing.Message(sender=world.alice.user, sent=SENT, withdrawal=what)


def below(world):
    message = invitation(world)
    message.invitation.cloud_path.extend([Stream("token").take(32), Stream("token two").take(32)])
    return message


def cases():
    yield opened("good-invitation", "ok", "An invitation to a list.")
    yield opened(
        "good-without-note", "ok", "An invitation without a note.", message=lambda world: invitation(world, note="")
    )
    yield opened(
        "good-withdrawal-closed", "ok", "A withdrawal whose sender ends the branch for everybody.", message=withdrawal
    )
    yield opened("good-cloud-path", "ok", "An invitation to a node below the branch root.", message=below)
    yield opened(
        "sender-another",
        "sender-mismatch",
        "The message says carol, alice signed.",
        message=lambda world: invitation(world, world.carol),
    )
    yield opened(
        "sender-is-recipient",
        "sender-mismatch",
        "The message says bob, alice signed.",
        message=lambda world: invitation(world, world.bob),
    )
    yield opened(
        "commitment-wrong",
        "key-mismatch",
        "The commitment is to another key.",
        edit=lambda world, header, box: setting("key_commitment", flip)(header),
    )
    yield opened(
        "commitment-of-outbox",
        "key-mismatch",
        "The commitment of the outbox node: another branch.",
        edit=lambda world, header, box: setting(
            "key_commitment", node_commitment(world.alice.trunks["outbox"].id, header.cloud_id, NODE_KEY)
        )(header),
    )
    yield opened(
        "sealed-to-another-user",
        "key-mismatch",
        "The node key is sealed to carol.",
        sealed_to=lambda world: box_public(world.carol.user_keys[0]),
    )
    yield opened(
        "sealed-box-changed",
        "key-mismatch",
        "One bit of the sealed box changed.",
        edit=lambda world, header, box: setting("wrapped_key", flip)(header),
    )
    yield opened(
        "ciphertext-changed",
        "content-mismatch",
        "One bit of a ciphertext changed.",
        change=lambda contents: [*contents[:-1], (contents[-1][0], flip(contents[-1][1]))],
    )
    yield opened(
        "ciphertexts-swapped",
        "content-mismatch",
        "Two sections' ciphertexts changed places.",
        change=lambda c: [(c[0][0], c[1][1]), (c[1][0], c[0][1])],
    )
    yield opened(
        "content-of-another-node",
        "content-unopenable",
        "Sealed under another node's key.",
        edit=resealed(key=Stream("other").take(32)),
    )
    yield opened(
        "content-of-another-section", "content-unopenable", "Sealed as history.", edit=resealed(sealed_section=4)
    )
    yield opened(
        "padding-missing", "padding-wrong", "A section without padding.", edit=resealed(padded=pad(b"")[:-1] + b"\x01")
    )
