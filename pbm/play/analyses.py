"""Analyses of games that are over: asked for once, and kept for whoever asks later."""

from datetime import datetime, timedelta

from pbm.errors import Refusal
from pbm.play.hints import boards_without_hints
from pbm.play.limits import Rate
from pbm.play.marks import marks_alike
from pbm.play.robots import robots_play
from pbm.store.db import UnitOfWork
from pbm.store.values.boards import Board
from pbm.store.values.players import Player
from pbm.store.values.thoughts import KeptAnalysis, ThoughtKind

ANALYSES = Rate("analyses", 3, timedelta(days=1))  # of one player
_BEHIND = 5.0  # seconds that robots' moves go before a piece of it


def check_analysable(board: Board) -> None:
    """Raise Refusal where a board's game cannot be analysed, or not yet."""
    info = board.rules.info
    if board.playing:
        raise Refusal("analyse-when-over", number=board.id)
    if not robots_play(board.rules):
        raise Refusal("no-analyses", title=info.title, number=board.id)
    if board.rules_version != info.version:
        raise Refusal("analyse-other-rules", title=info.title, number=board.id)
    if not board.ply:
        raise Refusal("nothing-to-analyse", number=board.id)


def check_tells_nothing(work: UnitOfWork, board: Board, player: Player) -> None:
    """Raise Refusal where an analysis of a game would tell what to play on another board, on which
    the player can have no hint."""
    told = _told_elsewhere(work, board, player)
    if told:
        raise Refusal("analyse-when-gone-on", **told)


def tells_nothing(work: UnitOfWork, board: Board, player: Player | None) -> bool:
    """Whether an analysis of a game tells a player nothing of that kind."""
    return player is None or not _told_elsewhere(work, board, player)


def _told_elsewhere(work: UnitOfWork, board: Board, player: Player) -> dict[str, int]:
    """Another board that stands, be it mirrored or turned, as it did in a game, and after which
    ply; empty for none.

    A game that was played here counts where it stood so after the other board had begun.
    """
    stands_on = {
        stands: other
        for other in boards_without_hints(work, board, player)
        for stands in marks_alike(other)
    }
    for ply in work.plies.that_stood(board.id, stands_on) if stands_on else ():
        other = stands_on[ply.stood]
        if board.from_record or ply.played_at >= other.started_at:
            return {"number": board.id, "ply": ply.ply, "other": other.id}
    return {}


def kept_analysis(work: UnitOfWork, board: Board) -> KeptAnalysis | None:
    """What has been found so far about a board's game as it stands there now."""
    kept = work.analyses.find(board.id)
    return kept if kept and kept.mark == mark_of(board) else None


def ask_analysis(work: UnitOfWork, board: Board, player: Player, now: datetime) -> None:
    """Let a game be analysed for a player, or let the player wait for what is on its way; the
    board's row is locked. Raises Refusal."""
    if player.id not in work.analyses.readers(board.id):
        if not ANALYSES.take(work, now, player.id):
            raise Refusal("too-many-analyses", most=ANALYSES.most)
        work.analyses.add_reader(board.id, player.id)
    if kept_analysis(work, board) is None:
        work.analyses.begin(board.id, mark_of(board), now)
    ask_piece(work, board, player.id, now)


def ask_piece(work: UnitOfWork, board: Board, player_id: int, now: datetime) -> None:
    """Let the next piece of a game be looked at, in the share of a player."""
    work.thoughts.ask(
        ThoughtKind.ANALYSIS,
        str(board.id),
        now,
        board_id=board.id,
        ply=board.ply,
        player_id=player_id,
        handicap=_BEHIND,
    )


def mark_of(board: Board) -> str:
    """What tells a game from what it was before plies were taken back, or others added."""
    return f"{board.ply}.{board.taken_back}"
