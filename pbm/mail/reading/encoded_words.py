"""Encoded words in headers (RFC 2047): read leniently, as mailers write them."""

import base64
import binascii
import re

from pbm.mail.reading.charsets import codec_for, decode

# RFC 2047 section 2, with the language of RFC 2231 section 5. Blanks within the encoded text
# are forbidden there, but common.
_ENCODED_WORD = re.compile(
    r"=\?([A-Za-z0-9_.:+-]{1,40})(?:\*[A-Za-z0-9-]{0,20})?\?([bBqQ])\?([^?]{0,2000})\?=", re.ASCII
)
_BASE64 = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
_NOT_BASE64 = bytes(range(256)).translate(None, _BASE64)


def decode_words(value: str) -> str:
    """Decode the encoded words of a header value; what is broken stays as it is.

    Neighbouring words of one charset are decoded together, as many mailers cut characters in
    two.
    """
    if "=?" not in value:
        return value
    out: list[str] = []
    pending: list[bytes] = []
    charset = ""
    at = 0
    for word in _ENCODED_WORD.finditer(value):
        between = value[at : word.start()]
        is_adjacent = bool(pending) and not between.strip(" \t")
        if not (is_adjacent and codec_for(word[1]) == codec_for(charset)):
            out.append(decode(b"".join(pending), charset))
            out.append("" if is_adjacent else between)
            pending = []
        charset = word[1]
        pending.append(_word_bytes(word[2], word[3]))
        at = word.end()
    out.append(decode(b"".join(pending), charset))
    out.append(value[at:])
    return "".join(out)


def _word_bytes(encoding: str, text: str) -> bytes:
    raw = text.encode("utf-8")
    if encoding in "bB":
        return decode_base64(raw)
    return binascii.a2b_qp(raw.replace(b"_", b" "))


def decode_base64(raw: bytes) -> bytes:
    """As much of `raw` as can be decoded: up to the padding, whatever stands in between."""
    clean = raw.partition(b"=")[0].translate(None, _NOT_BASE64)
    if len(clean) % 4 == 1:
        clean = clean[:-1]
    return base64.b64decode(clean + b"=" * (-len(clean) % 4))
