"""How a command is declared: a class whose fields are its syntax and whose docstring is its help.

    class Decline(Command):
        '''Leave a board before your first move.'''
        words = ("decline",)
        board = operand(BoardKind(), optional=True)

Usage line, error texts and help pages are renderings of the class.
"""

import inspect
import re
from collections.abc import Callable, Iterator, Sequence
from copy import copy
from dataclasses import dataclass
from typing import Any, ClassVar, Self

from pbm.commands.context import Context
from pbm.commands.words import (
    BoardKind,
    BoardRef,
    Kind,
    Login,
    Secret,
    SecretText,
    Sentence,
    cut_short,
    login_at,
    lowered,
    misread,
)
from pbm.errors import Refusal
from pbm.events import Event
from pbm.nearest import nearest
from pbm.play.game_words import mentions_place
from pbm.play.turn import Turn
from pbm.resources import game_note
from pbm.rules.contract import Game
from pbm.rules.contract import Option as GameOption
from pbm.rules.registry import default_game, games
from pbm.store.values.players import Player

MASK = "****"
# In a docstring: what a game says of the command, and its name.
_OF_GAME, _NAME_OF_GAME = "{game}", "{name}"
_OPTION = re.compile(r"--?([a-z][a-z0-9-]*)(=.*)?", re.ASCII | re.IGNORECASE)


@dataclass(frozen=True)
class Operand:
    """A field that is read from the words of the line, in the order of declaration.

    `unless` is the option where it may be left out, since it says the same.
    """

    kind: Kind
    optional: bool = False
    many: bool = False
    unless: str = ""

    def usage(self) -> str:
        """Show the field as in a usage line."""
        shown = f"{self.kind.shown} ..." if self.many else self.kind.shown
        return f"[{shown}]" if self.optional else shown


@dataclass(frozen=True)
class Flag:
    """A field that is true where its option stands anywhere on the line."""

    name: str

    def usage(self) -> str:
        """Show the field as in a usage line."""
        return f"[-{self.name}]"


@dataclass(frozen=True)
class Option:
    """A field that is read from an option with a value: `-name=value`."""

    name: str
    kind: Kind

    def usage(self) -> str:
        """Show the field as in a usage line."""
        return f"[-{self.name}={self.kind.shown}]"


@dataclass(frozen=True)
class GameOptions:
    """A field that is read from the options which games declare for a command.

    `of` gives those of a game. They are the ones of the game that the line is about; with
    `of_any` those of all games, since the board says which one it is.
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
        """Take what is declared out of the options of a line. Raises Refusal."""
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
    """What a line chooses of a game's options, each with whether a flag of its own says it."""

    found: tuple[tuple[GameOption, str | bool, bool], ...]
    game: Game

    def options(self) -> dict[str, str | bool]:
        """The values by name. Raises Refusal where one has two of them."""
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


Field = Operand | Flag | Option | GameOptions


def operand(kind: Kind, *, optional: bool = False, many: bool = False, unless: str = "") -> Any:
    """Declare a field read from the line; None, or () for many, where it may be left out.

    It may be `optional`, or be left out where an option stands there that says the same.
    """
    return Operand(kind, optional, many, unless)


def flag(name: str) -> Any:
    """Declare an option `-name`."""
    return Flag(name)


def option(name: str, kind: Kind) -> Any:
    """Declare an option `-name=value`; None where it is left out."""
    return Option(name, kind)


def game_options(of: Callable[[Game], Sequence[GameOption]], *, of_any: bool = False) -> Any:
    """Declare the options that games have for a command."""
    return GameOptions(of, of_any)


def _forms(option: GameOption) -> Iterator[str]:
    for name in option.flags:
        yield f"[-{name}]"
    yield f"[-{option.name}]" if option.is_flag else f"[-{option.name}=name]"


