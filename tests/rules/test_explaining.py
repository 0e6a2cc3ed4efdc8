"""What is said for a move is true of the position: each reason is looked for in another way."""

import random
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

from pbm.mail.writing.render import templates_of
from pbm.resources import resource_path
from pbm.rules import abalone as rules
from pbm.rules.abalone import GAME
from pbm.rules.abalone.board import CENTRE, STEPS, distance, format_cell, members
from tests.rows import each_row
from tests.rules.random_games import near_the_end, pick
from tests.rules.random_positions import SETUPS, some_positions

WHATS = {
    *("pushes-off", "wins", "saves", "threatens", "leads-to", "to-edge", "pushes", "splits"),
    *("breaks-up", "takes-centre", "centre", "together"),
}
FAULTS = {"exposes", "away", "divides", "apart"}
MEASURES = {"left", "danger", "edge", "groups", "middle"}
EDGE_RING, MIDDLE_RING = 4, 2
SAYS = templates_of(resource_path("templates"), ("abalone", resource_path("templates/abalone")))

Marble = tuple[int, str]
"""A seat and the cell on which a marble of it stands."""


def reasons(position: rules.AbalonePosition, *moves: object) -> dict[str, dict[str, Any]]:
    """What speaks for a move, by what it is."""
    found = GAME.reasons(position, [str(move) for move in moves])
    told = {reason["what"]: reason for reason in found}
    assert told.keys() <= WHATS
    return told


def marbles(reason: dict[str, Any] | None) -> set[Marble]:
    groups = reason["marbles"] if reason else ()
    return {(group["seat"], cell) for group in groups for cell in group["cells"]}


def side_of(position: rules.AbalonePosition, seat: int) -> tuple[int, ...]:
    return position.group_of(seat)


@cache
def could_lose(position: rules.AbalonePosition, by: int) -> frozenset[Marble]:
    """The marbles that would score for a seat with one move, if it were its turn."""
    turned = replace(position, turn=by, outcome=None)
    found = set()
    for move in turned.legal_moves():
        played = turned.play(move)
        if played.ejected and not turned.out.issuperset(played.ejected):
            found.add((played.ejected[0], str(played.effect.get("from"))))
    return frozenset(found)


def in_danger(position: rules.AbalonePosition, seat: int) -> set[Marble]:
    """The marbles of a seat's side that an opponent's next move could push off."""
    own = side_of(position, seat)
    by = (other for other in position.seats if other not in own and position.is_played(other))
    return {item for other in by for item in could_lose(position, other) if item[0] in own}


def pairs(position: rules.AbalonePosition, seat: int) -> int:
    cells = set(members(position.marbles_of(seat)))
    return sum(cell + step in cells for cell in cells for step in STEPS)


def groups(position: rules.AbalonePosition, seat: int) -> int:
    """The number of groups of a seat's marbles, joined one by one."""
    found: list[set[int]] = []
    for cell in members(position.marbles_of(seat)):
        near = [group for group in found if any(cell + step in group for step in STEPS)]
        found = [group for group in found if group not in near] + [{cell}.union(*near)]
    return len(found)


def from_centre(position: rules.AbalonePosition, seat: int) -> int:
    """The steps from the centre of all of a seat's marbles together."""
    return sum(distance(cell, CENTRE) for cell in members(position.marbles_of(seat)))


@dataclass(frozen=True)
class Example:
    """A move, and what speaks for it."""

    before: rules.AbalonePosition
    played: rules.AbalonePlayed
    told: dict[str, dict[str, Any]]
    faults: dict[str, dict[str, Any]]

    @property
    def seat(self) -> int:
        assert self.before.turn
        return self.before.turn


@cache
def examples() -> list[Example]:
    """Some moves of positions of all numbers of players, in games that go on."""
    return [
        Example(
            position,
            played,
            reasons(position, move),
            {fault["what"]: fault for fault in GAME.faults(position, str(move))},
        )
        for position in some_positions(36)
        for move in position.legal_moves()[::2]
        if (played := position.play(move)).position.turn
    ]


def test_every_reason_is_found_somewhere() -> None:
    found = {what for example in examples() for what in example.told}
    assert found == WHATS - {"wins", "leads-to"}
    assert {what for example in examples() for what in example.faults} == FAULTS


def test_what_it_pushes_off_is_what_it_pushes_off() -> None:
    for example in examples():
        told, played = example.told.get("pushes-off"), example.played
        assert (told is None) == (not played.ejected)
        if told:
            assert (told["seat"],) == played.ejected
            assert told["from"] == played.effect.get("from")


def test_it_wins_where_the_game_is_won() -> None:
    won = 0
    for number, setup in enumerate(SETUPS):
        dice = random.Random(number)
        position = near_the_end(dice, setup)
        while position.turn is not None and position.quiet < 40:
            played = pick(dice, position)
            outcome = played.position.outcome
            wins = bool(outcome and position.turn in outcome.winners)
            assert ("wins" in reasons(position, played.move)) == wins
            won += wins
            position = played.position
        if won > 3:
            break
    assert won > 3


