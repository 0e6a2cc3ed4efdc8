"""What became of a mail of ours, as other servers report it: RFC 3464, and older manners.

Pure, and bounded like all reading of mail. Nothing in a report is believed about whom it is
for: the address that it comes to says that.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from pbm.mail.author import AuthorError, parse_author
from pbm.mail.automatic import is_robot
from pbm.mail.body import body_text, decode_transfer
from pbm.mail.encoded_words import decode_words
from pbm.mail.foreign import presentable
from pbm.mail.header_block import Headers, split_header
from pbm.mail.limits import LIMITS, Limits
from pbm.mail.mime import Part, split_parts

DELIVERED, DELAYED, SOFT, HARD = "delivered", "delayed", "soft", "hard"
_MILDEST_FIRST = (DELIVERED, DELAYED, SOFT, HARD)

_STATUS_KINDS = ("message/delivery-status", "message/global-delivery-status")
_MOST_BYTES = 16_384  # of a machine-readable part
_MOST_LINES = 400
_MOST_CHARACTERS = 8_192  # of a report in prose

_CODE = r"[245]\.[0-9]{1,3}\.[0-9]{1,3}"
_STATUS = re.compile(rf"(?<![0-9.])({_CODE})(?![0-9.])", re.ASCII)
_REPLY = re.compile(
    rf"(?<![0-9.])([45])[0-9][0-9](?:[ -]#?({_CODE})(?![0-9.])|(?=[ :;-]|$))", re.ASCII
)
# In prose a number may mean anything, so a code counts only where servers put one.
_IN_PROSE = (
    re.compile(r"#([45]\.[0-9]{1,3}\.[0-9]{1,3})(?![0-9.])", re.ASCII),
    re.compile(r"(?<![0-9.])[45][0-9][0-9][ -]([45]\.[0-9]{1,3}\.[0-9]{1,3})(?![0-9])", re.ASCII),
    re.compile(r"(?:^|said:|error:|[:>(]) *([45])[0-9][0-9][ :-]", re.ASCII | re.MULTILINE),
    re.compile(r"(?<![0-9.a-z])([45]\.[0-9]\.[0-9]{1,2})(?![0-9]|\.[0-9])", re.ASCII),
)
_COPY_BEGINS = re.compile(
    r"^(?:[-=_*# ]{3}.*(?:copy of|original message|below this line|returned message)"
    r"|(?:copy of the |the )?original message follows|received: )",
    re.ASCII | re.IGNORECASE | re.MULTILINE,
)
_QMAIL = "Hi. This is the "  # how such a report begins
_WARNINGS = ("delay", "warning: could not send", "warning: message")


@dataclass(frozen=True)
class Report:
    """`verdict` is delivered, delayed, soft or hard; `status` the code of RFC 3463, or empty.

    `reason` is what the other server said, on one line, fit for the operator.
    """

    verdict: str
    status: str
    reason: str


def read_report(raw: bytes, limits: Limits = LIMITS) -> Report | None:
    """Read a mail as a report of what became of one of ours; None if it is none.

    `5.x.x` is hard, anything else that failed is soft. Of several recipients, as behind a
    forwarder, the one who fared best counts. Raises UnreadableMail beyond the limits.
    """
    headers, body = split_header(raw, limits)
    root = split_parts(raw, headers, body, limits)
    told = [report for part in _status_parts(root) for report in _recipients(raw, part)]
    if told:
        return min(told, key=lambda report: _MILDEST_FIRST.index(report.verdict))
    about = root.parameters.get("report-type", "delivery-status").lower()
    formal = root.kind == "multipart/report" and about == "delivery-status"
    text = body_text(raw, root, limits)[:_MOST_CHARACTERS]
    if formal or _says_so(headers, text):
        return _from_prose(decode_words(headers.first("subject", 300)), text)
    return None


def _status_parts(part: Part) -> Iterator[Part]:
    if part.kind in _STATUS_KINDS:
        yield part
    for child in part.parts:
        yield from _status_parts(child)


def _recipients(raw: bytes, part: Part) -> Iterator[Report]:
    """What the groups of fields for each recipient say (RFC 3464, section 2.3)."""
    end = min(part.end, part.start + 2 * _MOST_BYTES)
    content = decode_transfer(raw[part.start : end], part.encoding)[:_MOST_BYTES]
    for fields in _groups(content.decode("latin-1")):
        if fields.keys() & {"action", "status", "final-recipient"}:
            yield _recipient(fields)


def _groups(text: str) -> Iterator[dict[str, str]]:
    """Groups of fields, with empty lines between; the first of a name counts."""
    fields: dict[str, str] = {}
    name = ""
    for line in text.split("\n")[:_MOST_LINES]:
        if not line.strip():
            yield fields
            fields, name = {}, ""
        elif line[0] in " \t" and name:
            fields[name] += " " + line.strip()
        else:
            name, _, value = line.partition(":")
            name = name.strip().lower()
            if name in fields:
                name = ""  # its folded lines are passed over, too
            else:
                fields[name] = value.strip()
    yield fields


def _recipient(fields: dict[str, str]) -> Report:
    diagnostic = fields.get("diagnostic-code", "")
    said = _REPLY.search(diagnostic) or _STATUS.search(diagnostic)
    found = _STATUS.search(fields.get("status", ""))
    status = found[1] if found else _status_said(said)
    # Some servers write 5.0.0 whatever has happened, and the truth behind it.
    if status == "5.0.0" and said and said[1].startswith("4"):
        status = _status_said(said)
    action = fields.get("action", "").partition("(")[0].strip().lower()
    return Report(_verdict(action, status), status, presentable(diagnostic))


def _status_said(said: re.Match[str] | None) -> str:
    if said is None:
        return ""
    whole = said[said.lastindex or 1]
    return whole if "." in whole else f"{whole}.0.0"


def _verdict(action: str, status: str) -> str:
    if action in ("delivered", "relayed", "expanded"):
        return DELIVERED
    if action == "delayed":
        return DELAYED
    if status.startswith("2") and action != "failed":
        return DELIVERED
    return HARD if status.startswith("5") else SOFT


def _says_so(headers: Headers, text: str) -> bool:
    """Whether a mail that is no report by its type is one by its author or its words."""
    if headers.first("x-failed-recipients") or text.lstrip().startswith(_QMAIL):
        return True
    try:
        author = parse_author(headers.all("from"))
    except AuthorError:
        return any("mailer-daemon" in value.lower() for value in headers.all("from"))
    return is_robot(author)


def _from_prose(subject: str, text: str) -> Report:
    above = text[: found.start()] if (found := _COPY_BEGINS.search(text)) else text
    if subject.casefold().startswith(_WARNINGS) or "(delay)" in subject.casefold():
        return Report(DELAYED, "", presentable(subject))
    for pattern in _IN_PROSE:
        said = pattern.search(above)
        if said is not None:
            line = above[above.rfind("\n", 0, said.start(1)) + 1 :].partition("\n")[0]
            status = _status_said(said)
            return Report(_verdict("failed", status), status, presentable(line))
    return Report(SOFT, "", presentable(subject))
