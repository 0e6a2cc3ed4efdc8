"""From events to mails: one to each player of each board touched, one answer at most."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

from pbm.commands.subjects import answer_subject
from pbm.commands.view import board_view
from pbm.events import (
    Answered,
    BoardClosed,
    BoardStarted,
    Commented,
    Event,
    MovePlayed,
    OperatorActed,
    PlayerLeft,
)
from pbm.service.letters import Letters
from pbm.store.db import UnitOfWork
from pbm.store.values import Player

# Answers to one address: (how many, within how long). Board mails never count.
PLAYER_LIMITS = ((20, timedelta(hours=1)), (100, timedelta(days=1)))
STRANGER_LIMIT = (5, timedelta(days=1))


@dataclass
class _News:
    """What one board's players are told, apart from the board itself."""

    lead: list[dict[str, Any]] = field(default_factory=list)
    comments: list[dict[str, Any]] = field(default_factory=list)


def announce_boards(work: UnitOfWork, letters: Letters, events: Sequence[Event]) -> None:
    """Write one mail to every player of every board that something happened on."""
    for number, news in _by_board(events).items():
        board = work.boards.get(number)
        for player_id in dict.fromkeys(seat.player_id for seat in board.seats):
            player = work.players.get(player_id)
            if not player.addresses:
                continue
            view = board_view(work, board, player_id=player_id)
            letters.board(player, {**view, "lead": news.lead, "comments": news.comments})


def announce_answer(
    work: UnitOfWork,
    letters: Letters,
    player: Player,
    sections: Sequence[Answered],
    now: datetime,
) -> None:
    """Write the one answer to a player, in a board's thread where it is about one board."""
    if not sections:
        return
    shown, paused = _within_limits(work, player, sections, now)
    if not shown:
        return
    numbers = {section.board_id for section in shown}
    number = numbers.pop() if len(numbers) == 1 and not paused else None
    told = [{"section": section.section, **section.params} for section in shown]
    if number is None:
        subject = answer_subject(_title(shown[0]))
        letters.answer(player, subject, {"sections": told})
        return
    view = board_view(work, work.boards.get(number), player_id=player.id)
    params = {**view, "lead": [], "comments": [], "sections": told}
    letters.board(player, params, template="answer", kind="answer")


def strangers_answers_left(work: UnitOfWork, address: str, now: datetime) -> int:
    """How many answers an address that nobody plays from may still get today."""
    most, within = STRANGER_LIMIT
    return max(0, most - work.outbox.count_answers(address.lower(), now - within))


def _within_limits(
    work: UnitOfWork, player: Player, sections: Sequence[Answered], now: datetime
) -> tuple[Sequence[Answered], bool]:
    for most, within in PLAYER_LIMITS:
        written = work.outbox.count_answers(player.address.lower(), now - within)
        if written > most:
            return (), True
        if written == most:
            until = (now + within).strftime("%Y-%m-%d %H:%M UTC")
            return (Answered("paused", {"until": until, "most": most}),), True
    return sections, False


def _title(section: Answered) -> str:
    return str(section.params.get("title") or section.section.replace("-", " "))


def _by_board(events: Sequence[Event]) -> dict[int, _News]:
    found: dict[int, _News] = {}
    for event in events:
        match event:
            case MovePlayed(board_id):
                found.setdefault(board_id, _News())
            case BoardStarted(board_id, handle):
                _tell(found, board_id, what="started", handle=handle)
            case PlayerLeft(board_id, handle, how):
                _tell(found, board_id, what=how, handle=handle)
            case BoardClosed(board_id, handle, successor_id):
                _tell(found, board_id, what="declined", handle=handle, successor=successor_id)
            case OperatorActed(board_id, what, why):
                _tell(found, board_id, what=what, why=why, operator=True)
            case Commented(board_id, handle, lines):
                comment = {"handle": handle, "lines": list(lines)}
                found.setdefault(board_id, _News()).comments.append(comment)
            case _:
                pass
    return found


def _tell(found: dict[int, _News], board_id: int, **lead: Any) -> None:
    found.setdefault(board_id, _News()).lead.append(lead)
