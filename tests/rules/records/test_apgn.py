"""Tags and moves as people and mail programs write them."""

import pytest

from pbm.rules import abalone as rules
from pbm.rules.abalone.records.apgn import MOST_PLIES
from pbm.rules.abalone.records.text_parts import replay_of
from tests.rows import each_row
from tests.rules.records.making import made, plies, read, winners, written
from tests.rules.sentences import told

OPENING = ("a1-c3,b2", "i5-g5,h5", "a5-c5,b5")
THREE = made(
    "standard",
    3,
    names=("a", "b", "c"),
    steps=(
        "b1,c1",
        "d8,d7",
        rules.Leaving(3, "forfeited"),
        "b2,c2",
        "e8,e7",
    ),
)


def reason(text: str, **options: object) -> str:
    with pytest.raises(rules.RecordError) as refused:
        read(text, **options)
    assert told(refused.value).endswith(".")
    return refused.value.reason


@each_row(
    "text",
    [
        "1. a1-c3,b2 i5-g5,h5 2. a5-c5,b5",
        "1.a1-c3,b2 i5-g5,h5 2.a5-c5,b5 *",
        "1. a1-c3,b2 1... i5-g5,h5 2. a5-c5,b5",
        "1. a1-c3,b2 1. ... i5-g5,h5 2. a5-c5,b5",
        "a1-c3,b2 i5-g5,h5 a5-c5,b5",
        "1 a1-c3,b2 i5-g5,h5 2 a5-c5,b5 3",
        "1. A1-C3,D4 I5-G5;F5 2. a5–c5:d5",
        "1. a1 - c3, b2 i5-\ng5,\nh5 2. a5-c5 , b5",
        "1. a1-c3->d4 i5-g5 -> f5 2. a5-c5>d5",
        "1. a1-c3,b2! i5-g5,h5?? $14 2. a5-c5,b5!?",
        "{first} 1. a1-c3,b2 {White has\nresigned} i5-g5,h5 ; a bold answer, c5,d5\n2. a5-c5,b5",
        "1. a1-c3,b2 (1. c5,d5 (1. c4,d4) {so} g5,f5) i5-g5,h5 2. a5-c5,b5",
        "\ufeff\r\n1. a1-c3,b2\r\ni5-g5,h5\r\n2.\r\na5-c5,b5\r\n",
        "1.\u00a0a1-c3,b2\u00a0i5-g5,h5 2. a5-c5,b5",
    ],
)
def test_moves_are_read_generously(text: str) -> None:
    assert read(text) == made(steps=OPENING)


@each_row(
    "tags",
    [
        '[Black "alice"][White "bob"]',
        '[black "alice"]\n[WHITE "bob"]\n',
        '[Seat1 "alice"] [Seat2 "bob"]',
        '[ Black   "alice" ]\n\n[White "bob"]\n[Result "*"][Players "2"][Variant "STANDARD"]',
        "[Black “alice”][White „bob“]",
    ],
)
def test_tags_are_read_generously(tags: str) -> None:
    assert read(tags) == made(names=("alice", "bob"))


def test_a_value_that_a_mail_program_broke() -> None:
    record = read('[Event "A long name of \r\n an event"]\n[Note "tab\there"]')
    assert record.tags == (("Event", "A long name of an event"), ("Note", "tab here"))


def test_how_a_game_for_three_is_written() -> None:
    assert written(THREE) == (
        '[Seat1 "a"]\n[Seat2 "b"]\n[Seat3 "c"]\n[Variant "standard"]\n[Players "3"]\n'
        '[Notation "pbm"]\n[Result "*"]\n\n'
        "1. b1,c1 d8,d7 {seat 3 forfeited} --\n2. b2,c2 e8,e7 *\n"
    )


def test_skips_may_be_left_out_or_dashed_otherwise() -> None:
    text = written(THREE)
    for dashes in ("", "—", "–", "-", "---"):
        assert read(text.replace(" -- ", f" {dashes} ")) == THREE


def test_a_leaving_in_capitals_and_over_a_line_break() -> None:
    text = written(THREE).replace("{seat 3 forfeited}", "{ Seat\n3  FORFEITED }")
    assert read(text) == THREE


def test_a_seat_that_is_skipped_first() -> None:
    game = made("bowl", 3, steps=(rules.Leaving(1), "b5,b4"))
    assert "{seat 1 resigned} 1. -- b5,b4 *" in written(game)
    (_, move) = replay_of(game).steps
    assert (move.seat, move.ply, move.number, move.skipped) == (2, 1, 1, (1,))


def test_the_numbers_of_a_game_for_three() -> None:
    numbers = [(each.ply, each.number, each.seat, each.skipped) for each in replay_of(THREE).steps]
    assert numbers == [(1, 1, 1, ()), (2, 1, 2, ()), (2, 1, 3, ()), (3, 2, 1, (3,)), (4, 2, 2, ())]


