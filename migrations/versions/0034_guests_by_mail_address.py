"""Challenges that wait for guests by mail address, so far command lines of errands

A migration only adds, or changes in steps that the version before still runs on; it never
reads through the application's code, and it is never edited once released.

Questions about a challenge that is over get the number -1, as no challenge has it.
"""

import re
from collections.abc import Iterator, Sequence
from datetime import timedelta
from random import SystemRandom
from typing import Any

import sqlalchemy as sa
from alembic import op

revision = "0034"
down_revision = "0033"
branch_labels = None
depends_on = None

_STANDS = timedelta(days=3)
_OVER = -1
_DAY = 24 * 3600
_UNITS = {"d": _DAY, "h": 3600, "m": 60}
_MOMENT = sa.DateTime(timezone=True)

errands = sa.table(
    "errands",
    *map(sa.column, ("id", "player_id", "status")),
    sa.column("lines", sa.JSON()),
    sa.column("comment", sa.JSON()),
    sa.column("asked_at", _MOMENT),
)
questions = sa.table(
    "questions",
    *map(sa.column, ("id", "kind", "address_key", "answer")),
    sa.column("params", sa.JSON()),
)
challenges = sa.table(
    "challenges",
    *map(sa.column, ("id", "by_id", "first_unsaid", "command")),
    sa.column("setup", sa.JSON()),
    sa.column("comment", sa.JSON()),
    sa.column("asked_at", _MOMENT),
    sa.column("expires_at", _MOMENT),
)
challenged = sa.table(
    "challenged",
    *map(sa.column, ("challenge_id", "seat", "player_id", "address")),
    *(sa.column(name, sa.Boolean()) for name in ("asked", "waits")),
)
players = sa.table("players", sa.column("id"), sa.column("handle"))
former_handles = sa.table("former_handles", sa.column("player_id"), sa.column("handle"))
addresses = sa.table("addresses", sa.column("player_id"), sa.column("address_key"))


def upgrade() -> None:
    op.add_column("challenges", sa.Column("command", sa.String(1000)))
    with op.batch_alter_table("challenged") as table:
        table.alter_column("player_id", existing_type=sa.Integer(), nullable=True)
        table.add_column(sa.Column("address", sa.String(254)))
    op.create_index("ix_challenged_address", "challenged", [sa.text("lower(address)")])
    bind = op.get_bind()
    rows = bind.execute(sa.select(errands).where(errands.c.status == "invited")).mappings().all()
    moved = {row["id"]: _moved(bind, row) for row in rows if row["lines"]}
    bind.execute(
        errands.update().where(errands.c.status == "invited").values(status="dropped", lines=[])
    )
    asked = questions.c.kind.in_(("invite", "signup"))
    for row in bind.execute(sa.select(questions).where(asked)).mappings().all():
        number = row["params"].get("invitation")
        if number:
            by = sa.select(errands.c.player_id).where(errands.c.id == number)
            params = {
                **row["params"],
                "invitation": moved.get(number, _OVER),
                "by": bind.scalar(by),
            }
            its = questions.c.id == row["id"]
            bind.execute(questions.update().where(its).values(params=params))


def downgrade() -> None:
    bind = op.get_bind()
    invited = sa.select(challenges).where(challenges.c.command.is_not(None))
    numbers = {}
    for row in bind.execute(invited).mappings().all():
        its = challenged.c.challenge_id == row["id"]
        query = (
            sa.select(sa.func.coalesce(challenged.c.address, players.c.handle))
            .outerjoin(players, players.c.id == challenged.c.player_id)
            .where(its)
            .order_by(challenged.c.seat)
        )
        line = " ".join((row["command"], *bind.scalars(query)))
        added = errands.insert().values(
            player_id=row["by_id"],
            status="invited",
            lines=[line],
            comment=row["comment"],
            asked_at=row["asked_at"],
        )
        numbers[row["id"]] = bind.scalar(added.returning(errands.c.id))
        bind.execute(challenged.delete().where(its))
        bind.execute(challenges.delete().where(challenges.c.id == row["id"]))
    asked = questions.c.kind.in_(("invite", "signup"))
    for row in bind.execute(sa.select(questions).where(asked)).mappings().all():
        number = row["params"].get("invitation")
        if number:
            params = {**row["params"], "invitation": numbers.get(number, _OVER)}
            params.pop("by", None)
            its = questions.c.id == row["id"]
            bind.execute(questions.update().where(its).values(params=params))
    op.drop_index("ix_challenged_address", "challenged")
    with op.batch_alter_table("challenged") as table:
        table.drop_column("address")
        table.alter_column("player_id", existing_type=sa.Integer(), nullable=False)
    op.drop_column("challenges", "command")


