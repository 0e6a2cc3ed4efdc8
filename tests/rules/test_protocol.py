"""`pbm-rules`: each line gets its answer, and nothing stops the program."""

import io
import json
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pbm.rules import abalone as rules
from pbm.rules.abalone.engine.roots import DEEPEST, MOST_LINES
from pbm.rules.abalone.programs.rules import (
    DEEPEST_PERFT,
    LONGEST_LINE,
    MOST_NODES,
    MOST_SECONDS,
    REQUEST_REASONS,
    answer,
    serve,
)
from pbm.rules.contract import WON
from tests.polling import PATIENCE
from tests.rows import each_row
from tests.rules.perft_table import STARTS, TEAM_STARTS
from tests.rules.reasons import REASONS
from tests.rules.setups import placed

COMMAND = [sys.executable, "-m", "pbm.rules.abalone.programs.rules"]
MANUAL = Path(__file__).resolve().parents[2] / "docs" / "rules-protocol.md"
START = rules.start().state()
THREE = rules.start("bowl", 3).state()
OVER = rules.start().leave(2).state()


class Program:
    """A running `pbm-rules`, asked one line at a time."""

    def __init__(self, process: "subprocess.Popen[bytes]") -> None:
        assert process.stdin is not None
        assert process.stdout is not None
        self.requests: IO[bytes] = process.stdin
        self.answers: IO[bytes] = process.stdout

    def ask(self, **request: object) -> Any:
        """The answer to a request, read before anything else is sent."""
        self.requests.write(line(**request) + b"\n")
        self.requests.flush()
        return json.loads(self.answers.readline())


