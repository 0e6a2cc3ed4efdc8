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
    *("pushes-off", "wins", "saves", "threatens", "leads-to", "pushes", "breaks-up"),
    *("centre", "together"),
}
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


def from_centre(position: rules.AbalonePosition, seat: int) -> int:
    """The steps from the centre of all of a seat's marbles together."""
    return sum(distance(cell, CENTRE) for cell in members(position.marbles_of(seat)))


@dataclass(frozen=True)
class Example:
    """A move, and what speaks for it."""

    before: rules.AbalonePosition
    played: rules.AbalonePlayed
    told: dict[str, dict[str, Any]]

    @property
    def seat(self) -> int:
        assert self.before.turn
        return self.before.turn


@cache
def examples() -> list[Example]:
    """Some moves of positions of all numbers of players, in games that go on."""
    return [
        Example(position, played, reasons(position, move))
        for position in some_positions(36)
        for move in position.legal_moves()[::5]
        if (played := position.play(move)).position.turn
    ]


def test_every_reason_is_found_somewhere() -> None:
    found = {what for example in examples() for what in example.told}
    assert found == WHATS - {"wins", "leads-to"}


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
        told = example.told.get("pushes")
        before, after = example.before, example.played.position
        others = set(before.seats) - set(side_of(before, example.seat))
        moved = [seat for seat in others if before.marbles_of(seat) != after.marbles_of(seat)]
        if told:
            assert moved == [told["seat"]]
            farther = from_centre(after, told["seat"]) - from_centre(before, told["seat"])
            assert farther == told["count"] in (1, 2)


def test_what_stands_together_is_counted() -> None:
    for example in examples():
        before, after, told = example.before, example.played.position, example.told
        closer = pairs(after, example.seat) > pairs(before, example.seat)
        assert ("together" in told) == closer
        if "breaks-up" in told:
            other = told["breaks-up"]["seat"]
            assert other not in side_of(before, example.seat)
            assert before.count(other) == after.count(other)
            assert pairs(after, other) < pairs(before, other)


def test_so_many_come_nearer_to_the_centre_and_none_goes_away() -> None:
    for example in examples():
        move, told = example.played.move, example.told.get("centre")
        own = [cell for cell in move.cells if example.before.seat_at(cell) == example.seat]
        ways = [distance(cell, CENTRE) - distance(cell + move.step, CENTRE) for cell in own]
        good = all(way >= 0 for way in ways) and any(ways)
        assert (told["count"] if told else 0) == (sum(way > 0 for way in ways) if good else 0)


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
        ({"what": "centre", "count": 1}, "It brings a marble nearer to the centre."),
        ({"what": "centre", "count": 3}, "It brings three marbles nearer to the centre."),
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
