"""Parser of delivery reports of other servers: RFC 3464, and older formats."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from pbm.addresses import address_key
from pbm.mail.reading.automatic import is_robot
from pbm.mail.reading.charsets import decode_transfer, decode_words
from pbm.mail.reading.inbound import AuthorError, parse_author
from pbm.mail.reading.limits import REPORT_LIMITS
from pbm.mail.reading.mime import Headers, Part, body_text, split_mail
from pbm.mail.smtp_out.delivery import presentable

_Fields = dict[str, str]

DELIVERED, DELAYED, SOFT, HARD = "delivered", "delayed", "soft", "hard"  # verdicts
_MILDEST_FIRST = (DELIVERED, DELAYED, SOFT, HARD)

_STATUS_KINDS = ("message/delivery-status", "message/global-delivery-status")
_WHOSE = ("original-recipient", "final-recipient")
_WHAT = ("action", "status")
_ENCODED = re.compile(r"\+([0-9a-f]{2})", re.ASCII)
_MOST_BYTES = 16_384  # of a machine-readable part
_MOST_LINES = 400
_MOST_CHARACTERS = 8_192  # of a report in prose

_CODE = r"[245]\.[0-9]{1,3}\.[0-9]{1,3}"
_ENDS = r"(?![0-9]|\.[0-9])"  # a full stop may follow
_STATUS = re.compile(rf"(?<![0-9.])({_CODE}){_ENDS}", re.ASCII)
_HALF_A_STATUS = re.compile(rf"(?<![0-9.])([245]\.[0-9]{{1,3}}){_ENDS}", re.ASCII)
_REPLY = re.compile(
    rf"(?<![0-9.])([45])[0-9][0-9](?:[ -]?#?({_CODE}){_ENDS}|(?=[ :;,#-]|{_ENDS}\.|$))", re.ASCII
)
_COMMENT = re.compile(r"\([^()]*\)")
_ROUND_A_DOT = re.compile(r"[ \t]?\.[ \t]?", re.ASCII)
# The exit status of the program that delivers (sysexits.h): no such user, no such host.
_EXIT_STATUS = re.compile(r"^x-unix;[^0-9]{0,40}(67|68)(?![0-9])", re.ASCII | re.IGNORECASE)
_EXIT_STATUSES = {"67": "5.1.1", "68": "5.1.2"}
# In prose a number may mean anything, so a code counts only in a usual context.
_FAILURE = rf"([45]\.[0-9]{{1,3}}\.[0-9]{{1,3}}){_ENDS}"
_BEFORE_A_REPLY = r"""(?:^|said:|(?:code|error|reply|response|status|smtp):?|[:;>("'])"""
_IN_PROSE = (
    re.compile(rf"#{_FAILURE}", re.ASCII),
    re.compile(rf"(?<![0-9.])[45][0-9][0-9][: -]{{1,2}}{_FAILURE}", re.ASCII),
    re.compile(
        rf"{_BEFORE_A_REPLY} *([45])[0-9][0-9][ :-]", re.ASCII | re.IGNORECASE | re.MULTILINE
    ),
    re.compile(rf"(?<![0-9.a-z])([45]\.[0-9]\.[0-9]{{1,2}}){_ENDS}", re.ASCII),
)
_COPY_BEGINS = re.compile(
    r"^(?:[-=_*# ]{3}.*(?:copy of|original message|below this line|returned message)"
    r"|(?:copy of the |the )?original message follows|received: )",
    re.ASCII | re.IGNORECASE | re.MULTILINE,
)
_QMAIL = "Hi. This is the "  # how such a report begins
_WARNINGS = ("delay", "warning: could not send", "warning: message")


@dataclass(frozen=True)
class DeliveryReport:
    verdict: str
    status: str  # a code of RFC 3463, or empty
    reason: str  # one line of text


def is_for_good(status: str) -> bool:
    return status.startswith("5")


def read_report(raw: bytes, recipient: str = "") -> DeliveryReport | None:
    """Parse a delivery report about our mail to `recipient`. Raises UnreadableMail.

    Return None if the mail is no delivery report.
    """
    headers, root = split_mail(raw, REPORT_LIMITS)
    parts = [part for part in root.walk() if part.kind in _STATUS_KINDS]
    groups = [group for part in parts for group in _recipients(raw, part)]
    key = address_key(recipient)
    # If it is not named, as after forwarding, the best result of all addresses counts.
    told = [_recipient(each) for each in [it for it in groups if key in _named(it)] or groups]
    mildest = min(told, key=lambda report: _MILDEST_FIRST.index(report.verdict), default=None)
    if mildest and (mildest.status or mildest.verdict != SOFT):
        return mildest
    about = root.parameters.get("report-type", "delivery-status").lower()
    formal = root.kind == "multipart/report" and about == "delivery-status"
    text = body_text(raw, root, REPORT_LIMITS)[:_MOST_CHARACTERS]
    if mildest:  # it failed; the reason, if any, is in the part for people
        said = _from_prose("", text, recipient)
        return said if said.status else mildest
    if formal or _is_informal_report(headers, text):
        return _from_prose(decode_words(headers.first("subject", 300)), text, recipient)
    return None


def _recipients(raw: bytes, part: Part) -> Iterator[_Fields]:
    """Yield the fields of each recipient in a report (RFC 3464, section 2.3)."""
    end = min(part.end, part.start + 2 * _MOST_BYTES)
    content = decode_transfer(raw[part.start : end], part.encoding)[:_MOST_BYTES]
    begun: _Fields = {}
    for fields in _groups(content.decode("latin-1")):
        names_somebody = not fields.keys().isdisjoint(_WHOSE)
        if names_somebody and begun:
            yield begun
            begun = {}
        if begun or names_somebody or not fields.keys().isdisjoint(_WHAT):
            for name, value in fields.items():
                begun.setdefault(name, value)
    if begun:
        yield begun


def _groups(text: str) -> Iterator[_Fields]:
    """Yield groups of fields. An empty line, or a repeated recipient field, ends a group."""
    fields: _Fields = {}
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
            if name in fields and name in _WHOSE:
                yield fields
                fields = {}
            if name in fields:
                name = ""  # its folded lines are skipped, too
            else:
                fields[name] = value.strip()
    yield fields


def _named(fields: _Fields) -> Iterator[str]:
    """Yield the recipient's addresses in lower case, as written and decoded (RFC 3461, 4)."""
    for name in _WHOSE:
        _, _, address = fields.get(name, "").partition(";")
        key = address_key(_COMMENT.sub("", address).strip(" \t<>"))
        yield key
        yield _ENCODED.sub(lambda found: chr(int(found[1], 16)), key)


def _recipient(fields: _Fields) -> DeliveryReport:
    diagnostic = fields.get("diagnostic-code", "")
    said = _status_said(_REPLY.search(diagnostic) or _STATUS.search(diagnostic))
    exit_status = _EXIT_STATUS.match(diagnostic)
    program = _EXIT_STATUSES[exit_status[1]] if exit_status else ""
    status = _status_written(fields.get("status", "")) or said or program
    # Some servers always report 5.0.0, others 4.x.x once they have given up.
    is_vague = status == "5.0.0" and said != "" and not is_for_good(said)
    if is_vague or (status.startswith("4") and is_for_good(said) and said != "5.0.0"):
        status = said
    action = _COMMENT.sub("", fields.get("action", "")).strip(" \t;.\"'").lower()
    return DeliveryReport(_verdict(action, status), status, presentable(diagnostic))


def _status_written(value: str) -> str:
    """Return the code in a `Status` field; an SMTP reply there, such as 550, becomes 5.0.0."""
    bare = _ROUND_A_DOT.sub(".", _COMMENT.sub("", value))
    found = _STATUS.search(bare) or _STATUS.search(value)
    return _status_said(found or _REPLY.search(bare) or _HALF_A_STATUS.search(bare))


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
    return HARD if is_for_good(status) else SOFT


def _is_informal_report(headers: Headers, text: str) -> bool:
    if headers.first("x-failed-recipients") or text.lstrip().startswith(_QMAIL):
        return True
    try:
        author = parse_author(headers.all("from"))
    except AuthorError:
        return any("mailer-daemon" in value.lower() for value in headers.all("from"))
    return is_robot(author)


def _from_prose(subject: str, text: str, recipient: str) -> DeliveryReport:
    above = text[: found.start()] if (found := _COPY_BEGINS.search(text)) else text
    if subject.casefold().startswith(_WARNINGS) or "(delay)" in subject.casefold():
        return DeliveryReport(DELAYED, "", presentable(subject))
    at = address_key(above).find(address_key(recipient)) if recipient else -1
    paragraph = above[at:].partition("\n\n")[0] if at >= 0 else ""
    for told in (paragraph, above):
        for pattern in _IN_PROSE:
            said = pattern.search(told)
            if said is not None:
                line = told[told.rfind("\n", 0, said.start(1)) + 1 :].partition("\n")[0]
                status = _status_said(said)
                return DeliveryReport(_verdict("failed", status), status, presentable(line))
    return DeliveryReport(SOFT, "", presentable(subject))
