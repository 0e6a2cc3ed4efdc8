"""Pure functions that parse a mail to an envelope of author, subject and own words."""

import hashlib
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from operator import itemgetter

from pbm.mail.address import AddressError, newest_references, parse_address, parse_message_ids
from pbm.mail.reading.automatic import is_reaction, may_tell_a_robot, why_automatic
from pbm.mail.reading.charsets import decode_words
from pbm.mail.reading.limits import LIMITS, Limits, UnreadableMail
from pbm.mail.reading.mime import Headers, body_text, form_not_read, split_header, split_mail
from pbm.mail.reading.quoting import OwnWords, find_own_words
from pbm.mail.reading.quoting_marks import PHRASES
from pbm.mail.reading.signatures import name_words, signature_in
from pbm.mail.reading.tag_masking import mask_tags

_LONGEST = 2_000

# Allowed in a quoted name only, since they mean something else outside. Programs disagree on groups
# and routes (RFC 5322 sections 3.4, 4.4).
_STRAY = {
    "(": "a comment in parentheses",
    ")": "a comment in parentheses",
    ",": "more than one address",
    ":": "a group or a mail route instead of an address",
    ";": "a group instead of an address",
    "\\": "a stray backslash",
}


# A name in the old style, `a@b (Name)`, without characters that could make another program find
# another address.
_NAME_IN_COMMENT = re.compile(r"\([^()<>@\\]*\)(?=[ \t]*(?:<|$))")

_DOUBLED = re.compile(r"'?([^\s'<>]{3,320})'?[ \t]{0,9}<(\1)>", re.IGNORECASE)

# A quoted string, or a sign that counts outside of quoted strings.
_QUOTED_OR_SIGN = re.compile(r'"(?:[^"\\]|\\.)*"|["(),:;\\<>@]', re.DOTALL)


class AuthorError(ValueError):
    """The `From` fields have no clear author; `str()` is a sentence for people."""


def parse_author(fields: list[str]) -> str:
    """Return the author's address, from the values of all `From` fields. Raises AuthorError."""
    if not fields:
        raise AuthorError("The mail has no From line.")
    if len(fields) > 1:
        raise AuthorError("The mail has more than one From line.")
    value = fields[0].strip(" \t")
    if len(value) > _LONGEST:
        raise AuthorError("The From line of the mail is too long.")
    if not value.replace("\t", "").isprintable():
        raise AuthorError("The From line of the mail has control characters.")
    if doubled := _DOUBLED.fullmatch(value):  # many programs put the address for the name
        value = doubled[2]
    address = _address_in(_NAME_IN_COMMENT.sub(" ", value).strip(" \t"))
    if "=?" in address:
        raise AuthorError("The address in the From line is hidden in an encoded word.")
    if address.startswith("@"):
        raise AuthorError("The From line has a mail route instead of an address.")
    try:
        return parse_address(address)
    except AddressError as error:
        raise AuthorError(f"The From line of the mail has no proper address. {error}") from error


def _address_in(value: str) -> str:
    """Return the text in angle brackets, or the whole value if it has none."""
    found = [(match.start(), match[0]) for match in _QUOTED_OR_SIGN.finditer(value)]
    if any(sign == '"' for _, sign in found):
        raise AuthorError("The From line of the mail has a quotation mark that isn't closed.")
    marks = [(at, sign) for at, sign in found if sign[0] != '"']
    for _, char in marks:
        if char in _STRAY:
            raise AuthorError(f"The From line of the mail has {_STRAY[char]}.")
    signs = "".join(char for _, char in marks)
    if "<" not in signs and ">" not in signs:
        return value
    if signs.count("<") > 1 or signs.startswith("@"):
        raise AuthorError("The From line of the mail has more than one address.")
    if not (signs.startswith("<") and signs.endswith(">") and value.endswith(">")):
        raise AuthorError("The From line of the mail has an address that isn't bracketed rightly.")
    return value[marks[0][0] + 1 : -1].strip(" \t")  # RFC 5322, section 4.4


_STUB_LINES = 8
_DIGIT = re.compile(r"\d")
_POINTER = re.compile(r"html|https?://|www\.", re.IGNORECASE)
_LINK = re.compile(r"https?://\S+|www\.\S+")
_WORD = re.compile(r"\w+")
_SUBJECT_CHARS = 1_000
_MOST_REFERENCES = 20


