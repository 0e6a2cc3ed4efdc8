"""The readers of a board: who hears of its events, and what the events say to them."""

import json
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field
from math import inf
from typing import Any

from pbm.events import BoardEvent, Commented, MovePlayed
from pbm.events.board import BoardFact
from pbm.mail.writing.blocks import said_lines
from pbm.store.db import UnitOfWork
from pbm.store.values.boards import Board
from pbm.store.values.happened import Waiting
from pbm.store.values.mails import News, OutboxMail
from pbm.store.values.players import Player

HandleOf = Callable[[int], str]
_ABOVE_THE_BOARD = 5  # lines of a comment, folded as in the text part
_BELOW_THE_BOARD = 3  # a shorter rest of the comment stays above


@dataclass
class Reader:
    """A reader of a board, and what becomes of new events for this reader."""

    player: Player
    is_sender: bool  # of the mail in hand
    is_joint: bool  # is mailed later, in one mail about several boards
    blocked: Collection[int]  # authors whom the reader blocks
    waiting: Waiting | None  # earlier events of which the reader is still to be told
    delayed: OutboxMail | None  # an earlier mail that was to go out later; the new one replaces it
    told: dict[str, Any] = field(default_factory=dict)  # facts and comments
    before: list[News] = field(default_factory=list)  # told in the same mail: delayed, waiting
    is_later: bool = False  # a later mail tells the events
    is_small: bool = False  # the mail's picture is small
    view: dict[str, Any] = field(default_factory=dict)  # what the mail shows


def hears(reader: Reader, board: Board, events: Sequence[BoardEvent]) -> bool:
    """Return whether a reader is told of any of these events on a board, now or later."""
    if not reader.player.addresses:
        return False
    told = [event for event in events if event.only_reader in (None, reader.player.id)]
    if reader.is_sender:
        return _wants_receipt(reader.player, board, told)
    return any(_hears(reader, board, event) for event in told)


def _wants_receipt(player: Player, board: Board, events: Sequence[BoardEvent]) -> bool:
    """Return whether the sender of the mail in hand gets the board's mail, too."""
    if player.settings.receipts or not board.playing:
        return True
    moved = any(isinstance(event, MovePlayed) for event in events)
    only = all(isinstance(event, MovePlayed | Commented) for event in events)
    return not (moved and only) or _is_asked(player, board)


def _hears(reader: Reader, board: Board, event: BoardEvent) -> bool:
    player, settings = reader.player, reader.player.settings
    has_left = board.playing and player.id not in board.still_in
    if has_left and not (event.for_leavers or event.leaver == player.id):
        return False
    if event.speaker in reader.blocked:
        return False
    if not event.only_if_wanted or not board.playing:
        return True
    return settings.wants_digests or settings.mails == "all" or _is_asked(player, board)


def _is_asked(player: Player, board: Board) -> bool:
    if board.to_move and board.to_move.player_id == player.id:
        return True
    return any(player.id in waiting for waiting in board.open_offers.values())


def handles_on(work: UnitOfWork, board: Board) -> HandleOf:
    """Return a function that gives the handle of a player: on the board, or elsewhere."""
    seated = {seat.player_id: seat.handle for seat in board.seats if not seat.from_record}
    return lambda player_id: seated.get(player_id) or work.players.get(player_id).handle


def told_of(
    events: Sequence[BoardEvent], player_id: int, handle_of: HandleOf, most: float = inf
) -> dict[str, Any]:
    """Return what events say to one reader: facts (`lead`), comments, moves saved by plans.

    `not_shown` has the authors of comments that the reader does not want, or that are not kept.
    Comments over `most` characters go there, too, and facts over twice as many are left out.
    """
    lead, comments, not_shown = list[Any](), list[Any](), dict[str, None]()
    size = saved = 0
    for event in events:
        if isinstance(event, BoardFact) and event.only_reader in (None, player_id):
            fact = event.lead(handle_of)
            size += size_of(fact)
            lead += [fact] if size <= 2 * most else []
        elif isinstance(event, Commented):
            head, rest = divide_comment(event.lines)
            said: dict[str, Any] = {"handle": handle_of(event.player), "head": head, "rest": rest}
            size += size_of(said)
            if event.lines and player_id not in event.hidden_from and size <= most:
                comments.append(said)
            else:
                not_shown[said["handle"]] = None
        elif isinstance(event, MovePlayed) and event.planned:
            saved += event.player == player_id
    told: dict[str, Any] = {"lead": lead, "comments": comments}
    told |= {"not_shown": [*not_shown]} if not_shown else {}
    return told | ({"saved": saved} if saved else {})


def size_of(told: dict[str, Any]) -> int:
    """Return the size of news in characters."""
    return len(json.dumps(told))


def divide_comment(lines: Sequence[str]) -> tuple[list[str], list[str]]:
    """Split a comment into lines above and below the board; put all above if few would be below."""
    head: list[str] = []
    rest: list[str] = []
    room = _ABOVE_THE_BOARD
    for index, line in enumerate(lines):
        folded = said_lines(line)
        if len(folded) > room:
            rest = list(lines[index:])
            if not head:
                head, rest[:1] = [" ".join(folded[:room])], [" ".join(folded[room:])]
            break
        head.append(line)
        room -= len(folded)
    few = len(rest) < _BELOW_THE_BOARD
    if few and sum(len(said_lines(line)) for line in rest) < _BELOW_THE_BOARD:
        return list(lines), []
    return head, rest
