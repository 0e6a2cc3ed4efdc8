"""Each field of a value that is read from rows is a column of that name and type."""

import ast
import importlib
import inspect
import pkgutil
import types
import typing
from collections.abc import Iterator
from dataclasses import fields
from datetime import date, datetime
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import JSON, Boolean, Column, Date, Float, Integer, LargeBinary, String

import pbm.store
import pbm.store.schema
import pbm.store.values
from pbm.store.schema.columns import JsonOf, Moment, Word, metadata

# Of each value the tables that it is read from, the one with most of its fields first.
TABLES: dict[str, str] = {
    "Board": "boards",
    "Challenged": "challenged players",
    "Change": "changes players",
    "Departure": "departures",
    "Fact": "facts",
    "Handover": "handovers",
    "Heartbeat": "heartbeats",
    "InboxMail": "inbox inbox_raw",
    "KeptAnalysis": "analyses",
    "KeptEvent": "board_events",
    "OutboxMail": "outbox outbox_contents",
    "PendingChallenge": "challenges",
    "PendingCommands": "errands",
    "Plan": "plans",
    "Watching": "watchings",
    "Player": "players",
    "Ply": "moves",
    "Question": "questions",
    "RatingResult": "results",
    "Report": "reports players",
    "Said": "words players",
    "SearchJob": "thoughts",
    "Seat": "seats players",
    "Seek": "seeks",
    "Seeker": "seekers players",
    "Standing": "seeks",
    "Timer": "due",
    "Vacation": "vacations",
    "Waiting": "readers",
    "Wish": "seeks",
}
# Fields that a query computes, or that are not null in the rows that it finds.
COMPUTED = {
    "Seat": {"from_record", "unreachable", "removed"},
    "Board": {"news_waits", "noted", "planned", "watched"},
    "OutboxMail": {"handle"},
    "Seeker": {"here"},
    "Standing": {"maker_id"},
    "Waiting": {"since"},
}


def sources(package: types.ModuleType) -> Iterator[types.ModuleType]:
    for found in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
        yield importlib.import_module(found.name)


@cache
def values() -> dict[str, type]:
    return {
        name: kind
        for module in sources(pbm.store.values)
        for name, kind in vars(module).items()
        if inspect.isclass(kind) and kind.__module__ == module.__name__
    }


@cache
def read_kinds() -> dict[str, set[str]]:
    """The names of all values that are read from rows, with the fields that the row does not give.

    A value is named by a call, `read_as(Seat, …)`, `_all(Said, …)`, or as a queue's `_kind`.
    """
    given: dict[str, list[set[str]]] = {}
    for module in sources(pbm.store):
        for node in ast.walk(ast.parse(Path(str(module.__file__)).read_text(encoding="utf-8"))):
            match node:
                case ast.Call(func=ast.Name("read_as"), args=[ast.Name(kind), *_], keywords=others):
                    given.setdefault(kind, []).append({other.arg or "" for other in others})
                case ast.Call(
                    func=ast.Attribute(attr="_all" | "_first"), args=[ast.Name(kind), *_]
                ):
                    given.setdefault(kind, []).append(set())
                case ast.ClassDef(bases=[ast.Subscript(slice=ast.Name(kind)), *_]):
                    given.setdefault(kind, [])
    known = values()
    return {
        kind: set.intersection(*found) if found else set()
        for kind, found in given.items()
        if kind in known
    }


def alternatives(hint: Any) -> set[Any]:
    """The types that a field may have, without those of what a container holds."""
    if isinstance(hint, types.UnionType) or typing.get_origin(hint) is typing.Union:
        return set().union(*map(alternatives, typing.get_args(hint)))
    return {typing.get_origin(hint) or hint}


def type_of(column: Column[Any]) -> Any:
    """The type of a column's values; `Any` for JSON, which may be read as anything."""
    match column.type:
        case Moment():
            return datetime
        case Word(kind=kind):
            return kind if inspect.isclass(kind) else getattr(kind, "__self__", str)
        case JSON() | JsonOf():
            return Any
        case Boolean():
            return bool
        case Integer():
            return int
        case Float():
            return float
        case Date():
            return date
        case LargeBinary():
            return bytes
        case String():
            return str
    raise AssertionError(f"{column} has a type that this test does not know")


def why_not(hint: Any, column: Column[Any]) -> str | None:
    wanted, found = alternatives(hint), type_of(column)
    if column.nullable and type(None) not in wanted and Any not in wanted:
        return "may be null"
    wanted -= {type(None)}
    if Any in (found, *wanted) or found in wanted:
        return None
    if inspect.isclass(found) and issubclass(found, str) and wanted == {str}:
        return None  # a `Word`, which is text
    return f"holds {found}, not {wanted}"


def test_each_value_is_looked_at() -> None:
    assert set(read_kinds()) == set(TABLES)


@pytest.mark.parametrize("name", TABLES)
def test_its_fields_are_columns_of_their_types(name: str) -> None:
    kind, given = values()[name], read_kinds()[name]
    tables = [metadata.tables[table] for table in TABLES[name].split()]
    hints = typing.get_type_hints(kind)
    computed = COMPUTED.get(name, set())
    wrong = {}
    for each in fields(kind):
        column = next((it.c[each.name] for it in tables if each.name in it.c), None)
        if each.name in given | computed:
            continue
        why = "is no column" if column is None else why_not(hints[each.name], column)
        if why is not None:
            wrong[each.name] = why
    assert not wrong
