"""What the operator sees of, and does to, mails that wait.

Incoming mails go by their number, `12`; outgoing ones by `o12`.
"""

import re
from dataclasses import dataclass
from datetime import datetime

from pbm.errors import OperatorError
from pbm.mail.address import address_key
from pbm.mail.inbound import UnreadableMail, read
from pbm.mail.render import Renderer
from pbm.service.letters import House
from pbm.service.operator.office import Act, Office
from pbm.service.post import raw_mail
from pbm.store.values import InboxMail, OutboxMail, Player

_NAME = re.compile(r"(o?)(\d{1,12})", re.ASCII | re.IGNORECASE)
_REPLY_TAG = re.compile(r"([+=](?:g\d+\.)?u\d+\.)[a-z0-9]+", re.ASCII | re.IGNORECASE)
_TOKEN = re.compile(r"([+=]c\.)[a-z0-9]+", re.ASCII | re.IGNORECASE)
_PASSWORD = re.compile(r"(\bsignup[ \t]+\S+)[ \t]+\S[^\r\n]*", re.ASCII | re.IGNORECASE)
_MASK = "****"


@dataclass(frozen=True)
class Waiting:
    """A mail in the queue, without its contents."""

    name: str
    status: str
    since: datetime
    tries: int
    about: str
    trouble: str


def list_queue(office: Office) -> tuple[Waiting, ...]:
    """Every mail that waits, is stuck or has failed: the incoming ones first."""
    with office.look() as work:
        return (
            *(_incoming(mail) for mail in work.inbox.waiting()),
            *(_outgoing(mail) for mail in work.outbox.waiting()),
        )


def show_mail(office: Office, name: str) -> tuple[Waiting, str]:
    """A mail with its contents, secrets masked. Raises OperatorError."""
    outgoing, number = _parse(name)
    try:
        with office.look() as work:
            if outgoing:
                mail = work.outbox.get(number)
                return _outgoing(mail), mask(_text_of(mail, office.house))
            kept = work.inbox.get(number)
            return _incoming(kept), mask(kept.raw.decode("utf-8", errors="replace"))
    except LookupError as error:
        raise OperatorError(f"There is no mail {name} in the queue.") from error


def retry(office: Office, name: str) -> str:
    """Let a mail be tried again from the start. Raises OperatorError."""
    outgoing, number = _parse(name)
    with office.act(None) as act:
        if outgoing:
            _waiting_out(act, name, number)
            act.work.outbox.retry(number, act.now)
            return f"Mail {name} is due now."
        if _stuck_in(act, name, number).status != "stuck":
            raise OperatorError(f"Mail {name} is not stuck; it will be obeyed by itself.")
        act.work.inbox.retry(number)
        return f"Mail {name} will be obeyed now."


def drop(office: Office, name: str, why: str) -> str:
    """Give a mail up, and tell the player whose mail it is. Raises OperatorError."""
    outgoing, number = _parse(name)
    with office.act(why) as act:
        if outgoing:
            _drop_outgoing(act, _waiting_out(act, name, number))
        else:
            _drop_incoming(act, _stuck_in(act, name, number), office.house)
    return f"Mail {name} is dropped."


def mask(text: str) -> str:
    """Take the secrets out of a mail's text: reply tags, question tokens, passwords."""
    for secret in (_REPLY_TAG, _TOKEN):
        text = secret.sub(rf"\g<1>{_MASK}", text)
    return _PASSWORD.sub(rf"\g<1> {_MASK}", text)


def _drop_incoming(act: Act, mail: InboxMail, house: House) -> None:
    player, subject = _writer(act, mail, house)
    act.work.inbox.finish(mail.id, "dropped by the operator", act.now)
    act.note("dropped a mail", player=player, mail=mail.id)
    if player is not None:
        told = {"number": mail.id, "subject": mask(subject)}
        act.tell_player(player, "mail-dropped", "your mail was dropped", **told)


def _drop_outgoing(act: Act, mail: OutboxMail) -> None:
    act.work.outbox.finish(mail.id, "dropped", act.now, mail.last_error)
    player = act.work.players.find(mail.player_id) if mail.player_id else None
    act.note("dropped a mail", player=player, mail=f"o{mail.id}")
    if player is not None:
        act.tell_player(player, "answer-dropped", "a mail to you was dropped", board=mail.board_id)


def _writer(act: Act, mail: InboxMail, house: House) -> tuple[Player | None, str]:
    try:
        envelope = read(mail.raw, envelope_sender=mail.sender, own_address=house.address.plain)
    except UnreadableMail:
        return None, ""
    if envelope.automatic or envelope.author is None:
        return None, ""
    return act.work.players.by_address(address_key(envelope.author)), envelope.subject


def _stuck_in(act: Act, name: str, number: int) -> InboxMail:
    try:
        mail = act.work.inbox.get(number)
    except LookupError:
        mail = None
    if mail is None or mail.status == "done":
        raise OperatorError(f"There is no mail {name} in the queue.")
    return mail


def _waiting_out(act: Act, name: str, number: int) -> OutboxMail:
    try:
        mail = act.work.outbox.get(number)
    except LookupError:
        mail = None
    if mail is None or mail.status not in ("due", "failed"):
        raise OperatorError(f"There is no mail {name} in the queue.")
    return mail


def _parse(name: str) -> tuple[bool, int]:
    found = _NAME.fullmatch(name)
    if not found:
        raise OperatorError(f"{name!r} is no mail: say 12 for an incoming one, o12 for another.")
    return bool(found[1]), int(found[2])


def _incoming(mail: InboxMail) -> Waiting:
    about = f"from {mask(mail.sender) or '<>'} to {mask(mail.recipient)}"
    return Waiting(
        str(mail.id), mail.status, mail.received_at, mail.tries, about, mask(mail.outcome or "")
    )


def _outgoing(mail: OutboxMail) -> Waiting:
    what = f"board {mail.board_id}" if mail.board_id else mail.kind
    about = f"{what} to {mail.recipient}"
    trouble = mask(mail.last_error or "")
    return Waiting(f"o{mail.id}", mail.status, mail.written_at, mail.attempts, about, trouble)


def _text_of(mail: OutboxMail, house: House) -> str:
    if not mail.params:
        return "(its contents were erased when it was finished)\n"
    return raw_mail(mail, house, Renderer()).decode("utf-8", errors="replace")
