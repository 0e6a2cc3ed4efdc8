"""What lists show of players, boards and seeks: plain data, for whoever formats it.

A `viewer` is the reader if that is a player, else None.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from enum import StrEnum
from typing import Any
from zoneinfo import ZoneInfo

from pbm.plain import to_plain
from pbm.play import seeks
from pbm.play.clocks.vacations import today_of
from pbm.play.clocks.view import clock_for
from pbm.play.limits import MOST_TOGETHER
from pbm.play.public import public_among, public_boards
from pbm.play.ratings import STALE, at, measured, shown_of
from pbm.play.results import result_of, score_of
from pbm.play.views import ViewData, board_views, recent_since
from pbm.rules.registry import game_named, games
from pbm.rules.sides import teams
from pbm.store.db import UnitOfWork
from pbm.store.repositories.history import MOST_MEETINGS
from pbm.store.repositories.players import Listed
from pbm.store.values.asking import Seek
from pbm.store.values.boards import Board, BoardStatus
from pbm.store.values.players import Player, Pool, Rating

Listing = dict[str, Any]
_MOST_CHARACTERS = 20_000  # of diagrams in one mail, so that phones show it whole
_MOST_OVER = 20  # games in one list
_MOST_PLAYERS = 30
_MOST_COUNTED = 1000  # games in progress; counted up to here
_LOOKED_AT = 100  # latest games counted for how often somebody was in time
_MOST_PLACES = 20  # players of each list of ratings
_PLACES = 1000  # players with a place in a list
_MOST_BOARDS = 50
_LOOKED_THROUGH = 200  # newest boards of a player, in a narrow search


def players_listed(work: UnitOfWork, game: str, first: str, now: datetime) -> Listing:
    """Return the players from the handle `first` on, with their ratings in games of two.

    `go_on` is the handle with which the next list begins, or None.
    """
    players, go_on = work.players.some_from(first, most=_MOST_PLAYERS)
    numbers = [player.id for player in players]
    known = work.ratings.current(game, Pool.TWO, numbers)
    ratings = {number: _rating_data(rating, now) for number, rating in known.items()}
    ratings |= {player.id: _robot_rating(player.robot) for player in players if player.robot}
    away = work.vacations.away_among(numbers, now.date())
    rows = [{**_player(one, away), "rating": ratings.get(one.id)} for one in players]
    return {"players": rows, "game": game_named(game).info.title, "first": first, "go_on": go_on}


def player_info(work: UnitOfWork, player: Player, now: datetime) -> Listing:
    """Return what everybody may know of a player; `languages` are codes."""
    over, kept = work.history.kept_time(player.id, most=_LOOKED_AT)
    away = work.vacations.away_among([player.id], today_of(player, now))
    return {
        **_player(player, away),
        "suspended": not player.is_active,
        "unreachable": player.unreachable_since is not None,
        "languages": player.settings.languages,
        "ratings": [
            {"pool": pool.value, "place": "", **_title(game), **_rating_data(rating, now)}
            | _places(work, game, pool, now).get(player.id, {})
            for (game, pool), rating in work.ratings.of_player(player.id).items()
            if game in games()
        ],
        "measured": _robot_rating(player.robot) if player.robot else None,
        "playing": work.history.playing(player.id, most=_MOST_COUNTED),
        "most": _MOST_COUNTED,
        "over": over,
        "kept": kept,
    }


def _player(player: Player | Listed, away: Mapping[int, date]) -> Listing:
    return {
        "handle": player.handle,
        "since": str(player.joined_at.date()),
        "away": str(away[player.id]) if player.id in away else None,
        "robot": player.robot is not None,
    }


def history(
    work: UnitOfWork, players: Sequence[Player], viewer: Player | None, below: int | None = None
) -> Listing:
    """Return the finished games of a player, or of two with each other, and their score.

    Only boards with a number less than `below` are listed; `go_on` is that of the next list.
    """
    of, other = players[0], players[-1]
    score: dict[str, int] | None = None
    seen_by = viewer.id if viewer else 0
    if of.id != other.id:
        meetings = work.history.meetings(of.id, other.id, seen_by=seen_by)
        score = score_of(meetings)
        older = [item.board_id for item in meetings if below is None or item.board_id < below]
        numbers = older[:_MOST_OVER]
        go_on = numbers[-1] if len(older) > _MOST_OVER else None
    else:
        found = work.history.finished(of.id, below=below, most=_MOST_OVER, seen_by=seen_by)
        numbers, go_on = list(found.board_ids), found.go_on_below
    return {
        "names": [player.handle for player in players],
        "own": viewer is not None and viewer.id == of.id,
        "score": score,
        "most": MOST_MEETINGS,
        "many": len(work.boards.numbers_of(of.id, most=MOST_MEETINGS + 1)) > MOST_MEETINGS,
        "games": [
            {**result_of(work, board, of.id), **_title(board.game)}
            for board in work.boards.get_many(numbers)
            if board.is_installed
        ],
        "go_on": go_on,
        "later": below is not None,
    }


def standings(
    work: UnitOfWork, game: str, viewer: Player | None, now: datetime, *, public: bool = False
) -> Listing:
    """Return the players with the highest ratings in each pool, and the place of the viewer.

    If they are `public`, they leave out those whom public pages may not name.
    """
    lists = [found for pool in Pool if (found := _best(work, game, pool, viewer, now, public))]
    stale = work.facts.find(STALE) is not None
    return {"lists": lists, "game": game_named(game).info.title, "stale": stale}


def _best(
    work: UnitOfWork, game: str, pool: Pool, viewer: Player | None, now: datetime, public: bool
) -> Listing | None:
    found = _places(work, game, pool, now)
    known, apart = (
        [one for one, row in found.items() if row["provisional"] == new] for new in (False, True)
    )
    own = {viewer.id} & found.keys() if viewer else set[int]()
    named: Collection[int] = {*known[:_MOST_PLACES], *apart[:_MOST_PLACES], *own}
    named = public_among(work, named) if public else named
    handles = work.players.handles_of(named)
    rows, others = (
        [{"handle": handles[one], **found[one]} for one in some if one in named]
        for some in (known, apart)
    )
    return {"pool": pool.value, "rows": rows, "apart": others} if found else None


def _places(work: UnitOfWork, game: str, pool: Pool, now: datetime) -> dict[int, Listing]:
    """Return ratings by player id, the best first. If a rating is provisional, its place is ""."""
    found: dict[int, Listing] = {}
    place = 0
    for player_id, rating in work.ratings.standings(game, pool, _PLACES):
        told = _rating_data(rating, now)
        place += not told["provisional"]
        found[player_id] = {"place": "" if told["provisional"] else str(place), **told}
    return found


def _rating_data(rating: Rating, now: datetime) -> Listing:
    """Return a rating with the uncertainty that it has now."""
    return {"games": rating.games, **to_plain(shown_of(at(rating, now)))}


def _robot_rating(robot: str) -> Listing:
    return {"games": 0, "measured": True, **to_plain(shown_of(measured(robot)))}


def _title(game: str) -> dict[str, str | None]:
    """Return `{"game": title}`, with None for the title if this server has only one game."""
    return {"game": game_named(game).info.title if len(games()) > 1 else None}


class Which(StrEnum):
    """Which of a player's boards to list."""

    NEXT = "next"
    ACTIVE = "active"
    OVER = "over"
    ALL = "all"


