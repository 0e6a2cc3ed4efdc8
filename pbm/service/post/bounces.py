"""Bounces: mark players as unreachable, tell opponents after a day, unmark players who write.

A permanent bounce (`5.x.x`) marks the player at once. A temporary bounce (`4.x.x` or no code)
counts at most once a day, and three of these in a row mark the player. If it is the player's move
on a board, the board's mail is rewritten and sent again after a pause.
"""

from collections.abc import Iterable
from datetime import datetime, timedelta

from pbm.addresses import address_key
from pbm.commands.turn import Turn
from pbm.events.board import MailCameBack
from pbm.mail.address import Bounce
from pbm.mail.reading.delivery_report import DELAYED, DELIVERED, HARD, read_report
from pbm.play.actions import show_life
from pbm.play.clocks.pauses import keep_stop
from pbm.play.limits import BACK_BY_CLAIM
from pbm.service.telling.announce import shown_to
from pbm.service.telling.later import SHORTEST
from pbm.service.telling.mail_writer import MailWriter
from pbm.store.db import UnitOfWork
from pbm.store.values.mails import InboxMail, Kind, OutboxMail
from pbm.store.values.players import Player
from pbm.store.values.queues import TimerKind

LASTED = timedelta(days=1)  # until opponents are told, so that a bounce cannot be faked for profit
REACHABLE, UNREACHABLE = "reachable", "unreachable"
MOST_SOFT = 3  # temporary bounces in a row until a player is unreachable
_COUNTED_EVERY = timedelta(days=1)
_FORGOTTEN_AFTER = timedelta(days=30)  # also the age limit of a mail whose report counts


def hear_report(turn: Turn, mail: InboxMail, bounce: Bounce) -> str:
    """Count a bounce of a mail to a player's current address. Returns the outcome in words."""
    work = turn.work
    if not turn.site.keyring.verify_bounce_tag(bounce.tag, bounce.player_id, bounce.mail):
        return "nothing: no address of ours"
    player = work.players.find_locked(bounce.player_id)
    if player is None or not player.addresses:
        return "nothing: about nobody who plays here"
    report = read_report(mail.raw, player.address)
    if report is None:
        return "nothing: no report of what became of a mail"
    if report.verdict in (DELIVERED, DELAYED):
        return f"nothing: mail to {player.handle} is {report.verdict}"
    key, since = address_key(player.address), turn.now - _FORGOTTEN_AFTER
    sent = work.outbox.find_sent(mail.recipient, key, since)
    if sent is None:
        return f"nothing: about an old mail or an old address of {player.handle}"
    if sent.last_error:
        return f"nothing: mail o{sent.id} has come back before"
    why = " ".join(filter(None, (report.status, report.reason))) or "no reason given"
    work.outbox.change(sent.id, last_error=f"came back ({report.verdict}): {why}")
    marked = _count(turn, player, sent, hard=report.verdict == HARD)
    return f"mail o{sent.id} to {player.handle} came back ({report.verdict}){marked}"


def is_beyond_help(turn: Turn, mail: OutboxMail, status: str) -> bool:
    """Return whether nobody can mend it: a mailbox is gone that is a stranger's, or known to be."""
    player = turn.work.players.find(mail.player_id) if mail.player_id else None
    if player is None:
        return _is_hard(status) and mail.recipient != turn.site.operator
    return bool(status) and player.unreachable_since is not None


def note_refusal(turn: Turn, mail: OutboxMail, status: str) -> None:
    """Count a bounce if `mail` was to the player's current address. `status` is the SMTP code."""
    player = turn.work.players.find_locked(mail.player_id) if mail.player_id else None
    if player is None or address_key(mail.recipient) not in map(address_key, player.addresses[:1]):
        return
    _count(turn, player, mail, hard=_is_hard(status))


def _is_hard(status: str) -> bool:
    return status.startswith(("5.1.", "5.2."))  # RFC 3463: for good, about the address or mailbox


