"""Strict parsers of mail addresses and Message-IDs; the server's own address and reply addresses.

Quoted local parts and address literals (RFC 5321, section 4.1.2) are refused: they are rare, and
parsers have had bugs with both.
"""

import re
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cache, lru_cache
from string import ascii_letters, digits
from typing import TYPE_CHECKING

from pbm.addresses import address_key

if TYPE_CHECKING:
    from publicsuffixlist import PublicSuffixList

_ATEXT = frozenset(ascii_letters + digits + "!#$%&'*+/=?^_`{|}~-")
_LABEL_CHARS = frozenset(ascii_letters + digits + "-")
_SUBADDRESS_SEPARATORS = frozenset("+-_=.")
_LONGEST_DOMAIN = 253
_LONGEST_SUBADDRESS = 41  # separator, g and u with nine digits each, two dots, a tag of 18

_PLAYER_REPLY = re.compile(
    r"(?:g([1-9][0-9]{0,8})\.)?u([1-9][0-9]{0,8})\.([a-z0-9]{17,18})", re.ASCII
)
_QUESTION_OR_PROBE = re.compile(r"(c|probe)\.([a-z2-7]{16,32})", re.ASCII)
_UNSUBSCRIBE = re.compile(
    r"([a-z](?:[1-9][0-9]{0,8})?)\.u([1-9][0-9]{0,8})\.([a-z0-9]{17,18})", re.ASCII
)
_BOUNCE = re.compile(r"b\.([1-9][0-9]{0,8})\.([a-z0-9]{8})\.([a-z0-9]{17,18})", re.ASCII)

# RFC 5322 section 3.6.4 without the obsolete forms: dot-atom "@" (dot-atom / no-fold-literal).
# An `=?` is refused, since some programs would decode it as an encoded word (RFC 2047).
_MESSAGE_ID = re.compile(
    r"<(?![^\s<>]{0,401}=\?)[A-Za-z0-9!#$%&'*+/=?^_`{|}~.-]{1,200}"
    r"@(?:[A-Za-z0-9!#$%&'*+/=?^_`{|}~.-]{1,200}|\[[A-Za-z0-9.:_-]{1,100}\])>",
    re.ASCII,
)


class AddressError(ValueError):
    """An address that we do not accept; `str()` is a sentence with the reason."""


class SeparatorError(AddressError):
    """The separator between name and detail of reply addresses is invalid."""


@lru_cache(maxsize=1024)  # of up to 254 characters; one turn parses the same few often
def parse_address(text: str) -> str:
    """Check an address; return it with its domain in lower case, in ASCII. Raises AddressError."""
    local, at, domain = text.rpartition("@")
    if not local.isascii():
        raise AddressError("Before its @ a mail address here may hold plain ASCII characters only.")
    if not domain.isascii():
        domain = _ascii_domain(domain)
        text = f"{local}@{domain}"
    if not at or not local or not domain:
        raise AddressError("A mail address has the form name@example.org.")
    if len(text) > 254 or len(local) > 64:
        raise AddressError("That mail address is too long.")
    if local.startswith('"'):
        raise AddressError("Quoted names before the @ of a mail address are not taken here.")
    for atom in local.split("."):
        if not atom:
            raise AddressError("The name before the @ may not start, end or double a dot.")
        if not _ATEXT.issuperset(atom):
            raise AddressError("The name before the @ holds a character that is not allowed.")
    _check_domain(domain)
    return f"{local}@{domain.lower()}"


def _ascii_domain(domain: str) -> str:
    """Return a domain's A-labels (RFC 5890, section 2.3.2.1). Raises AddressError.

    A label that IDNA 2003 would change is refused: a later standard may keep it, as another name.
    """
    pairs = zip(domain, map(str.lower, domain), strict=True)
    small = "".join(low if low.isascii() == char.isascii() else char for char, low in pairs)
    with suppress(UnicodeError):
        encoded = small[:_LONGEST_DOMAIN].encode("idna")
        if encoded.decode("idna") == small:
            return encoded.decode("ascii")
    raise AddressError("The domain after the @ has characters that are not taken here.")