@dataclass(frozen=True)
class Selection:
    which: Which
    players: Sequence[Player]
    viewer_id: int | None = None
    kinds: frozenset[str] = frozenset()
    sizes: frozenset[int] = frozenset()
    teams: bool = False

    @property
    def is_narrow(self) -> bool:
        return bool(self.kinds or self.sizes or self.teams)

    def boards(self, work: UnitOfWork) -> list[Board]:
        """Return the selected boards, newest first. Only the newest of each player are searched."""
        found = {one.id: one for player in self.players for one in self._boards_of(work, player)}
        return list(filter(self._fits, (found[number] for number in sorted(found, reverse=True))))

    def _boards_of(self, work: UnitOfWork, player: Player) -> Iterator[Board]:
        boards, most = work.boards, _LOOKED_THROUGH if self.is_narrow else _MOST_BOARDS + 1
        if self.which is Which.NEXT:
            yield from boards.get_many(boards.to_move(player.id)[-most:])
        if self.which in (Which.ACTIVE, Which.ALL):
            yield from boards.of_player(player.id, playing=True, most=most)
        if self.which in (Which.OVER, Which.ALL):
            yield from boards.of_player(player.id, playing=False, most=most)

    def _fits(self, board: Board) -> bool:
        return (
            board.is_installed
            and board.is_open_to(self.viewer_id)
            and (not self.kinds or board.game in self.kinds)
            and (not self.sizes or len(board.seats) in self.sizes)
            and (not self.teams or teams(board.position) is not None)
        )


