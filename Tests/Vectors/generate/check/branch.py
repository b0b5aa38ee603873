"""docs/spec/04-branch-log.md §4.3 and 05-nodes.md §5.1, §5.6: a whole pull from line 0."""

from ..primitives import D, H, TRUNKS, ZERO, record_hash, signature_fits, trunk_id, u64
from ..schema import encode, records
from . import counters, lengths, parse
from .files import reference_reasons
from .permissions import letters_of, permissions_reasons
from .rights import burn_shape, may_delete, may_put

HEADER, TOMBSTONE, PERMISSIONS = 1, 2, 3


class Known:
    """What the lines and rows so far say of one node."""

    def __init__(self):
        self.lines, self.hash, self.live, self.header, self.last_line = 0, ZERO, False, None, 0
        self.kinds = []  # of each of its lines, with their numbers

    def add(self, number, kind, hashed, message):
        self.lines, self.hash, self.live, self.last_line = self.lines + 1, hashed, kind == HEADER, number
        self.header = message if kind == HEADER or message is None else self.header
        self.kinds.append((kind, number))

    def began(self):
        """The line with which its life began; None if the row that says so was omitted."""
        return self.header and self.kinds[max(self.header.revived, 1) - 1][1]

    def grave(self):
        """The version of its last line that is called a tombstone; 0 for none."""
        return max((version for version, (kind, _) in enumerate(self.kinds, 1) if kind == TOMBSTONE), default=0)


class Log:
    def __init__(self, branch: bytes, first: bytes, keyrings):
        self.branch, self.first, self.keyrings = branch, first, keyrings
        self.hashes = [H(D("log"), branch)]
        self.permissions = []  # (line, message, hash)
        self.outer = None
        self.nodes = {}

    def ancestors(self, cloud_id):
        """Parent, its parent, …, as far as rows tell; ends with None where they do not."""
        while cloud_id != self.branch:
            known = self.nodes.get(cloud_id)
            cloud_id = known.header.parent if known and known.header else None
            yield cloud_id
            if cloud_id is None:
                return

    def lives(self, cloud_id):
        """§5.1, 8; None where rows that would tell were omitted."""
        below = None
        while True:
            known = self.nodes.get(cloud_id)
            if known is None:
                return cloud_id == self.branch
            if not known.live:
                return False
            began = known.began()
            if began is None:
                return None
            if below is not None and below <= began:
                return False
            if cloud_id == self.branch:
                return True
            below, cloud_id = known.last_line, known.header.parent


def pull_reasons(log: Log, lines: bytes, rows: dict, head_line: int, head_hash: bytes):
    """rows: line → SignedRecord."""
    cut = [lines[at : at + 57] for at in range(0, len(lines), 57)]
    for number, line in enumerate(cut, 1):
        if line[:8] != u64(number):
            return ["chain-broken"]
        log.hashes.append(H(D("line"), log.hashes[-1] + line))
    if head_line == len(cut) and head_hash != log.hashes[-1]:
        return ["chain-broken"]
    for number, record in rows.items():
        if record_hash(record) != cut[number - 1][25:]:
            return ["row-mismatch"]
    last = {line[9:25]: number for number, line in enumerate(cut, 1) if line[8] != PERMISSIONS}
    needed = set(last.values()) | {n for n, line in enumerate(cut, 1) if line[8] == PERMISSIONS}
    if not needed <= rows.keys():
        return ["row-missing"]
    for number, line in enumerate(cut, 1):
        reasons = line_reasons(log, number, line, rows.get(number))
        if reasons:
            return reasons
    return []


def line_reasons(log, number, line, record):
    kind, cloud_id, hashed = line[8], line[9:25], line[25:]
    if kind == PERMISSIONS:
        reasons, message = permissions_reasons(log, record, number)
        if not reasons:
            log.permissions.append((number, message, hashed))
        return reasons
    reasons, message = [], None
    if record is not None:
        reasons, message = (header_reasons if kind == HEADER else tombstone_reasons)(log, record, number)
        if not reasons and message.cloud_id != cloud_id:
            reasons = ["row-mismatch"]
    if not reasons:
        known = log.nodes.setdefault(cloud_id, Known())
        known.add(number, kind, hashed, message)
    return reasons