@pytest.fixture
def program() -> Iterator[Program]:
    with subprocess.Popen(COMMAND, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        yield Program(process)
        assert process.stdin is not None
        process.stdin.close()
        assert process.wait(timeout=PATIENCE) == 0


def line(**request: object) -> bytes:
    return json.dumps(request).encode()


def ask(**request: object) -> Any:
    return answer(line(**request))


def reason(request_line: bytes) -> str:
    failure = answer(request_line)
    assert failure["ok"] is False
    assert set(failure) == {"ok", "error"}
    assert set(failure["error"]) == {"reason", "text"}
    assert failure["error"]["text"].endswith(".")
    return str(failure["error"]["reason"])


def test_a_session(program: Program) -> None:
    start = program.ask(op="start", board="bowl", players=3)
    assert start == {"ok": True, "state": rules.start("bowl", 3).state()}
    moves = program.ask(op="moves", state=start["state"])
    assert moves["moves"] == [str(m) for m in rules.start("bowl", 3).legal_moves()]
    assert program.ask(op="nonsense")["ok"] is False
    played = program.ask(op="play", state=start["state"], move=moves["moves"][0])
    assert (played["ok"], played["move"]) == (True, moves["moves"][0])
    text = program.ask(op="diagram", state=start["state"])["text"]
    assert text == rules.start("bowl", 3).drawn()


def test_perft_of_the_starts(program: Program) -> None:
    for (board, players), expected in STARTS.items():
        state = program.ask(op="start", board=board, players=players)["state"]
        nodes = [program.ask(op="perft", state=state, depth=depth) for depth in (1, 2, 3)]
        assert nodes == [{"ok": True, "nodes": number} for number in expected]


def test_teams_and_the_pillar() -> None:
    teams = rules.start("official", 4, teams=True).state()
    assert ask(op="start", teams=True) == {"ok": True, "state": teams}
    assert ask(op="start", teams=True, pillar=False, players=4)["state"] == teams
    both = rules.start("bowl", 4, teams=True, pillar=True).state()
    assert ask(op="start", board="bowl", teams=True, pillar=True)["state"] == both
    assert ask(op="start", teams=False, pillar=False)["state"] == START


def test_the_boards() -> None:
    boards = ask(op="boards")["boards"]
    assert {board["name"]: tuple(board["players"]) for board in boards} == dict(rules.BOARDS)
    for board in boards:
        for players in board["players"]:
            for teams, pillar in ((True, False), (False, True), (True, True)):
                offered = players in board["pillar"] or not pillar
                offered = offered and ((board["teams"] and players == 4) or not teams)
                started = ask(
                    op="start", board=board["name"], players=players, teams=teams, pillar=pillar
                )
                assert started["ok"] == offered


def test_perft_in_teams() -> None:
    for board, expected in TEAM_STARTS.items():
        state = ask(op="start", board=board, teams=True)["state"]
        assert ask(op="perft", state=state, depth=3)["nodes"] == expected[2]


def test_the_defaults_of_start() -> None:
    assert ask(op="start") == {"ok": True, "state": START}
    assert ask(op="start", players=2) == ask(op="start", board="standard") == ask(op="start")


def test_a_move() -> None:
    assert ask(op="play", state=START, move="A1-C3, d4") == {
        "ok": True,
        "move": "a1-c3,b2",
        "state": ".1111/111111/..111../...1..../........./......../..222../222222/22222"
        " 2 0,0 quiet=1",
        "ejected": [],
        "outcome": None,
    }


def test_aba_pro_notation() -> None:
    moves = ask(op="moves", state=START, notation="abapro")["moves"]
    assert moves == [rules.format_abapro(m, rules.start()) for m in rules.start().legal_moves()]
    assert ask(op="moves", state=START, notation="pbm") == ask(op="moves", state=START)
    played = ask(op="play", state=START, move="I5H5", notation="abapro")
    usual = ask(op="play", state=START, move="a1-c3,d4", notation="pbm")
    assert played == usual | {"move": "i5h5"}


def test_an_ejection_that_wins() -> None:
    state = placed("e7 e8", "e9 a1", "i9", scores="5,0,3").state()
    after = ask(op="play", state=state, move="e7-e8,e9")
    assert after["ejected"] == [2]
    assert after["outcome"] == {"winners": [1], "by": "ejections"}
    assert ask(op="moves", state=after["state"]) == {"ok": True, "moves": []}


def test_the_last_one_wins() -> None:
    state = placed("e7 e8", "e9").state()
    after = ask(op="play", state=state, move="e7-e8,e9")
    assert after["outcome"] == {"winners": [1], "by": "last"}


def test_a_search(program: Program) -> None:
    request = {"op": "search", "state": START, "nodes": 300, "best": 3}
    found = program.ask(**request)
    scores = [one["score"] for one in found["moves"]]
    assert found["ok"] is True
    assert scores == sorted(scores, reverse=True)
    for one in found["moves"]:
        assert one["move"] == one["line"][0]
        state = START
        for move in one["line"]:
            state = program.ask(op="play", state=state, move=move)["state"]
    assert len({one["move"] for one in found["moves"]}) == 3
    assert (found["nodes"] <= 300, found["depth"] >= 1, found["cut"]) == (True, True, False)
    assert program.ask(**request) == found


def test_a_search_ends_by_its_depth_or_its_seconds() -> None:
    shallow = ask(op="search", state=START, depth=1)
    assert (shallow["depth"], shallow["cut"]) == (1, False)
    hasty = ask(op="search", state=START, seconds=1e-9)
    assert (hasty["depth"] >= 1, hasty["cut"]) == (True, True)


def test_a_search_that_wins_and_one_after_the_end() -> None:
    state = placed("e7 e8", "e9 a1", "i9", scores="5,0,3").state()
    (won,) = ask(op="search", state=state, depth=2)["moves"]
    assert won["move"] == "e7-e8,e8"
    assert won["score"] >= WON
    assert ask(op="search", state=OVER, nodes=9)["moves"] == []


def test_a_search_does_not_go_back() -> None:
    usual = ask(op="search", state=START, depth=1, best=2)["moves"]
    back = ask(op="play", state=START, move=usual[0]["move"])["state"]
    assert ask(op="search", state=START, depth=1, earlier=[back])["moves"] == usual[1:]


def test_an_evaluation() -> None:
    level = ask(op="evaluate", state=THREE)["scores"]
    assert level == [level[0]] * 3
    lost = placed("e5", "a1 a2", turn=1, scores="0,1").state()
    mine, theirs = ask(op="evaluate", state=lost)["scores"]
    assert mine < theirs
    assert ask(op="evaluate", state=OVER)["scores"] == [WON, -WON]


@each_row(
    ("request_line", "expected"),
    [
        (b"", "bad-json"),
        (b"\n", "bad-json"),
        (b"{\n", "bad-json"),
        (b'{"op":"start"} {}\n', "bad-json"),
        (b"\xff\xfe\n", "bad-json"),
        ('{"op":"start"}'.encode("utf-16"), "bad-json"),
        (b"\xef\xbb\xbf{}\n", "bad-json"),
        (b'{"op":"start","players":NaN}', "bad-json"),
        (b'{"op":"start","players":Infinity}', "bad-json"),
        (b'{"op":"start","players":' + b"9" * 5000 + b"}", "bad-json"),
        (b"[" * 60_000, "bad-json"),
        (b'{"a":' * 12_000, "bad-json"),
        (b"\x00\n", "bad-json"),
        (b" " * (LONGEST_LINE + 1), "line-too-long"),
        (b"null", "bad-request"),
        (b"[]", "bad-request"),
        (b'"start"', "bad-request"),
        (b"{}", "bad-request"),
        (b'{"op":null}', "bad-request"),
        (b'{"op":["start"]}', "bad-request"),
        (b'{"op":"start","players":1e400}', "bad-request"),
        (line(op="start", board=2), "bad-request"),
        (line(op="start", players="2"), "bad-request"),
        (line(op="start", players=2.0), "bad-request"),
        (line(op="start", players=True), "bad-request"),
        (line(op="start", players=None), "bad-request"),
        (line(op="start", teams=1), "bad-request"),
        (line(op="start", pillar=None), "bad-request"),
        (line(op="boards", board="bowl"), "bad-request"),
        (line(op="start", teams=True, players=3), "wrong-players"),
        (line(op="start", players=5, pillar=True), "centre-taken"),
        (line(op="moves"), "bad-request"),
        (line(op="moves", state={}), "bad-request"),
        (line(op="play", state=START), "bad-request"),
        (line(op="perft", state=START), "bad-request"),
        (line(op="perft", state=START, depth=-1), "bad-request"),
        (line(op="perft", state=START, depth=DEEPEST_PERFT + 1), "too-deep"),
        (line(op="perft", state=START, depth=10**4000), "too-deep"),
        (line(op=""), "unknown-op"),
        (line(op="START"), "unknown-op"),
        (line(op="\ud800"), "unknown-op"),
        (line(op="start", board="soup"), "unknown-board"),
        (line(op="start", players=7), "wrong-players"),
        (line(op="start", players=10**4000), "wrong-players"),
        (line(op="moves", state=""), "bad-state"),
        (line(op="diagram", state="\0"), "bad-state"),
        (line(op="moves", state=START.replace(" -", " teams")), "bad-state"),
        (line(op="play", state=START, move="\ud800"), "not-a-move"),
        (line(op="play", state=START, move="a6,b6"), "no-such-cell"),
        (line(op="play", state=START, move="i5h5"), "not-a-move"),
        (line(op="play", state=START, move="a1-c3,d4", notation="abapro"), "not-a-move"),
        (line(op="play", state=START, move="a6a5", notation="abapro"), "no-such-cell"),
        (line(op="play", state=START, move="e5e6", notation="abapro"), "empty-cell"),
        (line(op="moves", state=START, notation="chess"), "bad-request"),
        (line(op="moves", state=START, notation=None), "bad-request"),
        (line(op="start", notation="abapro"), "bad-request"),
        (line(op="play", state=START, move="e5,e6"), "empty-cell"),
        (line(op="play", state=OVER, move="a1-c3,d4"), "game-over"),
        (line(op="search", state=START), "bad-request"),
        (line(op="search", state="soup", nodes=1), "bad-state"),
        (line(op="search", state=START, nodes=0), "bad-request"),
        (line(op="search", state=START, nodes=1.0), "bad-request"),
        (line(op="search", state=START, nodes=MOST_NODES + 1), "too-much"),
        (line(op="search", state=START, seconds=0), "bad-request"),
        (line(op="search", state=START, seconds=True), "bad-request"),
        (b'{"op":"search","state":"' + START.encode() + b'","seconds":1e400}', "bad-request"),
        (line(op="search", state=START, seconds=MOST_SECONDS + 1), "too-much"),
        (line(op="search", state=START, seconds=10**4000), "too-much"),
        (line(op="search", state=START, depth=0), "bad-request"),
        (line(op="search", state=START, depth=DEEPEST + 1), "too-deep"),
        (line(op="search", state=START, nodes=1, best=0), "bad-request"),
        (line(op="search", state=START, nodes=1, best=MOST_LINES + 1), "bad-request"),
        (line(op="search", state=START, nodes=1, threads=2), "bad-request"),
        (line(op="search", state=START, nodes=1, seed=-1), "bad-request"),
        (line(op="search", state=START, nodes=1, earlier=START), "bad-request"),
        (line(op="search", state=START, nodes=1, earlier=[START, 1]), "bad-request"),
        (line(op="search", state=START, nodes=1, earlier=[THREE]), "bad-request"),
        (line(op="search", state=START, nodes=1, earlier=["soup"]), "bad-state"),
        (line(op="evaluate"), "bad-request"),
        (line(op="evaluate", state=START, nodes=1), "bad-request"),
    ],
    ids=lambda value: repr(value)[:40],
)
def test_failures(request_line: bytes, expected: str) -> None:
    assert reason(request_line) == expected
    assert expected in REASONS + REQUEST_REASONS


def test_the_program_goes_on_after_every_failure() -> None:
    lines = [b"\xff", b"[" * 60_000, b"x" * 3_000_000, b"", b'{"op":"start"}']
    answers = io.BytesIO()
    serve(io.BytesIO(b"\n".join(lines)), answers)
    read = [json.loads(line) for line in answers.getvalue().splitlines()]
    assert [one["ok"] for one in read] == [False, False, False, False, True]
    assert [one["error"]["reason"] for one in read[:4]] == [
        "bad-json",
        "bad-json",
        "line-too-long",
        "bad-json",
    ]


@each_row("length", [LONGEST_LINE - 1, LONGEST_LINE, LONGEST_LINE + 1, 10**6])
def test_long_lines_are_one_line_each(length: int) -> None:
    request = line(op="start")
    padded = request.ljust(length - 1) + b"\n"
    answers = io.BytesIO()
    serve(io.BytesIO(padded * 2 + request), answers)
    read = [json.loads(one)["ok"] for one in answers.getvalue().splitlines()]
    assert read == [length <= LONGEST_LINE] * 2 + [True]


def test_the_deepest_perft_is_counted() -> None:
    lonely = placed("a2 b1 b2", "a1", turn=1).state()
    counted = ask(op="perft", state=lonely, depth=DEEPEST_PERFT)
    assert counted["ok"] is True
    assert counted["nodes"] > 10_000


def test_no_ply_deep_is_one() -> None:
    assert ask(op="perft", state=START, depth=0) == {"ok": True, "nodes": 1}


@given(st.binary())
def test_any_line_has_an_answer(request_line: bytes) -> None:
    assert reason(request_line) in REASONS + REQUEST_REASONS


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=5,
)
ops = st.sampled_from(["boards", "start", "moves", "play", "perft", "diagram"]) | st.text()
states = st.sampled_from([START, OVER]) | json_values


