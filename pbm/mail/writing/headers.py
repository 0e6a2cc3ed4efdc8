"""Header lines, validated before they are written.

A header contains only printable ASCII and encoded words (RFC 2047) of our own: a line break in a
value would let the sender inject a header.
"""

import re
import unicodedata
from collections.abc import Iterable
from email import base64mime, quoprimime
from functools import lru_cache

from pbm.mail.address import AddressError, is_message_id, parse_address

_LINE = 76  # RFC 2047, section 2: the limit for lines with encoded words
_LONGEST_LINE = 998  # RFC 5322, section 2.1.1
_WORD_BYTES = 45  # so many bytes of UTF-8 make a B word of 72 characters
_FIELD_NAME = re.compile(r"[A-Za-z][A-Za-z0-9-]{0,59}", re.ASCII)
_ATOMS = re.compile(r"[A-Za-z0-9!#$%&'*+/=?^_`{|}~ -]*", re.ASCII)
_FORBIDDEN_CATEGORIES = frozenset({"Cc", "Cs", "Zl", "Zp"})


class HeaderError(ValueError):
    """An invalid header value; ``str()`` names the field, not the value."""


def check_field_name(name: str) -> str:
    """Return the name of a header field unchanged. Raises HeaderError if it is invalid."""
    if not _FIELD_NAME.fullmatch(name):
        raise HeaderError("A header field's name must be letters, digits and hyphens.")
    return name


def text_field(name: str, value: str) -> str:
    """A field of free text, such as Subject: unchanged if it is short ASCII, else encoded.

    Raises HeaderError for control characters, line separators and lone surrogates.
    """
    _check_text(name, value)
    plain = f"{name}: {value}"
    if _stands_as_it_is(value) and len(plain) <= _LINE:
        return plain.rstrip(" ")
    return f"{name}: {_encoded(value, taken=len(name) + 2)}"


def ascii_field(name: str, value: str) -> str:
    """A field for programs: printable ASCII on one line. Raises HeaderError for all else."""
    if not value or not value.isprintable() or not _stands_as_it_is(value):
        raise HeaderError(f"The value of {name} must be printable ASCII without outer blanks.")
    line = f"{name}: {value}"
    if len(line) > _LONGEST_LINE:
        raise HeaderError(f"The value of {name} is too long for a header line.")
    return line


def mailbox_field(name: str, address: str, display_name: str = "") -> str:
    """A field of one mailbox, such as From and To. Raises HeaderError."""
    try:
        mailbox = parse_address(address)
    except AddressError as error:
        raise HeaderError(f"{name}: {error}") from None
    if not display_name:
        return f"{name}: {mailbox}"
    line = f"{name}: {_phrase(name, display_name)}"
    fold = " " if len(line) + len(mailbox) + 3 <= _LINE else "\r\n "
    return f"{line}{fold}<{mailbox}>"


def message_id_field(name: str, ids: Iterable[str]) -> str:
    """Message-ID, In-Reply-To or References: ids in angle brackets, folded. Raises HeaderError."""
    line, lines = f"{name}:", []
    for message_id in ids:
        if not is_message_id(message_id):
            raise HeaderError(f"{name} may hold nothing but Message-IDs.")
        if len(line) + 1 + len(message_id) > _LINE and line != f"{name}:":
            lines.append(line)
            line = ""
        line += f" {message_id}"
    return "\r\n".join([*lines, line])


def _check_text(name: str, value: str) -> None:
    if value.isascii() and value.isprintable():
        return
    if any(unicodedata.category(char) in _FORBIDDEN_CATEGORIES for char in value):
        raise HeaderError(f"The value of {name} holds a control character or a line break.")


def _stands_as_it_is(value: str) -> bool:
    """Whether readers decode this ASCII value to itself; ``=?`` could begin an encoded word."""
    return value.isascii() and value == value.strip(" ") and "=?" not in value


@lru_cache(maxsize=64)  # all our mails have one sender name
def _phrase(name: str, display_name: str) -> str:
    _check_text(name, display_name)
    if display_name != " ".join(display_name.split()):  # blanks that readers may fold or keep
        raise HeaderError(f"The display name in {name} may hold single blanks between words only.")
    if _stands_as_it_is(display_name):
        phrase = display_name
        if not _ATOMS.fullmatch(display_name) or "  " in display_name:
            escaped = display_name.replace("\\", "\\\\").replace('"', '\\"')
            phrase = f'"{escaped}"'
    else:
        phrase = _encoded(display_name, taken=len(name) + 2)
    # One line only: between several encoded words in a name some readers keep the blanks.
    if "\n" in phrase or len(name) + 2 + len(phrase) > _LINE:
        raise HeaderError(f"The display name in {name} is too long.")
    return phrase


def _encoded(value: str, taken: int) -> str:
    """Encoded words, each on its own line: readers drop the blanks between two of them.

    ``taken`` is the length of the field's name on the first line.
    """
    words: list[str] = []
    room = (_LINE - taken - 12) // 4 * 3
    piece = b""
    for char in value:
        octets = char.encode("utf-8")
        if len(piece) + len(octets) > min(room, _WORD_BYTES):
            words.append(_word(piece))
            piece, room = b"", _WORD_BYTES
        piece += octets
    words.append(_word(piece))
    return "\r\n ".join(words)


def _word(octets: bytes) -> str:
    # The library's Q alphabet is that of a phrase (RFC 2047, section 5, rule 3), valid everywhere.
    readable = quoprimime.header_encode(octets, "utf-8")
    if len(readable) - len("=?utf-8?q??=") <= len(octets) * 4 // 3:
        return readable
    return base64mime.header_encode(octets, "utf-8")