class Command:
    """A command as somebody wrote it. Subclasses declare fields and `run`."""

    words: ClassVar[tuple[str, ...]] = ()  # the first is the name; the others are read too
    slips: ClassVar[frozenset[str]] = frozenset()  # misspelt words, read and not shown
    second: ClassVar[str] = ""  # a word that must follow it
    prefix: ClassVar[str] = ""  # a word that begins so is read too
    short: ClassVar[tuple[str, ...]] = ()  # those of the words that take one more at most
    examples: ClassVar[tuple[str, ...]] = ()
    plainly: ClassVar[str] = ""  # how a newcomer uses it, told before all else
    group: ClassVar[str] = ""
    reads_only: ClassVar[bool] = False  # needs no proof: the answer goes to a verified address
    stands_alone: ClassVar[bool] = False  # with other words behind it, it is something else
    dangerous: ClassVar[bool] = False  # asked about even after a proof
    covered_by_yes: ClassVar[bool] = False  # a yes of the last day may stand for it, too
    takes_text: ClassVar[bool] = False  # what stands below it is its own, and no comment
    takes_login: ClassVar[bool] = False  # `12 userid password` is no part of it, and masked
    comes_last: ClassVar[bool] = False  # done after the others of the same mail
    about_board: ClassVar[bool] = False  # can name one, so that its refusal shows it
    fields: ClassVar[dict[str, Field]] = {}
    _in_turn: ClassVar[list[tuple[str, Field]]] = []  # the fields in the order of reading
    _secret_at: ClassVar[int | None] = None  # the first operand that is a password

    line: str  # as written, secrets masked
    login: Login | None = None  # which proves a player, where the password is right
    game: Game  # that the line names, or that is meant where it names none

    def __init_subclass__(cls) -> None:
        cls.fields = dict(_fields_of(cls))
        cls._in_turn = _loose_ones_first(cls.fields)
        cls._secret_at = _first_secret(cls.fields)
        operands = [field for field in cls.fields.values() if isinstance(field, Operand)]
        cls.about_board = any(BoardKind.shown in field.kind.shown for field in operands)

    @classmethod
    def usage(cls, game: Game | None = None) -> str:
        """Render the usage line, as it is for a game."""
        name = [cls.words[0], cls.second] if cls.second else [cls.words[0]]
        shown = (
            field.usage(game) if isinstance(field, GameOptions) else field.usage()
            for field in cls.fields.values()
        )
        return " ".join(filter(None, [*name, *shown]))

    @classmethod
    def examples_of(cls, game: Game | None = None) -> tuple[str, ...]:
        """Lines to show: those of a game, else those that go for any."""
        return (game or default_game()).info.examples.get(cls.words[0], cls.examples)

    @classmethod
    def help(cls) -> str:
        """Return the help text: the docstring, with what the usual game says of the command."""
        return cls._told_of_game(inspect.getdoc(cls) or "")

    @classmethod
    def how(cls) -> str:
        """Return what a newcomer is told first; empty for most."""
        return cls._told_of_game(cls.plainly)

    @classmethod
    def _told_of_game(cls, text: str) -> str:
        if "{" not in text:
            return text
        name = default_game().info.name
        text = text.replace(_NAME_OF_GAME, name)
        return text.replace(_OF_GAME, game_note(name, cls.words[0])).replace("\n ", "\n")

    @classmethod
    def summary(cls) -> str:
        """Return the first sentence of the help text."""
        return cls.help().split("\n")[0]

    @classmethod
    def has_secret(cls) -> bool:
        """Whether a line of this command may hold a password."""
        return cls._secret_at is not None

    @classmethod
    def parse(cls, word: str, words: list[str], game: Game | None = None) -> Self:
        """Read the words after the command's own. Raises Refusal with code `syntax`.

        The refusal's parameter `number` is the board that the line names, if it does.
        """
        command = cls()
        command.game = game or default_game()
        if cls.second:
            word, words = f"{word} {cls.second}", cls._after_second(words)
        shown = words
        login = cls.login_in(words)
        if login is not None:
            shown = [*words[: login + 1], MASK, *words[login + 2 :]]
            command.login = _login(*words[login : login + 2])
            words = [*words[:login], *words[login + 2 :]]
        try:
            command._read(words)
        except Refusal as refusal:
            board = vars(command).get("board")
            number = board.number if isinstance(board, BoardRef) else None
            raise Refusal(refusal.code, **{**refusal.params, "number": number}) from refusal
        open_words = cls._open_words(shown)
        command.line = " ".join([word, *shown[:open_words], *(MASK for _ in shown[open_words:])])
        return command

    @property
    def sentence(self) -> str:
        """Words of the sender's own in the line, which somebody else is to read."""
        return next(filter(None, (vars(self).get(name) for name in self._sentences())), "")

    def without_words(self) -> Self:
        """The same command without such words, if it has any."""
        held = copy(self)
        held.line = self.line.removesuffix(self.sentence).rstrip()
        vars(held).update(dict.fromkeys(self._sentences()))
        return held

    @classmethod
    def _sentences(cls) -> Iterator[str]:
        for name, field in cls.fields.items():
            if isinstance(field, Operand) and isinstance(field.kind, Sentence):
                yield name

    @classmethod
    def login_in(cls, words: list[str]) -> int | None:
        """Where a userid and a password stand behind the command's own word, None if nowhere."""
        return login_at(words) if cls.takes_login else None

    @classmethod
    def _after_second(cls, words: list[str]) -> list[str]:
        if not words or lowered(words[0]) != cls.second:
            word = " ".join(words[:1])
            near = nearest(word, [cls.second])
            raise misread("one-of", word=cut_short(word), choice=cls.second, near=near)
        return words[1:]

    def _read(self, words: list[str]) -> None:
        """Fill the fields."""
        open_words = self._open_words(words)
        left, options = self._options_in(words[:open_words])
        left += words[open_words:]
        for name, field in self._in_turn:
            if isinstance(field, Operand):
                optional = field.optional or field.unless in options
                setattr(self, name, _read_operand(field, left, optional=optional))
            elif isinstance(field, GameOptions):
                setattr(self, name, field.read(options, self.game))
            else:
                setattr(self, name, _read_option(field, options))
        if options:
            name, value = min(options.items())
            written = f"-{name}" if value is None else f"-{name}="
            raise misread("option", word=cut_short(written), near=self._options_like(name))
        if left:
            raise misread(
                "left-over", word=MASK if self.has_secret() else cut_short(" ".join(left))
            )

    def _options_like(self, name: str) -> list[str]:
        """What may be meant by the name of an option that there is not; perhaps a value of one."""
        forms: dict[str, str] = {}
        for field in self.fields.values():
            forms |= field.forms(self.game) if isinstance(field, GameOptions) else {}
            forms |= {field.name: field.usage()[1:-1]} if isinstance(field, Flag | Option) else {}
        return [forms[near] for near in nearest(name, forms)]

    @classmethod
    def _open_words(cls, words: list[str]) -> int:
        """How many come before a secret: from there on nothing is an option, nor ever shown."""
        return len(words) if cls._secret_at is None else cls._secret_at

    @classmethod
    def _options_in(cls, words: list[str]) -> tuple[list[str], dict[str, str | None]]:
        """Take the options out; where somebody writes sentences, a dash is only a dash."""
        return (list(words), {}) if any(cls._sentences()) else _split_options(words)

    def run(self, context: Context) -> Iterator[Event]:
        """Do it, yielding what happened. Raises Refusal; nothing has changed then."""
        raise NotImplementedError

    def pinned(self, context: Context) -> str:  # noqa: ARG002 - most commands need no context
        """Return the line that means the same at any later time, to wait for a `yes`."""
        has_options = any(isinstance(field, GameOptions) for field in self.fields.values())
        return self.of_its_game(self.line) if has_options else self.line

    def of_its_game(self, line: str) -> str:
        """The line with the name of its game before it, where another could be meant later."""
        return f"{self.game.info.name} {line}" if len(games()) > 1 else line

    def on(self, board: BoardRef, line: str) -> Self | None:
        """The same command about a board that the line names before it; None where it can name
        none, or names one itself."""
        if vars(self).get("board", board) is not None:
            return None
        vars(self)["board"], self.line = board, line
        return self

    def question(self) -> str:
        """Ask in plain words whether it is really wished; empty where its line says it."""
        return ""

    def consequences(self, turn: Turn, player: Player) -> dict[str, Any] | None:  # noqa: ARG002 - most end nothing
        """The section that tells a player, before a yes, what will work no more; None where
        all will."""
        return None

    @property
    def new_password(self) -> str | None:
        """A password to be hashed: that is done apart, and no line that waits holds it."""
        return None