@given(
    st.fixed_dictionaries(
        {"op": ops},
        optional={
            "state": states,
            "move": json_values,
            "notation": st.sampled_from(["pbm", "abapro"]) | json_values,
            "depth": json_values.filter(lambda depth: depth not in (3, 4, 5)),
            "board": json_values,
            "players": st.integers() | json_values,
            "teams": st.booleans() | json_values,
            "pillar": st.booleans() | json_values,
        },
    )
)
def test_any_request_has_an_answer(request: dict[str, object]) -> None:
    has_an_answer(request)


def has_an_answer(request: dict[str, object]) -> None:
    given_answer = answer(line(**request))
    json.dumps(given_answer)
    if not given_answer["ok"]:
        assert given_answer["error"]["reason"] in REASONS + REQUEST_REASONS


@settings(max_examples=40)
@given(
    st.fixed_dictionaries(
        {
            "op": st.sampled_from(["search", "evaluate"]),
            "nodes": st.integers(max_value=40) | st.text() | st.floats(),
        },
        optional={
            "state": states,
            "seconds": json_values,
            "depth": json_values,
            "best": st.integers(-1, 3) | json_values,
            "threads": st.just(1) | json_values,
            "seed": json_values,
            "earlier": st.lists(states) | json_values,
        },
    )
)
def test_any_search_has_an_answer(request: dict[str, object]) -> None:
    has_an_answer(request)


