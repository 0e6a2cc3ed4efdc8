"""The databases of this process, made to cost tests less: they promise and answer the same.

Each engine would compile its statements anew, and most tests have an engine of their own. And no
test of this process survives the machine, so that nothing need wait for the disk.
"""

from typing import Any

from sqlalchemy import Engine, event
from sqlalchemy.util import LRUCache

from pbm.store import db

_MOST_STATEMENTS = 1000


class _Compiled(LRUCache[Any, Any]):
    """Statements, kept for each kind of database where SQLAlchemy asks for each engine's."""

    def get(self, key: Any, default: Any = None) -> Any:
        return super().get(_by_kind(key), default)

    def __setitem__(self, key: Any, value: Any) -> None:
        super().__setitem__(_by_kind(key), value)


def _by_kind(key: Any) -> Any:
    dialect, *rest = key
    return (dialect.name, *rest)


def make_databases_quick() -> None:
    """Let every `Database` that is made from now on be so."""
    compiled, make = _Compiled(_MOST_STATEMENTS), db.make_engine

    def making(url: str) -> Engine:
        engine = make(url)
        engine.update_execution_options(compiled_cache=compiled)
        if engine.dialect.name == "sqlite":
            event.listen(engine, "connect", _wait_for_no_disk)
        return engine

    db.make_engine = making


def _wait_for_no_disk(connection: Any, _record: object) -> None:
    connection.execute("PRAGMA synchronous=OFF")
