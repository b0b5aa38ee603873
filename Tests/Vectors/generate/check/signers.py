"""docs/spec/03-permissions.md §3.3: whether somebody's device may sign at a position of their keyring."""

from ..primitives import signature_fits


def signer_reasons(log, record, domain, user, device, position, pinned):
    keyring = log.keyrings.get(user)
    if keyring is None or position > keyring.position:
        return ["keyring-stale"]
    reasons = ["keyring-stale"] if position < pinned else []
    if not keyring.active(device, position):
        return reasons + ["device-unknown"]
    if not signature_fits(keyring.devices[device][0], domain, record):
        reasons.append("signature-bad")
    return reasons


def pinned_for(record, user: bytes) -> int:
    """The position that a permissions record pins for a user; 0 without one."""
    return next((entry.keyring_position for entry in record.entries if entry.user == user), 0)
