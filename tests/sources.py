"""What the source of the program and of its tests says, each file parsed once.

In Python 3.11 all trees of a process are made with one count of their depth. If garbage is
collected while `ast.parse` makes one, and what goes then has a traceback formatted, whose carets
are found by parsing, too, the outer parse raises a SystemError. No other bytecode runs within it,
so that without the collector neither a finalizer nor another thread comes between.
"""

import ast
import gc
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from pbm.resources import resource_path

PROGRAM = resource_path("templates").parent / "pbm"
TESTS = Path(__file__).parent


@dataclass(frozen=True)
class Call:
    """A call: the last part of what is called, and the texts that its arguments can be."""

    name: str
    plain: bool
    texts: tuple[frozenset[str], ...]
    named: dict[str, frozenset[str]]


@dataclass(frozen=True)
class Source:
    """A file: its functions at any depth, its calls, all texts in it."""

    functions: tuple[str, ...]
    calls: tuple[Call, ...]
    texts: frozenset[str]


def program(folder: Path = PROGRAM) -> Iterator[Source]:
    """Each file of the program, or of one of its folders."""
    return map(source, sorted(folder.rglob("*.py")))


@cache
def source(file: Path) -> Source:
    """What one file says."""
    nodes = list(ast.walk(parsed(file.read_text(encoding="utf-8"))))
    return Source(
        tuple(node.name for node in nodes if isinstance(node, ast.FunctionDef)),
        tuple(_call(node) for node in nodes if isinstance(node, ast.Call)),
        frozenset().union(*map(_texts, (node for node in nodes if isinstance(node, ast.Constant)))),
    )


def parsed(text: str) -> ast.Module:
    """The tree of a text, which nothing comes between."""
    with _no_collector():
        return ast.parse(text)


@contextmanager
def _no_collector() -> Iterator[None]:
    was = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was:
            gc.enable()


def _call(node: ast.Call) -> Call:
    called = node.func
    name = getattr(called, "id", None) or getattr(called, "attr", "")
    return Call(
        name,
        isinstance(called, ast.Name),
        tuple(map(_texts, node.args)),
        {each.arg: _texts(each.value) for each in node.keywords if each.arg},
    )


def _texts(node: ast.expr) -> frozenset[str]:
    if isinstance(node, ast.IfExp):
        return _texts(node.body) | _texts(node.orelse)
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return frozenset({node.value})
    return frozenset()
