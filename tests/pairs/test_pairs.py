"""Any two commands in one mail leave what they leave in two mails, or the second is refused."""

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from functools import cache, partial
from itertools import product
from pathlib import Path
from random import Random

import pytest

from pbm.commands.families.account import Delete, NewKey
from pbm.commands.families.submit import Submit
from pbm.commands.language.declare import Command, Danger
from pbm.commands.registry import COMMANDS, parse_line
from tests.pairs.scene import CHANGES, LOOKS, lines, set_the_scene
from tests.pairs.trial import Left, left_by, number_anew, trying
from tests.postgres_tables import PostgresTables
from tests.sqlite_tables import make_tables
from tests.table import Mail, Person, Table

OF_LINES = re.compile(r"buckets \{'key': 'deletes:")  # one that stands there twice is tried twice
# Among which the next mail of who left is counted.
OF_STRANGERS = re.compile(r"buckets \{'key': '(strangers|claims-of|origin-seen)")
PARTS, TOGETHER = 10, 5
Try = tuple[str, str, str]  # a way, and two lines
ONCE_UNLIKE: tuple[Try, ...] = (  # pairs that left something else in one mail
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

    def unlike(self, tries: Iterable[Try]) -> Iterator[str]:
        """What one mail leaves otherwise than two; nothing where all is as it should be.

        What a line leaves that is done first is found out once for all that follow it.
        """
        beside: dict[tuple[str, str], list[Try]] = {}
        for way, *both in tries:
            first, _ = _as_done(way, *both)
            beside.setdefault((way, first), []).append((way, *both))
        for (way, first), several in beside.items():
            with trying(self.table, self.alice, self.answered[way]) as trial:
                trial.says(first)
                before = trial.refusals
                two = [trial.left_next(_as_done(*one)[1]) for one in several]
            alone = cache(partial(self._left, way, first))
            for one, left in zip(several, two, strict=True):
                yield from self._differences(*one, left, before, alone)

    def _left(self, way: str, *body: str) -> Left:
        left = left_by(self.table, self.alice, self.answered[way], "\n".join(body))
        return _without(OF_STRANGERS, left) if "delete" in body else left

    def _differences(
        self, way: str, above: str, below: str, two: Left, before: int, alone: Callable[[], Left]
    ) -> Iterator[str]:
        """Compare one mail with two; of the first of these `before` lines were refused, and it
        leaves what is left `alone`."""
        one = self._left(way, above, below)
        first, then = _as_done(way, above, below)
        told = two.told
        if "delete" in (first, then):  # nothing but the farewell reaches who has left
            told = frozenset(item for item in told if not item.startswith(self.alice.address))
            two = _without(OF_STRANGERS, two)
        if one.rows == two.rows and told <= one.told and one.told <= two.told:
            return
        if _place(way, then)[0] and _masked(first) == _masked(then):
            last = self._left(way, then)
            if _without(OF_LINES, one) != _without(OF_LINES, last):
                yield f"{way} | {first} | {then}: not as the last alone"
            return
        if one.refusals > before and one.rows == alone().rows and alone().told <= one.told:
            return
        for only, items in (
            ("one mail", (one.rows - two.rows) | (one.told - two.told)),
            ("two mails", (two.rows - one.rows) | (told - one.told)),
        ):
            for item in sorted(items):
                yield f"{way} | {first} | {then}: {only} {item}"


def _as_done(way: str, above: str, below: str) -> tuple[str, str]:
    """Two lines in the order in which they are done in one mail."""
    first, then = sorted((above, below), key=partial(_place, way))
    if isinstance(parse_line(then), Submit) and getattr(parse_line(first), "comes_last", False):
        return then, first  # it is meant for the position after the move
    return first, then


def _without(counts: re.Pattern[str], left: Left) -> Left:
    return replace(left, rows=frozenset(row for row in left.rows if not counts.match(row)))


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
    alone |= isinstance(command, Submit) and way != "new"
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
    # Whatever stands below them is a record, a note, or words to somebody.
    assert named == {("import",), ("note",), ("message",)}


def test_what_was_once_unlike(scene: Scene) -> None:
    assert not list(scene.unlike(ONCE_UNLIKE))


def test_two_commands_in_one_mail_are_two_mails(scene: Scene) -> None:
    changes = lines(scene.table, CHANGES)
    every = (*changes, *lines(scene.table, LOOKS))
    pairs = [pair for pair in product(every, every) if {*pair} & {*changes}]
    lot = Random(0)
    tries = [(lot.choice(list(scene.answered)), *lot.choice(pairs)) for _ in range(20)]
    assert not list(scene.unlike(tries))


@pytest.mark.thorough
@pytest.mark.parametrize("part", range(PARTS))
def test_each_kind_of_command_beside_each_other(scene: Scene, part: int) -> None:
    """Which lines they are, and what they answer, is chosen by lot.

    PostgreSQL has a fifth of the pairs, in which each kind stands above ten others and below ten.
    """
    kinds = defaultdict(list)
    for line in lines(scene.table, (*CHANGES, *LOOKS)):
        kinds[type(parse_line(line))].append(line)
    changing = {type(parse_line(line)) for line in lines(scene.table, CHANGES)}
    lot = Random(f"{part} {scene.table.database.embedded}")
    tries = []
    for place, above in list(enumerate(kinds))[part::PARTS]:
        groups = [list(kinds)[(place + start) % TOGETHER :: TOGETHER] for start in range(TOGETHER)]
        for below in groups if scene.table.database.embedded else groups[:1]:
            way, line = lot.choice(list(scene.answered)), lot.choice(kinds[above])
            tries += [
                (way, line, lot.choice(kinds[kind])) for kind in below if {above, kind} & changing
            ]
    assert not list(scene.unlike(tries))
