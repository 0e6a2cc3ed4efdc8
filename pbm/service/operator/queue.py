"""The mail queue as the operator sees and changes it."""

from dataclasses import dataclass
from datetime import datetime

from pbm.errors import OperatorError
from pbm.mail.address import Postmaster, address_key
from pbm.mail.reading.inbound import read
from pbm.mail.reading.limits import UnreadableMail
from pbm.mail.writing.render import Renderer
from pbm.service.operator.mail_dump import incoming_text, outgoing_text
from pbm.service.operator.operator_session import OperatorSession, OperatorTurn
from pbm.service.trouble.mail_numbers import incoming, outgoing, parse_mail_number
from pbm.service.trouble.masking import masked
from pbm.service.trouble.notices import tell_anew
from pbm.store.db import UnitOfWork
from pbm.store.values.mails import InboxMail, InboxStatus, OutboxMail, OutboxStatus
from pbm.store.values.players import Player

MOST_LISTED = 100  # of each kind


@dataclass(frozen=True)
class MailInQueue:
    """A mail in the queue, without contents; `until` is the next try, if not now."""

    name: str
    status: str
    since: datetime
    tries: int
    about: str
    trouble: str
    until: datetime | None = None


@dataclass(frozen=True)
class Retried:
    """A mail to be retried now; `ahead` are those before it in the same thread."""

    name: str
    ahead: tuple[str, ...] = ()


@dataclass(frozen=True)
class Queue:
    """The oldest mails of each kind, and how many more there are."""

    mails: tuple[MailInQueue, ...]
    more: int


def list_queue(session: OperatorSession) -> Queue:
    """Mails that wait, are stuck or have failed; incoming ones first, the oldest first."""
    now = session.clock()
    with session.look() as work:
        mails = (
            *map(_incoming, work.inbox.waiting(most=MOST_LISTED)),
            *(_outgoing(mail, now) for mail in work.outbox.waiting(most=MOST_LISTED)),
        )
        waiting = sum(map(work.inbox.count, (InboxStatus.NEW, InboxStatus.STUCK)))
        waiting += sum(map(work.outbox.count, (OutboxStatus.DUE, OutboxStatus.FAILED)))
        return Queue(mails, max(0, waiting - len(mails)))


def show_mail(session: OperatorSession, name: str) -> tuple[MailInQueue, str]:
    """A mail with its masked contents, which are erased once it is done. Raises OperatorError."""
    mail_number = parse_mail_number(name)
    number = mail_number.number
    with session.look() as work:
        if mail_number.is_outgoing:
            written = _get_outgoing(work, number)
            return _outgoing(written, session.clock()), outgoing_text(written, Renderer())
        kept = _get_incoming(work, number)
        return _incoming(kept), incoming_text(kept.raw)


def retry(session: OperatorSession, name: str) -> Retried:
    """Retry a mail from its first try. Raises OperatorError.

    Outgoing mails ahead of it in the same thread are retried, too, as they block it.
    """
    mail_number = parse_mail_number(name)
    number = mail_number.number
    ahead: tuple[int, ...] = ()
    with session.act(None) as act:
        if mail_number.is_outgoing:
            mail = _waiting_outgoing(act, number)
            ahead = act.work.outbox.ahead_of(mail)
            for each in (*ahead, number):
                act.work.outbox.retry(each, act.now)
            player = _addressee(act, mail)
        else:
            kept = _waiting_incoming(act, number)
            if kept.status != InboxStatus.STUCK:
                raise OperatorError(f"Mail {mail_number} is not stuck; its turn comes by itself.")
            act.work.inbox.retry(number)
            player, _ = _writer(act, kept)
        tell_anew(act.work)
        act.note("mail tried again", player=player, mail=str(mail_number))
    return Retried(str(mail_number), tuple(map(outgoing, ahead)))


