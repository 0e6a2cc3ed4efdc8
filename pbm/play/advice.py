"""Advice of robots: hints on a player's own moves, and analyses of finished games.

No advice is given on a position near one that the player has on a board that forbids hints.
"""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from pbm.errors import Refusal
from pbm.events import HintAsked
from pbm.play.begin import robots_play
from pbm.play.boards import check_rules, mark, marks_alike, positions_since, steps_of
from pbm.play.limits import ANALYSES, HINTS
from pbm.rules.contract import FindsNear, Leaving, Position, has
from pbm.rules.record import positions
from pbm.rules.sides import partners
from pbm.store.db import UnitOfWork
from pbm.store.values.boards import Board
from pbm.store.values.players import Player
from pbm.store.values.queues import KeptAnalysis, SearchKind

_MOST_COMPARED = 100  # boards of a player
_LATELY = 5  # plies; with the next one they are as many as the lines that an analysis tells
_CHART_COLUMNS = 50
_BY_FORCE = 1_000  # hundredths of lead in an analysis
_SECONDS = 1.5  # expected processor time of a piece of an analysis


def ask_hint(work: UnitOfWork, board: Board, player: Player, now: datetime) -> HintAsked:
    """Queue the search for a hint on a player's move. Raises Refusal."""
    _check(board, player)
    for other in boards_without_hints(work, board, player):
        if _stood_near(work, other, [board.position]) is not None:
            raise Refusal("hint-when-gone-on", number=board.id, other=other.id)
    if not HINTS.take(work, now, player.id):
        raise Refusal("too-many-hints", most=HINTS.most)
    asked = work.search_jobs.ask(
        SearchKind.HINT,
        f"{board.id}.{mark_of(board)}",
        *(now, board, player.id),
        params={"taken_back": board.taken_back},
    )
    if not asked:
        raise Refusal("hint-asked-already", number=board.id)
    return HintAsked(board.id)


def _check(board: Board, player: Player) -> None:
    if not robots_play(board.rules):
        raise Refusal("no-hints", title=board.rules.info.title, number=board.id)
    people = people_against(board, player.id)
    if people:
        raise Refusal("hint-against-people", handles=people, number=board.id)
    if board.rated:
        raise Refusal("hint-in-rated-game", number=board.id)
    mover = board.to_move
    if mover is None or mover.player_id != player.id:
        turn = mover.handle if mover else None
        raise Refusal("hint-not-your-turn", turn=turn, number=board.id)
    check_rules(board)


def boards_without_hints(work: UnitOfWork, board: Board, player: Player) -> list[Board]:
    """Return a player's boards in progress, of the same game as `board`, that forbid hints."""
    playing = work.boards.of_player(player.id, playing=True, most=_MOST_COMPARED)
    same = (other for other in playing if other.game == board.game and other.ply)
    return [other for other in same if other.rated or people_against(other, player.id)]


def people_against(board: Board, player_id: int | None) -> list[str]:
    own = {seat.seat for seat in board.seats if seat.player_id == player_id}
    own |= {partner for seat in own for partner in partners(board.position, seat)}
    return [seat.handle for seat in board.seats if seat.seat not in own and seat.robot is None]


def check_analysable(board: Board) -> None:
    """Raise Refusal if a game is not over yet, or cannot be analysed."""
    info = board.rules.info
    if board.playing:
        raise Refusal("analyse-when-over", number=board.id)
    if not robots_play(board.rules):
        raise Refusal("no-analyses", title=info.title, number=board.id)
    if board.rules_version != info.version:
        raise Refusal("analyse-other-rules", title=info.title, number=board.id)
    if not board.ply:
        raise Refusal("nothing-to-analyse", number=board.id)


def played_elsewhere(work: UnitOfWork, board: Board, player: Player) -> dict[str, int]:
    """Find a ply of `board` whose position another board, one that forbids hints, is near to.

    The position may be mirrored or turned. The result has the board's `number`, the `ply`, and the
    number of the `other` board. Without such a ply it is empty.
    """
    others = boards_without_hints(work, board, player)
    is_current = board.rules_version == board.rules.info.version
    steps = [*steps_of(work, board)] if others and is_current else []
    while steps and isinstance(steps[-1], Leaving):  # an analysis ends with the last move
        steps.pop()
    reached = [*positions(board.start, steps)][1:]
    for other in others:
        early = 0 if board.from_record else work.plies.until(board.id, other.started_at)
        ply = _stood_near(work, other, reached[early:])
        if ply is not None:
            return {"number": board.id, "ply": early + ply + 1, "other": other.id}
    return {}


