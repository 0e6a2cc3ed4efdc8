"""The value itself, the bare list, the diagram, JSON, bounds and junk."""

import json
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pbm.rules import abalone as rules
from pbm.rules.abalone.records import LONGEST_TEXT
from pbm.rules.abalone.records.apgn import MOST_PLIES
from pbm.rules.abalone.records.text_parts import LONGEST_VALUE, MOST_TAGS, replay_of
from pbm.rules.contract import GameRecord
from pbm.rules.record import merged_steps
from tests.rows import each_row
from tests.rules.reasons import REASONS, RECORD_REASONS
from tests.rules.records.making import final, made, plies, read, winners, written
from tests.rules.sentences import told

MANUAL = (Path(__file__).resolve().parents[3] / "docs" / "records.md").read_text("utf-8")
FORMS = tuple(option.name for option in rules.GAME.writes)
GAME = made(
    "bowl",
    3,
    names=("alice", "bob", "carol"),
    steps=("b2,b3", "b5,b4", rules.Leaving(3), "a2,a3"),
    ended=rules.Ending("operator", (1,)),
    tags=(("Event", "Autumn"),),
)


def refusal(call: Any, *given: Any, **named: Any) -> rules.RecordError:
    with pytest.raises(rules.RecordError) as refused:
        call(*given, **named)
    error = refused.value
    assert error.reason in REASONS + RECORD_REASONS
    assert told(error).endswith(".")
    return error


def read_or_refused(text: str, **chosen: Any) -> GameRecord | None:
    """The record in a text, None if it is refused as it should be; anything else fails."""
    refused: list[rules.RecordError] = []
    try:
        return read(text, **chosen)
    except rules.RecordError as error:
        refused.append(error)
    for error in refused:
        assert error.reason in REASONS + RECORD_REASONS
        assert f"{told(error)}{error.params.get('given')}".encode()
    return None


def changed(**fields: Any) -> str:
    """GAME in JSON with other fields, those that are None left out."""
    value = json.loads(written(GAME, json=True)) | fields
    return json.dumps({name: each for name, each in value.items() if each is not ...})


def test_steps_are_kept_in_canonical_text() -> None:
    text = json.dumps(json.loads(written(made(), json=True)) | {"steps": ["A1-C3; d4"]})
    assert read(text) == made(steps=("a1-c3,b2",))
    assert "1. a1-c3,b2 *" in written(made(steps=("A1-C3; d4",)))


def test_what_a_record_knows() -> None:
    assert (winners(GAME), plies(GAME)) == ((1,), 3)
    assert final(GAME).turn == 2
    assert winners(made()) is None
    left = made(steps=(rules.Leaving(1, "removed"),))
    assert (winners(left), final(left).outcome.by) == ((2,), "last")
    assert winners(made(ended=rules.Ending("closed"))) is None


@each_row(
    ("fields", "reason"),
    [
        ({"board": "round"}, "unknown-board"),
        ({"board": "german", "players": 3}, "wrong-players"),
        ({"names": ("a", "b", "c")}, "bad-names"),
        ({"names": ("a", "b\n")}, "bad-names"),
        ({"names": ("a", "\ud800")}, "bad-names"),
        ({"names": ("a", "x" * (LONGEST_VALUE + 1))}, "bad-names"),
        ({"tags": (("Event", "a\u2028b"),)}, "bad-tag"),
        ({"tags": (("Event", "a\x00"),)}, "bad-tag"),
        ({"tags": (("A b", ""),)}, "bad-tag"),
        ({"tags": (("Ünder", ""),)}, "bad-tag"),
        ({"tags": (("Result", "1-0"),)}, "bad-tag"),
        ({"tags": (("seat5", "x"),)}, "bad-tag"),
        ({"tags": (("Event", ""), ("EVENT", ""))}, "bad-tag"),
        ({"tags": (("Termination", " Agreed"),)}, "bad-tag"),
        ({"tags": (("Termination", "so"),), "ended": rules.Ending("agreed")}, "bad-tag"),
        ({"tags": tuple((f"T{n}", "") for n in range(MOST_TAGS + 1))}, "bad-tag"),
        ({"ended": rules.Ending("agreed", (1,))}, "bad-ending"),
        ({"ended": rules.Ending("operator", (2, 1))}, "bad-ending"),
        ({"ended": rules.Ending("operator", (1, 1))}, "bad-ending"),
        ({"ended": rules.Ending("operator", (3,))}, "bad-ending"),
        ({"ended": rules.Ending("tired")}, "bad-ending"),  # type: ignore[arg-type]
        ({"steps": (rules.Leaving(1, "asleep"),)}, "bad-ending"),  # type: ignore[arg-type]
        ({"steps": (rules.Leaving(1),), "ended": rules.Ending("agreed")}, "bad-ending"),
        ({"steps": ("c5,d5", "c4,d4")}, "not-yours"),
        ({"steps": ("c5,d5", rules.Leaving(7))}, "no-such-seat"),
    ],
    ids=lambda value: repr(value)[:40],
)
def test_a_record_that_cannot_be(fields: dict[str, Any], reason: str) -> None:
    assert refusal(written, made(**fields)).reason == reason


