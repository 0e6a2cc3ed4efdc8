"""Advice of robots: hints on a player's own moves, and analyses of finished games.

No advice is given on a position near one that the player has on a board that forbids hints.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from pbm.errors import Refusal
from pbm.events import HintAsked
from pbm.play.begin import robots_play
from pbm.play.boards import check_rules, mark, marks_alike, steps_of
from pbm.play.limits import ANALYSES, HINTS
from pbm.play.turn import GameTurn
from pbm.rules.contract import FindsNear, Game, Leaving, Position, has
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


@dataclass(frozen=True)
class _Running:
    """A board in progress that forbids advice."""

    number: int
    position: Position
    stood: frozenset[str]  # keys (see `mark`) of its latest positions
    early: int = 0  # plies of the game to analyse that were played before this board began


def ask_hint(turn: GameTurn, board: Board, player: Player) -> HintAsked:
    """Queue the search for a hint on a player's move. Raises Refusal and WorkNeeded."""
    work, now = turn.work, turn.now
    _check(board, player)
    others = _without_advice(work, board, player)
    found = _first_near(turn, board, others, lambda: [board.position])
    if found:
        raise Refusal("hint-when-gone-on", number=board.id, other=found[0])
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


def _without_advice(
    work: UnitOfWork, board: Board, player: Player, *, early: bool = False
) -> list[_Running]:
    """Return a player's boards in progress, of the same game as `board`, that forbid advice.

    Their latest positions are those from which the line of an analysis may lead to the present one.
    """
    playing = work.boards.of_player(player.id, playing=True, most=_MOST_COMPARED)
    same = (other for other in playing if other.game == board.game and other.ply)
    others = [other for other in same if other.rated or people_against(other, player.id)]
    latest = work.plies.of_many({other.id: max(0, other.ply - _LATELY - 1) for other in others})
    stood = {number: [ply.stood for ply in plies] for number, plies in latest.items()}
    moments = [ply.played_at for ply in work.plies.of(board.id)] if early and others else []
    return [
        _Running(
            other.id,
            other.position,
            frozenset(filter(None, [mark(board.rules, other.position), *stood[other.id]])),
            sum(moment < other.started_at for moment in moments),
        )
        for other in others
    ]


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


def played_elsewhere(turn: GameTurn, board: Board, player: Player) -> dict[str, int]:
    """Find a ply of `board` whose position another board, one that forbids hints, is near to.

    The position may be mirrored or turned. The result has the board's `number`, the `ply`, and the
    number of the `other` board. Without such a ply it is empty. Raises WorkNeeded.
    """
    others = _without_advice(turn.work, board, player, early=not board.from_record)
    if not others or board.rules_version != board.rules.info.version:
        return {}
    steps = [*steps_of(turn.work, board)]
    while steps and isinstance(steps[-1], Leaving):  # an analysis ends with the last move
        steps.pop()
    found = _first_near(turn, board, others, lambda: [*positions(board.start, steps)][1:])
    return {"number": board.id, "ply": found[1] + 1, "other": found[0]} if found else {}


def _first_near(
    turn: GameTurn,
    board: Board,
    others: Sequence[_Running],
    reached: Callable[[], Sequence[Position]],
) -> tuple[int, int] | None:
    """Return the first of `others` that is near a position, and the position's index, or None.

    Advice on the position could tell what to play on that board: it has stood so lately, or one
    move leads from one to the other, in whatever order the moves before were played. Positions are
    compared outside the transaction. Raises WorkNeeded.
    """
    if not others:
        return None
    of = ("near", board.id, mark_of(board), *((other.number, other.stood) for other in others))
    return turn.slow.outcome(of, lambda: _compared(board.rules, reached(), others))


def _compared(
    game: Game, reached: Sequence[Position], others: Sequence[_Running]
) -> tuple[int, int] | None:
    marks = [marks_alike(game, position) for position in reached]
    for other in others:
        ahead = range(other.early, len(reached))
        same = next((at for at in ahead if not other.stood.isdisjoint(marks[at])), None)
        near = None
        if same is None and has(game, FindsNear):
            near = game.near(other.position, reached[other.early :])
        at = same if near is None else other.early + near
        if at is not None:
            return other.number, at
    return None


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
