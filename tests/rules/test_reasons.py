"""Every reason to refuse something has its words, and all words have their reason.

The sentences of refused moves are in `test_refusals`, those of state lines in `test_state`.
"""

import json
import re
from collections import defaultdict
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from pbm.resources import resource_path
from pbm.rules import abalone as rules
from pbm.rules import contract
from pbm.rules.abalone import GAME
from pbm.rules.abalone.records import LONGEST_TEXT
from pbm.rules.abalone.records.apgn import MOST_PLIES
from pbm.rules.abalone.records.text_parts import LONGEST_VALUE, MOST_TAGS, replay_of
from pbm.rules.contract import GameRecord, RulesError
from tests import sources
from tests.rows import each_row
from tests.rules import reasons
from tests.rules.records import making
from tests.rules.sentences import told
from tests.rules.test_refusals import ILLEGAL, IN_TEAMS, NOTATION, PILLAR
from tests.rules.test_state import BAD

ROOMS = Path(rules.__file__).parent
WORDS = resource_path("templates") / "abalone" / "reasons.txt"
MACRO = re.compile(r"{% macro (\w+)\(e\) %}(.*?){% endmacro %}", re.DOTALL)
CLASSES = {
    name
    for name, each in vars(contract).items()
    if isinstance(each, type) and issubclass(each, RulesError)
} | {"_refused"}
"""What makes an error of a reason."""
Kind = tuple[str, str | None]
"""A reason, and which of its faults."""

START = rules.start("standard", 2)
LEFT = making.made(steps=(rules.Leaving(1),))
LEFT_STATE = making.final(LEFT).state()
THREE = making.made("bowl", 3, steps=("b2,b3", rules.Leaving(3)))
LETTERS = f"has a line break or control character, or more than {LONGEST_VALUE} characters."
FIELDS = "format, version, board, players, teams, pillar, names, tags, result, ended, steps, states"


def begun(*given: Any, **chosen: Any) -> Callable[[], object]:
    return lambda: rules.start(*given, **chosen)


def left(*seats: int) -> Callable[[], object]:
    def leave() -> None:
        position = rules.start("standard", 3)
        for seat in seats:
            position = position.leave(seat)

    return leave


def made(**fields: Any) -> Callable[[], object]:
    return lambda: making.written(making.made(**fields))


def text(record: str, **chosen: Any) -> Callable[[], object]:
    return lambda: making.read(record, **chosen)


def in_json(record: GameRecord | None = None, **fields: Any) -> Callable[[], object]:
    """A record, by default THREE, in JSON with other fields, without those that are `...`."""
    whole = json.loads(making.written(record or THREE, json=True)) | fields
    return text(json.dumps({name: value for name, value in whole.items() if value is not ...}))


def written(**chosen: bool) -> Callable[[], object]:
    record = GAME.read(making.written(THREE), {})
    return lambda: GAME.write(record, chosen)