def test_merging_plies_and_departures() -> None:
    moves = ["b2,b3", "b5,b4", "a2,a3"]
    leavings = [(2, rules.Leaving(3)), (3, rules.Leaving(1)), (0, rules.Leaving(2, "removed"))]
    assert merged_steps(moves, leavings) == (
        rules.Leaving(2, "removed"),
        "b2,b3",
        "b5,b4",
        rules.Leaving(3),
        "a2,a3",
        rules.Leaving(1),
    )
    assert (*merged_steps(moves[:2], leavings[:1]), "a2,a3") == GAME.steps


def test_a_bare_list_needs_its_board() -> None:
    text = "1. a1b2 i5h5"
    assert read(text, abapro=True, layout="belgian").options == {"layout": "belgian"}
    assert read(text, abapro=True, layout="Classic").steps == ("i5-g5,h5", "a1-c3,b2")
    assert refusal(read, text, abapro=True).reason == "no-board"
    assert refusal(read, text, abapro=True, layout="round").reason == "unknown-board"
    named = f'[Variant "Belgian Daisy"] {text}'
    assert read(named, abapro=True).options == {"layout": "belgian"}
    assert read(named, abapro=True, layout="belgian").options == {"layout": "belgian"}
    error = refusal(read, named, abapro=True, layout="german")
    assert error.reason == "board-differs"
    said = f'[Notation "pbm"] {text}'
    assert refusal(read, said, abapro=True, layout="belgian").reason == "not-a-move"


def test_a_list_is_for_two() -> None:
    assert refusal(written, GAME, abapro=True).reason == "only-for-two"


def test_the_board_that_is_named_for_other_forms() -> None:
    assert read("1. c2,d2", layout="bowl", pillar=True).options["pillar"]
    text = written(GAME, json=True)
    assert read(text, layout="bowl") == GAME
    assert refusal(read, text, layout="standard").reason == "board-differs"


def test_a_diagram_is_written_and_not_read() -> None:
    text = written(GAME, diagram=True)
    assert text == f"{final(GAME).drawn()}\n\nState: {final(GAME).state()}\n"
    for picture in (
        text,
        text.split("\n\n")[1],
        replay_of(GAME).start.state(),
        text[text.index("A-") :],
    ):
        assert refusal(read, picture).reason == "not-a-game"


def test_json_says_everything() -> None:
    assert json.loads(written(GAME, json=True)) == {
        "format": "pbm-record",
        "version": 1,
        "board": "bowl",
        "players": 3,
        "teams": False,
        "pillar": False,
        "names": ["alice", "bob", "carol"],
        "tags": {"Event": "Autumn"},
        "result": "1",
        "ended": {"how": "operator", "winners": [1]},
        "steps": ["b2,b3", "b5,b4", {"seat": 3, "left": "resigned"}, "a2,a3"],
    }


def test_json_with_little_in_it() -> None:
    text = '{"format": "pbm-record", "version": 1, "board": "german", "steps": ["b1,c1"]}'
    error = refusal(read, text)
    assert (error.reason, *map(error.params.get, ("ply", "given"))) == ("not-yours", 1, "b1,c1")
    assert read(text.replace('"b1,c1"', "")) == made("german")


