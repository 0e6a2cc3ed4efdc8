"""Detection of automatic mails, which are never obeyed and never answered (RFC 3834)."""

import re
from collections.abc import Sequence
from unicodedata import normalize

from pbm.addresses import mailbox_key
from pbm.mail.reading.mime import Headers, Part
from pbm.mail.reading.quoting_marks import PHRASES

_PRECEDENCES = frozenset("bulk junk list auto_reply auto-reply autoreply auto_response".split())
_PRECEDENCE_FIELDS = frozenset("precedence x-precedence preference x-preference".split())

# Field names, or their beginnings, of mailing lists, our own mails, and vacation robots and filters
# that do not set Auto-Submitted. `X-Auto-Response-Suppress` is not among them, since Exchange sets
# it on mails of people, too.
_ROBOT_FIELD = re.compile(
    r"list-|x-pbm-|(?:x-)?mailing-list|x-mailman-|x-loop|x-cron-env|x-failed-recipients|x-vacation"
    r"|x-out-?of-?office|x-fc-machinegenerated|x-ms-exchange-(?:inbox-rules-loop|generated-message)"
    r"|(?:[a-z0-9]{1,40}-)*auto-?(?:repl|generated|respon[ds](?!e-suppress$))",
    re.ASCII,
)
# Fields in which programs name themselves, and the word by which robots do; an address has an @.
_NAMING_FIELDS = ("delivered-to", "x-mailer", "user-agent", "x-post-messageclass", "x-generated-by")
_NAMES_A_ROBOT = re.compile(
    r"[^@]*?(?<![a-z])(?:auto[-_ ]?(?:respon[ds]|repl[iy])|vacation(?![a-z]))[^@]*", re.ASCII
)

# Postfix's own limit; real mail takes far fewer hops.
_MOST_HOPS = 50

_ROBOT_NAMES = frozenset({"mailer-daemon", "postmaster", "mail-daemon", "listserv", "majordomo"})
_ROLES = _ROBOT_NAMES | {"abuse", "hostmaster", "noc", "security", "noreply", "no-reply", "root"}
_ROBOT_IN_FROM = re.compile(r"(?<![a-z0-9.-])mailer-daemon(?![a-z0-9.-])", re.ASCII)

_REPLY_DETAIL = re.compile(r"[-_=.](?:[a-z][0-9]*\.)?(?:u[0-9]+|c)\.[a-z0-9]{12}", re.ASCII)

# Local parts such as `noreply`.
_READS_NOTHING = re.compile(
    r"(?:^|[-_.+=])(?:no[-_.]?(?:reply|replies|response|responder)|do[-_.]?not[-_.]?(?:reply|respond)"
    r"|dont[-_.]?reply|auto[-_.]?(?:reply|responder|response)|nicht[-_.]?antworten|keine[-_.]?antwort"
    r"|ne[-_.]?pas[-_.]?repondre|nao[-_.]?responda|non[-_.]?rispondere|niet[-_.]?beantwoorden)"
    r"(?:$|[-_.+=0-9])",
    re.ASCII,
)

# One of these subjects alone, or followed by a sign and the original subject. A subject that
# continues in words is a person's.
_ROBOT_SUBJECT = re.compile(
    rf"(?:{'|'.join(map(re.escape, PHRASES['robot subject']))})\s*(?:\Z|[:：;\-–—|!.…(\[\"'«„“])"
)
# Of programs that ask senders to confirm their mails, such as BoxTrapper.
_CHALLENGE = re.compile(r"(?<!\w)(?:verify|confirm|conf)#[a-z0-9][a-z0-9-]{5}", re.ASCII)
# Of Notes, in any language: "AUTO: Alice is out of the office (returning 11/30/2026)".
_RETURNING = re.compile(r"auto ?: .{1,200}\([^()]{1,60}[0-9]\)")
_TAGS = re.compile(r"(?:\[[^\[\]]{1,40}\]\s?){1,3}")  # such as [EXTERNAL]


