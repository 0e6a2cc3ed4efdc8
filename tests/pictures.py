"""The pictures in our mails, taken out and looked at."""

import io
import re
from base64 import b64decode

from PIL import Image

PICTURE_PART = re.compile(
    rb"(\r\nContent-Type: image/png;[^\r\n]*\r\n(?:[^\r\n]+\r\n)+\r\n)((?:[A-Za-z0-9+/=]+\r\n)+)"
)
"""The fields of a picture with the empty line that ends them, and the picture in Base64."""


def pictures(raw: bytes) -> list[bytes]:
    """The pictures of a mail, as PNG files."""
    return [b64decode(part[2]) for part in PICTURE_PART.finditer(raw)]


def without_pictures(raw: bytes) -> bytes:
    """A mail as it is without the contents of its pictures."""
    return PICTURE_PART.sub(rb"\1", raw)


def pixels(png: bytes) -> tuple[tuple[int, int], bytes]:
    """Width and height, and what is seen: red, green, blue and opacity of each pixel."""
    with Image.open(io.BytesIO(png)) as image:
        return image.size, image.convert("RGBA").tobytes()
