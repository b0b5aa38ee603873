"""Runs protoc over proto/*.proto into a temporary folder and imports what it wrote."""

import importlib
import os
import pathlib
import subprocess
import sys
import tempfile

# The pure Python runtime writes fields by number everywhere, so the files are the same on every machine.
os.environ["PROTOCOL_BUFFERS_PYTHON_IMPLEMENTATION"] = "python"

PROTO = pathlib.Path(__file__).resolve().parents[3] / "proto"

with tempfile.TemporaryDirectory() as folder:
    sources = sorted(str(path) for path in PROTO.glob("*.proto"))
    subprocess.run(["protoc", f"--proto_path={PROTO}", f"--python_out={folder}", *sources], check=True)
    sys.path.insert(0, folder)
    sys.dont_write_bytecode = True
    try:
        records = importlib.import_module("records_pb2")
        requests = importlib.import_module("requests_pb2")
        treesystem = importlib.import_module("treesystem_pb2")
        sharing = importlib.import_module("sharing_pb2")
        documents = importlib.import_module("documents_pb2")
    finally:
        sys.path.remove(folder)


def encode(message) -> bytes:
    return message.SerializeToString(deterministic=True)
