"""A test mail through the mail server in front, which shows how mail arrives.

It contains forged results of that server in several spellings, and a `Received` field of its own,
so that the fields above that one on arrival are known to be ours.
"""

from dataclasses import dataclass

from pbm.mail.reading.auth_results import own_results, stamps_of

_NAME = "Authentication-Results"
_FORGED = {
    "plain": _NAME + ": {id}; {says}",
    "without blanks": _NAME + ":{id};{says}",
    "in small letters": "authentication-results: {id}; {says}",
    "in capitals": "AUTHENTICATION-RESULTS: {capitals}; {says}",
    "folded": _NAME + ":\r\n\t{id};\r\n\t{says}",
    "with a version": _NAME + ": {id} 1; {says}",
    "with a comment": _NAME + ": {id} (nobody); (nothing) {says}",
}
_LOWER = {"below a Received": _NAME + ": {id}; {says}"}
_SAYS = "dmarc=pass header.from={place}.{mark}.invalid"


@dataclass(frozen=True)
class Seen:
    """The parts of a test mail that arrived.

    `hops` is the number of `Received` fields added on its way, None if its own one is gone;
    `survived` names the spellings of forged results that were not removed; `own` is the place of
    the front's own results: `above` its `Received`, right `below` it, or nowhere.
    """

    hops: int | None
    survived: tuple[str, ...]
    own: str


def probe_mail(mark: str, sender: str, recipient: str, authserv_id: str, date: str) -> bytes:
    """The test mail; `mark` is a unique word."""
    above = _forged(_FORGED, 0, mark, authserv_id)
    below = _forged(_LOWER, len(_FORGED), mark, authserv_id)
    lines = [
        *above,
        f"Received: from probe.invalid by probe.invalid with SMTP id {mark};\r\n\t{date}",
        *below,
        f"From: {sender}",
        f"To: {recipient}",
        f"Date: {date}",
        f"Message-ID: <{mark}@probe.invalid>",
        "Subject: a probe of pbm-admin doctor",
        "Auto-Submitted: auto-generated",
        "",
        "This mail tries whether forged Authentication-Results are removed. Nobody answers it.",
        "",
    ]
    return "\r\n".join(lines).encode("ascii")


def read_probe(raw: bytes, mark: str, authserv_id: str) -> Seen:
    """Parse a test mail that arrived."""
    stamps = list(stamps_of(raw))
    marked = (item for item in stamps if item.name == "received" and mark in item.value)
    hops = next((item.received_above for item in marked), None)
    survived: list[str] = []
    own = ""
    for stamp in stamps:
        found = own_results(stamp, authserv_id)
        if found is None:
            continue
        if mark in stamp.value:
            survived.append(_spelling(stamp.value, mark))
        elif hops is not None and stamp.received_above <= hops:
            own = own or ("above" if stamp.received_above < hops else "below")
    return Seen(hops, tuple(survived), own)


def _forged(spellings: dict[str, str], first: int, mark: str, authserv_id: str) -> list[str]:
    return [
        spelling.format(
            id=authserv_id,
            capitals=authserv_id.upper(),
            says=_SAYS.format(place=f"f{number}", mark=mark),
        )
        for number, spelling in enumerate(spellings.values(), start=first)
    ]


def _spelling(value: str, mark: str) -> str:
    names = [*_FORGED, *_LOWER]
    for number, name in enumerate(names):
        if f"=f{number}.{mark}." in value:
            return name
    return "changed on the way"
