# SPDX-License-Identifier: Apache-2.0
"""Pictures as dcsim writes them."""
import struct
import zlib


def pixels(name):
    """Rows of (red, green, blue) of a PNG of 8-bit RGB without filters."""
    with open(name, "rb") as file:
        data = file.read()
    at, packed, width, height = 8, b"", 0, 0
    while at < len(data):
        length, kind = struct.unpack(">I4s", data[at:at + 8])
        if kind == b"IHDR":
            width, height = struct.unpack(">II", data[at + 8:at + 16])
        packed += data[at + 8:at + 8 + length] if kind == b"IDAT" else b""
        at += 12 + length
    rows, stride = zlib.decompress(packed), 1 + 3 * width
    assert len(rows) == height * stride and not any(rows[::stride])
    return [[tuple(rows[stride * y + 1 + 3 * x:stride * y + 4 + 3 * x]) for x in range(width)] for y in range(height)]
