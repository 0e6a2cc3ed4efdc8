"""Tables of boards and ratings. The current position is derived from the moves."""

from datetime import datetime
from typing import Any

from sqlalchemy import JSON, Boolean, Column, Float, Index, Integer, String, Text, false, text, true

from pbm.plain import from_plain, to_plain
from pbm.store.schema.columns import JsonOf, Moment, Word, identity, only_where, to
from pbm.store.schema.personal import ExportedBy, ExportRows, KeepRows, Personal, table
from pbm.store.values.boards import MARK, BoardStatus, Offer, Stop
from pbm.store.values.players import Pool


def _offers(plain: list[dict[str, Any]]) -> tuple[Offer, ...]:
    return tuple(from_plain(Offer, offer) for offer in plain)


def _stops(plain: list[tuple[str, str, bool]]) -> tuple[Stop, ...]:
    moment = datetime.fromisoformat
    return tuple(Stop(moment(begin), moment(end), bounced) for begin, end, bounced in plain)


def _plain_stops(stops: tuple[Stop, ...]) -> list[list[Any]] | None:
    return [[stop.begin.isoformat(), stop.end.isoformat(), stop.bounced] for stop in stops] or None


def _met(plain: list[tuple[int, float]]) -> tuple[tuple[int, float], ...]:
    return tuple((player_id, games) for player_id, games in plain)


RECORD = KeepRows("records of games stay")

boards = table(
    "boards",
    identity(),
    Column("game", String(16), nullable=False),
    Column("rules_version", Integer, nullable=False),
    Column("options", JSON, nullable=False),  # by name
    Column("subject", String(200), nullable=False),  # never changes
    Column("start_state", Text, nullable=False),
    Column("state", Text, nullable=False),
    Column("ply", Integer, nullable=False),
    Column("status", Word(BoardStatus, 10), nullable=False),
    # a word of the rules, or: agreed, claimed, declined, operator, record
    Column("ended_by", String(12)),
    Column("winners", JsonOf(tuple)),  # seats, [] for a draw; null without a result
    to("players", "to_move_id"),
    Column("started_at", Moment, nullable=False),
    Column("changed_at", Moment, nullable=False),
    # Open and declined draws and take-backs.
    Column("offers", JsonOf(_offers, lambda offers: to_plain(offers) or None)),
    Column("taken_back", Integer, nullable=False, server_default="0"),  # number of take-backs
    Column("match_id", Integer),  # the number of the match's first board
    Column("round", Integer),
    Column("rounds", Integer),  # of the whole match
    Column("rematch_of", Integer),  # a board's number
    Column("tags", JsonOf(lambda tags: tuple(map(tuple, tags)))),  # of an imported record
    Column("begun_by_id", Integer),  # the number of the player who challenged the others
    Column("rated", Boolean, nullable=False, server_default=true()),  # fixed at the start
    Column("clock", JSON(none_as_null=True)),  # its terms; null for the default
    Column("waits_since", Moment),  # start of the wait for the player to move
    Column("reminded", Integer, nullable=False, server_default="0"),  # reminders of that move
    Column("given", Integer, nullable=False, server_default="0"),  # extra seconds for that move
    # Pairs of moments between which the clock was stopped, and the beginning of a pause.
    Column("stops", JsonOf(_stops, _plain_stops)),
    Column("paused_since", Moment),
    # Whether only its players see it.
    Column("private", Boolean, nullable=False, server_default=false()),
    Index("ix_boards_begun_by_id", "begun_by_id", **only_where(text("begun_by_id IS NOT NULL"))),
    Index(
        "ix_boards_listed", "status", "id", **only_where(text("private = 0"), text("NOT private"))
    ),
    Index("ix_boards_match_id", "match_id", **only_where(text("match_id IS NOT NULL"))),
    Index("ix_boards_rematch_of", "rematch_of", **only_where(text("rematch_of IS NOT NULL"))),
    Index("ix_boards_to_move_id", "to_move_id", **only_where(text("to_move_id IS NOT NULL"))),
    sqlite_autoincrement=True,
    mark=Personal(("begun_by_id", "to_move_id"), erasure=RECORD, export=ExportedBy("boards")),
)


seats = table(
    "seats",
    to("boards", "board_id", primary_key=True),
    Column("seat", Integer, primary_key=True, autoincrement=False),
    to("players", "player_id", nullable=False),
    Column("playing", Boolean, nullable=False),  # false once the board is over
    Column("last_ply", Integer, nullable=False),  # last ply of this seat, 0 before its first
    Column("name", String(40)),  # in an imported record, which belongs to its importer
    # Whether the player began the board, or has moved or written since it was begun.
    Column("answered", Boolean, nullable=False, server_default=false()),
    # Whether the player was told where words without a command go.
    Column("told_of_words", Boolean, nullable=False, server_default=false()),
    # Seconds of the clock, if its terms need them; a null bank is full.
    Column("used", Integer, nullable=False, server_default="0"),
    Column("banked", Integer),
    # Seconds for which the clock was stopped because mail to the player bounced.
    Column("stopped", Integer, nullable=False, server_default="0"),
    # Whether another player had it before; `handovers` says who.
    Column("taken_over", Boolean, nullable=False, server_default=false()),
    Index(
        "ix_seats_unanswered",
        "player_id",
        "board_id",
        **only_where(text("playing = 1 AND answered = 0"), text("playing AND NOT answered")),
    ),
    Index("ix_seats_of_player", "player_id", "playing", "board_id"),
    mark=Personal(("player_id",), erasure=RECORD, export=ExportedBy("boards")),
)


