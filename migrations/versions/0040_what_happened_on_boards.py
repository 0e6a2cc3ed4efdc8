"""What happened on boards, and up to where each reader was told of it

A migration only adds, or changes in steps that the version before still runs on; it never
reads through the application's code, and it is never edited once released.

Moves and departures of boards in progress become events. News that waited for a digest becomes
events, too, each for the one reader who was still to be told. So the table `kept_news` goes: stop
the version before while this runs.
"""

from collections import defaultdict
from itertools import count

import sqlalchemy as sa
from alembic import op

revision = "0040"
down_revision = "0039"
branch_labels = None
depends_on = None

MOMENT = sa.DateTime(timezone=True)
# Fields of facts that named players, by their handles.
BY_HANDLE = frozenset(("handle", "by", "others", "away", "winners", "lifted", "robot", "next"))

UNKNOWN = -1  # instead of the number of a player
# Remarks to one reader, which are no events; and facts that earlier versions wrote.
NO_EVENTS = frozenset(
    "address-changed address-replaced board-sent-again first-move-due mail-came-back move-due"
    " operator-acted ratings-recounted record-kept".split()
)


def _table(name: str, *plain: str, **typed: sa.types.TypeEngine) -> sa.TableClause:
    columns = (sa.column(column, kind) for column, kind in typed.items())
    return sa.table(name, *map(sa.column, plain), *columns)


boards = _table("boards", "id", "status", changed_at=MOMENT, offers=sa.JSON())
seats = _table("seats", "board_id", "seat", "player_id", "name")
players = _table("players", "id", "handle")
former_handles = _table("former_handles", "handle", "player_id")
moves = _table("moves", "board_id", "ply", "seat", "text", played_at=MOMENT)
departures = _table("departures", "id", "board_id", "seat", "how", left_at=MOMENT)
words = _table("words", "id", "board_id", "player_id", said_at=MOMENT, lines=sa.JSON())
kept_news = _table(
    *("kept_news", "id", "player_id", "board_id", "after_ply", "size"),
    told=sa.JSON(),
    kept_at=MOMENT,
)
board_events = _table(
    *("board_events", "board_id", "number", "kind"),
    at=MOMENT,
    fields=sa.JSON(),
    unheard=sa.JSON(none_as_null=True),
)
readers = _table("readers", "board_id", "player_id", "seen", "waiting", since=MOMENT)