def test_what_it_saves_was_in_danger_and_is_no_more() -> None:
    for example in examples():
        before, played, seat = example.before, example.played, example.seat
        step = played.move.step
        came = {format_cell(cell): format_cell(cell + step) for cell in played.move.cells}
        still = in_danger(played.position, seat)
        saved = {
            (owner, cell)
            for owner, cell in in_danger(before, seat)
            if (owner, came.get(cell, cell)) not in still
        }
        assert marbles(example.told.get("saves")) == saved


def test_what_it_threatens_could_not_be_pushed_off_before() -> None:
    for example in examples():
        after = could_lose(example.played.position, example.seat)
        new = after - could_lose(example.before, example.seat)
        assert marbles(example.told.get("threatens")) == new


def test_what_it_pushes_is_farther_from_the_centre() -> None:
    for example in examples():
        before, after = example.before, example.played.position
        others = set(before.seats) - set(side_of(before, example.seat))
        moved = [seat for seat in others if before.marbles_of(seat) != after.marbles_of(seat)]
        for what in example.told.keys() & {"pushes", "to-edge"}:
            told = example.told[what]
            assert moved == [told["seat"]]
            came = after.marbles_of(told["seat"]) & ~before.marbles_of(told["seat"])
            at_edge = [cell for cell in members(came) if distance(cell, CENTRE) == EDGE_RING]
            assert told.get("on", []) == [*map(format_cell, at_edge)]
            farther = from_centre(after, told["seat"]) - from_centre(before, told["seat"])
            assert farther == told["count"] in (1, 2) if what == "pushes" else at_edge


def test_what_stands_together_is_counted() -> None:
    for example in examples():
        before, after, told = example.before, example.played.position, example.told
        own, faults = example.seat, example.faults
        closer = pairs(after, own) - pairs(before, own)
        assert ("together" in told) == (closer > 0)
        divided = groups(after, own) > groups(before, own)
        assert ("divides" in faults) == divided
        assert ("apart" in faults) == (closer < 0 and not divided)
        for what in told.keys() & {"breaks-up", "splits"}:
            other = told[what]["seat"]
            assert other not in side_of(before, own)
            assert before.count(other) == after.count(other)
            split = groups(after, other) > groups(before, other)
            assert split if what == "splits" else pairs(after, other) < pairs(before, other)


def test_so_many_come_nearer_to_the_centre_and_none_goes_away() -> None:
    for example in examples():
        move, told, seat = example.played.move, example.told, example.seat
        own = [cell for cell in move.cells if example.before.seat_at(cell) == seat]
        ways = [distance(cell, CENTRE) - distance(cell + move.step, CENTRE) for cell in own]
        good = all(way >= 0 for way in ways) and any(ways)
        if "takes-centre" in told:
            assert "centre" not in told
            assert example.played.position.seat_at(CENTRE) == seat
            assert example.before.seat_at(CENTRE) not in side_of(example.before, seat)
        else:
            assert told.get("centre", {"count": 0})["count"] == sum(w > 0 for w in ways) * good
        bad = all(way <= 0 for way in ways) and any(ways)
        count = example.faults.get("away", {"count": 0})["count"]
        assert count == sum(way < 0 for way in ways) * bad


def test_what_it_exposes_is_in_danger_and_was_not() -> None:
    for example in examples():
        before, played, seat = example.before, example.played, example.seat
        step = played.move.step
        came = {format_cell(cell): format_cell(cell + step) for cell in played.move.cells}
        had = {(owner, came.get(cell, cell)) for owner, cell in in_danger(before, seat)}
        new = in_danger(played.position, seat) - had
        assert marbles(example.faults.get("exposes")) == new


def test_a_contrast_counts_marbles_and_speaks_for_the_better_position() -> None:
    found = set()
    for one, other in zip(examples(), examples()[1:], strict=False):
        made, better, seat = one.played.position, other.played.position, one.seat
        if made.groups != better.groups or made.turn is None:
            continue
        for fact in GAME.contrast(made, better, seat):
            found.add(fact["what"])
            owner = fact["seat"]
            assert fact["made"] == measured(made, owner, fact["what"])
            assert fact["better"] == measured(better, owner, fact["what"])
            more_is_good = (fact["what"] in ("left", "middle")) == (owner in side_of(made, seat))
            assert (fact["better"] > fact["made"]) == more_is_good
        assert not GAME.contrast(made, made, seat)
    assert found == MEASURES


def measured(position: rules.AbalonePosition, seat: int, what: str) -> int:
    far = [distance(cell, CENTRE) for cell in members(position.marbles_of(seat))]
    counts = {
        "left": len(far),
        "danger": sum(owner == seat for owner, _ in in_danger(position, seat)),
        "edge": far.count(EDGE_RING),
        "groups": groups(position, seat),
        "middle": sum(steps <= MIDDLE_RING for steps in far),
    }
    return counts[what]


