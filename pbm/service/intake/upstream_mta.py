"""The mail server in front of ours: what it says of senders, and whether that can be believed.

It can, once a mail with forged results was sent through it and arrived without them. Three facts
are kept: `front` is what was found out, `front-doubted` why the last try came to nothing, and
`probe` the mail that is on its way to find it out.
"""

from dataclasses import asdict, dataclass
from datetime import datetime, timedelta

from pbm.mail.address import Probe
from pbm.mail.reading.auth_results import Dmarc, Front, dmarc_of
from pbm.mail.site import Site
from pbm.mail.tags import token_digest
from pbm.mail.writing.probe import Seen, read_probe
from pbm.play.turn import Turn
from pbm.store.db import UnitOfWork
from pbm.store.values.mails import InboxMail

PROBE_FOR = timedelta(minutes=15)
_FRONT, _PROBE, _DOUBT = "front", "probe", "front-doubted"


@dataclass(frozen=True)
class Arrival:
    """How a probe came in: from which peer, whether that one is trusted, and what was in it."""

    peer: str
    trusted: bool
    seen: Seen


def known_front(work: UnitOfWork, authserv_id: str) -> Front | None:
    """The front whose results count, by its id; None where that is empty, or was not tried."""
    fact = work.facts.find(_FRONT) if authserv_id else None
    if fact is None or fact.value["authserv_id"] != authserv_id:
        return None
    return Front(**fact.value)


def what_it_says(site: Site, front: Front | None, mail: InboxMail, author: str) -> Dmarc:
    """What the front says of a mail's author, where the mail came from the front."""
    return what_it_says_of(site, front, mail.peer, mail.raw, author)


def what_it_says_of(site: Site, front: Front | None, peer: str, raw: bytes, author: str) -> Dmarc:
    """As `what_it_says`, of a mail that is being handed over by a peer."""
    if front is None or not site.trusts(peer):
        return Dmarc.UNKNOWN
    return dmarc_of(raw, front, author)


def note_front(work: UnitOfWork, front: Front, now: datetime) -> None:
    """Believe a front from now on."""
    forget_front(work)
    work.facts.note(_FRONT, asdict(front), now)


def forget_front(work: UnitOfWork) -> None:
    """Believe no front any more, and know of no try."""
    work.facts.forget(_FRONT)
    work.facts.forget(_DOUBT)


def doubt_front(work: UnitOfWork, authserv_id: str, why: str, now: datetime) -> None:
    """Keep why the last try has not found a front in order."""
    work.facts.note(_DOUBT, {"authserv_id": authserv_id, "why": why}, now)


def why_doubted(work: UnitOfWork, authserv_id: str) -> tuple[str, datetime] | None:
    """Why the last try has not found a front in order, and when; None if none has."""
    fact = work.facts.find(_DOUBT)
    if fact is None or fact.value["authserv_id"] != authserv_id:
        return None
    return str(fact.value["why"]), fact.noted_at


def expect_probe(work: UnitOfWork, token: str, authserv_id: str, now: datetime) -> str:
    """Take in a probe, and only this one, for a while; return the mark that it must bear."""
    digest = token_digest(token)
    work.facts.note(_PROBE, {"digest": digest, "authserv_id": authserv_id, "arrival": None}, now)
    return _mark(digest)


def is_expected(work: UnitOfWork, probe: Probe, now: datetime) -> bool:
    """Whether a probe was announced, lately, and has not arrived yet."""
    fact = work.facts.find(_PROBE)
    if fact is None or fact.noted_at < now - PROBE_FOR or fact.value["arrival"]:
        return False
    return bool(fact.value["digest"] == token_digest(probe.token))


def arrival_of(work: UnitOfWork, token: str) -> Arrival | None:
    """How a probe arrived; None as long as it hasn't."""
    fact = work.facts.find(_PROBE)
    if fact is None or fact.value["digest"] != token_digest(token) or not fact.value["arrival"]:
        return None
    told = fact.value["arrival"]
    seen = Seen(told["seen"]["hops"], tuple(told["seen"]["survived"]), told["seen"]["own"])
    return Arrival(told["peer"], told["trusted"], seen)


def take_probe(turn: Turn, probe: Probe, mail: InboxMail) -> str:
    """Write down how a probe arrived; nobody is answered. Returns the outcome for the operator."""
    facts = turn.work.facts
    fact = facts.find(_PROBE)
    if fact is None or not is_expected(turn.work, probe, turn.now):
        return "nothing: a probe that nobody waits for"
    seen = read_probe(mail.raw, _mark(fact.value["digest"]), fact.value["authserv_id"])
    arrival = asdict(Arrival(mail.peer, turn.site.trusts(mail.peer), seen))
    facts.note(_PROBE, {**fact.value, "arrival": arrival}, fact.noted_at)
    return "the doctor's probe has arrived"


def _mark(digest: str) -> str:
    return f"pbm{digest[:16]}"
