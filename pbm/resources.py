"""Finds the folders that go with the code: templates, help and migrations."""

from pathlib import Path
from typing import Final, Literal

Resource = Literal["templates", "help", "migrations"]

_PACKAGE: Final = Path(__file__).resolve().parent


class MissingResourceError(RuntimeError):
    """A folder that belongs to the installation is not there: it is broken or incomplete."""


def resource_path(name: Resource) -> Path:
    """The folder of that name, as an absolute path.

    A wheel carries the folders inside the package; a checkout (and an editable installation,
    which points at one) has them beside it. Raises MissingResourceError where neither is there.
    """
    places = (_PACKAGE / "_data" / name, _PACKAGE.parent / name)
    for place in places:
        if place.is_dir():
            return place
    looked = " or ".join(str(place) for place in places)
    raise MissingResourceError(f"The folder {name} is missing; it should be at {looked}.")