moves = table(
    "moves",
    to("boards", "board_id", primary_key=True),
    Column("ply", Integer, primary_key=True, autoincrement=False),
    Column("seat", Integer, nullable=False),
    Column("text", String(16), nullable=False),
    Column("effect", JSON, nullable=False),  # plain data of the rules
    Column("played_at", Moment, nullable=False),
    Column("stood", String(MARK)),  # mark of the position after it; null in old rows
    Column("times", Integer),  # occurrences of that position so far, up to a limit of the game
    # Whether it was played by a plan of its player.
    Column("planned", Boolean, nullable=False, server_default=false()),
    # What it took of the mover's time and added to the bank, in seconds; null if not counted.
    Column("spent", Integer),
    Column("banked", Integer),
    Index("ix_moves_stood", "board_id", "stood", "ply"),
    mark=Personal(erasure=RECORD, export=ExportedBy("boards")),
)


departures = table(
    "departures",
    identity(),
    to("boards", "board_id", nullable=False, index=True),
    Column("after_ply", Integer, nullable=False),
    Column("seat", Integer, nullable=False),
    Column("how", String(12), nullable=False),  # resigned, removed, forfeited
    Column("left_at", Moment, nullable=False),
    # A forfeit after the first one of an absence costs no rating.
    Column("spared", Boolean, nullable=False, server_default=false()),
    mark=Personal(erasure=RECORD, export=ExportedBy("boards")),
)


handovers = table(
    "handovers",
    identity(),
    to("boards", "board_id", nullable=False),
    Column("seat", Integer, nullable=False),
    Column("after_ply", Integer, nullable=False),
    to("players", "player_id", nullable=False),  # who had the seat before
    Column("behind", Boolean, nullable=False),  # in score, which is a loss for that player
    Column("at", Moment, nullable=False),
    Index("ix_handovers_board_id", "board_id", "seat"),
    Index("ix_handovers_player_id", "player_id", "board_id"),
    mark=Personal(
        ("player_id",),
        erasure=RECORD,
        export=ExportRows(
            "handed_over", {"board": "board_id", "seat": "seat", "ply": "after_ply", "at": "at"}
        ),
    ),
)


rated_boards = table(
    "rated_boards",
    identity(),  # in the order of counting
    to("boards", "board_id", nullable=False, unique=True),
    Column("game", String(16), nullable=False),
    Column("pool", Word(Pool, 6), nullable=False),  # two, many, teams
    Column("counted_at", Moment, nullable=False),
    Index("ix_rated_boards_counted_at", "counted_at", "id"),
    sqlite_autoincrement=True,
    mark=None,
)


_RATED = {name: name for name in ("game", "pool", "mu", "sigma")}

results = table(
    "results",
    to("rated_boards", "rated_id", primary_key=True),
    to("players", "player_id", primary_key=True),
    Column("game", String(16), nullable=False),
    Column("pool", Word(Pool, 6), nullable=False),
    Column("place", Integer, nullable=False),
    Column("mu_before", Float, nullable=False),
    Column("sigma_before", Float, nullable=False),
    Column("mu", Float, nullable=False),
    Column("sigma", Float, nullable=False),
    Column("games", Integer, nullable=False),  # rated games so far, including this one
    Column("people_games", Integer, nullable=False, server_default="0"),  # not only against robots
    Column("rival_id", Integer),  # the only person among the opponents in these
    Column("met", JsonOf(_met)),  # as in `Rating`
    Column("weight", Float, nullable=False, server_default="1"),  # 0 for an unchanged rating
    Index("ix_results_player_id", "player_id", "game", "pool", "rated_id"),
    mark=Personal(
        ("player_id",),
        erasure=KeepRows("ratings of the others are counted from it"),
        export=ExportRows("rated_games", _RATED),
    ),
)


# The condition for the standings: ten games against people, against two different people or more.
LISTED = text("people_games >= 10 AND rival_id IS NULL")

ratings = table(  # the last result of each player
    "ratings",
    Column("game", String(16), primary_key=True),
    Column("pool", Word(Pool, 6), primary_key=True),
    to("players", "player_id", primary_key=True),
    Column("mu", Float, nullable=False),
    Column("sigma", Float, nullable=False),
    Column("games", Integer, nullable=False),
    Column("counted_at", Moment, nullable=False),
    Column("people_games", Integer, nullable=False, server_default="0"),
    Column("rival_id", Integer),
    Column("met", JsonOf(_met)),
    Column("wide", Boolean, nullable=False, server_default=true()),
    Index(*("ix_ratings_place", "game", "pool", "mu", "player_id"), **only_where(LISTED)),
    Index("ix_ratings_player_id", "player_id"),
    mark=Personal(("player_id",), export=ExportRows("ratings", _RATED | {"games": "games"})),
)
