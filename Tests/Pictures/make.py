"""Writes the pictures of this folder, which PictureTests read: python3 Tests/Pictures/make.py

All show the same: 64 by 32 pixels, red at the top left, green at the top right, blue at the bottom left, white at the bottom right; where
something is transparent, it is the last. Needs libgd; the bytes depend on its version."""

import ctypes
import pathlib
import struct
import zlib

FOLDER = pathlib.Path(__file__).resolve().parent
WIDTH, HEIGHT = 64, 32
COLOURS = [(255, 0, 0), (0, 255, 0), (0, 0, 255), (255, 255, 255)]
CLEAR = 127 << 24

gd = ctypes.CDLL("libgd.so.3")
for name in ("gdImageCreate", "gdImageCreateTrueColor", "gdImageJpegPtr", "gdImagePngPtr", "gdImageGifPtr", "gdImageWebpPtrEx"):
    getattr(gd, name).restype = ctypes.c_void_p


def image(width=WIDTH, height=HEIGHT, clear=False, palette=False, colours=COLOURS):
    made = ctypes.c_void_p((gd.gdImageCreate if palette else gd.gdImageCreateTrueColor)(width, height))
    gd.gdImageAlphaBlending(made, 0)
    gd.gdImageSaveAlpha(made, 1)
    for number, (red, green, blue) in enumerate(colours):
        is_clear = clear and number == 3
        colour = gd.gdImageColorAllocate(made, red, green, blue) if palette else red << 16 | green << 8 | blue
        if is_clear and palette:
            gd.gdImageColorTransparent(made, colour)
        elif is_clear:
            colour |= CLEAR
        left, top = number % 2 * width // 2, number // 2 * height // 2
        gd.gdImageFilledRectangle(made, left, top, left + width // 2 - 1, top + height // 2 - 1, colour)
    return made


def encode(made, write, *options):
    size = ctypes.c_int()
    start = getattr(gd, write)(made, ctypes.byref(size), *options)
    return ctypes.string_at(start, size.value)


def chunk(tag, content):
    return struct.pack(">I", len(content)) + tag + content + struct.pack(">I", zlib.crc32(tag + content))


def sixteen_bits():
    """Colours of 16 bits, which no encoder of libgd writes."""
    rows = b""
    for y in range(HEIGHT):
        rows += b"\0"
        for x in range(WIDTH):
            colour = COLOURS[(x >= WIDTH // 2) + 2 * (y >= HEIGHT // 2)]
            rows += b"".join(struct.pack(">H", part * 257) for part in colour)
    header = struct.pack(">IIBBBBB", WIDTH, HEIGHT, 16, 2, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(rows, 9)) + chunk(b"IEND", b"")


def animated_gif():
    """The picture, and a red square at (8, 4) a tenth of a second later; played for ever."""
    first = encode(image(palette=True), "gdImageGifPtr")
    second = encode(image(8, 8, palette=True, colours=[COLOURS[0]] * 4), "gdImageGifPtr")
    colours = 13 + (3 << ((second[10] & 7) + 1))
    frame = second[colours:-1]
    assert frame[0] == 0x2C and first[-1] == second[-1] == 0x3B
    local = second[13:colours]
    frame = b"\x2c" + struct.pack("<HHHH", 8, 4, 8, 8) + bytes([0x80 | second[10] & 7]) + local + frame[10:]
    start = 13 + (3 << ((first[10] & 7) + 1))
    control = b"\x21\xf9\x04\x04\x0a\x00\x00\x00"
    loop = b"\x21\xff\x0bNETSCAPE2.0\x03\x01\x00\x00\x00"
    return b"GIF89a" + first[6:start] + loop + control + first[start:-1] + control + frame + b"\x3b"


def riff(content):
    return b"RIFF" + struct.pack("<I", len(content) + 4) + b"WEBP" + content


def part(tag, content):
    return tag + struct.pack("<I", len(content)) + content + b"\0" * (len(content) % 2)


def small(number):
    return struct.pack("<I", number)[:3]


def animated_webp():
    """The same: a frame without losses, and a small one with some, a tenth of a second each."""
    frames = b""
    for left, top, width, height, made in [(0, 0, WIDTH, HEIGHT, encode(image(), "gdImageWebpPtrEx", 101)),
                                           (8, 4, 8, 8, encode(image(8, 8, colours=[COLOURS[0]] * 4), "gdImageWebpPtrEx", 80))]:
        assert made[12:16] in (b"VP8L", b"VP8 "), made[:40]
        where = small(left // 2) + small(top // 2) + small(width - 1) + small(height - 1) + small(100) + b"\0"
        frames += part(b"ANMF", where + made[12:])
    header = bytes([0x02, 0, 0, 0]) + small(WIDTH - 1) + small(HEIGHT - 1)
    return riff(part(b"VP8X", header) + part(b"ANIM", bytes(6)) + frames)


def sauce():
    """What samples/photo.transcript shows: a bottle, and in the file's EXIF a camera and a place."""
    width, height = 84, 160
    cream, dark, red, cap, back = (252, 236, 200), (40, 16, 10), (255, 120, 40), (255, 214, 60), (18, 28, 40)
    letters = {"B": "110 101 110 101 110", "Q": "111 101 101 111 001"}

    def colour(x, y):
        middle = abs(x - width / 2 + .5)
        if 6 <= y < 22 and middle < 11:
            return cap
        if 26 <= y < 50:
            return red if middle < 10 + max(0, y - 34) * 1.4 else back
        if not 50 <= y < 152 or middle >= 33:
            return back
        if not 68 <= y < 132 or middle >= 30:
            return red
        for place, letter in enumerate("BBQ"):
            column, row = (x - 15 - 19 * place) // 5, (y - 80) // 8
            if 0 <= column < 3 and 0 <= row < 5 and letters[letter].split()[row][column] == "1":
                return dark
        return cream

    def chunk(tag, content):
        return struct.pack(">I", len(content)) + tag + content + struct.pack(">I", zlib.crc32(tag + content))

    def entry(tag, kind, count, value):
        return struct.pack(">HHI", tag, kind, count) + value

    place = struct.pack(">H", 1) + entry(0x0001, 2, 2, b"N\0\0\0") + bytes(4)
    entries = entry(0x010F, 2, 4, b"Eye\0") + entry(0x8825, 4, 1, struct.pack(">I", 38))
    exif = b"MM\0*" + struct.pack(">IH", 8, 2) + entries + bytes(4) + place
    rows = b"".join(b"\0" + bytes(value for x in range(width) for value in colour(x, y)) for y in range(height))
    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    parts = [(b"IHDR", header), (b"eXIf", exif), (b"IDAT", zlib.compress(rows, 9)), (b"IEND", b"")]
    return b"\x89PNG\r\n\x1a\n" + b"".join(chunk(tag, content) for tag, content in parts)


def main():
    progressive = image()
    gd.gdImageInterlace(progressive, 1)
    files = {
        "baseline.jpg": encode(image(), "gdImageJpegPtr", 90),
        "progressive.jpg": encode(progressive, "gdImageJpegPtr", 90),
        "colours.png": encode(image(), "gdImagePngPtr"),
        "interlaced.png": encode(progressive, "gdImagePngPtr"),
        "palette.png": encode(image(palette=True, clear=True), "gdImagePngPtr"),
        "alpha.png": encode(image(clear=True), "gdImagePngPtr"),
        "sixteen.png": sixteen_bits(),
        "still.gif": encode(image(palette=True), "gdImageGifPtr"),
        "transparent.gif": encode(image(palette=True, clear=True), "gdImageGifPtr"),
        "animated.gif": animated_gif(),
        "lossy.webp": encode(image(), "gdImageWebpPtrEx", 90),
        "lossless.webp": encode(image(), "gdImageWebpPtrEx", 101),
        "alpha.webp": encode(image(clear=True), "gdImageWebpPtrEx", 90),
        "animated.webp": animated_webp(),
    }
    for name, content in files.items():
        (FOLDER / name).write_bytes(content)
    (FOLDER.parent.parent / "samples" / "sauce.png").write_bytes(sauce())


main()
