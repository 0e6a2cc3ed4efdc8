"""Commands about players: profiles, finished games, ratings."""

from collections.abc import Iterator, Sequence
from typing import Any

from pbm.commands.families.settings import names_of
from pbm.commands.language.context import Context, player_named
from pbm.commands.language.declare import Command, operand, option
from pbm.commands.language.words import (
    ME,
    BoardKind,
    BoardRef,
    GameName,
    Handle,
    Shown,
    Word,
    lowered,
)
from pbm.errors import Refusal
from pbm.events import Answered, Event
from pbm.plain import to_plain
from pbm.play.clocks.vacations import today_of
from pbm.play.ratings import STALE, at, measured, shown_of
from pbm.play.results import result_of, score_of
from pbm.rules.registry import game_named, games
from pbm.store.repositories.history import MOST_MEETINGS
from pbm.store.values.players import Player, PlayerStatus, Pool, Rating

_MOST_LISTED = 20  # games in one answer
_MOST_PLAYERS = 30
_MOST_COUNTED = 1000  # games in progress; counted up to here
_LOOKED_AT = 100  # latest games counted for how often somebody was in time
_LONGEST = 16  # characters of a handle
_MOST = 20  # players of each list
_COUNTED = 1000  # players with a place in a list


class ListHistory(Command, group="look"):
    """List the finished games of a player, or of two players with each other."""

    words = ("history",)
    examples = ("history", "history bob", "history me bob")
    reads_only = True

    who: tuple[BoardRef | str, ...] = operand(Shown("handle"), many=True, optional=True)
    before: BoardRef | None = option("before", BoardKind())

    def run(self, context: Context) -> Iterator[Event]:
        for item in self.who:
            if isinstance(item, BoardRef):
                raise Refusal("history-of-board", number=item.number)
        handles = list(dict.fromkeys(str(item) for item in self.who)) or [ME]
        players = [player_named(context, handle) for handle in handles]
        if len(players) > 2:
            raise Refusal("too-many-histories")
        of, work = players[0], context.work
        score: dict[str, int] | None = None
        below = self.before.number if self.before else None
        if of.id != players[-1].id:
            meetings = work.history.meetings(of.id, players[-1].id)
            score = score_of(meetings)
            older = [item.board_id for item in meetings if below is None or item.board_id < below]
            numbers = older[:_MOST_LISTED]
            go_on = numbers[-1] if len(older) > _MOST_LISTED else None
        else:
            found = work.history.finished(of.id, below=below, most=_MOST_LISTED)
            numbers, go_on = list(found.board_ids), found.go_on_below
        names = [player.handle for player in players]
        many = len(work.boards.numbers_of(of.id, most=MOST_MEETINGS + 1)) > MOST_MEETINGS
        told = {
            "title": f"the games of {' and '.join(names)}",
            "names": names,
            "own": of.id == context.actor_id,
            "score": score,
            "most": MOST_MEETINGS,
            "many": many,
            "games": [
                {**result_of(work, board, of.id), **_title(board.game)}
                for board in work.boards.get_many(numbers)
                if board.is_installed
            ],
            "line": f"history {' '.join(handles)} -before={go_on}" if go_on else None,
            "later": below is not None,
        }
        yield Answered("history", told)


class ShowInfo(Command, group="look"):
    """Tell about a player: day of joining, ratings, games, punctuality, languages."""

    words = ("info",)
    examples = ("info bob", "info")
    reads_only = True

    who: str | None = operand(Handle(), optional=True)

    def run(self, context: Context) -> Iterator[Event]:
        player = player_named(context, self.who or ME)
        if player.status == PlayerStatus.REMOVED:
            raise Refusal("has-left", handle=player.handle)
        history = context.work.history
        games_over, kept = history.kept_time(player.id, most=_LOOKED_AT)
        away = context.work.vacations.away_among([player.id], today_of(player, context.now))
        told = {
            "title": f"about {player.handle}",
            "handle": player.handle,
            "since": str(player.joined_at.date()),
            "suspended": not player.is_active,
            "robot": player.robot is not None,
            "unreachable": player.unreachable_since is not None,
            "away": str(away[player.id]) if away else None,
            "languages": list(names_of(player.settings.languages)),
            "ratings": _ratings(context, player),
            "measured": robot_rating(player.robot) if player.robot else None,
            "playing": history.playing(player.id, most=_MOST_COUNTED),
            "most": _MOST_COUNTED,
            "over": games_over,
            "looked_at": _LOOKED_AT,
            "kept": kept,
        }
        yield Answered("info", told)