def boards_listed(
    work: UnitOfWork, asked: Selection, found: Sequence[Board], viewer: Player | None, now: datetime
) -> Listing:
    """Return the first of the boards `found` by a selection, and whether there are others."""
    of_player = work.boards.of_player
    return {
        "boards": [_board_data(work, board, viewer, now) for board in found[:_MOST_BOARDS]],
        "more": max(0, len(found) - _MOST_BOARDS),
        "which": asked.which.value,
        "over": any(of_player(player.id, playing=False, most=1) for player in asked.players),
        "narrowed": asked.is_narrow,
    }


def _board_data(work: UnitOfWork, board: Board, viewer: Player | None, now: datetime) -> Listing:
    mover = board.to_move
    yours = viewer if mover and viewer and mover.player_id == viewer.id else None
    clock = clock_for(work, board, now, yours) if yours else None
    return {
        "yours": yours is not None,
        "by": clock["by"] if clock else None,
        "number": board.id,
        "players": [seat.handle for seat in board.seats],
        "status": board.status,
        "turn": mover.handle if mover else None,
        "turn_unreachable": bool(mover and mover.unreachable),
        "ply": board.ply,
        "latest": board.latest,
        "paused": board.playing and board.paused_since is not None,
        "winners": [board.seats[seat - 1].handle for seat in board.winners or ()],
    }


def public_list(work: UnitOfWork, status: BoardStatus, below: int, now: datetime) -> Listing:
    """Return the newest public boards with numbers below `below`; `go_on` is that of the next list.

    A list may be short, since as many boards are looked at for each.
    """
    numbers = work.boards.newest(status, below, most=_MOST_BOARDS)
    shown = public_boards(work, work.boards.get_many(numbers))
    go_on = numbers[-1] if len(numbers) == _MOST_BOARDS else None
    return {"boards": [_public_data(work, board, now) for board in shown], "go_on": go_on}


def _public_data(work: UnitOfWork, board: Board, now: datetime) -> Listing:
    moments = {"started": board.started_at, "changed": board.changed_at}
    return {
        **_board_data(work, board, None, now),
        "title": game_named(board.game).info.title,
        **{name: f"{moment:%Y-%m-%dT%H:%M:%SZ}" for name, moment in moments.items()},
    }


def public_player(work: UnitOfWork, player: Player, now: datetime) -> Listing:
    """Return what everybody may know of a player, and the newest public boards."""
    found = {
        name: public_boards(work, Selection(which, [player]).boards(work))[:_MOST_BOARDS]
        for name, which in (("running", Which.ACTIVE), ("ended", Which.OVER))
    }
    listed = {
        name: [_public_data(work, board, now) for board in boards] for name, boards in found.items()
    }
    return {**player_info(work, player, now), **listed}


