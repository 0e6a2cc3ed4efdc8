"""The errors for requests of a player or of the operator that cannot be carried out."""

from typing import Any


class Refusal(Exception):  # noqa: N818 - a refusal is the word players and docs use
    """A player's request cannot be carried out; nothing has changed."""

    def __init__(self, code: str, **params: Any) -> None:
        super().__init__(code)
        self.code = code  # names a sentence in `templates/refusals.txt`
        self.params = params  # fill that sentence


class OperatorError(Exception):
    """The operator's request fails, or a setting is wrong; ``str()`` says what to do."""


class WrongArgumentError(OperatorError):
    """What the operator typed cannot be right, whatever is stored."""
