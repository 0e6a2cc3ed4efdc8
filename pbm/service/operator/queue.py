"""`pbm-admin queue`: lists, shows, retries and drops mails in the inbox and the outbox.

What only some of that needs is imported there, so that a list starts fast.
"""

import json
import re
from base64 import b64decode
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING

from pbm.errors import OperatorError, WrongArgumentError
from pbm.service.operator.operator_session import OperatorSession
from pbm.service.operator.progress import counted
from pbm.service.trouble.masking import masked, printable
from pbm.store.db import UnitOfWork
from pbm.store.values.mails import (
    InboxMail,
    InboxStatus,
    OutboxMail,
    OutboxStatus,
    incoming,
    outgoing,
)

if TYPE_CHECKING:
    from pbm.service.operator.operator_turn import OperatorTurn

MOST_LISTED = 100  # of each kind
_INCOMING, _OUTGOING = (InboxStatus.NEW, InboxStatus.STUCK), (OutboxStatus.DUE, OutboxStatus.FAILED)
STATUSES = [str(status) for status in (*_INCOMING, *_OUTGOING)]
_AT_ONCE = 5  # mails in a transaction
_NAME = re.compile(r"([io]?)([1-9]\d{0,8})", re.ASCII | re.IGNORECASE)
_ERASED = "Its contents were erased when it was done."


@dataclass(frozen=True)
class MailInQueue:
    name: str
    status: str
    since: datetime
    tries: int
    about: str
    trouble: str
    until: datetime | None = None  # the next try, if that is still to come


def list_queue(
    session: OperatorSession,
    *,
    most: int = MOST_LISTED,
    status: str | None = None,
    whose: str | None = None,
) -> tuple[list[MailInQueue], int]:
    """Return the oldest waiting, stuck and failed mails, and how many more there are.

    `whose` is an address, or a domain that begins with @. What is left out by it is not counted.
    """
    with session.look() as work:
        mails = _waiting(work, most, status, whose)
        waiting = (
            0
            if whose
            else sum(
                table.count(each)
                for table, statuses in ((work.inbox, _INCOMING), (work.outbox, _OUTGOING))
                for each in statuses
                if status in (None, each)
            )
        )
        now = session.clock()
        return [_listed(mail, now) for mail in mails], max(0, waiting - len(mails))


def in_trouble(
    session: OperatorSession, whose: str | None = None, status: str | None = None
) -> list[str]:
    """Return the names of all stuck and failed mails, or of those of a status or of somebody's."""
    statuses = (status,) if status else (InboxStatus.STUCK, OutboxStatus.FAILED)
    with session.look() as work:
        return [name_of(mail) for each in statuses for mail in _waiting(work, None, each, whose)]


def _waiting(
    work: UnitOfWork, most: int | None, status: str | None, whose: str | None
) -> list[InboxMail | OutboxMail]:
    came = work.inbox.waiting(most=most, status=status, whose=whose)
    return [*came, *work.outbox.waiting(most=most, status=status, whose=whose)]


def show_mail(session: OperatorSession, name: str) -> tuple[MailInQueue, str]:
    """Return a mail, and its contents as masked text."""
    with session.look() as work:
        mail = find_mail(work, name)
    text = _outgoing_text(mail) if isinstance(mail, OutboxMail) else _incoming_text(mail.raw)
    return _listed(mail, session.clock()), printable(masked(text))


def retry_all(session: OperatorSession, names: Sequence[str]) -> Iterator[tuple[str, ...]]:
    """Retry mails, some in each transaction. Each waits for earlier ones, which go before it."""
    from pbm.service.trouble.notices import tell_anew

    for batch in _batches(names):
        with session.act(None) as act:
            tell_anew(act.work)
            tried = [_retry(act, name) for name in batch]
        yield from tried


def drop_all(session: OperatorSession, names: Sequence[str], why: str) -> Iterator[str]:
    """Drop mails, some in each transaction, and tell their players."""
    for batch in _batches(names):
        with session.act(why) as act:
            dropped = [_drop(act, name) for name in batch]
        yield from dropped


def _batches(names: Sequence[str]) -> Iterator[Sequence[str]]:
    done = range(0, len(names), _AT_ONCE)
    for first in counted(done, "mails") if len(done) > 1 else done:
        yield names[first : first + _AT_ONCE]


def _retry(act: "OperatorTurn", name: str) -> tuple[str, ...]:
    from pbm.service.trouble.notices import sender_of

    mail, ahead = _find_waiting(act.work, name), tuple[int, ...]()
    if isinstance(mail, OutboxMail):
        ahead = act.work.outbox.ahead_of(mail)
        for each in (*ahead, mail.id):
            act.work.outbox.retry(each, act.now)
        player = act.work.players.find(mail.player_id or 0)
    else:
        if mail.status != InboxStatus.STUCK:
            raise OperatorError(f"Mail {name_of(mail)} is not stuck; its turn comes by itself.")
        act.work.inbox.retry(mail.id)
        player, _ = sender_of(act, mail)
    act.note("mail tried again", player=player, mail=name_of(mail))
    return name_of(mail), *map(outgoing, ahead)


