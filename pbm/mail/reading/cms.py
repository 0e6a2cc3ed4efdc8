"""Finds the content in CMS signed-data (RFC 5652), which S/MIME programs send as smime.p7m.

Signatures are not checked: a tag or the upstream mail server says whom a mail is from.
"""

_SEQUENCE, _EXPLICIT, _OCTETS, _PIECES = 0x30, 0xA0, 0x04, 0x24
# ContentInfo, its type and content; SignedData, its version and algorithms; the enclosed content's
# info, type and content. Other kinds of data, such as encrypted, differ from it on the way.
_WAY = (_SEQUENCE, 0x06, _EXPLICIT, _SEQUENCE, 0x02, 0x31, _SEQUENCE, 0x06, _EXPLICIT)
_MOST_LENGTH_BYTES = 4


def signed_content(data: bytes) -> bytes:
    """Return what is signed; empty if the data is anything else."""
    try:
        return _content(data)
    except (IndexError, ValueError):
        return b""


def _content(data: bytes) -> bytes:
    at = 0
    for expected in _WAY:
        tag, at, end = _element(data, at)
        if tag != expected:
            raise ValueError(tag)
        at = at if tag in (_SEQUENCE, _EXPLICIT) else end
    tag, at, end = _element(data, at)
    if tag == _OCTETS:
        return data[at:end]
    pieces = bytearray()
    while tag == _PIECES and at < end and data[at] == _OCTETS:
        _, at, piece_end = _element(data, at)
        pieces += data[at:piece_end]
        at = piece_end
    return bytes(pieces)


def _element(data: bytes, at: int) -> tuple[int, int, int]:
    """Return the tag of an element, and where its content begins and ends (X.690, section 8.1)."""
    first, at = data[at + 1], at + 2
    size = first & 0x7F if first & 0x80 else 0
    if size > _MOST_LENGTH_BYTES:
        raise ValueError(size)
    begin = at + size
    length = int.from_bytes(data[at:begin]) if size else first
    return data[at - 2], begin, len(data) if first == 0x80 else min(begin + length, len(data))