@lru_cache(maxsize=256)  # of up to 252 characters; nearly all mail goes to a few
def _check_domain(domain: str) -> None:
    if domain.startswith("["):
        raise AddressError("A mail address must name a host; an IP number is not taken here.")
    labels = domain.split(".")
    for label in labels:
        if not 1 <= len(label) <= 63:
            raise AddressError("The domain after the @ has an empty or an overlong part.")
        if not _LABEL_CHARS.issuperset(label) or label.startswith("-") or label.endswith("-"):
            raise AddressError("The domain after the @ is not the name of a host.")
    if labels[-1].isdigit():
        raise AddressError("A mail address must name a host; an IP number is not taken here.")


def registered_domain(address: str) -> str:
    """Return the domain that somebody has registered, from an address below it.

    Domains below a suffix of a company, such as a free host name, count as the company's.

    >>> registered_domain("a@n1.abc.de"), registered_domain("b@post.example.co.uk")
    ('abc.de', 'example.co.uk')
    """
    domain = address_key(address).rpartition("@")[2]
    return _suffixes().privatesuffix(domain) or domain


@cache
def _suffixes() -> "PublicSuffixList":
    from publicsuffixlist import PublicSuffixList

    return PublicSuffixList(only_icann=True)


def is_at_home(address: str, own_address: str) -> bool:
    domain, own_domain = (each.rpartition("@")[2].lower() for each in (address, own_address))
    return domain == own_domain


def leads_elsewhere(address: str, own_address: str) -> bool:
    """Return whether a mail server may pass on a mail to this address to another host.

    It may if the address has "%" or "!" before the "@", or a foreign domain without a dot.
    """
    local, _, domain = address.rpartition("@")
    is_near = "." not in domain and not is_at_home(address, own_address)
    return is_near or not {"%", "!"}.isdisjoint(local)


@dataclass(frozen=True)
class Plain:
    """The server's own address, which is not a reply address."""


@dataclass(frozen=True)
class PlayerReply:
    player_id: int
    board_id: int | None
    tag: str = field(repr=False)


@dataclass(frozen=True)
class QuestionReply:
    token: str = field(repr=False)


@dataclass(frozen=True)
class Probe:
    """The address of a test mail that `pbm-admin doctor` sends."""

    token: str = field(repr=False)


@dataclass(frozen=True)
class Bounce:
    """The envelope sender of one of our mails. Reports that it was not delivered come there."""

    player_id: int
    mail: str  # a short name of our mail
    tag: str = field(repr=False)


@dataclass(frozen=True)
class Unsubscribe:
    """The address in `List-Unsubscribe`. Any mail there ends what it names, without a question."""

    player_id: int
    what: str  # a letter, and perhaps a number, such as w12 for watching board 12
    tag: str = field(repr=False)


@dataclass(frozen=True)
class Postmaster:
    """`postmaster` or `abuse`, whose mail goes to the operator, unparsed."""


@dataclass(frozen=True)
class Unknown:
    """An address that does not exist here; `reason` is a sentence for the sender."""

    reason: str


Recipient = (
    Plain | PlayerReply | QuestionReply | Probe | Bounce | Unsubscribe | Postmaster | Unknown
)


