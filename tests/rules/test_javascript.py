"""The rules of the board page in JavaScript, held against the Python rules."""

import random
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from pbm.rules import abalone as rules
from pbm.rules.abalone.board import CELLS
from pbm.rules.contract import Ending, GameRecord
from tests.browser import Browser, Page
from tests.rules.perft_table import STARTS, TEAM_STARTS
from tests.rules.random_games import endgame, near_the_end
from tests.rules.random_positions import SETUPS
from tests.rules.setups import placed

MODULE = Path(rules.__file__).with_name("abalone.js")
POSITIONS = 5000
LEAVING = 0.01

# All that one position leads to, as the Python rules tell it below.
_LOOK = """async (module, given) => {
  const rules = await import(module);
  return given.map(([state, next]) => {
    const position = rules.load(state);
    const moves = rules.moves(position);
    const told = (move) => rules.state(rules.play(position, move));
    const some = next === "all" ? moves : moves.filter((move) => move.text === next);
    return [rules.state(position), moves.map((move) => move.text), some.map(told), position.by];
  });
}"""

_PERFT = """async (module, given) => {
  const rules = await import(module);
  const perft = (position, depth) => {
    const moves = rules.moves(position);
    if (depth === 1) return moves.length;
    return moves.reduce((sum, move) => sum + perft(rules.play(position, move), depth - 1), 0);
  };
  return given.map(([state, depth]) => perft(rules.load(state), depth));
}"""

_TAPS = """async (module, states) => {
  const rules = await import(module);
  let [moves, wrong] = [0, []];
  for (const state of states) {
    const all = rules.moves(rules.load(state));
    const named = new Map();
    for (const { from, to, text } of all) {
      const taps = `${from} ${to}`;
      named.set(taps, [...(named.get(taps) ?? []), text]);
      if (from < 0 || to < 0) wrong.push([state, text]);
    }
    moves += all.length;
    for (const some of named.values()) if (some.length > 1) wrong.push([state, ...some]);
  }
  return [moves, wrong.slice(0, 5)];
}"""


@pytest.fixture(scope="module")
def page(browser: Browser) -> Iterator[Page]:
    page = browser.page()
    yield page
    page.close()


def games(number: int) -> Iterator[tuple[rules.AbalonePosition, str]]:
    """Positions of random games of every kind, each with the move that was played, or "" """
    kinds = [setup for setup in SETUPS for _ in range(2)]
    dice = random.Random(44)
    told = 0
    while True:
        setup = dice.choice(kinds)
        far = dice.random()
        if far < 0.1:
            position = endgame(dice, setup.players, setup.teams)
        else:
            position = near_the_end(dice, setup) if far < 0.6 else setup.start()
        for _ in range(60):
            moves = position.legal_moves()
            move = dice.choice(moves) if moves else None
            yield position, str(move or "")
            told += 1
            if told == number:
                return
            if move is None:
                break
            if dice.random() < LEAVING:
                position = position.leave(
                    dice.choice([seat for seat in position.seats if seat not in position.out])
                )
            else:
                position = position.play_legal(move).position


