"""Writes digests: each board once, as it stands now, with all that was kept about it."""

from collections.abc import Mapping
from typing import Any

from pbm.play.clocks.waits import wait_of
from pbm.play.subjects import games_subject
from pbm.play.turn import Turn
from pbm.service.turns.announce import shown_to
from pbm.service.turns.kept_news import with_news
from pbm.service.turns.mail_writer import MailWriter
from pbm.store.kinds import Kind
from pbm.store.values.boards import Board
from pbm.store.values.players import Player

MOST_TOGETHER = 12  # boards; the Message-ID can name so many
_MOST_CHARACTERS, _OF_A_BOARD = 45_000, 3_000  # of the text part


def write_digest(turn: Turn, player: Player, sizes: Mapping[int, int]) -> bool:
    """Write a player's digest of boards, of each of which so many characters are kept.

    Returns whether there are more than one mail can hold. One board alone is a mail in its thread.
    """
    boards = [board for board in turn.work.boards.get_many(sorted(sizes)) if board.is_installed]
    some = [turn.work.boards.get(number, lock=True) for number in _that_fit(boards, sizes)]
    told = {board.id: _told(turn, player, board) for board in some}
    if len(some) == 1:
        MailWriter(turn).board(player, some[0], told[some[0].id])
    elif some:
        shown = [
            told[board.id] for board in sorted(some, key=lambda it: _urgency(turn, player, it))
        ]
        own = sum(view["yours"] for view in shown)
        subject = games_subject([None], f"news of {len(shown)}, your move on {own or 'none'}")
        section = {"boards": shown, "also": _also(turn, player, told)}
        MailWriter(turn).several(Kind.DIGEST, player, subject, "digest", section)
    return len(some) < len(boards)


def _that_fit(boards: list[Board], sizes: Mapping[int, int]) -> list[int]:
    """The numbers of the first boards that one mail can hold, one at least."""
    some: list[int] = []
    room = _MOST_CHARACTERS
    for board in boards[:MOST_TOGETHER]:
        room -= sizes[board.id] + _OF_A_BOARD
        if some and room < 0:
            break
        some.append(board.id)
    return some


def _told(turn: Turn, player: Player, board: Board) -> dict[str, Any]:
    """What a digest tells of a board: all that was kept, and how it stands now."""
    news = turn.work.kept_news.take(player.id, board.id)
    after = min((item.after_ply for item in news), default=None)
    return with_news(shown_to(turn, player, board, after=after), news)


def _urgency(turn: Turn, player: Player, board: Board) -> tuple[bool, float, int]:
    """What puts the boards in order: those that wait for the player come first, by their clocks."""
    seat = board.to_move
    if seat is None or seat.player_id != player.id:
        return True, 0.0, board.id
    wait = wait_of(turn.work, board, turn.now, player)
    ends_at = wait.ends_at.timestamp() if wait and wait.ends_at else float("inf")
    return False, ends_at, board.id


def _also(turn: Turn, player: Player, told: Mapping[int, Any]) -> int:
    """How many other boards wait for the player."""
    return len(set(turn.work.boards.to_move(player.id)) - told.keys())
