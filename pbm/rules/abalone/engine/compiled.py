"""The search in C, called by ctypes. The interpreter lock is released during a call."""

import ctypes
from ctypes import POINTER, Structure, byref, c_double, c_int32, c_int64, c_uint64
from functools import cache
from pathlib import Path
from typing import Any

from pbm.rules.abalone.engine.compiling import LIBRARY, digest
from pbm.rules.abalone.engine.judging import Ways, Weights, flat
from pbm.rules.abalone.engine.roots import (
    DEEPEST,
    MOST_LINES,
    Outlook,
    Root,
    SearchLimits,
    table_size,
)

_SEATS = 6
_LINE = 122
_NUMBERS = len(flat(Weights(), Ways()))
_WORD = (1 << 64) - 1

_Numbers = c_int32 * _NUMBERS
_Told = ctypes.CFUNCTYPE(None)


class NoCoreError(Exception):
    """The compiled core (core.c) cannot be used. The error's text is for the operator."""


def open_core(library: Path) -> ctypes.CDLL:
    """Open a library. Raises NoCoreError if it is missing, or not of this version of `core.c`."""
    if not library.exists():
        raise NoCoreError(f"{library} is not there")
    try:
        core = ctypes.CDLL(str(library))
        core.pbm_source.restype = ctypes.c_char_p
        made_of = core.pbm_source().decode()
    except (OSError, AttributeError) as error:  # AttributeError: it is another library
        raise NoCoreError(f"{library} cannot be used: {error}") from error
    if made_of != digest():
        raise NoCoreError(f"{library} was made of another source")
    return core


class _Root(Structure):
    _fields_ = (
        ("marbles", c_uint64 * 2 * _SEATS),
        ("fixed", c_uint64 * 2),
        ("players", c_int32),
        ("sides_number", c_int32),
        ("turn", c_int32),
        ("sides", c_int32 * _SEATS),
        ("scores", c_int32 * _SEATS),
        ("out", c_int32 * _SEATS),
        ("past_number", c_int32),
        ("past_marbles", POINTER(c_uint64)),
        ("past_turns", POINTER(c_int32)),
    )


class _Limits(Structure):
    _fields_ = (
        ("nodes", c_int64),
        ("depth", c_int32),
        ("best", c_int32),
        ("seconds", c_double),
        ("seed", c_uint64),
        ("table_size", c_int64),
        ("stop", POINTER(c_int32)),
        ("told", _Told),
    )


class _Outlook(Structure):
    _fields_ = (
        ("lines_number", c_int32),
        ("depth", c_int32),
        ("cut", c_int32),
        ("nodes", c_int64),
        ("scores", c_int32 * MOST_LINES),
        ("lengths", c_int32 * MOST_LINES),
        ("moves", c_int32 * _LINE * MOST_LINES),
    )


@cache
def _core() -> ctypes.CDLL:
    core = open_core(LIBRARY)
    core.pbm_search.argtypes = (
        POINTER(_Root),
        POINTER(c_int32),
        POINTER(_Limits),
        POINTER(_Outlook),
    )
    core.pbm_perft.argtypes = POINTER(_Root), c_int32
    core.pbm_perft.restype = c_int64
    return core


@cache
def why_not() -> str:
    """Return why the compiled search cannot be used. The text is empty if it can be used."""
    try:
        _core()
    except NoCoreError as error:
        return str(error)
    return ""


def search(root: Root, weights: Weights, ways: Ways, limits: SearchLimits) -> Outlook:
    """Return the best lines from a root before the game's end. Raises NoCoreError, MemoryError."""
    numbers = _Numbers(*flat(weights, ways))
    given, found = _given(root), _Outlook()
    told = limits.told
    report = _Told(lambda: told(_read(found))) if told else _Told()
    bounds = _bounds(limits, report)
    failed = _core().pbm_search(byref(given), numbers, byref(bounds), byref(found))
    if failed == 2:
        raise MemoryError
    if failed:
        raise ValueError(f"no root or no limits: {root}, {limits}")
    return _read(found)


def perft(root: Root, depth: int) -> int:
    """Return how many sequences of `depth` moves a root has. Raises NoCoreError, MemoryError."""
    found: int = _core().pbm_perft(byref(_given(root)), depth)
    if found == -2:
        raise MemoryError
    if found < 0:
        raise ValueError(f"no root or no depth: {root}, {depth}")
    return found


def _read(found: _Outlook) -> Outlook:
    lines = tuple(
        (found.scores[number], tuple(found.moves[number][: found.lengths[number]]))
        for number in range(found.lines_number)
    )
    return Outlook(lines, found.depth, found.nodes, bool(found.cut))


def _bounds(limits: SearchLimits, told: Any) -> _Limits:
    return _Limits(
        nodes=min(limits.nodes, 1 << 62),
        depth=min(limits.depth, DEEPEST),
        best=limits.best,
        seconds=-1.0 if limits.seconds is None else max(0.0, limits.seconds),
        seed=limits.seed & _WORD,
        table_size=table_size(limits.nodes),
        stop=None if limits.stop is None else ctypes.pointer(limits.stop),
        told=told,
    )


def _given(root: Root) -> _Root:
    players = len(root.marbles)
    past = [word for marbles, _ in root.past for cells in marbles for word in _words(cells)]
    given = _Root(
        players=players,
        sides_number=len(root.scores),
        turn=root.turn,
        sides=(c_int32 * _SEATS)(*root.sides),
        scores=(c_int32 * _SEATS)(*root.scores),
        out=(c_int32 * _SEATS)(*root.out),
        fixed=(c_uint64 * 2)(*_words(root.fixed)),
        past_number=len(root.past),
        past_turns=(c_int32 * len(root.past))(*(turn for _, turn in root.past)),
        past_marbles=(c_uint64 * len(past))(*past),
    )
    for seat, cells in enumerate(root.marbles):
        given.marbles[seat][:] = _words(cells)
    return given


def _words(cells: int) -> tuple[int, int]:
    return cells & _WORD, cells >> 64
