"""What a process holds does not grow with the mails that it has seen: counted in objects.

`make soak` measures the same over 100,000 mails from outside.
"""

import gc
import importlib
import pkgutil
import re
import tracemalloc
from collections import Counter
from collections.abc import Callable, Iterator
from functools import lru_cache
from itertools import count, islice, pairwise
from types import FunctionType
from typing import Any

import pytest

import pbm
from bench.season import MOVES
from pbm.mail.smtp_in.connection_limits import LOOPBACK, ConnectionLimits, ListenerLimits, peer_of
from tests.growth import SendingTable

ROUNDS, TURNS_OF_A_ROUND = 60, 6
FEW = 60  # objects, for all turns between two counts: less than one in five turns
# Python's SQLite driver forgets cursors that are gone two hundred at a time.
MOST = {"weakref.ReferenceType": 250}
# Caches without a bound, since only so many things can be asked of them.
FINITE = {
    "pbm.version.version": "one",
    "pbm.mail.writing.stamps._font": "a few sizes",
    "pbm.mail.writing.stamps.board": "one for each game",
    "pbm.mail.writing.stamps._disc": "one",
    "pbm.mail.writing.picture._places": "one for each game",
    "pbm.mail.address._suffixes": "one",
    "pbm.mail.writing.stamps.piece": "the seats with signs or cells, come or not: 5 KB each",
    "pbm.mail.reading.quoting_own.template_words": "one",
    "pbm.mail.writing.render._words_of": "one for each game",
    "pbm.commands.families.settings._names": "one",
    "pbm.service.understanding.withheld_text._begins": "one",
    "pbm.service.trouble.masking._secretive": "one",
    "pbm.play.clocks.terms.usual_terms": "one for each number of players",
    "pbm.play.subjects._boards": "one",
    "pbm.rules.abalone.refusals._appeals": "one",
    "pbm.mail.writing.render.templates_of": "one",
    "pbm.rules.abalone.engine.compiled._core": "one",
    "pbm.rules.abalone.engine.compiled.why_not": "one",
    "pbm.rules.contract.has": "one for each game and protocol",
    "pbm.rules.registry.default_game": "one",
    "pbm.rules.registry.game_named": "one for each game",
    "pbm.rules.registry.games": "one",
    "pbm.rules.registry.own_game": "one",
    "pbm.rules.registry._found": "one",
    "pbm.passwords._hasher": "one",
    "pbm.events.kept.kinds": "one",
    "pbm.events.board._fields": "one for each kind of fact",
    "pbm.play.ratings._model": "one",
}
LONG_LINE = "and so on, as everybody knows who has ever played such a game by mail\n"
CACHE = type(lru_cache(lambda: None))


def caches() -> dict[str, Any]:
    """Every cache of the program, by the name of its function."""
    for module in pkgutil.walk_packages(pbm.__path__, "pbm."):
        if not module.name.endswith("__main__"):
            importlib.import_module(module.name)
    gc.unfreeze()  # what is frozen is not listed
    found = (item for item in gc.get_objects() if isinstance(item, CACHE))
    made = [(getattr(item, "__wrapped__", None), item) for item in found]
    named = {
        f"{it.__module__}.{it.__qualname__}": item
        for it, item in made
        if isinstance(it, FunctionType)
    }
    return {name: item for name, item in named.items() if name.startswith("pbm.")}


def test_every_cache_has_a_bound_or_little_to_hold() -> None:
    unbounded = {
        name for name, cache in caches().items() if cache.cache_parameters()["maxsize"] is None
    }
    assert unbounded == set(FINITE)


@pytest.mark.thorough
def test_as_many_objects_after_many_turns_as_after_some(sqlite_url: str) -> None:
    table = SendingTable(sqlite_url)
    rounds = play(table)
    next(rounds)  # what is made once is made
    counts = []
    for _ in range(3):
        for _ in islice(rounds, ROUNDS):
            table.mailboxes.clear()
        counts.append(objects())
    for before, after in pairwise(counts):
        grown = {
            kind: more for kind, more in (after - before).items() if more > MOST.get(kind, FEW)
        }
        assert not grown
    assert len(table.rows("inbox")) > 3 * ROUNDS * TURNS_OF_A_ROUND
    table.leave()


def play(table: SendingTable) -> Iterator[None]:
    """A round of a game after the other, each with mails of other kinds."""
    alice, bob = table.start("alice", "bob")
    to = {who.address: who.mail("Abalone Board 1").reply_to for who in (alice, bob)}
    for ply in count():
        table.clock.passes(hours=2)
        mover, other = (alice, bob)[ply % 2], (bob, alice)[ply % 2]
        move = MOVES[ply % len(MOVES)]
        mover.writes("", move, to=to[mover.address])
        other.writes("", f"games {ply}", to=to[other.address])
        mover.writes(f"help {'x' * (ply % 300)}", to=to[mover.address])
        stranger = table.person(f"somebody{ply}@example.net")
        stranger.writes(f"hello {ply}")
        stranger.writes("", "\x00\xff" * (ply % 50), headers={"Content-Type": f"text/{ply}"})
        other.writes("", "", to=to[other.address], headers={"Auto-Submitted": "auto-replied"})
        yield


def objects() -> Counter[str]:
    """How many objects of each kind the collector knows, the caches empty."""
    for cache in caches().values():
        cache.cache_clear()
    re.purge()  # of patterns made from a mail's own words the library keeps some hundred
    gc.collect()
    return Counter(
        f"{type(item).__module__}.{type(item).__qualname__}" for item in gc.get_objects()
    )


@pytest.mark.thorough
def test_long_words_are_not_kept_once_they_were_written(sqlite_url: str) -> None:
    table = SendingTable(sqlite_url)
    alice, bob = table.start("alice", "bob")
    to = alice.mail("Abalone Board 1").reply_to

    def says_much(number: int) -> None:
        table.clock.passes(hours=1)
        alice.writes("", f"{number}, {LONG_LINE}" * 600, to=to)
        assert len(bob.newest.raw) > len(LONG_LINE) * 1000  # in both parts
        table.mailboxes.clear()

    assert held_after(says_much, 13) < 12 * 600 * len(LONG_LINE)
    table.leave()


def held_after(work: Callable[[int], object], times: int) -> int:
    """How many bytes stay allocated after some work was done so often, beside the first time."""
    tracemalloc.start()
    try:
        work(0)
        gc.collect()
        before, _ = tracemalloc.get_traced_memory()
        for number in range(1, times):
            work(number)
        gc.collect()
        return tracemalloc.get_traced_memory()[0] - before
    finally:
        tracemalloc.stop()


def test_the_door_remembers_nobody_who_has_left() -> None:
    door = ConnectionLimits(ListenerLimits(), LOOPBACK)

    def comes_and_goes(number: int) -> None:
        for last in range(256):
            peer = peer_of((f"10.{number % 256}.7.{last}", 25))
            door.enter(peer)
            door.leave(peer)

    assert held_after(comes_and_goes, 10) < 5_000
