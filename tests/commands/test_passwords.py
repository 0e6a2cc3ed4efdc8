"""Hashes of passwords, and logins in lines."""

from dataclasses import replace
from typing import Any, cast

import pytest

from pbm.commands.language.declare import Command
from pbm.commands.language.words import Login, SecretText
from pbm.commands.registry import parse_line
from pbm.commands.turn import Turn
from pbm.errors import Refusal
from pbm.passwords import (
    LONGEST,
    SHORTEST,
    PasswordHash,
    are_right,
    check_password,
    hash_of,
    hash_password,
)
from pbm.service.understanding.withheld_text import may_hold_password
from pbm.slow_work import SlowWork, WorkNeeded
from tests.rows import each_row

PASSWORD = "open-Sesame-7"


def login_in(line: str) -> Login | None:
    command = parse_line(line)
    assert isinstance(command, Command)
    return command.login


def test_the_right_password_and_no_other() -> None:
    kept = hash_password(PASSWORD)
    assert check_password(kept, PASSWORD)
    for other in ("open-sesame-7", f"{PASSWORD} ", PASSWORD[:-1], "", "****"):
        assert not check_password(kept, other)


def test_a_hash_is_argon2id_salted_and_fits_its_column() -> None:
    kept, again = hash_password(PASSWORD), hash_password(PASSWORD)
    assert kept.text.startswith("$argon2id$")
    assert kept != again
    assert PASSWORD not in kept.text
    assert len(kept.text) <= 200
    assert kept.text not in f"{kept} {kept!r}"


def test_one_spelling_of_an_umlaut_is_as_good_as_another() -> None:
    assert check_password(hash_password("gr\u00fc\u00dfe-gott"), "gru\u0308\u00dfe-gott")


@pytest.mark.parametrize("odd", ["\ud800" * 8, "\0" * 8, "x" * 400, "🗝" * 8])
def test_odd_passwords_work_too(odd: str) -> None:
    assert check_password(hash_password(odd), odd)


SALT, DIGEST = "c29tZXNhbHRzb21lc2FsdA", "A" * 43
COSTS = "m=19456,t=2,p=1"
FOREIGN = (
    "",
    "nonsense",
    "none",
    f"$argon2id$v=19$m=8,t=4294967295,p=1${SALT}${DIGEST}",
    f"$argon2id$v=19$m=4294967295,t=2,p=1${SALT}${DIGEST}",
    f"$argon2id$v=19$m=19456,t=2,p=16777215${SALT}${DIGEST}",
    f"$argon2id$v=19$m=19456,t=02,p=1${SALT}${DIGEST}",
    f"$argon2id$v=19$t=2,m=19456,p=1${SALT}${DIGEST}",
    f"$argon2id$v=16${COSTS}${SALT}${DIGEST}",
    f"$argon2i$v=19${COSTS}${SALT}${DIGEST}",
    f"$argon2d$v=19${COSTS}${SALT}${DIGEST}",
    f"$argon2id$v=19${COSTS}${SALT}${DIGEST}\n",
    f" $argon2id$v=19${COSTS}${SALT}${DIGEST}",
    f"$argon2id$v=19${COSTS},data=AAAA${SALT}${DIGEST}",
    f"$argon2id$v=19${COSTS}${SALT}${'A' * 400_000}",
    f"$argon2id$v=19${COSTS}$${DIGEST}",
    f"argon2id:$argon2id$v=19${COSTS}${SALT}${DIGEST}",
    "$2b$31$" + "A" * 53,
)


@each_row("text", FOREIGN, ids=lambda text: text[:50])
def test_a_hash_of_other_costs_or_another_form_is_none(text: str) -> None:
    assert PasswordHash.read(text) is None
    with pytest.raises(ValueError, match="other costs"):
        PasswordHash(text)


def test_a_hash_of_our_costs_is_read_and_matches_nothing_by_itself() -> None:
    kept = PasswordHash.read(f"$argon2id$v=19${COSTS}${SALT}${DIGEST}")
    assert kept is not None
    assert not check_password(kept, PASSWORD)
    assert PasswordHash.read(None) is None