def why_automatic(
    headers: Headers, root: Part, author: str | None, subject: str, *, sender: str, own_address: str
) -> str | None:
    """Return in a few words, for the log, why a mail is automatic; return None if it is not."""
    sender = sender.strip().removeprefix("<").removesuffix(">")
    if not sender:
        return "empty envelope sender"
    if root.kind in ("multipart/report", "message/delivery-status"):
        return "delivery report"
    names = [name for name, _ in headers.fields]
    telling = [name for name in names if _ROBOT_FIELD.match(name)]
    is_ours = author is not None and is_own(author, own_address)
    if is_ours or any(name.startswith("x-pbm-") for name in telling):
        return "own mail"
    senders = [sender] if author is None else [sender, author]
    if any(map(is_robot, senders)):
        return "robot as sender"
    if any(_READS_NOTHING.search(each.lower().rpartition("@")[0]) for each in senders):
        return "sender who reads nothing"
    if author is None and any(
        _ROBOT_IN_FROM.search(value.lower()) for value in headers.all("from")
    ):
        return "robot as sender"
    if _is_robots(subject):
        return "subject of a robot"
    if names.count("received") > _MOST_HOPS:
        return "mail loop"
    return _by_fields(headers, telling) or next(filter(None, map(_by_part, root.walk())), None)


def _by_part(part: Part) -> str | None:
    if part.kind.startswith("text/vnd.google.email-reaction"):
        return "reaction"
    is_message = "method" in part.parameters or not part.is_attachment  # RFC 6047, section 2.4
    return "calendar" if part.kind == "text/calendar" and is_message else None


def _by_fields(headers: Headers, telling: list[str]) -> str | None:
    for value in headers.all("auto-submitted", 200):
        if value.partition(";")[0].partition("(")[0].strip().lower() != "no":
            return "Auto-Submitted"
    for value in (value for name in _PRECEDENCE_FIELDS for value in headers.all(name, 200)):
        if value.partition("(")[0].strip().lower() in _PRECEDENCES:
            return "Precedence"
    for value in (value for name in _NAMING_FIELDS for value in headers.all(name, 200)):
        if _NAMES_A_ROBOT.fullmatch(value.lower()):
            return "a robot's name"
    if telling:
        return "mailing list" if telling[0].startswith("list-") else "robot's header"
    return None


def may_tell_a_robot(name: str) -> bool:
    """Return whether a field of this name, in lower case, may mark a robot's mail."""
    is_field = name == "auto-submitted" or name in _PRECEDENCE_FIELDS
    return is_field or _ROBOT_FIELD.match(name) is not None


def is_own(address: str, own_address: str) -> bool:
    """Return whether an address is one of the server's: its own or a reply address."""
    own_local, _, own_domain = own_address.lower().rpartition("@")
    local, _, domain = address.lower().rpartition("@")
    if domain != own_domain or not local.startswith(own_local):
        return False
    detail = local[len(own_local) :]
    return detail[:1] in ("", "+") or _REPLY_DETAIL.match(detail) is not None


def _is_robots(subject: str) -> bool:
    text = normalize("NFC", subject).casefold()
    if tags := _TAGS.match(text):
        text = text[tags.end() :]
    is_start = text.startswith(PHRASES["robot subject start"])
    found = _ROBOT_SUBJECT.match(text) or _CHALLENGE.search(text) or _RETURNING.fullmatch(text)
    return is_start or found is not None


_LINK = re.compile(r"<?https?://[^\s<>]{1,1000}>?")
_OF_REACTIONS = "emojireaction"  # in the link below Gmail's reactions
_EMOJI = re.compile("[\u2600-\u27bf\U0001f300-\U0001faff]")
_MOST_LINES, _MOST_WORDS = 8, 12


def is_reaction(lines: Sequence[str]) -> bool:
    """Return whether words say only that somebody reacted to a mail of ours with an emoji."""
    if len(lines) > _MOST_LINES:
        return False
    said = [text for line in lines if re.search(r"\w", text := _LINK.sub("", line))]
    if len(said) != 1 or len(said[0].split()) > _MOST_WORDS:
        return False
    text, colon, rest = said[0].casefold().replace("：", ":").partition(":")
    if any(_OF_REACTIONS in line for line in lines):
        return True
    is_marked = colon or "gmail" in text or any(map(_EMOJI.search, lines))
    phrases = PHRASES["reacted"], PHRASES["reacted to"]
    reacts = all(any(map(text.__contains__, each)) for each in phrases)
    return bool(is_marked) and reacts and not re.search(r"\w", rest)


def is_role(address: str) -> bool:
    """Return whether the local part names a role such as postmaster, not a person (RFC 2142)."""
    return mailbox_key(address).rpartition("@")[0] in _ROLES


def is_robot(address: str) -> bool:
    """Return whether the local part names a mail server or list program."""
    return address.lower().rpartition("@")[0] in _ROBOT_NAMES or address.lower() in _ROBOT_NAMES