@each_row(
    ("text", "reason_", "place"),
    [
        ("1. a1-c3,b2 i5-g5,h5 2. e5,e6", "empty-cell", (3, 2, 1, "e5,e6")),
        ("1. a1-c3,b2 a1,b1", "empty-cell", (2, 1, 2, "a1,b1")),
        ("1. a1-c3,b2 i5-g5,h5 2. Hello", "not-a-move", (3, 2, 1, "Hello")),
        ("1. a1-c3,b2 --", "not-skipped", (2, 1, 2, "--")),
        ("-- i5-g5,h5", "not-skipped", (1, 1, 1, "--")),
        ("1. a1-c3,b2 {seat 2 resigned} i5-g5,h5", "game-over", (2, 1, None, "i5-g5,h5")),
        ("1. a1-c3,b2 {seat 2 resigned} --", "not-skipped", (2, 1, 2, "--")),
        (
            '[Players "3"] b1,c1 {seat 3 resigned} d8,d7 -- b2,c2 -- e8,e7',
            "not-skipped",
            (4, 2, 2, "--"),
        ),
        (
            '[Players "3"] b1,c1 {seat 2 resigned} -- d1,d2 a1,a2',
            "own-in-the-way",
            (3, 2, 1, "a1,a2"),
        ),
    ],
)
def test_the_place_of_a_step_that_is_refused(
    text: str, reason_: str, place: tuple[object, ...]
) -> None:
    with pytest.raises(rules.RecordError) as refused:
        read(text)
    error = refused.value
    assert tuple(map(error.params.get, ("ply", "number", "seat", "given"))) == place
    assert error.reason == reason_
    assert told(error).startswith(f"Move {place[1]} (ply {place[0]}")


def test_the_sentence_is_the_rules_own() -> None:
    with pytest.raises(rules.RecordError) as refused:
        read("1. a1-b2,c3")
    assert told(refused.value) == (
        'Move 1 (ply 1, seat 1) reads "a1-b2,c3": '
        "Your own marble on c3 is in the way. Perhaps a1-c3,b2 was meant."
    )


@each_row(
    ("text", "expected"),
    [
        ("1. a1-c3,b2 {seat 3 resigned}", ("no-such-seat", 1, 3)),
        ('[Players "3"] {seat 2 resigned} {seat 2 removed}', ("already-out", 0, 2)),
        ("{seat 2 resigned} {seat 1 resigned}", ("game-over", 0, 1)),
    ],
)
def test_a_leaving_that_is_refused(text: str, expected: tuple[str, int, int]) -> None:
    with pytest.raises(rules.RecordError) as refused:
        read(text)
    error = refused.value
    assert (error.reason, error.params.get("ply"), error.params.get("seat")) == expected


@each_row(
    ("text", "won", "ended"),
    [
        ("c5,d5", None, None),
        ("c5,d5 *", None, None),
        ('[Result "*"] c5,d5 1-0', (1,), rules.Ending("record", (1,))),
        ('[Result "0-1"] c5,d5', (2,), rules.Ending("record", (2,))),
        ('[Result "0–1"] c5,d5 *', (2,), rules.Ending("record", (2,))),
        ("c5,d5 ½-½", (), rules.Ending("record")),
        ("c5,d5 draw", (), rules.Ending("record")),
        ('[Termination "Agreed"] c5,d5', (), rules.Ending("agreed")),
        ('[Termination "claimed"] c5,d5 1/2-1/2', (), rules.Ending("claimed")),
        ('[Termination "closed"] c5,d5 *', None, rules.Ending("closed")),
        ('[Termination "operator"][Result "1-0"]', (1,), rules.Ending("operator", (1,))),
        ('[Termination "record"] c5,d5 0-1', (2,), rules.Ending("record", (2,))),
        ("c5,d5 {seat 1 resigned}", (2,), None),
        ("c5,d5 {seat 1 resigned} 0-1", (2,), None),
        ('[Players "3"] 3', (3,), rules.Ending("record", (3,))),
        ('[Players "3"] 1+3', (1, 3), rules.Ending("record", (1, 3))),
        ('[Players "3"][Result "draw"]', (), rules.Ending("record")),
        ('[Teams "2+4 1+3"][Result "1+3"]', (1, 3), rules.Ending("record", (1, 3))),
    ],
)
def test_results(text: str, won: tuple[int, ...] | None, ended: rules.Ending | None) -> None:
    record = read(text)
    assert (winners(record), record.ended) == (won, ended)


