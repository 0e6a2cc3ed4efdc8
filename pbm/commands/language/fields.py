"""The fields of a command: their form in a usage line, and how they are parsed."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from pbm.commands.language.words import ArgumentKind, cut_short, misread
from pbm.errors import Refusal
from pbm.nearest import nearest
from pbm.play.game_words import mentions_place
from pbm.rules.contract import Game
from pbm.rules.contract import Option as GameOption
from pbm.rules.registry import games

_OPTION = re.compile(r"--?([a-z][a-z0-9-]*)(=.*)?", re.ASCII | re.IGNORECASE)
Options = dict[str, str | None]  # by name; None for an option without a value


class Field:
    def usage(self, game: Game) -> str:
        """The field as in a usage line."""
        return " ".join(f"[{form}]" for form in self.forms(game).values())

    def read(self, words: list[str], options: Options, game: Game) -> Any:
        """Parse the value and remove it from the words or options. Raises Refusal."""
        raise NotImplementedError

    def forms(self, game: Game) -> dict[str, str]:
        """The options of the field and their values, as typed, by name."""
        return {}


@dataclass(frozen=True)
class Operand(Field):
    """A field parsed from the words of the line, in declaration order.

    It may be missing if it is `optional`, or if the line has the option `unless`. Its value is then
    None, or () with `many`.
    """

    kind: ArgumentKind
    optional: bool = False
    many: bool = False
    unless: str = ""

    def usage(self, game: Game) -> str:
        shown = f"{self.kind.shown} ..." if self.many else self.kind.shown
        return f"[{shown}]" if self.optional else shown

    def read(self, words: list[str], options: Options, game: Game) -> Any:
        optional = self.optional or self.unless in options
        if self.kind.anywhere:
            for index, word in enumerate(words):
                if (found := self.kind.parse(word)) is not None:
                    del words[index]
                    return found
            return None
        if not words and not optional:
            raise misread("missing", word=self.kind.shown)
        if self.many:
            taken: list[Any] = []
            while words:
                value = self.kind.read(words)
                taken += value if self.kind.rest else [value]
            return tuple(taken)
        if not words:
            return None
        try:
            return self.kind.read(words)
        except Refusal:
            if not optional or self.kind.rest or self.kind.explains:
                raise
            return None  # the word may be meant for the next field


@dataclass(frozen=True)
class Flag(Field):
    """A field that is true if the line has its option."""

    name: str

    def read(self, words: list[str], options: Options, game: Game) -> bool:
        return _read_flag(self.name, options)

    def forms(self, game: Game) -> dict[str, str]:
        return {self.name: f"-{self.name}"}


@dataclass(frozen=True)
class ValueOption(Field):
    """A field parsed from an option `-name=value`; None without it."""

    name: str
    kind: ArgumentKind

    def read(self, words: list[str], options: Options, game: Game) -> Any:
        if self.name not in options:
            return None
        return self.kind.read([_value(self.name, self.kind.shown, options)])

    def forms(self, game: Game) -> dict[str, str]:
        return {self.name: f"-{self.name}={self.kind.shown}"}


@dataclass(frozen=True)
class GameOptions(Field):
    """A field for the options that games declare for a command; `of` returns those of a game.

    With `of_any` the options of all games are read, because the board decides the game, not the
    line.
    """

    of: Callable[[Game], Sequence[GameOption]]
    of_any: bool = False

    def usage(self, game: Game) -> str:
        forms: list[str] = []
        for item in self.of(game):
            forms += [*item.flags, item.name if item.is_flag else f"{item.name}=name"]
        return " ".join(f"[-{form}]" for form in forms)

    def forms(self, game: Game) -> dict[str, str]:
        declared = self.of(game)
        values = {value: f"-{item.name}={value}" for item in declared for value in item.values}
        flags = {name: f"-{name}" for item in declared for name in (item.name, *item.flags)}
        named = {item.name: f"-{item.name}=name" for item in declared if not item.is_flag}
        return values | flags | named

    def read(self, words: list[str], options: Options, game: Game) -> "Chosen":
        found: list[tuple[GameOption, str | bool, str]] = []
        about = games().values() if self.of_any else (game,)
        for option in {item.name: item for each in about for item in self.of(each)}.values():
            named: list[tuple[str, str | bool]] = [(flag, flag) for flag in option.flags]
            named += [(option.name, True)] if option.is_flag else []
            for flag, meant in named:
                if _read_flag(flag, options):
                    found.append((option, meant, f"-{flag}"))
            if not option.is_flag and option.name in options:
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
                found.append((option, value, f"-{option.name}={value}"))
        return Chosen(tuple(found))


@dataclass(frozen=True)
class Chosen:
    """The chosen options of a game, each with its value and as typed."""

    found: tuple[tuple[GameOption, str | bool, str], ...]

    def options(self) -> dict[str, str | bool]:
        """The values by name. Raises Refusal for an option with two values."""
        chosen: dict[str, str | bool] = {}
        for option, value, _ in self.found:
            if chosen.setdefault(option.name, value) != value:
                both = [item for item in self.found if item[0] == option]
                raise Refusal(
                    "two-values",
                    option=option.name,
                    sets_up=option.sets_up,
                    both=[value for _, value, _ in both],
                    written=[typed for *_, typed in both],
                )
        return chosen

    def written(self) -> list[str]:
        """The chosen options as typed."""
        return [typed for *_, typed in self.found]


# `Any`, because an attribute has the type of the parsed value.
operand: Any = Operand
flag: Any = Flag
option: Any = ValueOption
game_options: Any = GameOptions


def split_options(words: list[str]) -> tuple[list[str], Options]:
    """Split words into operands and options."""
    left: list[str] = []
    options: Options = {}
    goes_on = ""  # an option whose value ends with a comma takes the next word
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


def _read_flag(name: str, options: Options) -> bool:
    if name not in options:
        return False
    if options[name] is not None:
        raise misread("option", word=cut_short(f"-{name}="), near=[f"-{name}"])
    del options[name]
    return True


def _value(name: str, shown: str, options: Options) -> str:
    value = options[name]
    if not value:
        raise misread("option-value", word=f"-{name}", shown=shown)
    del options[name]
    return value