def _stood_near(work: UnitOfWork, board: Board, reached: Sequence[Position]) -> int | None:
    """Return the index of a position where advice could tell what to play on `board`, or None.

    The board has stood so lately, so that a line from there may lead on to its present position.
    Or one move leads from the position to the present one or back, in whatever order the moves
    before were played.
    """
    game, first = board.rules, max(1, board.ply - _LATELY)
    is_current = board.rules_version == game.info.version
    stood = positions_since(work, board, first) if is_current else [board.position]
    alike = {found for position in stood for found in marks_alike(game, position)}
    same = (index for index, position in enumerate(reached) if mark(game, position) in alike)
    found = next(same, None)
    return game.near(board.position, reached) if found is None and has(game, FindsNear) else found


def kept_analysis(work: UnitOfWork, board: Board) -> KeptAnalysis | None:
    """Return the stored analysis, perhaps unfinished, or None if there is no current one."""
    kept = work.analyses.find(board.id)
    return kept if kept and kept.mark == mark_of(board) else None


def ask_analysis(work: UnitOfWork, board: Board, player: Player, now: datetime) -> None:
    """Queue an analysis of a board for `player`. The board must be locked. Raises Refusal."""
    if player.id not in work.analyses.readers(board.id):
        if not ANALYSES.take(work, now, player.id):
            raise Refusal("too-many-analyses", most=ANALYSES.most)
        work.analyses.add_reader(board.id, player.id)
    if kept_analysis(work, board) is None:
        work.analyses.begin(board.id, mark_of(board), now)
    ask_piece(work, board, player.id, now)


def ask_piece(work: UnitOfWork, board: Board, player_id: int, now: datetime) -> None:
    """Queue a search for the next part of a board's analysis. It is made for the player."""
    about = str(board.id)
    work.search_jobs.ask(SearchKind.ANALYSIS, about, now, board, player_id, seconds=_SECONDS)


def mark_of(board: Board) -> str:
    """Return a key of a board's moves, which changes when a ply is added or taken back."""
    return f"{board.ply}.{board.taken_back}"


def analysis_params(board: Board, kept: KeptAnalysis, player: Player) -> dict[str, Any]:
    own = [] if board.from_record else board.seats_of(player.id)
    found = kept.found
    mistakes = [
        {**item, "diagram": _diagram(board, item.get("after"))} for item in found["mistakes"]
    ]
    return {
        "title": f"analysis of board {board.id}",
        "number": board.id,
        "game": board.game,
        "players": [{"handle": seat.handle} for seat in board.seats],
        "you": [{"seat": seat.seat} for seat in own],
        "plies": board.ply,
        **found,
        "mistakes": mistakes,
        "leads": _lead_chart(board, found.get("leads"), picture=player.settings.picture),
    }


def _diagram(board: Board, state: str | None) -> str:
    return "\n".join(board.rules.load(state).diagram()) if state else ""


def _lead_chart(
    board: Board, leads: Sequence[int] | None, *, picture: bool
) -> dict[str, Any] | None:
    """Return a chart of `leads`, which tell after each ply how far the first side is ahead."""
    if not leads:
        return None
    sides = board.position.sides
    columns = min(len(leads), _CHART_COLUMNS)
    shown = [leads[(len(leads) - 1) * at // max(1, columns - 1)] for at in range(columns)]
    return {
        "picture": {"leads": shown, "plies": board.ply} if picture else None,
        "sides": [
            {
                "handles": [
                    s.handle for s in board.seats if (sides[s.seat - 1] == sides[0]) == own
                ],
                "ahead": (leads[-1] > 0) == own,
                "signs": "".join(_sign(lead if own else -lead) for lead in shown),
            }
            for own in (True, False)
        ],
    }


def _sign(lead: int) -> str:
    """Return a lead, in hundredths of a unit, as one character.

    It is the number of whole units, `.` for less than one unit, or `#` for a forced win.
    """
    units = (lead + 50) // 100
    return "#" if lead >= _BY_FORCE else "." if units <= 0 else str(min(9, units))


def better_lines(kept: KeptAnalysis) -> tuple[tuple[int, tuple[str, ...]], ...]:
    """Return the better lines that an analysis found, each as its first ply and its moves."""
    judged = [*kept.found["mistakes"], kept.found["last"]]
    return tuple((item["ply"], tuple(item["line"])) for item in judged if item and item["line"])
