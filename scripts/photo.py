"""A picture to attach, as large as somebody wants it. For the scripts in the folders beside this file."""

import os
import struct
import zlib


def picture(path, mebibytes):
    """A picture of one pixel, and beside it what no program knows."""

    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    with open(path, "wb") as file:
        file.write(b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", 1, 1, 8, 2, 0, 0, 0)))
        for _ in range(mebibytes):
            file.write(chunk(b"prVt", os.urandom(1 << 20)))
        file.write(chunk(b"IDAT", zlib.compress(b"\0\xff\0\0")) + chunk(b"IEND", b""))