def _drop(act: "OperatorTurn", name: str) -> str:
    from pbm.service.trouble.notices import sender_of

    mail = _find_waiting(act.work, name)
    if isinstance(mail, OutboxMail):
        act.work.outbox.finish([mail.id], OutboxStatus.DROPPED, act.now, mail.last_error)
        player, board = act.work.players.find(mail.player_id or 0), mail.board_id
        act.note("mail dropped", player=player, mail=name_of(mail), board_number=board)
        if player is not None and mail.kind.treatment.loss_is_reported:
            act.tell(player, "answer-dropped", board=board)
        return name_of(mail)
    player, subject = sender_of(act, mail)
    act.work.inbox.finish([(mail.id, f"dropped by the operator: {act.why}")], act.now)
    act.note("mail dropped", player=player, mail=name_of(mail))
    if player is not None:
        act.tell(player, "mail-dropped", number=name_of(mail), subject=masked(subject))
    return name_of(mail)


def find_mail(work: UnitOfWork, name: str, *, lock: bool = False) -> InboxMail | OutboxMail:
    parsed = _NAME.fullmatch(name)
    if parsed is None:
        raise WrongArgumentError(
            f"{name!r} names no mail: i12 is an incoming one, o12 one on its way out."
        )
    kind, number = parsed[1].lower(), int(parsed[2])
    if not kind:
        raise WrongArgumentError(
            f"There may be two mails {number}: say {incoming(number)} for the one that came in, "
            f"{outgoing(number)} for the one on its way out."
        )
    try:
        return (work.outbox if kind == "o" else work.inbox).get(number, lock=lock)
    except LookupError:
        which = "outgoing" if kind == "o" else "incoming"
        raise OperatorError(f"There is no {which} mail {kind}{number}.") from None


def _find_waiting(work: UnitOfWork, name: str) -> InboxMail | OutboxMail:
    mail = find_mail(work, name, lock=True)
    if isinstance(mail, InboxMail) and mail.status == InboxStatus.DONE:
        raise OperatorError(f"Mail {name_of(mail)} is done: {masked(mail.outcome or '')}.")
    if isinstance(mail, OutboxMail) and mail.status not in (OutboxStatus.DUE, OutboxStatus.FAILED):
        raise OperatorError(f"Mail {name_of(mail)} is {mail.status} already.")
    return mail


def name_of(mail: InboxMail | OutboxMail) -> str:
    return outgoing(mail.id) if isinstance(mail, OutboxMail) else incoming(mail.id)


def _listed(mail: InboxMail | OutboxMail, now: datetime) -> MailInQueue:
    name = name_of(mail)
    if isinstance(mail, InboxMail):
        about = f"from {masked(mail.sender) or '<>'} to {masked(mail.recipient)}"
        trouble = masked(mail.outcome or "")
        return MailInQueue(name, mail.status, mail.received_at, mail.tries, about, trouble)
    about = f"{f'board {mail.board_id}' if mail.board_id else mail.kind} to {mail.recipient}"
    trouble, since = masked(mail.last_error or ""), mail.written_at
    until = mail.due_at if mail.status == OutboxStatus.DUE and mail.due_at > now else None
    return MailInQueue(name, mail.status, since, mail.attempts, about, trouble, until)


def _incoming_text(raw: bytes) -> str:
    """Return header and text of a mail, decoded so that secrets can be masked."""
    from pbm.mail.reading.charsets import decode, decode_words
    from pbm.mail.reading.limits import LIMITS, UnreadableMail
    from pbm.mail.reading.mime import body_text, split_mail

    if not raw:
        return _ERASED
    try:
        headers, root = split_mail(raw, LIMITS)
    except UnreadableMail as error:
        return f"It cannot be shown: {error}"
    decoded = [(name, " ".join(decode(value, "").split())) for name, value in headers.fields]
    fields = [f"{name.title()}: {decode_words(value)}" for name, value in decoded]
    return "\n".join([*fields, "", body_text(raw, root, LIMITS)])


def subject_of(mail: OutboxMail) -> str:
    from pbm.mail.writing.render import Renderer

    subject = mail.headers.get("subject") or Renderer().render(mail.template, mail.params).subject
    return printable(str(subject))


def _outgoing_text(mail: OutboxMail) -> str:
    from jinja2 import TemplateError

    from pbm.mail.writing.render import Renderer

    if not mail.params:
        return _ERASED
    if mail.template == "raw":
        return _incoming_text(b64decode(mail.params["raw"]))
    try:
        subject, text = Renderer().render(mail.template, mail.params)[:2]
    except (TemplateError, LookupError, TypeError, ValueError, AttributeError) as error:
        subject, params = "", json.dumps(mail.params, indent=1, sort_keys=True, default=str)
        text = f"It cannot be rendered ({type(error).__name__}: {error}) from:\n{params}"
    return (
        f"To: {mail.recipient}\n"
        f"Subject: {mail.headers.get('subject') or subject}\n"
        f"Message-Id: {mail.message_id}\n"
        f"Reply-To: {mail.headers.get('reply_to') or '-'}\n"
        f"Template: {mail.template}\n\n{text}"
    )