BEFORE = "ooooo/oooooo/..o..../......../......o../......o./..xxx.x/xxxxx./xxxxx"


def test_a_line_that_leads_to_a_push_says_so() -> None:
    """The next marble that goes over the edge is the mover's to push, or nothing is said."""
    position = rules.parse_state(f"{BEFORE.replace('o', '1').replace('x', '2')} 1 0,0 -")
    told = reasons(position, "b1,c1", "g5,f5", "e7-f8,f8")
    assert told["leads-to"] == {"what": "leads-to", "move": "e7-f8,f8", "seat": 2, "from": "g9"}
    assert "leads-to" not in reasons(position, "b1,c1", "g5,f5")
    after = position.play(rules.parse_move("b1,c1", position)).position
    assert "leads-to" not in reasons(after, "g5,f5", "e7-f8,f8", "f5,e5")


@each_row(
    ("reason", "sentence"),
    [
        ({"what": "wins"}, "It wins the game."),
        ({"what": "pushes-off", "seat": 2, "from": "i9"}, "It pushes bob's marble off i9."),
        (
            {"what": "saves", "marbles": [{"seat": 1, "cells": ["a1", "a2"]}]},
            "It saves your marbles on a1 and a2 from being pushed off.",
        ),
        (
            {
                "what": "threatens",
                "marbles": [{"seat": 2, "cells": ["i9"]}, {"seat": 3, "cells": ["a5"]}],
            },
            "It threatens to push off bob's marble on i9 and carol's marble on a5.",
        ),
        (
            {"what": "leads-to", "move": "c4-e6,d5", "seat": 3, "from": "i9"},
            "It prepares c4-e6,d5: if the game goes on so, that pushes carol's marble off i9.",
        ),
        (
            {"what": "pushes", "seat": 2, "count": 1},
            "It pushes one of bob's marbles towards the edge.",
        ),
        (
            {"what": "pushes", "seat": 3, "count": 2},
            "It pushes two of carol's marbles towards the edge.",
        ),
        (
            {"what": "breaks-up", "seat": 2},
            "It leaves bob's marbles less close together.",
        ),
        (
            {"what": "to-edge", "seat": 2, "on": ["i9"]},
            "It pushes one of bob's marbles to the edge, i9.",
        ),
        ({"what": "splits", "seat": 2}, "It cuts bob's marbles into more groups."),
        ({"what": "takes-centre"}, "It takes the centre."),
        (
            {"what": "exposes", "marbles": [{"seat": 1, "cells": ["a1"]}]},
            "It leaves your marble on a1 to be pushed off.",
        ),
        ({"what": "away", "count": 2}, "It moves two marbles away from the centre."),
        ({"what": "divides", "seat": 1}, "It divides your marbles into more groups."),
        ({"what": "apart", "seat": 1}, "It leaves your marbles less close together."),
        ({"what": "centre", "count": 1}, "It moves a marble nearer to the centre."),
        ({"what": "centre", "count": 3}, "It moves three marbles nearer to the centre."),
        ({"what": "together", "seat": 1}, "It brings your marbles closer together."),
        ({"what": "together", "seat": 3}, "It brings carol's marbles closer together."),
    ],
)
def test_each_reason_has_a_sentence(reason: dict[str, Any], sentence: str) -> None:
    players = [{"handle": handle} for handle in ("alice", "bob", "carol")]
    view = {"players": players, "you": [{"seat": 1}]}
    says = SAYS.get_template("abalone/board.txt").module.why  # type: ignore[attr-defined]
    assert says(reason, view).strip() == sentence
    stranger = says(reason, {**view, "you": []}).strip()
    assert stranger == sentence.replace("your", "alice's")


@each_row(
    ("fact", "words"),
    [
        ({"what": "left", "seat": 1, "better": 14}, "you have 14 marbles left instead of three"),
        (
            {"what": "danger", "seat": 2, "better": 1},
            "bob has one marble that can be pushed off at once instead of three",
        ),
        ({"what": "edge", "seat": 1, "better": 0}, "you have no marbles at the edge instead of"),
        ({"what": "groups", "seat": 2, "better": 1}, "bob has one group of marbles instead of"),
        ({"what": "middle", "seat": 1, "better": 5}, "you have five marbles in the middle instead"),
    ],
)
def test_each_contrast_has_words(fact: dict[str, Any], words: str) -> None:
    view = {"players": [{"handle": "alice"}, {"handle": "bob"}], "you": [{"seat": 1}]}
    says = SAYS.get_template("abalone/board.txt").module.contrast  # type: ignore[attr-defined]
    assert says({**fact, "made": 3}, view).strip().startswith(words)


def test_each_reason_and_fault_is_a_theme() -> None:
    says = SAYS.get_template("abalone/board.txt").module.theme  # type: ignore[attr-defined]
    for what in WHATS | FAULTS:
        one, many = says(what, 1).strip(), says(what, 3).strip()
        assert (one[:2], many[:6]) == ("a ", "three ")
    assert says("to-edge", 3).strip() == "three pushes to the edge missed"
