"""The fields of a command: their form in a usage line, and how they are parsed."""

import re
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from pbm.commands.language.words import ArgumentKind, cut_short, misread
from pbm.errors import Refusal
from pbm.nearest import nearest
from pbm.play.game_words import mentions_place
from pbm.rules.contract import Game
from pbm.rules.contract import Option as GameOption
from pbm.rules.registry import default_game, games

_OPTION = re.compile(r"--?([a-z][a-z0-9-]*)(=.*)?", re.ASCII | re.IGNORECASE)


@dataclass(frozen=True)
class Operand:
    """A field parsed from the words of the line, in declaration order.

    `unless` names an option that replaces it.
    """

    kind: ArgumentKind
    optional: bool = False
    many: bool = False
    unless: str = ""

    def usage(self) -> str:
        """Show the field as in a usage line."""
        shown = f"{self.kind.shown} ..." if self.many else self.kind.shown
        return f"[{shown}]" if self.optional else shown

    def read(self, left: list[str], options: Collection[str]) -> Any:
        """Take it out of the words that are left, beside these options. Raises Refusal."""
        optional = self.optional or self.unless in options
        if self.kind.anywhere:
            return self._read_anywhere(left)
        if self.many:
            return self._read_many(left, optional=optional)
        if not left and optional:
            return None
        if not left:
            raise misread("missing", word=self.kind.shown)
        try:
            return self.kind.read(left)
        except Refusal:
            if not optional or self.kind.rest or self.kind.explains:
                raise
            return None  # the word may be meant for the next field

    def _read_many(self, left: list[str], *, optional: bool) -> tuple[Any, ...]:
        values: list[Any] = []
        while left:
            taken = self.kind.read(left)
            values += taken if self.kind.rest else [taken]
        if not values and not optional:
            raise misread("missing", word=self.kind.shown)
        return tuple(values)

    def _read_anywhere(self, left: list[str]) -> Any:
        for index, word in enumerate(left):
            if self.kind.fits(word):
                return self.kind.read([left.pop(index)])
        return None


@dataclass(frozen=True)
class Flag:
    """A field that is true if its option is anywhere on the line."""

    name: str

    def usage(self) -> str:
        """Show the field as in a usage line."""
        return f"[-{self.name}]"

    def read(self, options: dict[str, str | None]) -> bool:
        """Take it out of the options of a line. Raises Refusal."""
        return _read_flag(self.name, options)


@dataclass(frozen=True)
class ValueOption:
    """A field that is read from an option with a value: `-name=value`."""

    name: str
    kind: ArgumentKind

    def usage(self) -> str:
        """Show the field as in a usage line."""
        return f"[-{self.name}={self.kind.shown}]"

    def read(self, options: dict[str, str | None]) -> Any:
        """Take it out of the options of a line. Raises Refusal."""
        if self.name not in options:
            return None
        return self.kind.read([_value(self.name, self.kind.shown, options)])


@dataclass(frozen=True)
class GameOptions:
    """A field for the options that games declare for a command.

    `of` returns those of a game. Only the line's game counts; with `of_any` all games do, as the
    board decides.
    """

    of: Callable[[Game], Sequence[GameOption]]
    of_any: bool = False

    def usage(self, game: Game | None = None) -> str:
        """Show the options of a game as in a usage line."""
        declared = self.of(game or default_game())
        return " ".join(form for option in declared for form in _forms(option))

    def forms(self, game: Game) -> dict[str, str]:
        """How each option of a game is written, and each value of one, by its name."""
        declared = self.of(game)
        values = {value: f"-{item.name}={value}" for item in declared for value in item.values}
        flags = {name: f"-{name}" for item in declared for name in (item.name, *item.flags)}
        named = {item.name: f"-{item.name}=name" for item in declared if not item.is_flag}
        return values | flags | named

    def read(self, options: dict[str, str | None], game: Game) -> "Chosen":
        """Take the declared options out. Raises Refusal."""
        found: list[tuple[GameOption, str | bool, bool]] = []
        about = games().values() if self.of_any else (game,)
        for option in {item.name: item for each in about for item in self.of(each)}.values():
            for value in option.flags:
                if _read_flag(value, options):
                    found.append((option, value, True))
            if option.is_flag:
                found += [(option, True, False)] if _read_flag(option.name, options) else []
            elif option.name in options:
                found.append((option, _read_value(option, options, game), False))
        return Chosen(tuple(found), game)


