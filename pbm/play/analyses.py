"""Analyses of games that are over: asked for once, and kept for whoever asks later."""

from datetime import datetime, timedelta

from pbm.errors import Refusal
from pbm.play.hints import has_hints
from pbm.play.limits import Rate
from pbm.play.marks import mark
from pbm.play.robots import robots_play
from pbm.store.db import UnitOfWork
from pbm.store.values.boards import Board
from pbm.store.values.players import Player
from pbm.store.values.thoughts import KeptAnalysis, ThoughtKind

ANALYSES = Rate("analyses", 3, timedelta(days=1))  # of one player
_MOST_COMPARED = 100  # boards of a player, the newest
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
    """Raise Refusal where an analysis of a record would tell what to play on another board, on
    which the player can have no hint."""
    if not board.from_record:
        return
    stands_on = {
        stands: other.id
        for other in work.boards.of_player(player.id, playing=True, most=_MOST_COMPARED)
        if other.game == board.game and other.ply and not has_hints(other, player)
        if (stands := mark(other.rules, other.position))
    }
    if stood := work.plies.first_to_stand(board.id, stands_on):
        ply, stands = stood
        told = {"number": board.id, "ply": ply, "other": stands_on[stands]}
        raise Refusal("analyse-when-gone-on", **told)


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
