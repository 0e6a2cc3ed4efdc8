"""Each fact about a board has its words, and they fit into every mail in which it can stand."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import fields
from itertools import product
from types import NoneType
from typing import Any, Literal, get_args, get_origin, get_type_hints

import pytest

from pbm.events import PlayerId, event_name
from pbm.events.board import (
    BoardFact,
    MatchOver,
    MatchStanding,
    OfferMade,
    RecountedRating,
)
from pbm.events.by_operator import OperatorActed
from pbm.mail.writing.render import Renderer
from pbm.plain import to_plain
from pbm.play.views import ViewData, board_view
from pbm.resources import resource_path
from tests.table import Table

OF_BEFORE = "operator-acted"  # the words of rows that a version before this one wrote
HANDLES = {1: "alice", 2: "bob"}
TABLE = (MatchStanding(1, 2, 3), MatchStanding(2, 1, -3))
VALUES: Mapping[Any, tuple[Any, ...]] = {
    int: (3,),
    bool: (True, False),
    str: ("alice", ""),
    PlayerId: (1,),
    tuple[PlayerId, ...]: ((1,), (1, 2), ()),
    tuple[int, ...]: ((1, 2),),
    tuple[str, ...]: (("Hello",),),
    tuple[MatchStanding, ...]: (TABLE,),
    tuple[RecountedRating, ...]: (
        (RecountedRating("", "two", 2492, 1620),),
        (RecountedRating("Abalone", "many", 1620, None), RecountedRating("Go", "two", 3, 1)),
    ),
}


def kinds(of: type[BoardFact] = BoardFact) -> Iterator[type[BoardFact]]:
    """Every fact there is; what only others are made of has a name with an underscore."""
    for kind in of.__subclasses__():
        if not kind.__subclasses__():
            yield kind
        yield from kinds(kind)


RENDERER = Renderer()
FACTS = sorted(set(kinds()), key=event_name)


def values(hint: Any) -> tuple[Any, ...]:
    """What a field may hold, as far as words could depend on it."""
    if get_origin(hint) is Literal:
        return get_args(hint)
    if NoneType in get_args(hint):
        return (None, *(value for item in get_args(hint) for value in VALUES.get(item, ())))
    return VALUES[hint]


def variants(kind: type[BoardFact]) -> list[BoardFact]:
    """A fact in each of the ways in which it may be worded."""
    hints = get_type_hints(kind, include_extras=True)
    held = [values(hints[item.name]) for item in fields(kind)]
    return [
        kind(*each)
        for each in product(*held)
        if kind is not MatchOver or each[-1]  # somebody is always the first in a table
    ]


@pytest.fixture(scope="module")
def views(tmp_path_factory: pytest.TempPathFactory) -> dict[str, ViewData]:
    """Boards of all kinds, as their players' mails show them."""
    table = Table(f"sqlite:///{tmp_path_factory.mktemp('facts') / 'pbm.sqlite3'}")
    alice, bob, *_ = (table.joins(name) for name in ("alice", "bob", "carol", "dave"))
    alice.says("challenge bob -pillar").says("a1-c3,d4").says("takeback 1")
    alice.says("challenge bob -rounds=2").says("draw 2")
    alice.says("challenge me bob carol -bowl").says("resign 3")
    bob.says("challenge me alice carol dave -teams")
    bob.says("challenge alice").says("resign 5")
    bob.says("challenge alice").says("decline 6")
    with table.database.reading() as work:
        return {
            f"{number} of {handle}": board_view(
                work, work.boards.get(number), work.players.by_handle(handle)
            )
            for number, handle in enumerate(("bob", "bob", "alice", "bob", "alice", "alice"), 1)
        }


def test_each_fact_has_a_template_and_each_template_a_fact() -> None:
    words = {file.stem for file in resource_path("templates/facts").iterdir()}
    assert words == {event_name(kind) for kind in FACTS} | {OF_BEFORE}


@pytest.mark.parametrize("kind", FACTS, ids=event_name)
def test_a_fact_in_each_mail(kind: type[BoardFact], views: dict[str, ViewData]) -> None:
    for name, view in views.items():
        shown = {**view, "comments": []}
        without = RENDERER.render("board", {**shown, "lead": []}).text
        for fact in variants(kind):
            mail = RENDERER.render(
                "board", {**shown, "lead": [fact.lead(HANDLES.__getitem__)]}
            ).text
            in_headline = isinstance(fact, OfferMade) and fact.kind == "draw"
            assert mail != without or in_headline, name
            if isinstance(fact, OperatorActed):
                assert "\nThe operator " in mail
                assert ("reason given: | alice " in " ".join(mail.split())) is bool(fact.why)


def test_a_view_is_plain_data(views: dict[str, ViewData]) -> None:
    for view in views.values():
        assert json.loads(json.dumps(view)) == to_plain(view)
    shown = list(views.values())
    assert any(view["offers"] for view in shown)
    assert {"how" in item for view in shown for item in view["happened"]} == {True, False}