def hear_from(turn: Turn, player: Player, *, proven: bool) -> tuple[int, ...]:
    """Mark a mail's sender as reachable, and return the boards whose mails bounced.

    An unproven sender whose mail bounces can do this a few times a day.
    """
    if proven:
        show_life(turn.work, player)
    if player.bounced_at is None:
        return ()
    may_claim = proven or player.unreachable_since is None
    if not may_claim and not BACK_BY_CLAIM.take(turn.work, turn.now, player.id):
        return ()
    turn.work.players.change(player.id, bounces=0, bounced_at=None, unreachable_since=None)
    if not player.addresses:
        return ()
    if player.unreachable_since is None:
        return _release(turn, player)
    turn.back.append(player.id)
    reachable_again(turn, player)
    if turn.now - player.unreachable_since >= LASTED:  # the opponents were told
        _tell_later(turn.work, player, REACHABLE, turn.now)
    return tuple(_to_move(turn.work, player))


def send_missed(turn: Turn, player_id: int, board_ids: Iterable[int]) -> None:
    """Send the boards whose mails bounced, unless another mail about them is already queued."""
    work = turn.work
    for board_id in board_ids:
        player = work.players.get(player_id)
        if not player.addresses or work.outbox.waits_for(address_key(player.address), board_id):
            continue
        if board_id in _to_move(work, player):
            _write_again(turn, player, board_id, turn.now)


def reachable_again(turn: Turn, player: Player) -> None:
    """Release a player's delayed mails, and restart the player's clocks."""
    keep_stop(turn.work, player, turn.now)
    _release(turn, player)


def _tell_later(work: UnitOfWork, player: Player, what: str, now: datetime) -> None:
    """Schedule a notice to waiting opponents; `what` is REACHABLE or UNREACHABLE."""
    about = f"{player.id}.{what}.0"  # boards are told in batches; a key ends with the last one told
    work.timers.set(TimerKind.ACCOUNT_NEWS, about, now, now + LASTED, player_id=player.id)


def _release(turn: Turn, player: Player) -> tuple[int, ...]:
    """Drop a player's waiting board mails and return their boards; send other mails now."""
    outbox = turn.work.outbox
    boards = outbox.supersede(player.id, "the player has written", turn.now)
    outbox.release(player.id, address_key(player.address), turn.now)
    return boards


def _count(turn: Turn, player: Player, mail: OutboxMail, *, hard: bool) -> str:
    """Count a bounce, a permanent one if `hard`; return the consequence in words."""
    work, now = turn.work, turn.now
    since, last, count = player.unreachable_since, player.bounced_at, player.bounces
    if not hard and not since:
        if last is None or last < now - _FORGOTTEN_AFTER:
            count = 1
        else:
            count += last <= now - _COUNTED_EVERY
    marks = since is None and (hard or count >= MOST_SOFT)
    work.players.change(
        player.id, bounces=count, bounced_at=now, unreachable_since=now if marks else since
    )
    if marks:
        _tell_later(work, player, UNREACHABLE, now)
    turns = _to_move(work, player)
    if turns and not work.outbox.waits_for(address_key(player.address)):
        number = mail.board_id if mail.board_id in turns else turns[0]
        _write_again(turn, work.players.get(player.id), number, now + SHORTEST)
    return f"; mail to {player.handle} counts as coming back now" if marks else ""


def _to_move(work: UnitOfWork, player: Player) -> list[int]:
    """Return the boards where it is the player's move, except those of uninstalled games."""
    boards = work.boards.get_many(work.boards.to_move(player.id))
    return [board.id for board in boards if board.is_installed]


def _write_again(turn: Turn, player: Player, board_id: int, not_before: datetime) -> None:
    board = turn.work.boards.get(board_id, lock=True)
    view = shown_to(turn, player, board, MailCameBack(board.id))
    MailWriter(turn).board(player, board, view, Kind.AGAIN, not_before)
