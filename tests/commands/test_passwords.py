"""Hashes of passwords, and logins in lines."""

import pytest

from pbm.commands.declare import Command
from pbm.commands.passwords import SHORTEST, check_password, hash_password
from pbm.commands.registry import parse_line
from pbm.commands.words import Login, SecretText
from pbm.errors import Refusal

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
    assert kept.startswith("$argon2id$")
    assert kept != again
    assert PASSWORD not in kept
    assert len(kept) <= 200


def test_one_spelling_of_an_umlaut_is_as_good_as_another() -> None:
    assert check_password(hash_password("gr\u00fc\u00dfe-gott"), "gru\u0308\u00dfe-gott")


@pytest.mark.parametrize("odd", ["\ud800" * 8, "\0" * 8, "x" * 400, "🗝" * 8])
def test_odd_passwords_work_too(odd: str) -> None:
    assert check_password(hash_password(odd), odd)


def test_a_short_one_is_refused() -> None:
    with pytest.raises(Refusal) as caught:
        hash_password("a" * (SHORTEST - 1))
    assert (caught.value.code, caught.value.params) == ("short-password", {"least": SHORTEST})
    assert hash_password("a" * SHORTEST)


@pytest.mark.parametrize("broken", ["", "nonsense", "$argon2id$v=19$m=65536,t=3,p=4$x$y"])
def test_a_hash_that_is_none_matches_nothing(broken: str) -> None:
    assert not check_password(broken, PASSWORD)


@pytest.mark.parametrize(
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


@pytest.mark.parametrize(
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
