"""Rows of a table that are tried one by one in a single test.

What pytest does around a test, in each worker, takes some 5 ms of a processor.
"""

import inspect
from collections.abc import Callable, Iterable, Sequence
from functools import wraps
from typing import Any, TypeVar

import pytest

_Test = TypeVar("_Test", bound=Callable[..., Any])
Ids = Callable[[Any], object] | Iterable[object] | None
_FAILURES = (Exception, pytest.fail.Exception)


def each_row(
    names: str | Sequence[str],
    rows: Iterable[Any] | Callable[[], Iterable[Any]],
    *,
    ids: Ids = None,
) -> Callable[[_Test], _Test]:
    """As `pytest.mark.parametrize`, but a single test, which goes through all rows and names those
    that fail. Only for rows that share nothing: fixtures are the same for all of them.

    `rows` may be a function that gives them, called only when the test runs.
    """
    fields = [names] if isinstance(names, str) else list(names)
    given = rows if callable(rows) else list(rows)

    def decorate(test: _Test) -> _Test:
        @wraps(test)
        def through_all(*args: Any, **fixtures: Any) -> None:
            found = list(given() if callable(given) else given)
            assert found, "there are no rows"
            failed = []
            for number, row in enumerate(found):
                values = row if len(fields) > 1 else (row,)
                try:
                    test(*args, **fixtures, **dict(zip(fields, values, strict=True)))
                except _FAILURES as error:
                    name = _name(values, number, ids)
                    error.add_note(f"This was the row {name}.")
                    failed.append((name, error))
            _raise(failed, len(found))

        signature = inspect.signature(test)
        left = [value for name, value in signature.parameters.items() if name not in fields]
        vars(through_all)["__signature__"] = signature.replace(parameters=left)
        return through_all  # type: ignore[return-value]

    return decorate


def _name(values: Sequence[Any], number: int, ids: Ids) -> str:
    if ids is not None and not callable(ids):
        return str(list(ids)[number])
    return ", ".join(str(ids(value)) if ids else repr(value) for value in values)


def _raise(failed: Sequence[tuple[str, BaseException]], rows: int) -> None:
    if len(failed) == 1:
        raise failed[0][1]
    if failed:
        named = ", ".join(name for name, _ in failed)
        errors = [error for _, error in failed]
        raise BaseExceptionGroup(f"{len(failed)} of {rows} rows fail: {named}", errors)