class ListPlayers(Command, group="look"):
    """List who plays here, in the order of the alphabet, with their ratings."""

    words = ("players", "list")
    examples = ("players", "players bo", "list")
    reads_only = True

    of: str | None = operand(GameName(explains=False), optional=True)
    start: str | None = operand(Word("handle"), optional=True)

    def run(self, context: Context) -> Iterator[Event]:
        work, info = context.work, (game_named(self.of) if self.of else self.game).info
        first = lowered(self.start or "")[:_LONGEST]
        players, go_on = work.players.some_from(first, most=_MOST_PLAYERS)
        numbers = [player.id for player in players]
        known = work.ratings.current(info.name, Pool.TWO, numbers)
        ratings = {number: rating_data(context, rating) for number, rating in known.items()}
        ratings |= {player.id: robot_rating(player.robot) for player in players if player.robot}
        away = work.vacations.away_among(numbers, context.now.date())
        rows = [
            {
                "handle": player.handle,
                "since": str(player.joined_at.date()),
                "rating": ratings.get(player.id),
                "away": str(away[player.id]) if player.id in away else None,
                "robot": player.robot is not None,
            }
            for player in players
        ]
        told = {"title": "who plays here", "players": rows, "game": info.title, "first": first}
        yield Answered("players", {**told, "line": f"players {go_on}" if go_on else None})


def _ratings(context: Context, player: Player) -> Sequence[dict[str, Any]]:
    return [
        {
            "pool": pool.value,
            "place": _standings(context, game, pool).get(player.id, {}).get("place", ""),
            **_title(game),
            **rating_data(context, rating),
        }
        for (game, pool), rating in context.work.ratings.of_player(player.id).items()
        if game in games()
    ]


def _title(game: str) -> dict[str, str | None]:
    """Return `{"game": title}`, with None for the title if this server has only one game."""
    return {"game": game_named(game).info.title if len(games()) > 1 else None}


class Standings(Command, group="look"):
    """List the players with the highest ratings, and your own place."""

    words = ("standings", "ratings")
    reads_only = True

    of: str | None = operand(GameName(), optional=True)

    def run(self, context: Context) -> Iterator[Event]:
        info = (game_named(self.of) if self.of else self.game).info
        lists = [found for pool in Pool if (found := _listed(context, info.name, pool))]
        title, stale = f"the standings of {info.title}", context.work.facts.find(STALE) is not None
        told = {"title": title, "lists": lists, "game": info.title, "stale": stale}
        yield Answered("standings", told)


def _listed(context: Context, game: str, pool: Pool) -> dict[str, Any] | None:
    found = _standings(context, game, pool)
    known = [one for one, row in found.items() if not row["provisional"]]
    apart = [one for one, row in found.items() if row["provisional"]]
    own = [one for one in found if one == context.actor_id]
    named = {*known[:_MOST], *apart[:_MOST], *own}
    handles = context.work.players.handles_of(named)
    rows, others = (
        [{"handle": handles[one], **found[one]} for one in some if one in named]
        for some in (known, apart)
    )
    return {"pool": pool.value, "rows": rows, "apart": others} if found else None


def _standings(context: Context, game: str, pool: Pool) -> dict[int, dict[str, Any]]:
    """Return ratings by player id, the best first. If a rating is provisional, its place is ""."""
    found: dict[int, dict[str, Any]] = {}
    place = 0
    for player_id, rating in context.work.ratings.standings(game, pool, _COUNTED):
        told = rating_data(context, rating)
        place += not told["provisional"]
        found[player_id] = {"place": "" if told["provisional"] else str(place), **told}
    return found


def rating_data(context: Context, rating: Rating) -> dict[str, Any]:
    """Return a rating as plain data, with the uncertainty that it has today."""
    return {"games": rating.games, **to_plain(shown_of(at(rating, context.now)))}


def robot_rating(robot: str) -> dict[str, Any]:
    return {"games": 0, "measured": True, **to_plain(shown_of(measured(robot)))}