@dataclass(frozen=True)
class Chosen:
    """The chosen options of a game, each with whether a flag of its own was written."""

    found: tuple[tuple[GameOption, str | bool, bool], ...]
    game: Game

    def options(self) -> dict[str, str | bool]:
        """The values by name. Raises Refusal if one has two."""
        chosen: dict[str, str | bool] = {}
        for option, value, _ in self.found:
            if chosen.setdefault(option.name, value) != value:
                raise self._two_values(option)
        return chosen

    def _two_values(self, option: GameOption) -> Refusal:
        both = [item for item in self.found if item[0] == option]
        return Refusal(
            "two-values",
            option=option.name,
            sets_up=option.sets_up,
            both=[value for _, value, _ in both],
            written=[_as_written(*item) for item in both],
        )

    def written(self) -> Iterator[str]:
        """Each of them as it stands in a line."""
        for item in self.found:
            yield _as_written(*item)


def _as_written(option: GameOption, value: str | bool, by_flag: bool) -> str:
    if value is True:
        return f"-{option.name}"
    return f"-{value}" if by_flag else f"-{option.name}={value}"


Field = Operand | Flag | ValueOption | GameOptions


def operand(
    kind: ArgumentKind, *, optional: bool = False, many: bool = False, unless: str = ""
) -> Any:
    """Declare a field parsed from the line; None, or () for many, if it is left out."""
    return Operand(kind, optional, many, unless)


def flag(name: str) -> Any:
    """Declare an option `-name`."""
    return Flag(name)


def option(name: str, kind: ArgumentKind) -> Any:
    """Declare an option `-name=value`; None if it is left out."""
    return ValueOption(name, kind)


def game_options(of: Callable[[Game], Sequence[GameOption]], *, of_any: bool = False) -> Any:
    """Declare the options that games have for a command."""
    return GameOptions(of, of_any)


def _forms(option: GameOption) -> Iterator[str]:
    for name in option.flags:
        yield f"[-{name}]"
    yield f"[-{option.name}]" if option.is_flag else f"[-{option.name}=name]"


def split_options(words: list[str]) -> tuple[list[str], dict[str, str | None]]:
    """Split the options, by name with their values, from the other words."""
    left: list[str] = []
    options: dict[str, str | None] = {}
    goes_on = ""  # the option whose value ends with a comma, so that the next word belongs to it
    for word in words:
        found = _OPTION.fullmatch(word)
        if found and not mentions_place(found[1]):
            goes_on = found[1].lower()
            options[goes_on] = found[2][1:] if found[2] else None
        elif (options.get(goes_on) or "").endswith(","):
            options[goes_on] = f"{options[goes_on]}{word}"
        else:
            left.append(word)
    return left, options


def _read_flag(name: str, options: dict[str, str | None]) -> bool:
    if name not in options:
        return False
    if options[name] is not None:
        raise misread("option", word=cut_short(f"-{name}="), near=[f"-{name}"])
    del options[name]
    return True


def _value(name: str, shown: str, options: dict[str, str | None]) -> str:
    value = options[name]
    if not value:
        raise misread("option-value", word=f"-{name}", shown=shown)
    del options[name]
    return value


def _read_value(option: GameOption, options: dict[str, str | None], game: Game) -> str:
    word = _value(option.name, "name", options)
    value = option.find(word)
    if value is None:
        raise misread(
            "no-such-value",
            word=cut_short(word),
            option=option.name,
            near=nearest(word, option.values),
            names=list(option.values),
            sets_up=option.sets_up,
            game=game.info.name,
        )
    return value
