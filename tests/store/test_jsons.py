"""JSON in columns: the values that orjson refuses or rounds."""

from datetime import UTC, datetime
from typing import Any

import pytest

from pbm.store.sql.jsons import dumps, loads


@pytest.mark.parametrize(
    "value",
    [{"a": [1, None, "ü", True]}, 2**64, [-(2**70)], "\ud800", {"b": "\udfff"}, 0.1, " 1"],
)
def test_a_value_comes_back_as_it_was(value: Any) -> None:
    assert loads(dumps(value)) == loads(dumps(value).encode("utf-8", "surrogatepass")) == value


def test_rows_of_earlier_versions_are_read() -> None:
    assert loads('"\\ud800"') == "\ud800"
    assert loads("[Infinity]") == [float("inf")]
    assert dumps({1: "a"}).strip() == '{"1": "a"}'


@pytest.mark.parametrize("value", [frozenset("a"), datetime(2026, 11, 27, tzinfo=UTC), object()])
def test_other_types_are_refused(value: object) -> None:
    with pytest.raises(TypeError):
        dumps(value)
