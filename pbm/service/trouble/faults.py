"""Failures of the work on a row, as opposed to database failures."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import timedelta

from pbm.store.sql.driver import gave_up, is_away

GIVEN_UP_FOR = timedelta(seconds=10)  # pause before a retry of what the database gave up
Handler = Callable[[Exception], object]


@contextmanager
def faults_to(count: Handler, *, given_up: Handler | None = None) -> Iterator[None]:
    """Catch an error of the work inside, and `count` it as a failed try.

    Raises the error if the database is away, which is no try. If the database gave up, that is no
    try either, and `given_up` is called.
    """
    try:
        yield
    except Exception as error:
        if given_up and gave_up(error):
            given_up(error)
        elif is_away(error):
            raise
        else:
            count(error)
