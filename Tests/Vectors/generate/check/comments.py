"""docs/spec/07-documents.md §7.8, by a second route."""

from nacl.exceptions import CryptoError
from nacl.signing import VerifyKey

from ..schema import documents, records
from . import keyrings


def comment(case):
    made = documents.Document.FromString(bytes.fromhex(case["document"]))
    registers = {register.field: register.value for register in made.registers}
    notes = [element for element in made.elements if element.field == 16]
    writer, proof = registers.get(8, b""), registers.get(14, b"")
    known = case["keyrings"].get(writer.hex())
    if known is None or len(notes) != 1 or len(proof) != 84:
        return ["signature-bad"]
    keyring, reasons = keyrings.fold(writer, [records.SignedRecord.FromString(bytes.fromhex(text)) for text in known])
    position, device = int.from_bytes(proof[:4], "big"), proof[4:20]
    if reasons or position > keyring.position or not keyring.active(device, position):
        return ["signature-bad"]
    said = writer + device + proof[:4] + bytes.fromhex(case["todo"] + case["comment_id"])
    said += notes[0].stamp.time.to_bytes(8, "big") + notes[0].value
    try:
        VerifyKey(keyring.devices[device][0]).verify(b"\x0ftodo/v1/comment" + said, proof[20:])
    except (CryptoError, ValueError):
        return ["signature-bad"]
    return []