def common_reasons(log, message, record, number, domain, may):
    """§5.1, 2 to 7, which headers and tombstones share."""
    reasons, (_, force, force_hash) = [], log.permissions[-1]
    if force.closed:
        reasons.append("branch-closed")
    if message.permissions != force_hash:
        before = message.permissions in [hashed for _, _, hashed in log.permissions]
        reasons.append("permissions-superseded" if before else "permissions-unknown")
    elif message.epoch != force.epoch:
        reasons.append("epoch-wrong")
    author = message.author
    keyring = log.keyrings.get(author.user)
    pinned = [e.keyring_position for e in force.entries if e.user == author.user]
    if keyring and author.keyring_position > keyring.position or pinned and author.keyring_position < pinned[0]:
        reasons.append("keyring-stale")
    elif keyring is None or not keyring.active(author.device, author.keyring_position):
        reasons.append("device-unknown")
    elif not signature_fits(keyring.devices[author.device][0], domain, record):
        reasons.append("signature-bad")
    if not may(letters_of(force, author.user), letters_of(force, b"")):
        reasons.append("letter-missing")
    known = log.nodes.get(message.cloud_id, Known())
    if message.previous != known.hash or message.version != known.lines + 1:
        reasons.append("version-stale")
    if author.read_line >= number or log.hashes[author.read_line] != author.read_hash:
        reasons.append("read-wrong")
    return reasons


def header_reasons(log, record, number):
    header = parse(records.NodeHeader, record.body)
    if header is None or len(record.signature) != 64:
        return ["malformed"], None
    if header.suite != 1:
        return ["suite-unknown"], header
    shape = header_shape(header)
    if shape:
        return shape, header
    if header.branch != log.branch:
        return ["branch-mismatch"], header
    inbox = log.branch == trunk_id(log.permissions[0][1].owner, TRUNKS[3])
    message = inbox and bool(header.recipient)
    # A message where nobody takes any is wrong, whoever signs it.
    pointless = header.recipient and not letters_of(log.permissions[-1][1], b"")
    reasons = common_reasons(
        log, header, record, number, "node-header", lambda own, anyone: pointless or may_put(header, own, anyone)
    )
    reasons += life_reasons(log, header)
    reasons += message_reasons(log, header, message)
    reasons += place_reasons(log, header)
    reasons += key_reasons(log, header)
    return list(dict.fromkeys(reasons)), header


def header_shape(header):
    sections = [reference.section for reference in header.contents]
    if len(sections) > 8 or len(set(sections)) != len(sections) or not set(sections) <= {1, 2, 3, 4}:
        return ["malformed"]
    if header.revived > header.version:
        return ["malformed"]
    if not header.parent and form(header) == "file":
        return ["malformed"]
    own = header.parent and header.branch in {trunk_id(header.author.user, trunk) for trunk in ("home", "outbox")}
    if header.expires and not header.recipient and not own:
        return ["malformed"]
    for reference in header.contents:
        if reference_reasons(reference):
            return reference_reasons(reference)
    author = header.author
    return counters(header.version, header.epoch, header.revived, author.read_line) or lengths(
        (header.branch, [16]),
        (header.cloud_id, [16]),
        (header.parent, [0, 16]),
        (header.name_token, [0, 32]),
        (header.previous, [32]),
        (header.permissions, [32]),
        (header.wrapped_key, [80 if header.recipient else 72]),
        (header.key_commitment, [32]),
        (author.user, [20]),
        (author.device, [16]),
        (author.read_hash, [32]),
        (header.operation, [16]),
        (header.recipient, [0, 20]),
        *((r.content, [16]) for r in header.contents),
        *((r.device, [16]) for r in header.contents),
        *((r.hash, [32]) for r in header.contents),
    )


def life_reasons(log, header):
    known = log.nodes.get(header.cloud_id)
    if not known:
        return ["version-stale"] if header.revived else []
    lives = log.lives(header.cloud_id)
    begins = lives is not True and header.revived == header.version
    goes_on = lives is not False and continues(known, header.revived)
    if not begins and not goes_on:
        return ["version-stale"]
    below = [k for c, k in log.nodes.items() if k.live and k.header and header.cloud_id in log.ancestors(c)]
    unseen = begins and any(k.last_line > header.author.read_line for k in below)
    return ["unseen-children"] if unseen else []


def continues(known, revived):
    """Whether this is the life of the header before, as far as that is known, and none from before a tombstone."""
    return (known.header is None or known.header.revived == revived) and (not known.grave() or revived > known.grave())