def _moved(bind: sa.Connection, errand: sa.RowMapping) -> int:
    """Add the challenge of an errand's line; return its number, or that of none.

    Partners ("me+alice") are left out: no version has begun such a game with an address in it.
    """
    words = errand["lines"][0].split()
    begins = words.index("challenge")
    game = words[0] if begins else "abalone"
    options = [word for word in words[begins + 1 :] if word.startswith("-")]
    names = [word for word in words[begins + 1 :] if not word.startswith("-")]
    if "-random" in options:
        SystemRandom().shuffle(names)
    found = {name: None if _is_asked(bind, name) else _player(bind, name) for name in names}
    if errand["player_id"] not in found.values() or any(
        player is None and not _is_asked(bind, name) for name, player in found.items()
    ):
        return _OVER
    added = challenges.insert().values(
        by_id=errand["player_id"],
        setup=_setup(game, options, len(names)),
        comment=errand["comment"],
        first_unsaid=False,
        command=" ".join((*words[: begins + 1], *options)),
        asked_at=errand["asked_at"],
        expires_at=errand["asked_at"] + _STANDS,
    )
    number = bind.scalar(added.returning(challenges.c.id))
    assert isinstance(number, int)
    agreed = set(_agreed(bind, errand["id"]))
    seats = []
    for seat, name in enumerate(names, start=1):
        player_id = found[name]
        is_address = player_id is None
        seats.append(
            {
                "challenge_id": number,
                "seat": seat,
                "player_id": player_id,
                "address": name if is_address else None,
                "asked": is_address or player_id in agreed,
                "waits": is_address,
            }
        )
    bind.execute(challenged.insert(), seats)
    return number


def _is_asked(bind: sa.Connection, name: str) -> bool:
    """Whether a name in the line is a mail address that was invited."""
    its = (questions.c.kind.in_(("invite", "signup")), questions.c.address_key == name.lower())
    return "@" in name and bind.scalar(sa.select(questions.c.id).where(*its).limit(1)) is not None


def _player(bind: sa.Connection, name: str) -> int | None:
    now = sa.select(players.c.id).where(players.c.handle == name)
    before = sa.select(former_handles.c.player_id).where(former_handles.c.handle == name)
    return bind.scalar(now) or bind.scalar(before)


def _agreed(bind: sa.Connection, errand_id: int) -> Iterator[int]:
    """The players who have said yes to a question about an errand."""
    query = (
        sa.select(questions.c.params, addresses.c.player_id)
        .join(addresses, addresses.c.address_key == questions.c.address_key)
        .where(questions.c.kind.in_(("invite", "signup")), questions.c.answer == "yes")
    )
    for params, player_id in bind.execute(query):
        if params.get("invitation") == errand_id:
            yield player_id


def _setup(game: str, words: Sequence[str], seats: int) -> dict[str, Any]:
    """The choices of a challenge from the options of its line."""
    chosen = dict(_read(word) for word in words)
    own = {name: chosen.pop(name, None) for name in ("rounds", "unrated", "random")}
    clock = _clock({name: chosen.pop(name, None) for name in _TERMS}, seats)
    if game == "abalone":
        is_layout = [name for name in chosen if name not in ("layout", "teams", "pillar")]
        usual = "official" if "teams" in chosen else "standard"
        layout = chosen.pop("layout", is_layout[0] if is_layout else usual)
        flags = {name: True for name in ("teams", "pillar") if name in chosen}
        chosen = {"layout": layout, **flags}
    rounds = int(own["rounds"]) if own["rounds"] else None
    return {
        "game": game,
        "options": chosen,
        "rounds": rounds,
        "rated": not own["unrated"],
        "clock": clock,
    }


_TERMS = ("forfeittime", "nagtime", "totaltime", "bank")


def _read(word: str) -> tuple[str, Any]:
    name, given, value = word.removeprefix("-").partition("=")
    return name, value if given else True


def _clock(chosen: dict[str, str | None], seats: int) -> dict[str, Any] | None:
    """The terms in seconds; what was not chosen is as usual."""
    if not any(chosen.values()):
        return None
    each, nags, total, bank = (
        [_seconds(part) for part in re.split("[,+]", value)] if value else []
        for value in chosen.values()
    )
    return {
        "each": each[0] if each else (21 if seats == 2 else 14) * _DAY,
        "reminders": sorted(nags) or [3 * _DAY, 7 * _DAY, 14 * _DAY],
        "total": total[0] if total else None,
        "bank": bank[0] if bank else None,
        "increment": sum(bank[1:]),
    }


def _seconds(duration: str) -> int:
    return sum(int(count) * _UNITS[unit] for count, unit in re.findall(r"(\d+)([dhm])", duration))