@dataclass(frozen=True)
class Envelope:
    """The content of one mail, however malformed."""

    author: str | None
    author_problem: str | None  # a sentence for people
    subject: str  # decoded, on one line, with marks such as `Re:`
    message_id: str | None
    references: tuple[str, ...]  # newest first
    automatic: str | None  # why it counts as an automatic mail
    said: tuple[str, ...] = ()  # lines of the author's own words, without signature
    below_quotes: tuple[int, ...] = ()  # in `said`: the first line below each quotation
    is_masked: bool = False  # the function `masked` replaced secrets
    perhaps_tags: tuple[str, ...] = ()  # what it took for possible tags or tokens of ours
    signature: tuple[str, ...] = ()  # that has no mark `-- ` above it
    missing: str = ""  # what a mail without own words has instead: a form, "quoted", "empty"
    author_words: frozenset[str] = frozenset()  # of the author's name, in lower case


def read(
    raw: bytes, *, envelope_sender: str, own_address: str, limits: Limits = LIMITS
) -> Envelope:
    """Parse a mail, which may be any bytes. Raises nothing but UnreadableMail."""
    header = read_header(raw, envelope_sender, own_address, limits)
    headers, root = split_mail(raw, limits)
    text = body_text(raw, root, limits)
    words = find_own_words(text)
    if _may_be_stub(words.lines) and any(part.kind == "text/html" for part in root.walk()):
        words = _not_in(words, find_own_words(body_text(raw, root, limits, "text/html")))
    author = decode_words(headers.first("from"))[:_LONGEST].partition("@")[0]
    named = name_words(author)
    start, end = signature_in(words.lines, words.signature, named)
    said = words.lines[:start] + words.lines[end:]
    return replace(
        header,
        automatic=header.automatic or ("reaction" if is_reaction(said) else None),
        said=said[:-1] if said[-1:] == ("",) else said,
        below_quotes=tuple(
            at if at < start else at - (end - start)
            for at in words.below_quotes
            if not start <= at < end
        ),
        signature=words.lines[start:end],
        missing="" if said else _why_missing(text, words, form_not_read(root)),
        author_words=named,
    )


def _may_be_stub(lines: Sequence[str]) -> bool:
    """Return whether a plain part may only point to the words in the HTML part."""
    few = len(lines) <= _STUB_LINES
    return few and (not any(map(_DIGIT.search, lines)) or any(map(_POINTER.search, lines)))


def _not_in(plain: OwnWords, html: OwnWords) -> OwnWords:
    """Return the words of the HTML part if the plain part's are mostly others, or links alone."""
    said, in_html = (_WORD.findall(_LINK.sub("", "\n".join(it.lines))) for it in (plain, html))
    found = sum(map(set(map(str.casefold, in_html)).__contains__, map(str.casefold, said)))
    points = all(map(_POINTER.search, filter(None, plain.lines))) and len(in_html) > len(said)
    return html if in_html and (points or 2 * found < max(len(said), 1)) else plain


def _why_missing(text: str, words: OwnWords, form: str) -> str:
    """Return what a mail without own words has instead."""
    if "-----BEGIN PGP MESSAGE-----" in text:
        return "encrypted"
    return form or ("signature" if words.signature else "quoted" if text.strip() else "empty")


@lru_cache(maxsize=4)  # on arrival, and again in the mail's turn
def read_header(raw: bytes, envelope_sender: str, own_address: str, limits: Limits) -> Envelope:
    """Parse the header only, for speed; the envelope has no text. Raises UnreadableMail."""
    if len(raw) > limits.mail_bytes:
        raise UnreadableMail(f"This mail is larger than {limits.mail_bytes // 1024} KB.")
    headers, root = split_mail(raw, limits)
    author = problem = None
    try:
        author = parse_author(headers.all("from"))
    except AuthorError as error:
        problem = str(error)
    subject = _subject(headers)
    thread = headers.all("references", limits.header_bytes)
    references = newest_references(headers.all("in-reply-to"), thread, _MOST_REFERENCES)
    automatic = why_automatic(
        headers, root, author, subject, sender=envelope_sender, own_address=own_address
    )
    return Envelope(author, problem, subject, _message_id(headers), references, automatic)


