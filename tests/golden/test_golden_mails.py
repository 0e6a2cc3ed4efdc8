"""Each kind of mail, headers and body, byte for byte.

After a wanted change of wording run `PBM_REGOLD=1 make test ARGS=tests/golden` and read the
difference that git shows before you commit it.
"""

import itertools
import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from pbm.commands.play import Resign
from pbm.service import questions
from tests.table import OPERATOR, Mail, Table

FOLDER = Path(__file__).parent / "mails"
NAMES = (
    "welcome",
    "signed-up",
    "board-started",
    "board-after-a-move",
    "board-with-a-long-comment",
    "board-over",
    "refusal",
    "unreadable-line",
    "confirm",
    "alias",
    "invitation",
    "show",
    "games",
    "help",
    "whoami",
    "declined",
    "stuck-operator",
    "stuck-player",
)


@pytest.fixture(scope="module")
def mails(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, Mail]]:
    """One mail of each kind, from one conversation on a clock that stands."""
    file = tmp_path_factory.mktemp("golden") / "pbm.sqlite3"
    with pytest.MonkeyPatch.context() as monkeypatch:
        yield _conversation(f"sqlite:///{file}", monkeypatch)


def _conversation(url: str, monkeypatch: pytest.MonkeyPatch) -> dict[str, Mail]:
    tokens = itertools.count(1)
    letters = str.maketrans("0123456789", "abcdefghij")
    monkeypatch.setattr(questions, "new_token", lambda: f"{next(tokens):024d}".translate(letters))
    table = Table(url)
    found: dict[str, Mail] = {}
    alice = table.person("alice@example.org")
    found["welcome"] = alice.writes("hi", "how does this work?").newest
    found["signed-up"] = alice.says("yes").newest
    bob = table.joins("bob")
    found["board-started"] = alice.says("challenge bob\n\nGood luck!").newest
    found["board-after-a-move"] = (alice.says("a1-c3,d4"), bob.newest)[1]
    words = "\n".join(f"This is line {number} of a long remark." for number in range(1, 9))
    found["board-with-a-long-comment"] = (bob.says(f"i9-g7,f6\n\n{words}"), alice.newest)[1]
    found["refusal"] = alice.says("a2-b2,b3\n\nTake that!").newest
    found["unreadable-line"] = alice.says("moev a2-c4,b3").newest
    found["confirm"] = alice.writes("resign 1", "Sorry!").newest
    other = table.person("alice@work.example")
    other.says("a2-c4,b3", answering=found["board-started"])
    found["alias"] = alice.newest
    alice.writes("show 1")
    found["show"] = alice.newest
    found["games"] = alice.writes("games").newest
    found["help"] = alice.writes("help").newest
    found["whoami"] = alice.writes("whoami").newest
    found["board-over"] = (bob.writes("resign 1").says("yes"), alice.newest)[1]
    carol = table.joins("carol")
    carol.says("challenge bob")
    found["declined"] = (bob.says("decline"), carol.newest)[1]
    carol.says("challenge dave@example.org\n\nCome and play!")
    found["invitation"] = table.person("dave@example.org").newest
    carol.says("challenge bob")
    monkeypatch.setattr(Resign, "run", _broken)
    carol.says("resign 3")
    found["stuck-operator"] = table.person(OPERATOR).newest
    found["stuck-player"] = carol.newest
    return found


def _broken(*_: object) -> None:
    raise ZeroDivisionError("a planted bug")


@pytest.mark.parametrize("name", NAMES)
def test_the_mail_is_as_it_was(name: str, mails: dict[str, Mail]) -> None:
    file = FOLDER / f"{name}.eml"
    if os.environ.get("PBM_REGOLD"):
        file.write_bytes(mails[name].raw)
    assert mails[name].raw == file.read_bytes()


def test_every_kind_is_here(mails: dict[str, Mail]) -> None:
    assert sorted(mails) == sorted(NAMES) == sorted(file.stem for file in FOLDER.glob("*.eml"))