@each_row(
    ("text", "reason"),
    [
        ('{"', "bad-json"),
        ('{"a": 1, "a": 1}', "bad-json"),
        ('{"format": NaN}', "bad-json"),
        ('{"format":' + "[" * 60_000, "bad-json"),
        ('{"format":' + "9" * 5_000 + "}", "bad-json"),
        ('{"format": "other"}', "not-a-record"),
        ("{}", "not-a-record"),
        (changed(version=2), "bad-version"),
        (changed(version="1"), "bad-json"),
        (changed(version=True), "bad-json"),
        (changed(version=...), "bad-json"),
        (changed(board=...), "bad-json"),
        (changed(board=3), "bad-json"),
        (changed(board="round"), "unknown-board"),
        (changed(players=3.0), "bad-json"),
        (changed(players=10**4_000), "wrong-players"),
        (changed(teams=1), "bad-json"),
        (changed(teams=True), "wrong-players"),
        (changed(names="abc"), "bad-json"),
        (changed(names=["a", "b", 3]), "bad-json"),
        (changed(names=["a", "b"]), "bad-names"),
        (changed(names=["a", "b", "\ud800"]), "bad-names"),
        (changed(tags=[]), "bad-json"),
        (changed(tags={"Event": None}), "bad-json"),
        (changed(tags={"Black": "x"}), "bad-tag"),
        (changed(ended="agreed"), "bad-json"),
        (changed(ended={"how": "tired"}), "bad-json"),
        (changed(ended={"how": "agreed", "why": ""}), "bad-json"),
        (changed(ended={"how": "agreed", "winners": [1]}), "bad-ending"),
        (changed(ended={"how": "operator", "winners": [True]}), "bad-json"),
        (changed(result="2"), "result-differs"),
        (changed(result=1), "bad-json"),
        (changed(steps=...), "bad-json"),
        (changed(steps={}), "bad-json"),
        (changed(steps=[["b2,b3"]]), "bad-json"),
        (changed(steps=[{"seat": 1}]), "bad-json"),
        (changed(steps=[{"seat": 1, "left": "asleep"}]), "bad-json"),
        (changed(steps=[{"seat": 10**4_000, "left": "resigned"}]), "no-such-seat"),
        (changed(steps=["\ud800" * 500]), "not-a-move"),
        (changed(steps=["x"] * (MOST_PLIES + 1)), "too-many-plies"),
        (changed(states=[]), "bad-json"),
        (changed(states=[""] * 4), "state-differs"),
        (changed(more=1), "bad-json"),
    ],
    ids=lambda value: repr(value)[:60],
)
def test_json_is_strict(text: str, reason: str) -> None:
    error = refusal(read, text)
    assert error.reason == reason
    assert len(told(error)) < 500
    told(error).encode()
    (error.params.get("given") or "").encode()


def test_the_bound_of_the_text() -> None:
    fitting = "1. c5,d5".ljust(LONGEST_TEXT)
    assert plies(read(fitting)) == 1
    assert refusal(read, fitting + " ").reason == "too-long"
    wide = "{" + "é" * (LONGEST_TEXT // 2) + "}"
    assert refusal(read, wide).reason == "too-long"


_PARTS = st.sampled_from(
    [
        *'[](){}"\\;,.*$-#\n \ufeff\ud800\x00',
        "[Event ",
        '[Players "3"]',
        '[Result "1-0"]',
        '[Notation "Aba-Pro"]',
        '[Termination "agreed"]',
        "1.",
        "12...",
        "a1-c3,b2",
        "i5-g5,h5",
        "a1b2",
        "--",
        "{seat 2 resigned}",
        "1-0",
        "*",
        "draw",
        "1+3",
        "3",
        '{"format": "pbm-record", "version": 1',
        '"steps": [',
    ]
)


@given(
    st.text() | st.lists(_PARTS | st.text(max_size=3), max_size=20).map(" ".join),
    st.booleans(),
    st.none() | st.sampled_from(["belgian", "standard", "no such"]),
    st.booleans(),
)
def test_junk_is_refused_and_nothing_else(
    text: str, abapro: bool, layout: str | None, pillar: bool
) -> None:
    record = read_or_refused(text, abapro=abapro, layout=layout, pillar=pillar)
    if record is not None:
        assert read(written(record)) == record
        assert read(written(record, json=True)) == record


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=5,
)


@given(st.sampled_from(list(json.loads(changed()))), json_values)
def test_any_value_in_any_field(name: str, value: object) -> None:
    read_or_refused(changed(**{name: value}))


def test_the_manual_explains_every_reason() -> None:
    explained = re.findall(
        r"^\| `([a-z-]+)` \| ", MANUAL.partition("## What can be wrong")[2], re.M
    )
    assert explained == list(RECORD_REASONS)
    assert set(RECORD_REASONS).isdisjoint(REASONS)


def test_the_manual_names_the_forms_and_limits() -> None:
    assert set(re.findall(r"^\| `([a-z]+)` \| ", MANUAL, re.M)[:4]) == set(FORMS)
    assert f"up to {LONGEST_TEXT} bytes and {MOST_PLIES} plies" in MANUAL
    assert f"at most {MOST_TAGS} tags" in MANUAL
    assert f"a value has {LONGEST_VALUE} characters" in MANUAL


def test_the_examples_of_the_manual() -> None:
    examples = re.findall(r"^```(apgn|abapro|json|diagram) ?(\w*)\n(.*?)^```", MANUAL, re.M | re.S)
    assert {form for form, _, _ in examples} == set(FORMS)
    for form, board, text in examples:
        if form == "diagram":
            opening = made(steps=("a1-c3,b2",))
            assert written(opening, diagram=True) == text
            continue
        record = read(text, abapro=form == "abapro", layout=board or None)
        if "{better: " in text:
            better = ((2, ("i9-g7,h8", "a5-c5,b5")), (4, ("i9-g7,h8",)))
            record = replace(record, better=better)
        if form == "json":
            assert json.loads(written(record, **{form: True})) == json.loads(text)
        elif "Belgian Daisy" not in text:
            assert written(record, **{form: True}) == text
