"""PNG files of sixteen colours (PNG specification, third edition, sections 5 and 11).

Pillow's own writer filters the rows of such an image, which makes those of ours a fifth larger and
takes twice as long.
"""

import struct
import zlib
from typing import Final

from PIL import Image

_SIGNATURE: Final = b"\x89PNG\r\n\x1a\n"
_BITS, _INDEXED = 4, 3
_LEVEL: Final = 5  # of compression: 6 saves an eighth, and takes twice as long


def encoded(image: Image.Image, palette: bytes, alphas: bytes) -> bytes:
    """An image of an even width, each of its pixels the number of a colour, as a file.

    `palette` has three bytes for each of at most sixteen colours; `alphas` is how opaque the first
    of them are.
    """
    image.putpalette(palette)
    size = struct.pack(">II", *image.size)
    return b"".join(
        (
            _SIGNATURE,
            _chunk(b"IHDR", size + bytes((_BITS, _INDEXED, 0, 0, 0))),
            _chunk(b"PLTE", palette),
            _chunk(b"tRNS", alphas),
            _chunk(b"IDAT", zlib.compress(_rows(image), _LEVEL)),
            _chunk(b"IEND", b""),
        )
    )


def _rows(image: Image.Image) -> bytes:
    """The packed rows, each behind a zero: it is not filtered."""
    stride = image.width * _BITS // 8 + 1  # Pillow fills rows up with zeros
    return b"\0" + image.tobytes("raw", f"P;{_BITS}", stride)[:-1]


def _chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
