"""What happened on a board is read again from its rows, which name nobody by a handle."""

import json
from dataclasses import fields, replace
from itertools import product
from pathlib import Path
from typing import get_type_hints

import pytest

from pbm.events import BoardEvent, MovePlayed, Reminded, event_name
from pbm.events.board import PlanEnded
from pbm.events.kept import from_fields, kind_of, kinds, to_fields
from tests.play.test_facts import values
from tests.rows import each_row
from tests.table import Table

TEXTS = frozenset(  # fields of text; none of them may hold a handle or an address
    "by how kind last first why move written vacation lines".split()
)
MOST_BYTES = 200  # of a move's row


def variants(kind: type[BoardEvent]) -> list[BoardEvent]:
    hints = get_type_hints(kind, include_extras=True)
    held = [values(hints[item.name]) for item in fields(kind)]
    return [kind(*each) for each in product(*held)]


@each_row("kind", kinds().values, ids=event_name)
def test_an_event_comes_back_from_its_row(kind: type[BoardEvent]) -> None:
    unset = {item.name: item.default for item in fields(kind) if item.name in kind.for_sender_only}
    for event in variants(kind):
        stored = json.loads(json.dumps(to_fields(event)))
        assert from_fields(kind_of(kind), stored, event.board_id) == replace(event, **unset)


@each_row("kind", kinds().values, ids=event_name)
def test_a_row_names_nobody_by_a_handle(kind: type[BoardEvent]) -> None:
    hints = get_type_hints(kind, include_extras=True)
    texts = {name for name, hint in hints.items() if hint in (str, str | None, tuple[str, ...])}
    assert texts <= TEXTS


def test_what_is_told_to_one_reader_says_so() -> None:
    private = {kind for kind in kinds().values() if kind.for_player_only}
    assert private == {Reminded, PlanEnded}
    assert Reminded(1, 7).only_reader == 7


def test_a_row_of_a_later_version_is_no_other_event(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(MovePlayed, "version", 2)
    assert kind_of(MovePlayed) == "move-played.2"
    with pytest.raises(KeyError):
        from_fields("move-played", {"ply": 1}, 1)  # no function makes it one of today


def test_a_move_takes_few_bytes(tmp_path: Path) -> None:
    table = Table(f"sqlite:///{tmp_path / 'pbm.sqlite3'}")
    alice, bob = table.start("alice", "bob")
    board = alice.newest
    alice.says("set receipts off").says("a1-c3,b2", answering=board)
    assert table.rows("board_events")[-1]["by_id"] == 1  # who is not mailed, but wrote it
    bob.says("i9-g7,h8")
    for _ in range(5):
        alice.says(str(table.board(1).position.legal_moves()[0]))
        bob.says(str(table.board(1).position.legal_moves()[0]))
    rows = [row for row in table.rows("board_events") if row["kind"] == "move-played"]
    sizes = [len(json.dumps([str(value) for value in row.values()])) for row in rows]
    assert len(rows) == 12
    assert sum(sizes) / len(sizes) <= MOST_BYTES
    table.close()