def public_seeks(work: UnitOfWork, now: datetime, most: int = 40) -> list[Listing]:
    """Return open seeks, if all who wait there may be named and the board will be public."""
    found, _, _ = seeks.seeks_to_join(work, None, now, most)
    named = public_among(work, {one.player_id for seek in found for one in seek.waiting})
    shown = [
        seek
        for seek in found
        if not seek.wish.private and all(one.player_id in named for one in seek.waiting)
    ]
    return seeks_data(work, shown, None, now)


def open_seeks(work: UnitOfWork, viewer: Player | None, now: datetime, most: int = 40) -> Listing:
    """Return the seeks that anybody or the viewer can join, others, and those of the viewer."""
    can, cannot, more = seeks.seeks_to_join(work, viewer, now, most)
    return {
        "own": own_seeks(work, viewer, now) if viewer else [],
        "more": more,
        "can": seeks_data(work, can, viewer, now),
        "cannot": seeks_data(work, cannot, viewer, now),
    }


def own_seeks(work: UnitOfWork, player: Player, now: datetime) -> list[Listing]:
    own = [seek for seek in work.seeks.of_player(player.id) if seek.wish.is_installed]
    return seeks_data(work, own, player, now)


def seeks_data(
    work: UnitOfWork, listed: Sequence[Seek], viewer: Player | None, now: datetime
) -> list[Listing]:
    """Return seeks with their makers' ratings, and with dates in the viewer's time zone."""
    makers = {seek.maker.player_id for seek in listed}
    kinds = {(seek.wish.game, seek.wish.pool): seek.wish for seek in listed}
    rated = {kind: seeks.ratings_for(work, wish, makers, now) for kind, wish in kinds.items()}
    shown = {
        seek.id: rated[seek.wish.game, seek.wish.pool][seek.maker.player_id] for seek in listed
    }
    zone = ZoneInfo(viewer.settings.timezone if viewer else "UTC")
    return [
        {
            "number": seek.id,
            "by": seek.maker.handle,
            "own": viewer is not None and seek.maker.player_id == viewer.id,
            "rating": shown[seek.id].number,
            "provisional": shown[seek.id].provisional,
            "game": game_named(seek.wish.game).info.title,
            "waiting": [one.handle for one in seek.waiting],
            "wishes": list(seek.wish.wishes),
            **{name: getattr(seek.wish, name) for name in ("players", "least", "most", "pairs")},
            "until": f"{seek.expires_at.astimezone(zone):%Y-%m-%d}",
        }
        for seek in listed
    ]


def waiting_for_others(work: UnitOfWork, player: Player, now: datetime) -> Listing:
    """Return the seeks and the pending challenges of a player."""
    challenges = [
        {
            "title": game_named(challenge.setup["game"]).info.title,
            "inviter": (challenge.handle_of(by) if (by := challenge.by_id) != player.id else None),
            "to_you": player.id in challenge.waiting,
            "waiting": [challenge.handle_of(other) for other in challenge.waiting],
            "until": f"{challenge.expires_at:%Y-%m-%d}",
        }
        for challenge in work.challenges.of_player(player.id, now)
    ]
    return {"seeks": own_seeks(work, player, now), "challenges": challenges}


def boards_waiting(work: UnitOfWork, player: Player, now: datetime) -> tuple[list[ViewData], int]:
    """Return views of boards on which it is a player's turn, and how many such boards are left out.

    The boards that have waited longest come first.
    """
    waiting = work.boards.waiting_for(player.id, games())
    boards = work.boards.get_many(waiting[:MOST_TOGETHER])
    plies = work.plies.of_many({board.id: recent_since(board) for board in boards})
    shown, room = list[ViewData](), _MOST_CHARACTERS
    for board in boards:
        room -= sum(map(len, (*board.position.diagram(), board.state)))
        if shown and room < 0:
            break
        views = board_views(work, board, [player], recent=plies[board.id])
        timed = clock_for(work, board, now, player)
        shown.append({**views[player.id], "rounds": [], "clock": timed})
    return shown, len(waiting) - len(shown)
