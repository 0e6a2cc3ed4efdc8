"""Any two commands in one mail leave what they leave in two mails, or the second is refused."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from itertools import product
from pathlib import Path
from random import Random

import pytest

from pbm.commands.families.account import Delete, NewKey
from pbm.commands.language.declare import Command, Danger
from pbm.commands.registry import COMMANDS, parse_line
from tests.pairs.scene import CHANGES, LOOKS, lines, set_the_scene
from tests.pairs.trial import left_by, number_anew
from tests.postgres_tables import PostgresTables
from tests.sqlite_tables import make_tables
from tests.table import Mail, Person, Table

OF_STRANGERS = re.compile(
    r"buckets \{'key': '(strangers|said-domain-of|form-of|known-of|new-domain)"
)
IN_ALL, AT_ONCE = 5000, 250
ONCE_UNLIKE = (  # pairs that left something else in one mail
    ("answer", "set weekend on", "set picture off"),
    ("board", "set timezone UTC", "challenges off"),
    ("new", "limit 5", "set languages none"),
    ("answer", "unblock bob", "change handle lisa"),
    ("new", "unblock bob", "accept challenge dave"),
    ("board", "report 1 bob insults me", "block bob"),
    ("answer", "delete", "challenge bob"),
    ("new", "challenge bob -bowl", "delete"),
    ("board", "show", "change address alice@new.example"),
    ("new", "add alice@work.example", "newkey"),
)


@dataclass(frozen=True)
class Scene:
    """A server, somebody who writes to it, and the mails that may be answered, by the ways."""

    table: Table
    alice: Person
    answered: dict[str, Mail | None]

    def unlike(self, way: str, first: str, then: str) -> str:
        """What one mail leaves otherwise than two; empty where it is as it should be."""
        one, _ = left_by(self.table, self.alice, self.answered[way], [f"{first}\n{then}"])
        first, then = sorted(
            (first, then), key=partial(_place, way)
        )  # as they are done in one mail
        two, before = left_by(self.table, self.alice, self.answered[way], [first, then])
        told = two.told
        if "delete" in (first, then):  # nothing but the farewell reaches who has left
            told = frozenset(item for item in told if not item.startswith(self.alice.address))
            one, two = (replace(it, rows=frozenset(_of_players(it.rows))) for it in (one, two))
        if one.rows == two.rows and told <= one.told and one.told <= two.told:
            return ""
        if _place(way, then)[0] and _masked(first) == _masked(then):
            last, _ = left_by(self.table, self.alice, self.answered[way], [then])
            return "" if one == last else f"{way} | {first} | {then}: not as the last alone"
        alone, _ = left_by(self.table, self.alice, self.answered[way], [first])
        if one.refusals > before and one.rows == alone.rows and alone.told <= one.told:
            return ""
        return "\n".join(
            f"{way} | {first} | {then}: {only} {item}"
            for only, items in (
                ("one mail", (one.rows - two.rows) | (one.told - two.told)),
                ("two mails", (two.rows - one.rows) | (told - one.told)),
            )
            for item in sorted(items)
        )


def _of_players(rows: Iterable[str]) -> Iterator[str]:
    """All rows but the counts of strangers' mails, among which the next one of who left is."""
    return (row for row in rows if not OF_STRANGERS.match(row))


def _masked(line: str) -> str:
    """A command as it is shown: one that is asked about alone is asked about once in a mail."""
    command = parse_line(line)
    assert isinstance(command, Command)
    return command.line


def _place(way: str, line: str) -> tuple[bool, int, bool, bool]:
    """Where a mail's command comes: what has a question of its own waits for the yes to it."""
    command = parse_line(line)
    assert isinstance(command, Command)
    alone = command.danger is Danger.ALWAYS or (way == "new" and command.danger is not None)
    last = isinstance(command, Delete) + 2 * isinstance(command, NewKey)
    return alone, last, command.takes_text, command.comes_last


@pytest.fixture(scope="module", params=["sqlite", "postgresql"])
def scene(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Scene]:
    """One for all tests of a process: whatever is tried is undone."""
    with pytest.MonkeyPatch.context() as monkeypatch:
        number_anew(monkeypatch)
        if request.param == "sqlite":
            yield _scene(_new_file(tmp_path_factory.mktemp("pairs")))
        else:
            tables: PostgresTables = request.getfixturevalue("postgres_tables")
            with tables.lent() as url:
                yield _scene(url)


def _new_file(folder: Path) -> str:
    url = f"sqlite:///{folder / 'pbm.sqlite3'}"
    make_tables(url)
    return url


def _scene(url: str) -> Scene:
    table = Table(url)
    alice = set_the_scene(table)
    board = alice.mail("Abalone Board 1:")
    return Scene(table, alice, {"answer": alice.newest, "board": board, "new": None})


def test_every_command_is_among_them() -> None:
    words = {line.split()[0] for line in (*CHANGES, *LOOKS)}
    named = {command.words for command in COMMANDS if not words & {*command.words}}
    assert named == {("import",)}  # whatever stands below it is a record


@pytest.mark.parametrize(("way", "first", "then"), ONCE_UNLIKE)
def test_what_was_once_unlike(scene: Scene, way: str, first: str, then: str) -> None:
    assert not scene.unlike(way, first, then)


@pytest.mark.parametrize(
    ("part", "count"),
    [
        (0, 20),
        *(
            pytest.param(part, AT_ONCE, marks=pytest.mark.thorough)
            for part in range(1, IN_ALL // AT_ONCE + 1)
        ),
    ],
)
def test_two_commands_in_one_mail_are_two_mails(scene: Scene, part: int, count: int) -> None:
    changes = lines(scene.table, CHANGES)
    every = (*changes, *lines(scene.table, LOOKS))
    pairs = [pair for pair in product(every, every) if {*pair} & {*changes}]
    lot = Random(part)
    tries = [(lot.choice(list(scene.answered)), *lot.choice(pairs)) for _ in range(count)]
    assert not list(filter(None, (scene.unlike(*one) for one in tries)))