ROWS: list[tuple[str, Callable[[], object], str]] = [
    (
        "unknown-board",
        begun("round"),
        f"There is no such board. The boards are {', '.join(list(rules.BOARDS)[:-1])}"
        f" and {list(rules.BOARDS)[-1]}.",
    ),
    ("unknown-board", text("", layout="round"), 'There is no board "round".'),
    ("wrong-players", begun("german", 3), "The german board is for 2 players."),
    ("wrong-players", begun("bowl", 7), "The bowl board is for 2 to 6 players."),
    ("wrong-players", begun(players=3, teams=True), "A game in teams is for 4 players."),
    (
        "centre-taken",
        begun("standard", 5, pillar=True),
        "The standard board for 5 has a marble on e5, where the pillar would stand.",
    ),
    ("no-such-seat", left(4), "The seats are 1 to 3."),
    ("already-out", left(2, 2), "Seat 2 has left this game already."),
    ("game-over", left(2, 1, 3), "This game is over."),
    (
        "nothing-to-claim",
        lambda: GAME.claim([GAME.start(2, {})], {1: 0, 2: 0}),
        "this position has not come up 3 times with the same player to move, and not everybody has"
        " made 100 moves since a marble last went over the edge.",
    ),
    ("too-long", text(" " * LONGEST_TEXT + "x"), "A record is read up to 65536 bytes."),
    (
        "too-many-plies",
        text(" ".join(("c5,d5", "g5,f5", "d5,c5", "f5,g5") * (MOST_PLIES // 4)) + " c5,d5"),
        "A game is read up to 5000 plies, and this one is longer.",
    ),
    (
        "too-many-plies",
        in_json(steps=["x"] * (MOST_PLIES + 1)),
        "A game is read up to 5000 plies, and this one is longer.",
    ),
    (
        "not-a-record",
        text("{nothing}"),
        "There is no game in this text. Send the moves of one, such as 1. a1-c3,b2 i5-g5,h5.",
    ),
    ("not-a-record", text("{}"), 'A record in JSON has "format": "pbm-record".'),
    (
        "not-a-game",
        text("State: x"),
        "A picture or a state line shows one position, and a game is all its moves from the start:"
        " send those, as APGN, as JSON or as a list.",
    ),
    (
        "several-games",
        text('c5,d5 [Event "second"]'),
        "After the moves there is another tag. Send each game by itself.",
    ),
    ("bad-bracket", text("c5,d5 )"), 'A bracket stands alone: ")".'),
    ("bad-bracket", text("{ a\x07 " + "b" * 40), f'A bracket stands alone: "{{ a� {"b" * 25}".'),
    (
        "bad-tag form",
        text("[Event]"),
        '"[Event]" does not read as a tag; a tag looks like [Event "Spring"].',
    ),
    (
        "bad-tag name",
        made(tags=(("A b", ""),)),
        "A tag's name is a letter, then letters, digits and _, 40 at most.",
    ),
    ("bad-tag twice", text('[A "1"][a "2"]'), "The tag a stands there twice."),
    ("bad-tag twice", made(tags=(("A", ""), ("a", ""))), "The tag a stands there twice."),
    (
        "bad-tag made",
        made(tags=(("Result", "*"),)),
        "The tag Result is made from the game, and cannot be given.",
    ),
    (
        "bad-tag value",
        text('[Notation "algebraic"]'),
        'The tag Notation is "pbm" or "Aba-Pro", not "algebraic".',
    ),
    ("bad-tag value", text('[Teams "1+2 3+4"]'), 'The tag Teams is "1+3 2+4", not "1+2 3+4".'),
    (
        "bad-tag value",
        text('[Players "two"]'),
        'The tag Players is a number from 2 to 6, not "two".',
    ),
    ("bad-tag value", text('[Pillar "D5"]'), 'The tag Pillar is "e5", not "d5".'),
    ("bad-tag letters", made(tags=(("A", "\n"),)), f"The tag A {LETTERS}"),
    (
        "bad-tag length",
        text(f'[A "{"x" * 3 * LONGEST_VALUE}x"]'),
        "The tag A has more than 200 characters.",
    ),
    (
        "bad-tag number",
        made(tags=tuple((f"T{number}", "") for number in range(MOST_TAGS + 1))),
        "A record has at most 50 tags of its own.",
    ),
    (
        "bad-names count",
        made(names=("a", "b", "c")),
        "There are 3 names for a game of 2 players.",
    ),
    (
        "bad-names seat",
        text('[Seat3 "carol"][Players "2"]'),
        "A seat is named that a game of 2 players does not have.",
    ),
    ("bad-names letters", made(names=("a", "\n")), f"The name of seat 2 {LETTERS}"),
    ("bad-json syntax", text('{"'), "The text is not JSON."),
    ("bad-json twice", text('{"a": 1, "a": 1}'), "A field stands there twice."),
    ("bad-json object", in_json(ended="agreed"), '"ended" is not an object.'),
    ("bad-json object", in_json(steps=[3]), "A step is not an object."),
    ("bad-json object", in_json(ended="agreed"), '"ended" is not an object.'),
    ("bad-json fields", in_json(more=1), f"The fields of the record are {FIELDS}."),
    ("bad-json fields", in_json(steps=[{"why": 1}]), "The fields of a step are seat, left."),
    (
        "bad-json fields",
        in_json(ended={"who": 1}),
        'The fields of "ended" are how, winners.',
    ),
    ("bad-json kind", in_json(board=3), '"board" must be text, or a list of such.'),
    ("bad-json kind", in_json(players="3"), '"players" must be a whole number, or a list of such.'),
    ("bad-json kind", in_json(teams=1), '"teams" must be true or false, or a list of such.'),
    ("bad-json kind", in_json(names="abc"), '"names" must be a list, or a list of such.'),
    ("bad-json kind", in_json(tags=[]), '"tags" must be an object, or a list of such.'),
    (
        "bad-json word",
        in_json(steps=[{"seat": 1, "left": "asleep"}]),
        '"left" is one of resigned, removed, forfeited.',
    ),
    (
        "bad-json no-steps",
        in_json(steps=...),
        '"steps" is missing; it is an empty list before the first move.',
    ),
    ("bad-json states", in_json(states=[""]), '"states" has 1 lines for 2 steps.'),
    (
        "bad-version",
        in_json(version=2),
        "Only version 1 of the form is read, and this is another one.",
    ),
    (
        "no-board",
        text("a1b2", abapro=True),
        "A bare list of moves does not say which board it is for: name the board.",
    ),
    (
        "unknown-variant",
        text('[Variant "Daisy"]'),
        '"Daisy" is no Variant that is known here; it is a name of ours such as classic, or one'
        " such as Belgian Daisy.",
    ),
    (
        "board-differs",
        text('[Variant "bowl"]', layout="german"),
        "The record is of the bowl board, not of german.",
    ),
    (
        "after-result",
        text("c5,d5 1-0 Regards"),
        'After the result "1-0" there is more: "Regards". Leave it out, or send each game by'
        " itself.",
    ),
    (
        "bad-result word",
        text('[Result "2-0"]'),
        '"2-0" is no result for 2 players; write 1-0 (Black won), 0-1, 1/2-1/2 or *.',
    ),
    (
        "bad-result word",
        text('[Players "3"][Result "1-0"]'),
        '"1-0" is no result for 3 players; write the winning seats such as 3 or 1+3, draw or *.',
    ),
    (
        "bad-result two",
        text('[Result "1-0"] 0-1'),
        "The tag Result says 1-0, but after the moves it says 0-1.",
    ),
    (
        "bad-result open",
        text('[Termination "operator"] c5,d5'),
        'A game with [Termination "operator"] needs a Result other than *.',
    ),
    (
        "bad-result other",
        text('[Termination "agreed"] 1-0'),
        "The Result of a game that was agreed is 1/2-1/2.",
    ),
    (
        "bad-ending ending",
        made(ended=rules.Ending("tired")),
        "A game ends by one of these words: agreed, claimed, closed, operator, record.",
    ),
    (
        "bad-ending leaving",
        made(steps=(rules.Leaving(1, "asleep"),)),
        "A seat leaves by one of these words: resigned, removed, forfeited.",
    ),
    (
        "bad-ending no-winners",
        made(ended=rules.Ending("agreed", (1,))),
        "A game that was agreed has no winners.",
    ),
    (
        "bad-ending winners",
        made(ended=rules.Ending("operator", (3,))),
        "The winners are seats from 1 to 2, each once and in order.",
    ),
    (
        "bad-ending over",
        made(steps=(rules.Leaving(1),), ended=rules.Ending("agreed")),
        'The moves end this game; it cannot be "agreed" as well.',
    ),
    (
        "result-differs",
        text("{seat 1 resigned} 1-0"),
        "The Result is 1-0, but the moves make it 0-1. Put the Result right, or leave it out.",
    ),
    (
        "result-differs",
        in_json(result="2"),
        '"result" says otherwise than the steps and "ended", which make it *.',
    ),
    (
        "state-differs",
        in_json(states=["", ""]),
        'After ply 1 the state is "'
        + replay_of(THREE).steps[0].position.state()
        + '" by the steps, and not what "states" has.',
    ),
    (
        "state-differs",
        in_json(LEFT, states=[LEFT_STATE.replace("won=2", "won=1")]),
        f'After ply 0 the state is "{LEFT_STATE}" by the steps, and not what "states" has.',
    ),
    (
        "only-for-two",
        written(abapro=True),
        "A bare list of moves is for games of two players; APGN and JSON are for all. Write -apgn"
        " -abapro instead.",
    ),
    (
        "one-form",
        written(json=True, diagram=True),
        "A record has one form: write one of -apgn, -json and -diagram. Only -apgn goes together"
        " with -abapro.",
    ),
    (
        "not-skipped",
        text("1. --"),
        'Move 1 (ply 1, seat 1) reads "--": Seat 1 is not skipped: it can move here.',
    ),
    (
        "not-skipped",
        text("{seat 2 resigned} --"),
        'Move 1 (ply 1, seat 1) reads "--": Seat 1 is not skipped: the game is over.',
    ),
    (
        "game-over",
        text("{seat 2 resigned} c5,d5"),
        'Move 1 (ply 1) reads "c5,d5": This game is over.',
    ),
    (
        "not-a-move",
        text("1. a1b2"),
        'Move 1 (ply 1, seat 1) reads "a1b2": That does not read as a move. If the moves are in'
        ' Aba-Pro notation, the record must say so: [Notation "Aba-Pro"].',
    ),
    (
        "no-such-cell",
        text("c5,d5 j7-d7,d7"),
        'Move 1 (ply 2, seat 2) reads "j7-d7,d7": There is no place j7: the rows are a to i.',
    ),
    (
        "no-such-seat",
        text("c5,d5 {seat 3 resigned}"),
        'After ply 1 it says "seat 3 resigned": The seats are 1 to 2.',
    ),
    (
        "already-out",
        text('[Players "3"] {seat 2 resigned} {seat 2 removed}'),
        'After ply 0 it says "seat 2 removed": Seat 2 has left this game already.',
    ),
]


def raised(call: Callable[[], object]) -> RulesError:
    with pytest.raises(RulesError) as refused:
        call()
    return refused.value


def kind(error: RulesError) -> Kind:
    return error.reason, error.params.get("fault")


@each_row(("named", "call", "sentence"), ROWS, ids=[row[0] for row in ROWS])
def test_what_is_refused_is_told(named: str, call: Callable[[], object], sentence: str) -> None:
    error = raised(call)
    assert kind(error) == (*named.split(), None)[:2]
    assert told(error) == sentence


def test_every_reason_of_the_lists_is_raised_and_no_other() -> None:
    listed = {*reasons.REASONS, *reasons.RECORD_REASONS, *reasons.CLAIM_REASONS}
    assert {reason for reason, _ in in_the_rules()} == listed


# In mails that a version before this one left to be sent (`tests/mail/legacy_params.json`).
OF_BEFORE = {"two-layouts", "bad-teams"}


def test_every_reason_has_words_and_all_words_a_reason() -> None:
    words = macros().keys() - OF_BEFORE
    assert words == {reason for reason, _ in in_the_rules()}
    assert macros().keys() >= OF_BEFORE


def test_every_fault_has_words_and_all_words_a_fault() -> None:
    faults = defaultdict(set)
    for reason, fault in in_the_rules():
        faults[reason] |= {fault} - {None}
    for reason, words in macros().items():
        assert set(re.findall(r'e\.fault == "([a-z-]+)"', words)) == faults[reason], reason


def test_everything_that_the_rules_raise_is_shown_in_a_table() -> None:
    shown = {(*named.split(), None)[:2] for named, _, _ in ROWS}
    shown |= {(row[2], None) for row in [*NOTATION, *ILLEGAL, *IN_TEAMS, *PILLAR]}
    shown |= {kind(raised(lambda line=line: rules.parse_state(line))) for line in BAD.values()}
    assert shown == set(in_the_rules())


def macros() -> dict[str, str]:
    """The words for each reason."""
    found = MACRO.findall(WORDS.read_text(encoding="utf-8"))
    return {name.replace("_", "-"): words for name, words in found}


def in_the_rules() -> Iterator[Kind]:
    """Whatever is raised anywhere in the game."""
    for file in (*sources.program(ROOMS), sources.source(ROOMS.parent / "record.py")):
        for call in file.calls:
            if call.name in CLASSES and call.texts:
                for reason in call.texts[0]:
                    yield reason, next(iter(call.named.get("fault", ())), None)
