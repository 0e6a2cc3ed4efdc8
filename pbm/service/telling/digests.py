"""Digests: mails that show several boards, each board once, with the news kept for it."""

from collections.abc import Mapping
from typing import Any

from pbm.play.clocks.waits import wait_of
from pbm.play.subjects import games_subject
from pbm.play.turn import Turn
from pbm.service.telling.announce import shown_to
from pbm.service.telling.kept_news import with_news
from pbm.service.telling.mail_writer import MailWriter
from pbm.store.values.boards import Board
from pbm.store.values.mails import Kind
from pbm.store.values.players import Player

MOST_DRAWN = 12  # boards with a drawing
_MOST_CHARACTERS, _OF_A_DRAWN_ONE, _OF_ANOTHER = 60_000, 3_000, 300  # in the text part


def write_digest(turn: Turn, player: Player, sizes: Mapping[int, int]) -> bool:
    """Write a player's digest; `sizes` are the characters of kept news by board.

    Returns whether boards are left over for another mail.
    """
    found = [board for board in turn.work.boards.get_many(sorted(sizes)) if board.is_installed]
    boards = sorted(found, key=lambda board: _urgency(turn, player, board))
    numbers = _that_fit(boards, sizes)
    locked = {number: turn.work.boards.get(number, lock=True) for number in sorted(numbers)}
    notices = turn.work.kept_news.take_notices(player.id)
    shown = [
        _view(turn, player, locked[number], drawn=place < MOST_DRAWN)
        for place, number in enumerate(numbers)
    ]
    if len(shown) == 1 and not notices:
        MailWriter(turn).board(player, locked[numbers[0]], shown[0])
    elif shown or notices:
        waiting = turn.work.boards.to_move(player.id)
        section = {
            "boards": shown,
            "also": len(set(waiting).difference(view["number"] for view in shown)),
            "notices": notices,
            "more": len(boards) - len(shown),
            "wanted": player.settings.wants_digests,
        }
        own = sum(view["yours"] for view in shown) or "none"
        of_boards = f"news of {len(shown)}, your move on {own}"
        subject = games_subject([None], of_boards if shown else "news")
        MailWriter(turn).several(Kind.DIGEST, player, subject, "digest", section)
    return len(shown) < len(boards)


def _that_fit(boards: list[Board], sizes: Mapping[int, int]) -> list[int]:
    """Return the numbers of the first boards that fit into one mail, at least one."""
    some: list[int] = []
    room = _MOST_CHARACTERS
    for board in boards:
        room -= sizes[board.id] + (_OF_A_DRAWN_ONE if len(some) < MOST_DRAWN else _OF_ANOTHER)
        if some and room < 0:
            break
        some.append(board.id)
    return some


def _view(turn: Turn, player: Player, board: Board, *, drawn: bool) -> dict[str, Any]:
    """Return the view of a board for a digest; takes the kept news."""
    news = turn.work.kept_news.take([player.id], board.id)[player.id]
    after = min((item.after_ply for item in news), default=None)
    view = with_news(shown_to(turn, player, board, after=after), news)
    pictured = {} if view["yours"] else {"picture": None}
    return {**view, **pictured, "drawn": drawn}


def _urgency(turn: Turn, player: Player, board: Board) -> tuple[bool, bool, float, int]:
    """Sort key of boards: first those awaiting the player by clock, then finished, then others."""
    seat = board.to_move
    if seat is None or seat.player_id != player.id:
        return True, board.playing, 0.0, board.id
    wait = wait_of(turn.work, board, turn.now, player)
    ends_at = wait.ends_at.timestamp() if wait and wait.ends_at else float("inf")
    return False, False, ends_at, board.id