class ServerAddress:
    """The server's own address. It makes and parses the reply addresses derived from it."""

    def __init__(self, address: str, separator: str = "+") -> None:
        """Check the address and the reply addresses derived from it. Raises AddressError."""
        self.plain = parse_address(address).lower()
        self.local_part, _, self.domain = self.plain.rpartition("@")
        if separator not in _SUBADDRESS_SEPARATORS:
            raise SeparatorError(
                "The separator of reply addresses must be one of + - _ = or a dot."
            )
        if self.local_part in ("postmaster", "abuse"):
            raise AddressError(f"{self.local_part} is kept for the operator; choose another name.")
        if len(self.local_part) + _LONGEST_SUBADDRESS > 64 or len(self.domain) > 189:
            raise AddressError(
                f"{self.plain} is too long: reply addresses made of it would be cut off. "
                f"At most {64 - _LONGEST_SUBADDRESS} characters may stand before the @."
            )
        self.separator = separator
        self.before_detail = self.local_part + separator
        # A mail's recipient is parsed as it is named, as the mail is kept, and in its turn.
        self.parse = lru_cache(maxsize=1024)(self._parse)

    def board_reply(self, player_id: int, tag: str, board_id: int | None = None) -> str:
        board = "" if board_id is None else f"g{board_id}."
        return self._subaddress(f"{board}u{player_id}.{tag}")

    def question_reply(self, token: str) -> str:
        return self._subaddress(f"c.{token}")

    def probe(self, token: str) -> str:
        return self._subaddress(f"probe.{token}")

    def bounces(self, player_id: int, mail: str, tag: str) -> str:
        return self._subaddress(f"b.{player_id}.{mail}.{tag}")

    def unsubscribe(self, player_id: int, what: str, tag: str) -> str:
        return self._subaddress(f"{what}.u{player_id}.{tag}")

    def _subaddress(self, detail: str) -> str:
        return parse_address(f"{self.before_detail}{detail}@{self.domain}")

    def _parse(self, recipient: str) -> Recipient:
        """Return what the address means to which a mail was sent. An invalid one is `Unknown`."""
        if recipient.lower() == "postmaster":  # needs no domain (RFC 5321, section 4.5.1)
            return Postmaster()
        try:
            address = parse_address(recipient).lower()
        except AddressError as error:
            return Unknown(str(error))
        local, _, domain = address.rpartition("@")
        if domain != self.domain:
            return Unknown(f"No mail for that domain is taken here; write to {self.plain}.")
        if local == self.local_part:
            return Plain()
        if local in ("postmaster", "abuse"):
            return Postmaster()
        if not local.startswith(self.before_detail):
            return Unknown(f"There is nobody of that name here. To play, write to {self.plain}.")
        return self._parse_detail(local.removeprefix(self.before_detail))

    def _parse_detail(self, detail: str) -> Recipient:
        if found := _PLAYER_REPLY.fullmatch(detail):
            return PlayerReply(int(found[2]), int(found[1]) if found[1] else None, found[3])
        if found := _QUESTION_OR_PROBE.fullmatch(detail):
            return QuestionReply(found[2]) if found[1] == "c" else Probe(found[2])
        if found := _BOUNCE.fullmatch(detail):
            return Bounce(int(found[1]), found[2], found[3])
        if found := _UNSUBSCRIBE.fullmatch(detail):
            return Unsubscribe(int(found[2]), found[1], found[3])
        return Unknown(
            "That reply address is not complete. Answer a mail of ours once more, "
            f"or write to {self.plain}."
        )


def is_message_id(text: str) -> bool:
    return _MESSAGE_ID.fullmatch(text) is not None


def parse_message_ids(text: str, most: int) -> tuple[str, ...]:
    """Return the first `most` Message-IDs in `text`, brackets included; other text is skipped."""
    return tuple(dict.fromkeys(_MESSAGE_ID.findall(text)))[:most]


def short_name(message_id: str) -> str:
    """Return the beginning of a Message-ID's random part as a short name, such as 3f9a01c2."""
    return message_id.partition("@")[0].rpartition(".")[2][:8]


def newest_references(in_reply_to: list[str], references: list[str], most: int) -> tuple[str, ...]:
    """Return the Message-IDs of the mails that a mail answers, at most `most`.

    Those in `In-Reply-To` come first, then those in `References`, the newest first.
    """
    answered = parse_message_ids(" ".join(in_reply_to), most)
    thread = dict.fromkeys(_MESSAGE_ID.findall(" ".join(references)))
    return tuple(dict.fromkeys((*answered, *reversed(thread))))[:most]