def upgrade() -> None:
    op.create_table(
        "board_events",
        sa.Column("board_id", sa.Integer(), nullable=False),
        sa.Column("number", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("at", MOMENT, nullable=False),
        sa.Column("kind", sa.String(24), nullable=False),
        sa.Column("fields", sa.JSON(), nullable=False),
        sa.Column("by_id", sa.Integer()),
        sa.Column("cause", sa.Integer()),
        sa.Column("unheard", sa.JSON()),
        sa.PrimaryKeyConstraint("board_id", "number", name="pk_board_events"),
        sa.ForeignKeyConstraint(["board_id"], ["boards.id"], name="fk_board_events_board_id_boards"),
    )
    op.create_table(
        "readers",
        sa.Column("board_id", sa.Integer(), nullable=False),
        sa.Column("player_id", sa.Integer(), nullable=False),
        sa.Column("seen", sa.Integer(), server_default="0", nullable=False),
        sa.Column("since", MOMENT),
        sa.Column("waiting", sa.Integer(), server_default="0", nullable=False),
        sa.PrimaryKeyConstraint("board_id", "player_id", name="pk_readers"),
        sa.ForeignKeyConstraint(["board_id"], ["boards.id"], name="fk_readers_board_id_boards"),
        sa.ForeignKeyConstraint(["player_id"], ["players.id"], name="fk_readers_player_id_players"),
    )
    op.create_index("ix_readers_player_id", "readers", ["player_id", "since"])
    seated = sa.select(seats.c.board_id, seats.c.player_id).distinct()
    op.execute(readers.insert().from_select(["board_id", "player_id"], seated))
    connection = op.get_bind()
    waiting = _grouped(connection, sa.select(kept_news).order_by(kept_news.c.id))
    playing = connection.execute(sa.select(boards.c.id).where(boards.c.status == "playing"))
    for board_id in sorted({*waiting, *playing.scalars()}):
        _fill(connection, board_id, waiting.get(board_id, []))
    op.drop_index("ix_kept_news_player_id", "kept_news")
    op.drop_table("kept_news")


def _grouped(connection: sa.Connection, query: sa.Select) -> dict[int, list[sa.RowMapping]]:
    found = defaultdict(list)
    for row in connection.execute(query).mappings():
        found[row["board_id"]].append(row)
    return found


def _fill(connection: sa.Connection, board_id: int, waiting: list[sa.RowMapping]) -> None:
    def rows(query: sa.TableClause) -> list[sa.RowMapping]:
        its = sa.select(query).where(query.c.board_id == board_id)
        return list(connection.execute(its).mappings())

    player_of = {row["seat"]: row["player_id"] for row in rows(seats)}
    readers_here = set(player_of.values())
    events = [
        (row["played_at"], row["ply"], 0, "move-played", _played(row, player_of), None, None)
        for row in rows(moves)
    ]
    events += [
        (row["left_at"], row["id"], 1, "player-left", _left(row, player_of), None, None)
        for row in rows(departures)
    ]
    (board,) = connection.execute(sa.select(boards).where(boards.c.id == board_id)).mappings()
    for offer in board["offers"] or ():
        if offer["open"]:
            made = _offered(offer, rows(moves))
            events.append((board["changed_at"], board_id, 2, *made, None, None))
    for news in waiting:
        others = sorted(readers_here - {news["player_id"]}) or None
        for kind, fields in _told(connection, board_id, news):
            events.append((news["kept_at"], news["id"], 3, kind, fields, others, news["player_id"]))
    events.sort(key=lambda event: event[:3])
    told = ("at", "kind", "fields", "unheard")
    numbered = list(zip(count(1), events, strict=False))
    if events:
        made = (dict(zip(told, (event[0], *event[3:6]), strict=True)) for event in events)
        connection.execute(
            board_events.insert(),
            [{"board_id": board_id, "number": at, **row} for at, row in enumerate(made, start=1)],
        )
    _set(connection, board_id, None, seen=len(events))
    for player_id in {news["player_id"] for news in waiting}:
        own = [news for news in waiting if news["player_id"] == player_id]
        known = min(news["after_ply"] for news in own)
        new = [
            at
            for at, (_, ply, order, *_, whose) in numbered
            if whose == player_id or (order == 0 and ply > known)
        ]
        since, size = min(news["kept_at"] for news in own), sum(news["size"] for news in own)
        seen = min(new, default=len(events) + 1) - 1
        _set(connection, board_id, player_id, seen=seen, since=since, waiting=size)


def _set(connection: sa.Connection, board_id: int, player_id: int | None, **values: object) -> None:
    change = readers.update().where(readers.c.board_id == board_id)
    if player_id is not None:
        change = change.where(readers.c.player_id == player_id)
    connection.execute(change.values(**values))


def _played(row: sa.RowMapping, player_of: dict[int, int]) -> dict[str, object]:
    return {"ply": row["ply"], "player": player_of[row["seat"]], "move": row["text"]}


def _left(row: sa.RowMapping, player_of: dict[int, int]) -> dict[str, object]:
    return {"player": player_of[row["seat"]], "how": row["how"]}


def _offered(
    offer: dict[str, object], played: list[sa.RowMapping]
) -> tuple[str, dict[str, object]]:
    if offer["kind"] != "takeback":
        return "offer-made", {"player": offer["by"], "kind": offer["kind"]}
    taken = [row for row in played if row["ply"] >= offer["moved"]]
    texts = {row["ply"]: row["text"] for row in taken}
    fields = {"ply": offer["moved"], "move": texts.get(offer["moved"], ""), "later": len(taken) - 1}
    return "takeback-asked", {"player": offer["by"], **fields}


def _told(
    connection: sa.Connection, board_id: int, news: sa.RowMapping
) -> list[tuple[str, dict[str, object]]]:
    """Return the kinds and fields of the events of which stored news tells."""
    found = []
    for fact in news["told"].get("lead", ()):
        fields = {
            "player" if name == "handle" else name: _numbers(connection, name, value)
            for name, value in fact.items()
            if name not in ("what", "ratings")
        }
        if fact["what"] not in NO_EVENTS:
            found.append((fact["what"], fields))
    for said in news["told"].get("comments", ()):
        author = _number(connection, said["handle"])
        of_author = (words.c.board_id == board_id, words.c.player_id == author)
        lines = [*said["head"], *said["rest"]]
        rows = connection.execute(sa.select(words).where(*of_author)).mappings()
        row = next((row["id"] for row in rows if row["lines"] == lines), 0)
        found.append(("commented", {"player": author, "words": row}))
    for handle in news["told"].get("not_shown", ()):
        author = _number(connection, handle)
        fields = {"player": author, "hidden_from": [news["player_id"]]}
        found.append(("commented", fields))
    # Whoever has no row any more cannot be named.
    return [(kind, fields) for kind, fields in found if _are_known(fields)]


def _are_known(fields: dict[str, object]) -> bool:
    named = [fields.get(name) for name in ("player", *BY_HANDLE)]
    named += [row["player"] for row in fields.get("standings", ())]
    listed = (value if isinstance(value, list) else [value] for value in named)
    return UNKNOWN not in [number for numbers in listed for number in numbers]


def _numbers(connection: sa.Connection, name: str, value: object) -> object:
    if name == "standings":
        return [
            {"player": _number(connection, row["handle"]), **_without_handle(row)} for row in value
        ]
    if name not in BY_HANDLE or isinstance(value, int) or value is None:
        return value
    if isinstance(value, list):
        return [_number(connection, handle) for handle in value]
    return _number(connection, value)


def _without_handle(row: dict[str, object]) -> dict[str, object]:
    return {name: value for name, value in row.items() if name != "handle"}


def _number(connection: sa.Connection, handle: str) -> int:
    for query in (
        sa.select(players.c.id).where(players.c.handle == handle),
        sa.select(former_handles.c.player_id).where(former_handles.c.handle == handle),
    ):
        found = connection.execute(query).scalar()
        if found is not None:
            return found
    return UNKNOWN


def downgrade() -> None:
    op.create_table(
        "kept_news",
        sa.Column("id", sa.Integer(), autoincrement=True, nullable=False),
        sa.Column("player_id", sa.Integer(), nullable=False),
        sa.Column("board_id", sa.Integer(), nullable=False),
        sa.Column("after_ply", sa.Integer(), nullable=False),
        sa.Column("told", sa.JSON(), nullable=False),
        sa.Column("size", sa.Integer(), nullable=False),
        sa.Column("kept_at", MOMENT, nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_kept_news"),
        sa.ForeignKeyConstraint(
            ["player_id"], ["players.id"], name="fk_kept_news_player_id_players"
        ),
        sa.ForeignKeyConstraint(["board_id"], ["boards.id"], name="fk_kept_news_board_id_boards"),
    )
    op.create_index("ix_kept_news_player_id", "kept_news", ["player_id", "board_id"])
    op.drop_index("ix_readers_player_id", "readers")
    op.drop_table("readers")
    op.drop_table("board_events")
