"""Decides whether to trust DMARC results of the upstream mail server, here called the front.

The results are trusted after a successful probe: a test mail with forged results, which the front
has removed. Three facts are stored: `front` (the trusted server), `front-doubted` (why the last
probe failed) and `probe` (the pending probe).
"""

from dataclasses import asdict, dataclass
from datetime import datetime, timedelta

from pbm.commands.turn import Turn
from pbm.mail.address import Probe
from pbm.mail.keys import token_digest
from pbm.mail.reading.auth_results import Dmarc, Front, Seen, dmarc_of, read_probe
from pbm.mail.site import Site
from pbm.plain import from_plain
from pbm.store.db import UnitOfWork
from pbm.store.values.mails import InboxMail

PROBE_FOR = timedelta(minutes=15)
_FRONT, _PROBE, _DOUBT = "front", "probe", "front-doubted"


@dataclass(frozen=True)
class Arrival:
    peer: str
    trusted: bool  # whether we trust the peer
    seen: Seen  # in the probe's header


def known_front(work: UnitOfWork, authserv_id: str) -> Front | None:
    """Return the trusted upstream server with this id; None before a successful probe."""
    fact = work.facts.find(_FRONT) if authserv_id else None
    if fact is None or fact.value["authserv_id"] != authserv_id:
        return None
    return Front(**fact.value)


def what_it_says(site: Site, front: Front | None, peer: str, raw: bytes, author: str) -> Dmarc:
    """Return a mail's DMARC result as `front` states it; UNKNOWN unless the peer is trusted."""
    if front is None or not site.trusts(peer):
        return Dmarc.UNKNOWN
    return dmarc_of(raw, front, author)


def note_front(work: UnitOfWork, front: Front, now: datetime) -> None:
    forget_front(work)
    work.facts.note(_FRONT, asdict(front), now)


def forget_front(work: UnitOfWork) -> None:
    """Trust no upstream server; also delete the stored failure of a probe."""
    work.facts.forget(_FRONT)
    work.facts.forget(_DOUBT)


def doubt_front(work: UnitOfWork, authserv_id: str, why: str, now: datetime) -> None:
    work.facts.note(_DOUBT, {"authserv_id": authserv_id, "why": why}, now)


def why_doubted(work: UnitOfWork, authserv_id: str) -> tuple[str, datetime] | None:
    """Return why and when the last probe failed; None if no failure is stored."""
    fact = work.facts.find(_DOUBT)
    if fact is None or fact.value["authserv_id"] != authserv_id:
        return None
    return str(fact.value["why"]), fact.noted_at


def expect_probe(work: UnitOfWork, token: str, authserv_id: str, now: datetime) -> str:
    """Store that a probe with this token is expected; return the mark for the probe's header."""
    digest = token_digest(token)
    work.facts.note(_PROBE, {"digest": digest, "authserv_id": authserv_id, "arrival": None}, now)
    return _mark(digest)


def is_expected(work: UnitOfWork, probe: Probe, now: datetime) -> bool:
    """Return whether this probe is expected and has not arrived yet."""
    fact = work.facts.find(_PROBE)
    if fact is None or fact.noted_at < now - PROBE_FOR or fact.value["arrival"]:
        return False
    return bool(fact.value["digest"] == token_digest(probe.token))


def arrival_of(work: UnitOfWork, token: str) -> Arrival | None:
    fact = work.facts.find(_PROBE)
    if fact is None or fact.value["digest"] != token_digest(token) or not fact.value["arrival"]:
        return None
    return from_plain(Arrival, fact.value["arrival"])


def take_probe(turn: Turn, probe: Probe, mail: InboxMail) -> str:
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
