"""Writes Tests/Vectors/<kind>/<name>.json."""

import json
import pathlib
import shutil
import sys

from .cases import attached, basics, boxes, branches, closings, codes, comments, counters, documents, files, headers
from .cases import keyring_changes
from .cases import keyring_room, keyrings, letters, lives, locks, logins, logs, nested
from .cases import messages, nodes, owners, permissions, places, posts, requests, rights, safety, stamps, transfer_words, transfers
from .check.judge import KNOWN, judge

FOLDER = pathlib.Path(__file__).resolve().parents[1]
KINDS = (
    "ids words safety padding seal keyring permissions box branch node destination message post origin code login document stamp comment request"
    " lock unit file"
).split()
MODULES = [basics, safety, keyrings, keyring_changes, permissions, rights, transfers, transfer_words]
MODULES += [closings, branches, headers, letters, places, lives, logs, counters, owners, nodes, messages, documents, stamps]
MODULES += [comments, requests]
MODULES += [locks, keyring_room, boxes, codes, logins, nested, files, attached, posts]


def main():
    written, wrong = {}, []
    for module in MODULES:
        for kind, name, expect, comment, fields in module.cases():
            assert name.startswith("good-") == (expect == "ok"), name
            assert (kind, name) not in written, name
            reasons = judge(kind, fields)
            if reasons != ([] if expect == "ok" else [expect]):
                wrong.append(f"{kind}/{name}: expected {expect}, judged {reasons}")
            KNOWN[kind, name] = fields
            written[kind, name] = {"kind": kind, "expect": expect, "comment": comment, **fields}
    if wrong:
        sys.exit("\n".join(wrong))
    for kind in KINDS:
        shutil.rmtree(FOLDER / kind, ignore_errors=True)
        (FOLDER / kind).mkdir()
    for (kind, name), case in written.items():
        text = json.dumps(case, indent=1, ensure_ascii=False)
        (FOLDER / kind / f"{name}.json").write_text(text + "\n", encoding="utf-8")
    for kind in KINDS:
        print(f"{kind:12}{sum(1 for k, _ in written if k == kind):4}")
    print(f"{'all':12}{len(written):4}")


main()