def test_help_says_what_it_is() -> None:
    shown = subprocess.run([*COMMAND, "--help"], capture_output=True, text=True, check=True)
    assert shown.stdout.startswith("usage: pbm-rules")


def test_a_reader_who_goes_away_ends_it_quietly() -> None:
    with subprocess.Popen(
        COMMAND, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        assert process.stdout is not None
        process.stdout.close()
        assert process.stdin is not None
        process.stdin.write(b'{"op":"start"}\n')
        process.stdin.close()
        assert process.wait(timeout=PATIENCE) == 1
        assert process.stderr is not None
        assert process.stderr.read() == b""


def test_the_manual_explains_every_reason() -> None:
    explained = re.findall(r"^\| `([a-z-]+)` \|", MANUAL.read_text("utf-8"), re.MULTILINE)
    assert sorted(explained) == sorted(REASONS + REQUEST_REASONS)


def test_the_manual_names_the_limits() -> None:
    assert f"more than {DEEPEST_PERFT} plies" in MANUAL.read_text("utf-8")
    assert f"more than {LONGEST_LINE} bytes" in MANUAL.read_text("utf-8")
    assert f"more than {MOST_NODES} nodes" in MANUAL.read_text("utf-8")
    assert f"more than {MOST_SECONDS} seconds" in MANUAL.read_text("utf-8")
    assert f"search of more than {DEEPEST} plies" in MANUAL.read_text("utf-8")
    assert f"wanted, 1 to {MOST_LINES}, by default 1" in MANUAL.read_text("utf-8")


def test_the_examples_of_the_manual() -> None:
    examples = re.findall(r"^> (.+)\n< (.+)$", MANUAL.read_text("utf-8"), re.MULTILINE)
    assert len(examples) > 5
    for request, expected in examples:
        assert answer(request.encode()) == json.loads(expected)
