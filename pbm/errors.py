"""The two ways a request ends early that are nobody's bug."""

from typing import Any


class Refusal(Exception):  # noqa: N818 - a refusal is the word players and docs use
    """What a player asked for cannot be done; nothing has changed.

    `code` is kebab-case and names the sentence in `templates/refusals.txt`;
    `params` fill that sentence and are frozen into the answer.
    """

    def __init__(self, code: str, **params: Any) -> None:
        super().__init__(code)
        self.code = code
        self.params = params


class OperatorError(Exception):
    """What the operator asked for or configured cannot work; the text says what to do."""