def stuck() -> rules.AbalonePosition:
    """A full board without two neighbours of one seat."""
    rows: dict[int, str] = {}
    for number, cell in enumerate(CELLS):
        colour = (cell // 10 + cell % 10) % 3 + 1
        rows[cell // 10] = rows.get(cell // 10, "") + str(colour + 3 * (number % 2))
    return rules.parse_state(f"{'/'.join(rows.values())} - 0,0,0,0,0,0 draw")


def looked_at(position: rules.AbalonePosition, move: str) -> list[Any]:
    legal = position.legal_moves()
    some = legal if move == "all" else [each for each in legal if str(each) == move]
    after = [position.play_legal(each).position.state() for each in some]
    by = position.outcome.by if position.outcome else ""
    return [position.state(), [*map(str, legal)], after, by]


def compare(page: Page, given: Sequence[tuple[rules.AbalonePosition, str]]) -> None:
    told = [[position.state(), move] for position, move in given]
    for (position, move), found in zip(
        given, page.run(_LOOK, page.module(MODULE), told), strict=True
    ):
        assert found == looked_at(position, move)


def test_moves_results_and_ends_agree(page: Page) -> None:
    given = [*games(POSITIONS), (stuck(), "")]
    compare(page, given)
    ends = {position.outcome.by for position, _ in given if position.outcome}
    assert ends == {"ejections", "last", "none"}
    compare(page, [(position, "all") for position, _ in given[::25]])


@pytest.mark.thorough
def test_every_move_of_each_position_leads_to_the_same(page: Page) -> None:
    compare(page, [(position, "all") for position, _ in games(POSITIONS)])


def test_as_many_sequences_of_moves(page: Page) -> None:
    starts = [(rules.start(*start), counts) for start, counts in STARTS.items()]
    starts += [(rules.start(board, teams=True), counts) for board, counts in TEAM_STARTS.items()]
    given = [[start.state(), depth] for start, _ in starts for depth in (1, 2)]
    counted = [counts[depth - 1] for _, counts in starts for depth in (1, 2)]
    assert page.run(_PERFT, page.module(MODULE), given) == counted


@pytest.mark.thorough
def test_as_many_sequences_of_three_moves(page: Page) -> None:
    starts = {rules.start(*start).state(): counts[2] for start, counts in STARTS.items()}
    given = [[state, 3] for state in starts]
    assert page.run(_PERFT, page.module(MODULE), given) == [*starts.values()]


@pytest.mark.parametrize(
    ("text", "move"),
    [
        ("a1-c3,b2", "a1-c3,b2"),
        (" C3 – A1 > d4", "a1-c3,b2"),
        ("c3-a1,b2", None),
        ("a1-c3 d4", "a1-c3,b2"),
        ("c5-c3->d6", "c3-c5,d4"),
        ("b1:c1", "b1,c1"),
        ("c3,d4", "c3,d4"),
        ("c3,e5", None),
        ("a1-i9,b2", None),
        ("hello", None),
    ],
)
def test_texts_are_read_generously(page: Page, text: str, move: str | None) -> None:
    read = """async (module, state, text) => {
      const rules = await import(module);
      return rules.read(text, rules.moves(rules.load(state)))?.text ?? null;
    }"""
    assert page.run(read, page.module(MODULE), rules.start().state(), text) == move


def test_moves_are_told_in_words(page: Page) -> None:
    told = """async (module, state) => {
      const rules = await import(module);
      const position = rules.load(state);
      return rules.moves(position).map((move) => rules.told(move, position, (seat) => `${seat}'s`));
    }"""
    position = placed("e4 e5 e6", "e7 e8", turn=1)
    words = page.run(told, page.module(MODULE), position.state())
    assert {"e4 to f4", "e4 e5 e6 sideways to f5 f6 f7"} < set(words)
    assert "e4 e5 e6 pushes 2's e7 e8 to e8 e9" in words
    words = page.run(told, page.module(MODULE), placed("e6 e7 e8", "e9 a1").state())
    assert "e7 e8 pushes 2's e9 off the board" in words


def test_records_are_those_of_the_server(page: Page) -> None:
    """Games of every setup, open or drawn by agreement, with a name that needs to be escaped."""
    dice = random.Random(44)
    given, expected = [], []
    for setup in SETUPS:
        position, moves = setup.start(), list[str]()
        for _ in range(dice.randrange(30)):
            move = dice.choice(position.legal_moves())
            moves.append(str(move))
            position = position.play_legal(move).position
        names = ("al", "", 'b"o\\b', "carol", "dora", "emil")[: setup.players]
        flags = {name: True for name in ("teams", "pillar") if getattr(setup, name)}
        options = {"layout": setup.board, **flags}
        drawn = dice.random() < 0.5
        ended = Ending("record", ()) if drawn else None
        record = GameRecord(setup.players, options, names, tuple(moves), ended)
        expected.append(rules.GAME.write(record, {}))
        given.append([setup.start().state(), moves, names, options, [] if drawn else None])
    told = """async (module, given) => {
      const rules = await import(module);
      return given.map(([state, texts, names, options, winners]) => {
        const line = [{ position: rules.load(state), move: null }];
        for (const text of texts) {
          const { position } = line[line.length - 1];
          const move = rules.read(text, rules.moves(position));
          line.push({ position: rules.play(position, move), move });
        }
        return rules.record(line, names, options, winners);
      });
    }"""
    assert page.run(told, page.module(MODULE), given) == expected


def test_two_taps_name_one_move(page: Page) -> None:
    states = [position.state() for position, _ in games(POSITIONS)]
    moves, wrong = page.run(_TAPS, page.module(MODULE), states)
    assert not wrong
    assert moves > POSITIONS * 20


@pytest.mark.parametrize("state", ["", "x", "11111/111111 1 0,0 -", f"{'.' * 69} 1 0,0 -"])
def test_a_text_that_is_no_state_line_is_refused(page: Page, state: str) -> None:
    load = """async (module, state) => {
      const rules = await import(module);
      try { rules.load(state); } catch (error) { return error.message; }
    }"""
    assert page.run(load, page.module(MODULE), state).startswith("no ")
