"""Erasure and export cover every table: they are held to the marks in the schema."""

import json
from typing import Any

import pytest
from sqlalchemy import Column, Connection, String, Table, func, insert, select

from pbm.store.schema import metadata
from pbm.store.schema.columns import Moment, Word
from pbm.store.schema.people import players
from pbm.store.schema.personal import (
    BlankColumns,
    DeleteRows,
    ExportedBy,
    ExportRows,
    KeepRows,
    Personal,
    mark_of,
)
from tests.table import START, Person
from tests.table import Table as Server

ADDRESS = "alice@example.org"
ADDRESS_LENGTH = 254
WORDS = {"game": "abalone"}  # columns whose words are read again
PLAIN: dict[type, Any] = {str: "x", int: 1, float: 1.0, bool: False, bytes: b"x"}


@pytest.fixture
def server(table: Server) -> Server:
    """A server with an empty database; a parameter of these tests is called table."""
    return table


@pytest.mark.parametrize("table", metadata.sorted_tables, ids=str)
def test_each_table_is_marked(table: Table) -> None:
    try:
        mark = mark_of(table)
    except KeyError:
        pytest.fail(f"say in the schema whether {table} holds personal data: personal.py")
    named = {*mark.numbers, *mark.addresses, *mark.hidden} if mark else set()
    assert named <= set(table.c.keys())
    players_named = {column.name for column in table.c if column.references(players.c.id)}
    assert players_named <= named, f"columns of {table} with a player's number"
    addresses = [column.name for column in table.c if _holds_address(column)]
    assert mark or not addresses, f"{table} has columns for addresses: {addresses}"
    if mark and isinstance(mark.export, ExportRows):
        wanted = mark.export.columns
        wanted = {wanted} if isinstance(wanted, str) else set(wanted.values())
        assert wanted <= set(table.c.keys())


def test_export_and_erasure_of_a_player_with_a_row_in_every_table(server: Server) -> None:
    alice = _play(server)
    player = server.player("alice")
    assert player
    marked = [(table, mark) for table in metadata.sorted_tables if (mark := mark_of(table))]
    for table, mark in marked:
        if not _rows(server, table, mark, player.id) and (mark.numbers or mark.addresses):
            _add_row(server, table, mark, player.id)
        if mark.numbers or mark.addresses or mark.hidden:
            assert _rows(server, table, mark, player.id), f"alice has no row in {table}"

    alice.forgets().says("export me")
    exported = json.loads(alice.newest.text)
    for table, mark in marked:
        if isinstance(mark.export, ExportRows | ExportedBy):
            assert exported.get(mark.export.key), f"`export me` leaves {table} out"

    alice.says("delete").says("yes").hears("You have left this server, alice.")
    for table, mark in marked:
        _check_erased(server, table, mark, player.id)
    kept = {str(table) for table, mark in marked if isinstance(mark.erasure, KeepRows)}
    for table in metadata.sorted_tables:
        if str(table) not in kept:
            found = [row for row in server.rows(table.name) if ADDRESS in _without_ids(row)]
            assert not found, f"alice's address in {table}"


def _play(server: Server) -> Person:
    """A game, a challenge, a seek and a block of alice's, made by mails."""
    alice, _ = server.start("alice", "bob")
    carol, _ = server.joins("carol"), server.joins("dave")
    carol.says("set challenges ask")
    for mail in ("a1-c3,d4", "challenge carol", "seek -bowl", "block dave"):
        alice.says(mail)
    for handle in ("alicia", "alice"):
        alice.says(f"change handle {handle}").says("yes")
    return alice


def _rows(server: Server, table: Table, mark: Personal, number: int) -> list[dict[str, Any]]:
    def is_of_player(row: dict[str, Any]) -> bool:
        return (
            any(row[name] == number for name in mark.numbers)
            or any(str(row[name]).lower() == ADDRESS for name in mark.addresses)
            or any(ADDRESS in row[name] for name in mark.hidden)
        )

    return list(filter(is_of_player, server.rows(table.name)))


def _add_row(server: Server, table: Table, mark: Personal, number: int) -> None:
    """Write a row of the player's."""
    chosen = dict(mark.erasure.only) if isinstance(mark.erasure, DeleteRows) else {}
    chosen |= dict.fromkeys(mark.numbers[:1], number)
    chosen |= dict.fromkeys(mark.addresses, ADDRESS)
    with server.database.engine.begin() as connection:
        insert_row(connection, table, chosen)


def insert_row(connection: Connection, table: Table, chosen: dict[str, Any]) -> None:
    """Write a row with plain values in the other columns that need one, and with its parents."""
    for column in table.c:
        is_needed = not column.nullable and column.server_default is None
        if column.name not in chosen and is_needed and column.autoincrement is not True:
            parents = [key.column for key in column.foreign_keys]
            chosen[column.name] = _parent(connection, *parents) if parents else _plain(column)
    connection.execute(insert(table).values(**chosen))


def _parent(connection: Connection, key: Column[Any]) -> int:
    found: int | None = connection.scalar(select(func.max(key)))
    if found is None:
        insert_row(connection, key.table, {})
        return _parent(connection, key)
    return found


def _plain(column: Column[Any]) -> Any:
    if column.name in WORDS:
        return WORDS[column.name]
    if isinstance(column.type, Moment):
        return START
    if isinstance(column.type, Word):  # an enum, or a method that reads it
        return next(iter(getattr(column.type.kind, "__self__", column.type.kind)))
    if _holds_address(column):
        return ADDRESS
    kind = column.type.python_type
    return PLAIN[kind] if kind in PLAIN else START.date() if kind.__name__ == "date" else []


def _holds_address(column: Column[Any]) -> bool:
    return isinstance(column.type, String) and column.type.length == ADDRESS_LENGTH


def _check_erased(server: Server, table: Table, mark: Personal, number: int) -> None:
    found = _rows(server, table, mark, number)
    if isinstance(mark.erasure, DeleteRows):
        only = mark.erasure.only.items()
        assert not [row for row in found if all(row[name] == value for name, value in only)], table
    elif isinstance(mark.erasure, BlankColumns):
        for row in found:
            assert {name: row[name] for name in mark.erasure.values} == mark.erasure.values, table
    elif isinstance(mark.erasure, KeepRows):
        assert found or not mark.numbers, f"{table} is kept"
    elif mark.addresses or mark.hidden:
        assert not [row for row in found if ADDRESS in _without_ids(row)], table
    else:
        assert not found, table


def _without_ids(row: dict[str, Any]) -> str:
    return str({name: value for name, value in row.items() if name != "message_id"}).lower()
