"""Rows of a table in one test: all are tried, and those that fail are named."""

import pytest

from tests.rows import each_row

TRIED: list[object] = []


@each_row(("number", "by"), [(4, 2), (5, 2), (6, 4)])
def _divides(number: int, by: int) -> None:
    TRIED.append(number)
    assert number % by == 0


@each_row("number", [1, 2, 3], ids=["one", "two", "three"])
def _is_three(number: int) -> None:
    if number == 1:
        pytest.fail("it is not")
    assert number == 3


@each_row("number", list)
def _never(number: int) -> None: ...


def test_every_row_is_tried_and_those_that_fail_are_named() -> None:
    with pytest.raises(BaseExceptionGroup, match="2 of 3 rows fail: 5, 2, 6, 4") as several:
        _divides()
    assert TRIED == [4, 5, 6]
    assert [error.__notes__ for error in several.value.exceptions] == [
        ["This was the row 5, 2."],
        ["This was the row 6, 4."],
    ]
    with pytest.raises(BaseExceptionGroup, match="2 of 3 rows fail: one, two"):
        _is_three()


def test_one_that_fails_fails_as_itself() -> None:
    @each_row("number", [3, 4], ids=lambda number: f"the {number}")
    def is_three(number: int) -> None:
        assert number == 3

    with pytest.raises(AssertionError) as alone:
        is_three()
    assert alone.value.__notes__ == ["This was the row the 4."]


def test_without_rows_it_fails() -> None:
    with pytest.raises(AssertionError, match="there are no rows"):
        _never()
