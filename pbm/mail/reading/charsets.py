"""Decodes text by an allow-list of charsets, and turns typographic signs into ASCII.

The allow-list keeps out slow or surprising codecs of Python that are no charsets, such as
`unicode_escape` and `idna`. Phones write typographic dashes and quotes by themselves.
"""

import base64
import binascii
import re
from pathlib import Path

_LATIN_1 = "iso-8859-1"
_FEW_DAMAGED = 3  # one of so many characters that are not ASCII
# Within a character class: characters that are not drawn (Unicode's Default_Ignorable_Code_Point),
# and the marks of annotations.
UNSEEN = (
    "\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e"
    "\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb\U0001bca0-\U0001bca3"
    "\U0001d173-\U0001d17a\U000e0000-\U000e0fff"
)
_JOINERS = "\u034f\u180b-\u180f\u200c\u200d"  # they join or part letters that are not ASCII
_UNSEEN = re.compile(
    rf"(?![{_JOINERS}\ufe00-\ufe0f])[{UNSEEN}]|(?<=[ -~])[{_JOINERS}\ufe00-\ufe0f]+"
    rf"|(?<![{_JOINERS}])[{_JOINERS}]++(?=[ -~])"
)

_IN_LABELS = dict.fromkeys(map(ord, "-_ .:\"'"))  # programs write them, or leave them out
_FILE = Path(__file__).with_name("charsets.txt")
_CODECS: dict[str, str] = {
    label.translate(_IN_LABELS): codec
    for codec, labels in re.findall(r"^(\S+) = (.+)$", _FILE.read_text("ascii"), re.MULTILINE)
    for label in labels.split()
}

# Mails labelled Latin-1 are Windows-1252, which has dashes and quotes for control characters.
_C1_AS_WINDOWS = {
    code: text
    for code in range(0x80, 0xA0)
    if (text := bytes([code]).decode("cp1252", errors="ignore"))
}

_DASHES = "\u2010\u2011\u2012\u2013\u2014\u2015\u2212"
_SINGLE_QUOTES = "\u2018\u2019\u201a\u201b\u2039\u203a\u2032"
_DOUBLE_QUOTES = "\u201c\u201d\u201e\u201f\u00ab\u00bb\u2033"
_SPACES = "\u00a0\u202f\u205f" + "".join(map(chr, range(0x2000, 0x200B)))
_TYPOGRAPHY = str.maketrans(
    dict.fromkeys(_DASHES, "-")
    | dict.fromkeys(_SINGLE_QUOTES, "'")
    | dict.fromkeys(_DOUBLE_QUOTES, '"')
    | dict.fromkeys(_SPACES, " ")
)

_UTF_16_MARKS = (b"\xff\xfe", b"\xfe\xff")
_CONTROLS = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")


def codec_for(label: str) -> str:
    """Return Python's codec for a charset label; "" for plain ASCII or an unknown one."""
    return _CODECS.get(label.strip().lower().translate(_IN_LABELS), "")


def decode(raw: bytes, label: str) -> str:
    """Decode bytes by a charset's label. For "" or ASCII, UTF-8 is tried first, then Latin-1.

    So it is for an unknown label: text that is valid UTF-8 is hardly ever anything else, also if a
    few of its characters are damaged.
    """
    codec = codec_for(label) or ("utf-16" if raw[:2] in _UTF_16_MARKS else "")
    if not codec:
        text = raw.decode("utf-8", errors="replace")
        not_ascii = len(text) - len(text.encode("ascii", errors="ignore"))
        if _FEW_DAMAGED * text.count("\ufffd") <= not_ascii:
            return text
        codec = _LATIN_1
    if codec == _LATIN_1:
        return raw.decode("latin-1").translate(_C1_AS_WINDOWS)
    return raw.decode(codec, errors="replace")


def plain_lines(text: str) -> str:
    """Normalise line ends, drop a byte order mark, and replace control characters by U+FFFD."""
    text = text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")
    text = text.replace("\u2028", "\n").replace("\u2029", "\n\n").replace("\x85", "\n")
    text = text.replace("\x0c", "\n")
    if text.replace("\n", "").isprintable():
        return text
    return _CONTROLS.sub("\ufffd", text)


def without_unseen(text: str) -> str:
    """Drop characters that are not drawn, but for those that join letters of other scripts."""
    return text if text.isascii() else _UNSEEN.sub("", text)


def fold_typography(text: str) -> str:
    return text if text.isascii() else text.translate(_TYPOGRAPHY)


# RFC 2047 section 2, with the language of RFC 2231 section 5. Blanks within the encoded text
# are forbidden there, but common.
_ENCODED_WORD = re.compile(
    r"=\?([A-Za-z0-9_.:+-]{1,40})(?:\*[A-Za-z0-9-]{0,20})?\?([bBqQ])\?([^?]{0,2000})\?=", re.ASCII
)
_BASE64 = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
_NOT_BASE64 = bytes(range(256)).translate(None, _BASE64)
_PADDED = re.compile(rb"([^=]*)(?:=[=\s]*|\Z)")
_LINES = re.compile(rb"[A-Za-z0-9+/]*(?:\r?\n[A-Za-z0-9+/]+)*")
_BLANKS_BEHIND_BREAK = re.compile(rb"=[ \t]++(?=\r?\n|\Z)")


def decode_words(value: str) -> str:
    """Decode the encoded words of a header value; adjacent words in one charset are joined."""
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
        octets = word[3].encode("utf-8")
        is_base64 = word[2] in "bB"
        pending.append(decode_base64(octets) if is_base64 else binascii.a2b_qp(octets, header=True))
        at = word.end()
    out.append(decode(b"".join(pending), charset))
    out.append(value[at:])
    return "".join(out)


def decode_base64(raw: bytes) -> bytes:
    """Decode base64, which may be padded in several places; invalid characters are skipped.

    What follows the padding counts only if it is nothing but base64 in lines without blanks.
    """
    decoded = bytearray()
    for piece in _PADDED.finditer(raw):
        if piece.start() and not _LINES.fullmatch(piece[1].strip()):
            break
        clean = piece[1].translate(None, _NOT_BASE64)
        whole = len(clean) - (len(clean) % 4 == 1)  # a single character at the end has no byte
        decoded += base64.b64decode(clean[:whole] + b"===")  # more padding than needed is ignored
    return bytes(decoded)


def decode_transfer(raw: bytes, encoding: str) -> bytes:
    """Decode a transfer encoding (RFC 2045, section 6); return an unencoded body as it is."""
    if encoding.startswith("quoted-printable"):
        # A server on the way may have added the blanks (section 6.7, rule 3).
        return binascii.a2b_qp(_BLANKS_BEHIND_BREAK.sub(b"=", raw))
    if not encoding.startswith("base64"):
        return raw
    head = raw.partition(b"=")[0].strip()
    odd = head.translate(None, _BASE64 + b" \t\r\n")
    # Plain text that a mailing list has appended is no base64.
    return raw if b" " in head or len(odd) * 20 > len(head) else decode_base64(raw)
