"""Parameters of templates, without the characters that hide or mark text."""

from types import MappingProxyType
from typing import Any

import pytest

from pbm.mail.writing.blocks import COMMAND, cleaned

NO_JSON = MappingProxyType({"of": "a game"})


@pytest.mark.parametrize(
    ("value", "clean"),
    [
        ({"a": ["plain", 1, "ünïcode \\b"]}, {"a": ["plain", 1, "ünïcode \\b"]}),
        ({"a": ("bell\a", "\x7fdelete")}, {"a": ["bell", "delete"]}),
        ([f"{COMMAND}link", "\u202ereversed", "a\rb"], ["link", "reversed", "ab"]),
        ({"a": NO_JSON, "b": "\x00nul"}, {"a": NO_JSON, "b": "nul"}),
    ],
)
def test_characters_that_hide_text_are_removed(value: Any, clean: Any) -> None:
    assert cleaned(value) == clean