class TestWork:
    """What a turn asks for is worked out apart, and known when the turn begins anew."""

    def test_a_new_one(self) -> None:
        work = SlowWork()
        with pytest.raises(WorkNeeded) as needed:
            hash_of(work, PASSWORD)
        needed.value.do()
        assert check_password(hash_of(work, PASSWORD), PASSWORD)
        assert hash_of(work, PASSWORD) == hash_of(work, PASSWORD)

    def test_several_checks_at_once(self) -> None:
        work, kept = SlowWork(), hash_password(PASSWORD)
        tries = [(kept, PASSWORD), (kept, "wrong-One-7")]
        with pytest.raises(WorkNeeded) as needed:
            are_right(work, tries)
        needed.value.do()
        assert are_right(work, tries) == [True, False]
        assert are_right(work, []) == []

    def test_a_short_one_is_refused_and_costs_nothing(self) -> None:
        with pytest.raises(Refusal) as caught:
            hash_of(SlowWork(), "a" * (SHORTEST - 1))
        assert (caught.value.code, caught.value.params) == ("short-password", {"least": SHORTEST})
        with pytest.raises(WorkNeeded):
            hash_of(SlowWork(), "a" * SHORTEST)

    def test_a_long_one_is_refused_and_matches_nothing(self) -> None:
        with pytest.raises(Refusal) as caught:
            hash_of(SlowWork(), "a" * (LONGEST + 1))
        assert (caught.value.code, caught.value.params) == ("long-password", {"most": LONGEST})
        tries = [(hash_password(PASSWORD), "a" * (LONGEST + 1))]
        assert are_right(SlowWork(), tries) == [False]

    def test_no_turn_begins_anew_for_ever(self) -> None:
        work = SlowWork()
        ended: list[type[Exception]] = []
        for _ in range(100):
            with pytest.raises((WorkNeeded, RuntimeError)) as caught:
                hash_of(work, PASSWORD)  # and nobody works it out
            ended.append(caught.type)
        assert ended[0] is WorkNeeded
        assert ended[-1] is RuntimeError

    def test_what_waited_is_all_that_a_confirmed_command_sets(self) -> None:
        kept, nothing = hash_password(PASSWORD), cast(Any, None)
        turn = Turn(work=nothing, site=nothing, now=nothing, new_password=kept)
        assert turn.hash_of("whatever the line says") == kept
        with pytest.raises(Refusal) as caught:
            replace(turn, new_password=Refusal("password-lapsed")).hash_of(PASSWORD)
        assert caught.value.code == "password-lapsed"

    def test_a_password_is_no_key_of_other_slow_work(self) -> None:
        work = SlowWork()
        for of in ("envelope", ("envelope",)):
            with pytest.raises(WorkNeeded) as needed:
                work.outcome(of, lambda: "read")
            needed.value.do()
        with pytest.raises(WorkNeeded):
            hash_of(work, "envelope")

    def test_what_goes_wrong_apart_is_raised_in_the_turn(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        def broken(_: str) -> PasswordHash:
            raise MemoryError

        monkeypatch.setattr("pbm.passwords.hash_password", broken)
        work = SlowWork()
        with pytest.raises(WorkNeeded) as needed:
            hash_of(work, PASSWORD)
        needed.value.do()
        with pytest.raises(MemoryError):
            hash_of(work, PASSWORD)


@each_row(
    "line",
    [
        f"abalone move 12 alice {PASSWORD} a1-c3,d4",
        f"move 12#17 ALICE {PASSWORD} a1-c3,d4",
        f"resign 12 Alice {PASSWORD}",
        f"accept draw 12 alice {PASSWORD}",
        f"accept 12 take-back alice {PASSWORD}",
    ],
)
def test_a_login_is_read_and_never_printed(line: str) -> None:
    login = login_in(line)
    assert login == Login("alice", SecretText(PASSWORD))
    assert login.password.value == PASSWORD
    assert PASSWORD not in f"{login} {login!r} {vars(parse_line(line))}"  # type: ignore[arg-type]


@each_row(
    "line",
    [
        "move 12 a1-c3,d4",
        "move a1-c3,d4",
        "resign",
        "move 12 alice **** a1-c3,d4",
        "show 12 alice sesame-open",
        "signup alice sesame-open",
    ],
)
def test_where_no_login_stands(line: str) -> None:
    assert login_in(line) is None


@each_row(
    ("text", "worth_it"),
    [
        ("a1-c3,b2", False),
        ("move 12#17 a1-c3,b2", False),
        ("\nmove 12#17 a1-c3,b2", False),  # below a subject of ours
        ("BOARD 12 c5, d5", False),
        ("move 12 alice a1-c3,b2", True),
        ("move 12 c5 d5\nmove 13 bob d5", True),
        ("move 12 c5 open-Sesame-7", True),
    ],
)
def test_a_move_and_nothing_else_needs_no_closer_look(text: str, worth_it: bool) -> None:
    assert may_hold_password(text) is worth_it