def message_reasons(log, header, message):
    if not header.recipient:
        return []
    force = log.permissions[-1][1]
    generation = [e.generation for e in force.entries if e.user == header.recipient]
    fits = (
        message
        and header.recipient == force.owner
        and header.recipient_generation == generation[0]
        and header.version == 1
        and header.previous == ZERO
        and header.author.read_line == 0
        and header.parent == log.branch
        and len(header.name_token) == 32
    )
    return [] if fits else ["message-wrong"]


def place_reasons(log, header):
    bare = not header.parent and not header.name_token
    if (header.cloud_id == header.branch) != bare or bool(header.parent) != bool(header.name_token):
        return ["parent-wrong"]
    if bare:
        return []
    chain = [header.parent, *log.ancestors(header.parent)]
    if log.lives(header.parent) is False:
        return ["parent-wrong"]
    if header.cloud_id in chain:
        return ["parent-wrong"]
    if len(chain) > 64:
        return ["limit-exceeded"]
    for cloud_id, known in log.nodes.items():
        other = known.header
        if (
            other
            and log.lives(cloud_id) is not False
            and cloud_id != header.cloud_id
            and other.parent == header.parent
            and other.name_token == header.name_token
        ):
            return ["name-taken"]
    return []


def key_reasons(log, header):
    known = log.nodes.get(header.cloud_id, Known())
    before, reasons = known.header, []
    if known.lines and before is None:
        return []
    carried = [encode(reference) for reference in before.contents] if before else []
    if any(r.device != header.author.device and encode(r) not in carried for r in header.contents):
        reasons.append("content-unknown")
    if before is None:
        return reasons
    wrapped, commitment = header.wrapped_key == before.wrapped_key, header.key_commitment == before.key_commitment
    if header.epoch != before.epoch and (wrapped or commitment):
        reasons.append("node-key-reused")
    if header.epoch == before.epoch and known.live and not (wrapped and commitment):
        reasons.append("node-key-swapped")
    if known.live and before.revived == header.revived and form(before) != form(header):
        reasons.append("malformed")
    return reasons


def form(header):
    """What a node is, as its header shows (§5.1, rule 11)."""
    listed = [reference for reference in header.contents if reference.section == 2]
    return "pointer" if not listed else "file" if listed[0].HasField("file") else "document"


def tombstone_reasons(log, record, number):
    tombstone = parse(records.Tombstone, record.body)
    if tombstone is None or len(record.signature) != 64:
        return ["malformed"], None
    if tombstone.suite != 1:
        return ["suite-unknown"], tombstone
    author = tombstone.author
    shape = lengths(
        (tombstone.branch, [16]),
        (tombstone.cloud_id, [16]),
        (tombstone.previous, [32]),
        (tombstone.permissions, [32]),
        (author.user, [20]),
        (author.device, [16]),
        (author.read_hash, [32]),
        (tombstone.operation, [16]),
    )
    if tombstone.HasField("moved"):
        shape += lengths((tombstone.moved.version_copied, [32]), (tombstone.moved.destination, [56]))
        shape += ["malformed"] if tombstone.cloud_id == tombstone.branch else []
    shape += ["malformed"] if tombstone.revived >= tombstone.version else []
    shape += counters(tombstone.version, tombstone.epoch, tombstone.revived, author.read_line)
    shape += burn_shape(tombstone)
    if shape:
        return list(dict.fromkeys(shape)), tombstone
    if tombstone.branch != log.branch:
        return ["branch-mismatch"], tombstone
    owner = log.permissions[-1][1].owner
    reasons = common_reasons(
        log, tombstone, record, number, "tombstone", lambda own, anyone: may_delete(tombstone, owner, own, anyone)
    )
    known = log.nodes.get(tombstone.cloud_id)
    if not known or not known.live or log.lives(tombstone.cloud_id) is False:
        reasons.append("version-stale")
    elif not continues(known, tombstone.revived):
        reasons.append("version-stale")
    below = [k for c, k in log.nodes.items() if c != tombstone.cloud_id and tombstone.cloud_id in log.ancestors(c)]
    if tombstone.HasField("burned"):
        reasons += ["letter-missing"] * any(log.lives(c) for c in log.nodes if tombstone.cloud_id in log.ancestors(c))
    elif any(k.last_line > author.read_line for k in below):
        reasons.append("unseen-children")
    return list(dict.fromkeys(reasons)), tombstone
