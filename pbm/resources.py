"""Finds the data folders of the program: templates, help and migrations."""

from pathlib import Path
from typing import Final, Literal

from pbm.rules.registry import games

Resource = Literal["templates", "help", "migrations"]

_PACKAGE: Final = Path(__file__).resolve().parent


class MissingResourceError(RuntimeError):
    """A data folder is missing: the installation is broken or incomplete."""


def resource_path(name: Resource) -> Path:
    """Return the path of a data folder in a wheel or a checkout. Raises MissingResourceError."""
    places = (_PACKAGE / "_data" / name, _PACKAGE.parent / name)
    for place in places:
        if place.is_dir():
            return place
    looked = " or ".join(str(place) for place in places)
    raise MissingResourceError(f"The folder {name} is missing; it should be at {looked}.")


def strength_file() -> Path | None:
    """Return the path of the page about the robots' strength; None if it is missing."""
    places = (_PACKAGE / "_data" / "strength.md", _PACKAGE.parent / "docs" / "strength.md")
    return next((place for place in places if place.is_file()), None)


def board_page() -> str:
    """Return the board page, which is built and lies in the package."""
    return (_PACKAGE / "page" / "board.html").read_text(encoding="utf-8")


def game_templates() -> dict[str, Path]:
    return {name: _of_game(name, "templates") / name for name in games()}


def help_pages() -> dict[str, Path]:
    """Return the files of the help pages, by subject. `a-b.txt` is the page about `a b`."""
    files = [*resource_path("help").glob("*.txt")]
    for name in games():
        folder = _of_game(name, "help")
        files += [folder / f"{name}.txt", *folder.glob(f"{name}-*.txt")]
    return {path.stem.replace("-", " "): path for path in files}


def command_text(command: str) -> str:
    """Return the text below the summary on a command's help page; "" if there is no text."""
    return _read(resource_path("help") / "commands" / f"{command.replace(' ', '-')}.txt")


def game_note(name: str, command: str) -> str:
    """Return what a game adds to a command's help page; "" if it adds nothing."""
    return _read(_of_game(name, "help") / name / f"{command}.txt")


def _read(path: Path) -> str:
    return path.read_text(encoding="utf-8").rstrip("\n") if path.exists() else ""


def _of_game(name: str, kind: Literal["templates", "help"]) -> Path:
    folder = games()[name].info.folder
    return folder / kind if folder else resource_path(kind)
