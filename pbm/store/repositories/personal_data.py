"""Erasure and export of a player's data.

Each table's declaration tells what is erased and exported (`schema/personal.py`).
"""

from collections.abc import Mapping, Sequence
from datetime import date, datetime
from typing import Any

from sqlalchemy import ColumnElement, Table, and_, exists, false, func, or_, select

from pbm.store.schema import metadata
from pbm.store.schema.asking import questions
from pbm.store.schema.columns import DUE
from pbm.store.schema.happened import watched, watchings
from pbm.store.schema.mails import outbox, outbox_contents
from pbm.store.schema.people import blocks, players
from pbm.store.schema.personal import BlankColumns, DeleteRows, ExportRows, mark_of
from pbm.store.schema.plans import notes
from pbm.store.schema.running import buckets
from pbm.store.sql.transaction import Repository
from pbm.store.values.mails import Kind
from pbm.store.values.players import Player, PlayerStatus

# What one of a player's two accounts leaves to the other: a table, the column with the player, and
# the columns of which the other account may have a row of its own.
_MERGED = (
    (blocks, "player_id", ("blocked_id",)),
    (blocks, "blocked_id", ("player_id",)),
    (notes, "player_id", ("board_id",)),
    (watchings, "watcher_id", ("board_id", "followed_id")),
    (watched, "watcher_id", ("board_id",)),
)


class PersonalData(Repository):
    def move(self, old: int, new: int) -> None:
        """Give a player's blocks, notes and watches to another one, but for those both have."""
        for table, column, others in _MERGED:
            twin = table.alias()
            same = or_(*(twin.c[name] == table.c[name] for name in others))
            is_free = ~exists().where(twin.c[column] == new, same)
            of_itself = [
                func.coalesce(table.c[name], 0) == new
                for name in others
                if table.c[name].references(players.c.id)
            ]
            its = (table.c[column] == old, is_free, ~or_(false(), *of_itself))
            self._update(table, *its, **{column: new})

    def erase(self, player: Player) -> None:
        """Erase all personal data of a player except the handle, which appears in games.

        Mails that wait in the outbox are still sent. Their recipient is erased afterwards.
        """
        keys = [address.lower() for address in player.addresses]
        gone = {"status": PlayerStatus.REMOVED, "epoch": players.c.epoch + 1}
        self._update(players, players.c.id == player.id, **gone)
        wanted = select(questions.c.address_key).where(questions.c.wanted_by_id == player.id)
        self._erase_mails(player.id, keys, self._scalars(wanted))
        for key in keys:
            self._delete(buckets, buckets.c.key.contains(key, autoescape=True))
        for table in reversed(metadata.sorted_tables):
            mark = mark_of(table)
            if mark is None:
                continue
            by_number = (table.c[name] == player.id for name in mark.numbers)
            by_address = (  # in lower case, as in the indexes
                (table.c[name] if name.endswith("_key") else func.lower(table.c[name])).in_(keys)
                for name in mark.addresses
            )
            rows = or_(false(), *by_number, *by_address)
            if isinstance(mark.erasure, DeleteRows):
                only = (table.c[name] == value for name, value in mark.erasure.only.items())
                self._delete(table, rows, *only)
            elif isinstance(mark.erasure, BlankColumns):
                self._update(table, rows, **mark.erasure.values)

    def export(self, player_id: int) -> dict[str, list[Any]]:
        """Return a player's rows of all exported tables, by the tables' export keys."""
        marks = ((table, mark_of(table)) for table in metadata.sorted_tables)
        return {
            mark.export.key: self._exported(table, mark.numbers[0], mark.export, player_id)
            for table, mark in marks
            if mark and isinstance(mark.export, ExportRows)
        }

    def _erase_mails(self, player_id: int, keys: Sequence[str], wanted: Sequence[str]) -> None:
        """Erase the mails to a player, and the questions to addresses that the player `wanted`."""
        asking = and_(outbox.c.template == "new-address", outbox.c.recipient_key.in_(wanted))
        sent = or_(outbox.c.player_id == player_id, outbox.c.recipient_key.in_(keys), asking)
        over = select(outbox.c.message_id).where(sent, outbox.c.status != DUE)
        self._delete(outbox_contents, outbox_contents.c.message_id.in_(over))
        blank = {"recipient": "", "recipient_key": "", "last_error": None, "reply": None}
        self._update(outbox, sent, outbox.c.status != DUE, **blank)
        self._update(outbox, sent, outbox.c.status == DUE, kind=Kind.FAREWELL)

    def _exported(self, table: Table, owner: str, export: ExportRows, player_id: int) -> list[Any]:
        """Return a player's rows of a table. Its column `owner` has the player's number."""
        names = export.columns
        shown: list[ColumnElement[Any]] = []
        for name in [names] if isinstance(names, str) else names.values():
            column = table.c[name]
            handle = select(players.c.handle).where(players.c.id == column).scalar_subquery()
            shown.append(handle if column.references(players.c.id) else column)
        query = select(*shown).where(table.c[owner] == player_id).order_by(*table.primary_key)
        found = [tuple(map(_plain, row)) for row in self._transaction.execute(query)]
        if isinstance(names, Mapping):
            return [dict(zip(names, row, strict=True)) for row in found]
        return [value for (value,) in found]


def _plain(value: Any) -> Any:
    if isinstance(value, datetime | date):
        return value.isoformat()
    return list(value) if isinstance(value, tuple) else value