def drop(session: OperatorSession, name: str, why: str) -> str:
    """Drop a mail, and tell its player. Raises OperatorError."""
    mail_number = parse_mail_number(name)
    number = mail_number.number
    with session.act(why) as act:
        if mail_number.is_outgoing:
            _drop_outgoing(act, _waiting_outgoing(act, number))
        else:
            _drop_incoming(act, _waiting_incoming(act, number))
    return str(mail_number)


def _drop_incoming(act: OperatorTurn, mail: InboxMail) -> None:
    player, subject = _writer(act, mail)
    act.work.inbox.finish([(mail.id, f"dropped by the operator: {act.why}")], act.now)
    act.note("mail dropped", player=player, mail=incoming(mail.id))
    if player is not None:
        told = {"number": incoming(mail.id), "subject": masked(subject)}
        act.tell_player(player, "mail-dropped", "your mail was dropped", **told)


def _drop_outgoing(act: OperatorTurn, mail: OutboxMail) -> None:
    act.work.outbox.finish([mail.id], OutboxStatus.DROPPED, act.now, mail.last_error)
    player = _addressee(act, mail)
    act.note("mail dropped", player=player, mail=outgoing(mail.id), board_number=mail.board_id)
    if player is not None and mail.kind.treatment.loss_is_reported:
        act.tell_player(player, "answer-dropped", "a mail to you was dropped", board=mail.board_id)


def _addressee(act: OperatorTurn, mail: OutboxMail) -> Player | None:
    return act.work.players.find(mail.player_id) if mail.player_id else None


def _writer(act: OperatorTurn, mail: InboxMail) -> tuple[Player | None, str]:
    """The sender, if a player, and the subject of a person's mail."""
    if isinstance(act.site.address.parse(mail.recipient), Postmaster):
        return None, ""
    try:
        envelope = read(mail.raw, envelope_sender=mail.sender, own_address=act.site.address.plain)
    except UnreadableMail:
        return None, ""
    if envelope.automatic or envelope.author is None:
        return None, ""
    return act.work.players.by_address(address_key(envelope.author)), envelope.subject


def _waiting_incoming(act: OperatorTurn, number: int) -> InboxMail:
    mail = _get_incoming(act.work, number, lock=True)
    if mail.status == InboxStatus.DONE:
        raise OperatorError(f"Mail {incoming(number)} is done: {masked(mail.outcome or '')}.")
    return mail


def _waiting_outgoing(act: OperatorTurn, number: int) -> OutboxMail:
    mail = _get_outgoing(act.work, number, lock=True)
    if mail.status not in (OutboxStatus.DUE, OutboxStatus.FAILED):
        raise OperatorError(f"Mail {outgoing(number)} is {mail.status} already.")
    return mail


def _get_incoming(work: UnitOfWork, number: int, *, lock: bool = False) -> InboxMail:
    try:
        return work.inbox.get(number, lock=lock)
    except LookupError:
        raise OperatorError(f"There is no incoming mail {incoming(number)}.") from None


def _get_outgoing(work: UnitOfWork, number: int, *, lock: bool = False) -> OutboxMail:
    try:
        return work.outbox.get(number, lock=lock)
    except LookupError:
        raise OperatorError(f"There is no outgoing mail {outgoing(number)}.") from None


def _incoming(mail: InboxMail) -> MailInQueue:
    about = f"from {masked(mail.sender) or '<>'} to {masked(mail.recipient)}"
    trouble = masked(mail.outcome or "")
    return MailInQueue(incoming(mail.id), mail.status, mail.received_at, mail.tries, about, trouble)


def _outgoing(mail: OutboxMail, now: datetime) -> MailInQueue:
    what = f"board {mail.board_id}" if mail.board_id else mail.kind
    trouble = masked(mail.last_error or "")
    about = f"{what} to {mail.recipient}"
    until = mail.due_at if mail.status == OutboxStatus.DUE and mail.due_at > now else None
    name, since = outgoing(mail.id), mail.written_at
    return MailInQueue(name, mail.status, since, mail.attempts, about, trouble, until)