def _login(handle: str, password: str) -> Login | None:
    """Nobody's password is the mask, which stands in lines that were written down."""
    return None if password == MASK else Login(lowered(handle), SecretText(password))


def _fields_of(cls: type) -> Iterator[tuple[str, Field]]:
    """The fields of a command in order, those of the command that it is a kind of first.

    What it says otherwise, as a field or as a plain value, is none of the other's any more.
    """
    of_all = {name: value for base in reversed(cls.__mro__) for name, value in vars(base).items()}
    for name, value in of_all.items():
        if isinstance(value, Field):
            yield name, value


def _loose_ones_first(fields: dict[str, Field]) -> list[tuple[str, Field]]:
    """What may stand anywhere is taken out before the words are read in order."""
    return sorted(
        fields.items(),
        key=lambda item: not (isinstance(item[1], Operand) and item[1].kind.anywhere),
    )


def _first_secret(fields: dict[str, Field]) -> int | None:
    operands = [field for field in fields.values() if isinstance(field, Operand)]
    kinds = [isinstance(field.kind, Secret) for field in operands]
    return kinds.index(True) if any(kinds) else None


def _split_options(words: list[str]) -> tuple[list[str], dict[str, str | None]]:
    """Take the options out: their names, and the values of those that have one."""
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


def _read_option(field: Flag | Option, options: dict[str, str | None]) -> Any:
    if isinstance(field, Flag):
        return _read_flag(field.name, options)
    if field.name not in options:
        return None
    return field.kind.read([_value(field.name, field.kind.shown, options)])


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


def _read_operand(field: Operand, left: list[str], *, optional: bool) -> Any:
    if field.kind.anywhere:
        return _read_anywhere(field.kind, left)
    if field.many:
        return _read_many(field, left, optional=optional)
    if not left and optional:
        return None
    if not left:
        raise misread("missing", word=field.kind.shown)
    if not optional:
        return field.kind.read(left)
    try:
        return field.kind.read(left)
    except Refusal:
        if field.kind.rest or field.kind.explains:
            raise
        return None  # the word may be meant for the next field


def _read_many(field: Operand, left: list[str], *, optional: bool) -> tuple[Any, ...]:
    values: list[Any] = []
    while left:
        taken = field.kind.read(left)
        values += taken if field.kind.rest else [taken]
    if not values and not optional:
        raise misread("missing", word=field.kind.shown)
    return tuple(values)


def _read_anywhere(kind: Kind, left: list[str]) -> Any:
    for index, word in enumerate(left):
        if kind.fits(word):
            return kind.read([left.pop(index)])
    return None