def test_other_words_for_the_end_are_kept() -> None:
    record = read('[Termination "abandoned"][Result "1-0"]')
    assert record.tags == (("Termination", "abandoned"),)
    assert (winners(record), record.ended.how) == ((1,), "record")


@each_row(
    ("text", "expected"),
    [
        ("", "not-a-record"),
        (" \r\n\t", "not-a-record"),
        ("{only a comment}", "not-a-record"),
        ("; only a comment", "not-a-record"),
        ("{ open", "bad-bracket"),
        ("c5,d5 }", "bad-bracket"),
        ("c5,d5 ( g5,f5", "bad-bracket"),
        ("c5,d5 ) g5,f5", "bad-bracket"),
        ("c5,d5 ]", "bad-bracket"),
        ("[Event]", "bad-tag"),
        ('[Event "open', "bad-tag"),
        ('[Event "x" y]', "bad-tag"),
        ('[9 "x"]', "bad-tag"),
        (f'[{"x" * 41} "x"]', "bad-tag"),
        ('[Event "a"][event "b"]', "bad-tag"),
        ('[Event "a"][event "a"]', "bad-tag"),
        ('[Variant "bowl"][variant "german"]', "bad-tag"),
        (f'[Event "{"x" * 201}"]', "bad-tag"),
        (f'[Event "{"x" * 1000}"]', "bad-tag"),
        ("".join(f'[Tag{number} "x"]' for number in range(51)), "bad-tag"),
        ('[Players "7"]', "bad-tag"),
        ('[Players "two"]', "bad-tag"),
        ('[Players "²"]', "bad-tag"),
        ('[Teams "yes"]', "bad-tag"),
        ('[Teams "1+2 3+4"]', "bad-tag"),
        ('[Pillar "d5"]', "bad-tag"),
        ('[Notation "algebraic"]', "bad-tag"),
        (f'[Black "{"x" * 201}"]', "bad-names"),
        ('[Seat3 "carol"][Players "2"]', "bad-names"),
        ('[Variant "Daisy"]', "unknown-variant"),
        ('[Variant "german"][Players "3"]', "wrong-players"),
        ('[Variant "alien"][Pillar "e5"][Teams "1+3 2+4"]', "wrong-players"),
        ('[Variant "standard"][Players "5"][Pillar "e5"]', "centre-taken"),
        ('c5,d5 * [Event "second"]', "several-games"),
        ('c5,d5 [Event "second"]', "several-games"),
        ("c5,d5 1-0 Regards", "after-result"),
        ("1-0 c5,d5", "after-result"),
        ("c5,d5 1-0 {seat 1 resigned}", "after-result"),
        ('[Result "2-0"]', "bad-result"),
        ('[Result "3"]', "bad-result"),
        ('[Players "3"] 4', "bad-result"),
        ('[Players "3"][Result "1-0"]', "bad-result"),
        ('[Result "1-0"] c5,d5 0-1', "bad-result"),
        ('[Termination "agreed"] c5,d5 1-0', "bad-result"),
        ('[Termination "closed"] c5,d5 1/2-1/2', "bad-result"),
        ('[Termination "operator"] c5,d5', "bad-result"),
        ('[Termination "agreed"] c5,d5 {seat 1 resigned}', "bad-ending"),
        ("c5,d5 {seat 1 resigned} 1-0", "result-differs"),
        ("c5,d5 {seat 1 resigned} 1/2-1/2", "result-differs"),
    ],
    ids=lambda value: repr(value)[:40],
)
def test_refused(text: str, expected: str) -> None:
    assert reason(text) == expected


def test_an_open_result_after_an_end_is_only_old() -> None:
    assert winners(read('[Result "*"] c5,d5 {seat 1 resigned} *')) == (2,)


def test_the_bound_of_plies() -> None:
    # Two marbles that walk to and fro for ever.
    walk = ("c5,d5", "g5,f5", "d5,c5", "f5,g5")
    text = " ".join(walk * (MOST_PLIES // 4))
    assert plies(read(text)) == MOST_PLIES
    assert reason(f"{text} c5,d5") == "too-many-plies"
    assert winners(read(f"{text} 1-0")) == (1,)


def test_the_work_grows_with_the_game_and_no_faster(monkeypatch: pytest.MonkeyPatch) -> None:
    played: list[int] = []
    play = rules.AbalonePosition.play

    def counted(position: rules.AbalonePosition, move: rules.LineMove) -> rules.AbalonePlayed:
        played.append(1)
        return play(position, move)

    monkeypatch.setattr(rules.AbalonePosition, "play", counted)
    walk = ("c5,d5", "g5,f5", "d5,c5", "f5,g5")
    for rounds in (10, 20, 40):
        played.clear()
        read(" ".join(walk * rounds))
        assert len(played) == len(walk) * rounds