# The fields that decide how a mail is handled; copies of it by two routes have the same ones.
_READ = frozenset(
    "from subject message-id in-reply-to references content-type content-transfer-encoding "
    "content-disposition".split()
)


def digest(raw: bytes) -> tuple[str, bool]:
    """Return the SHA-256, in hexadecimal, of a mail's body and the header fields that we read.

    The second result is whether the mail has a non-blank `Message-ID`, or an unreadable header.
    """
    try:
        headers, body = split_header(raw, LIMITS)
    except UnreadableMail:
        return hashlib.sha256(raw).hexdigest(), True
    is_named = any(map(str.strip, headers.all("message-id")))
    fields = [
        (name, b" ".join(value.split()))
        for name, value in headers.fields
        if name in _READ or may_tell_a_robot(name) or (name == "date" and not is_named)
    ]
    fields.sort(key=itemgetter(0))
    lines = [b"%b:%b\n" % (name.encode("ascii"), value) for name, value in fields]
    return hashlib.sha256(b"".join([*lines, b"\n", raw[body:]])).hexdigest(), is_named


def masked(envelope: Envelope, is_secret: Callable[[str], bool] = lambda _: False) -> Envelope:
    """Mask our addresses and secret words in the subject and the text of a mail.

    `is_secret` judges words that may be tags of reply addresses. `perhaps_tags` keeps them all.
    """
    perhaps: dict[str, None] = {}

    def asked(word: str) -> bool:
        perhaps[word] = None
        return is_secret(word)

    subject = mask_tags(envelope.subject, asked)
    text = mask_tags("\n".join(envelope.said), asked)
    said = tuple(text.split("\n")) if envelope.said else ()
    is_masked = envelope.is_masked or (subject, said) != (envelope.subject, envelope.said)
    return replace(
        envelope, subject=subject, said=said, is_masked=is_masked, perhaps_tags=tuple(perhaps)
    )


def _subject(headers: Headers) -> str:
    text = decode_words(headers.first("subject"))[:_SUBJECT_CHARS]
    if not text.isprintable():
        text = "".join(c if c.isprintable() else " " if c.isspace() else "" for c in text)
    return text.strip()


def _message_id(headers: Headers) -> str | None:
    """Return the Message-ID if the mail has exactly one such field, with one well-formed id."""
    fields = headers.all("message-id", 1_000)
    ids = parse_message_ids(" ".join(fields), 2)
    return ids[0] if len(fields) == 1 and ids == (fields[0].strip(),) else None


_MARKS = "|".join(map(re.escape, PHRASES["subject mark"]))
_COUNT = r"(?:\[[0-9]{1,4}\]|\([0-9]{1,4}\)|[\^*][0-9]{1,4})?"
_BRACKETED_FORWARD = re.compile(r"\[fwd?: ?([^\[\]]*)\]$", re.IGNORECASE)
_MARK_OR_TAG = re.compile(
    rf"(?:{_MARKS}) ?{_COUNT}[ \u200e\u200f]?[:\uff1a\ufe55][ \u200e\u200f]*"
    rf"|(?!{_BRACKETED_FORWARD.pattern})\[[^\[\]]{{0,80}}\] ?",
    re.IGNORECASE,
)
_FORWARD_END = re.compile(r" ?\(fwd\)$", re.IGNORECASE)
_DIRECTION_MARKS = "\u200e\u200f\u202a\u202b\u202c\u2066\u2067\u2068\u2069\ufeff"


def clean_subject(text: str) -> str:
    """Remove marks such as `Re:` and `Fwd:`, list tags, and needless blanks."""
    subject = _fold(text[:_SUBJECT_CHARS])
    while (rest := _without_marks(subject)) != subject:
        subject = rest
    return subject


def _without_marks(subject: str) -> str:
    """Remove reply marks and list tags before a subject, then `[Fwd: …]` around the subject."""
    at = 0
    while mark := _MARK_OR_TAG.match(subject, at):
        at = mark.end()
    rest = subject[at:]
    if around := _BRACKETED_FORWARD.match(rest):
        return _fold(around[1])
    return _fold(_FORWARD_END.sub("", rest))


def _fold(text: str) -> str:
    return " ".join(text.split()).lstrip(_DIRECTION_MARKS + " ")
