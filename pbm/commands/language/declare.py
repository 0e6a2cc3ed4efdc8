"""How a command is declared: a class whose fields are its syntax.

    class Decline(Command):
        '''Leave a board before your first move.'''
        words = ("decline",)
        board = operand(BoardKind(), optional=True)

Usage lines, errors and help pages are made from the class. Its docstring is the summary of its
page, and `help/commands/decline.txt` the text of the page.
"""

import inspect
import re
from collections.abc import Callable, Collection, Iterator, Sequence
from copy import copy
from dataclasses import dataclass
from enum import Enum, auto
from sys import maxsize
from typing import Any, ClassVar, Self

from pbm.commands.language.context import Context
from pbm.commands.language.words import (
    ArgumentKind,
    BoardKind,
    BoardRef,
    Login,
    Secret,
    SecretText,
    Sentence,
    cut_short,
    login_at,
    lowered,
    misread,
)
from pbm.commands.turn import Turn
from pbm.errors import Refusal
from pbm.events import Event
from pbm.nearest import nearest
from pbm.play.game_words import mentions_place
from pbm.play.limits import Rate
from pbm.resources import command_text, game_note
from pbm.rules.contract import Game
from pbm.rules.contract import Option as GameOption
from pbm.rules.registry import default_game, games
from pbm.store.values.players import Player

_OPTION = re.compile(r"--?([a-z][a-z0-9-]*)(=.*)?", re.ASCII | re.IGNORECASE)
Options = dict[str, str | None]  # by name; None for an option without a value


class Field:
    def usage(self, game: Game) -> str:
        return " ".join(f"[{form}]" for form in self.forms(game).values())

    def read(self, words: list[str], options: Options, game: Game) -> Any:
        """Parse the value and remove it from the words or options. Raises Refusal."""
        raise NotImplementedError

    def forms(self, game: Game) -> dict[str, str]:
        """Return how options are typed. A key is a name or a value: `{"random": "-random"}`."""
        return {}


@dataclass(frozen=True)
class Operand(Field):
    """A field parsed from words of the line. If it is missing, it is None, or () with `many`."""

    kind: ArgumentKind
    optional: bool = False
    many: bool = False  # it may take several values
    anywhere: bool = False  # it may stand before, between or after the other words
    unless: str = ""  # the option beside which the field may be missing

    def usage(self, game: Game) -> str:
        shown = f"{self.kind.shown} ..." if self.many else self.kind.shown
        return f"[{shown}]" if self.optional else shown

    def read(self, words: list[str], options: Options, game: Game) -> Any:
        optional = self.optional or self.unless in options
        if self.anywhere:
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
    name: str

    def read(self, words: list[str], options: Options, game: Game) -> bool:
        return _read_flag(self.name, options)

    def forms(self, game: Game) -> dict[str, str]:
        return {self.name: f"-{self.name}"}


@dataclass(frozen=True)
class ValueOption(Field):
    """A field parsed from an option `-name=value`; None if the line lacks the option."""

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
    of: Callable[[Game], Sequence[GameOption]]
    of_any: bool = False  # options of all games are accepted; the game is known once it runs

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
    found: tuple[tuple[GameOption, str | bool, str], ...]  # option, value, as typed

    def options(self) -> dict[str, str | bool]:
        """Return the values by name. Raises Refusal for an option with two values."""
        chosen: dict[str, str | bool] = {}
        for option, value, _ in self.found:
            if chosen.setdefault(option.name, value) != value:
                alike = [item for item in self.found if item[0] == option]
                told = {"both": [value for _, value, _ in alike], "sets_up": option.sets_up}
                written = [typed for *_, typed in alike]
                raise Refusal("two-values", option=option.name, written=written, **told)
        return chosen

    def written(self) -> list[str]:
        return [typed for *_, typed in self.found]


# `Any`, because an attribute has the type of the parsed value.
operand: Any = Operand
flag: Any = Flag
option: Any = ValueOption
game_options: Any = GameOptions


def split_options(words: list[str]) -> tuple[list[str], Options]:
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
    if options.pop(name) is not None:
        raise misread("option", word=cut_short(f"-{name}="), near=[f"-{name}"])
    return True


def _value(name: str, shown: str, options: Options) -> str:
    value = options.pop(name)
    if not value:
        raise misread("option-value", word=f"-{name}", shown=shown)
    return value


MASK = "****"


class Danger(Enum):
    """When a command that may harm its player is confirmed, by a question about nothing else."""

    UNPROVEN = auto()  # if nothing but `From:` says that it is the player's
    ALWAYS = auto()  # even after a proof


class Command:
    """A parsed command. Subclasses declare fields and `run`."""

    words: ClassVar[tuple[str, ...]] = ()  # the first is the name, the others are synonyms
    slips: ClassVar[frozenset[str]] = frozenset()  # misspelt words: parsed, but not shown in help
    second: ClassVar[str] = ""  # a required second word
    needs_second: ClassVar[bool] = False  # no command, but plain words, without the second word
    prefix: ClassVar[str] = ""  # any word with this prefix is a synonym
    short: ClassVar[tuple[str, ...]] = ()  # words with one argument at most
    examples: ClassVar[tuple[str, ...]] = ()  # by default its word, and the word with a board
    plainly: ClassVar[str] = ""  # how a newcomer uses it: the first line of its page
    group: ClassVar[str] = ""
    reads_only: ClassVar[bool] = False  # needs no proof: the answer goes to a verified address
    stands_alone: ClassVar[bool] = False  # not this command if other words follow
    asks: ClassVar[str] = ""  # the question to confirm it, with fields in braces
    covered_by_yes: ClassVar[bool] = False  # a standing consent may confirm it
    tries: ClassVar[Rate | None] = None  # how often it may be tried, refused or not
    takes_text: ClassVar[bool] = False  # the lines below are its text, not a comment
    keeps_lines: ClassVar[bool] = False  # lines of moves and commands below are its text, too
    takes_lines: ClassVar[bool] = False  # some lines right below belong to it, see `takes`
    takes_login: ClassVar[bool] = False  # `12 userid password` may precede its arguments
    passes_over: ClassVar[Collection[str]] = ()  # words that say nothing behind the command's own
    comes_last: ClassVar[bool] = False  # is run after the other commands of the mail
    about_board: ClassVar[bool] = False  # has an argument for a board; its refusal shows the board
    called: ClassVar[str] = ""  # its name, with the second word
    fields: ClassVar[dict[str, Field]] = {}
    _in_turn: ClassVar[dict[str, Field]] = {}  # in parsing order: first those for words anywhere
    _secret_at: ClassVar[int] = maxsize  # the index of the first operand that is a password
    _sentences: ClassVar[list[str]] = []  # fields with the sender's own words

    line: str  # as written, secrets masked
    login: Login | None = None  # proves a player, if the password is right
    game: Game  # named by the line, else the default
    danger: Danger | None = None  # when a question of its own confirms it

    def __init_subclass__(cls, *, group: str = "") -> None:
        cls.group = group or cls.group
        cls.called = " ".join(filter(None, (*cls.words[:1], cls.second)))
        declared: dict[str, Any] = {}
        for base in reversed(cls.__mro__):
            declared |= vars(base)
        cls.fields = {name: value for name, value in declared.items() if isinstance(value, Field)}
        operands = {name: item for name, item in cls.fields.items() if isinstance(item, Operand)}
        kinds = [item.kind for item in operands.values()]
        cls.about_board = any(BoardKind.shown in kind.shown for kind in kinds)
        secrets = (index for index, kind in enumerate(kinds) if isinstance(kind, Secret))
        cls._secret_at = next(secrets, maxsize)
        anywhere = {name: item for name, item in operands.items() if item.anywhere}
        cls._in_turn = anywhere | cls.fields
        if cls.words and not cls.examples and all(item.optional for item in operands.values()):
            name = cls.words[0]
            cls.examples = (name, f"{name} 12") if "board" in operands else (name,)
        cls._sentences = [name for name in operands if isinstance(operands[name].kind, Sentence)]

    @classmethod
    def usage(cls, game: Game | None = None) -> str:
        shown = (field.usage(game or default_game()) for field in cls.fields.values())
        return " ".join(filter(None, [cls.called, *shown]))

    @property
    def begins_words(self) -> bool:
        """Whether the line begins words of its own, wherever it stands in a mail."""
        return False

    @classmethod
    def examples_of(cls, game: Game | None = None) -> tuple[str, ...]:
        return (game or default_game()).info.examples.get(cls.called, cls.examples)

    @classmethod
    def help(cls) -> str:
        text = cls.with_game(command_text(cls.called))
        return "\n\n".join(filter(None, (cls.summary(), text)))

    @classmethod
    def summary(cls) -> str:
        return inspect.getdoc(cls) or ""

    @classmethod
    def with_game(cls, text: str) -> str:
        """Put the name of the default game, and its note on this command, into a help text."""
        if "{" not in text:
            return text
        name = default_game().info.name
        note = game_note(name, cls.words[0])
        return text.replace("{name}", name).replace("{game}", note).replace("\n ", "\n")

    @classmethod
    def has_secret(cls) -> bool:
        return cls._secret_at < maxsize

    @classmethod
    def parse(cls, word: str, words: list[str], game: Game | None = None) -> Self:
        """Parse a line that begins with `word`; `words` are its other words. Raises Refusal."""
        command = cls()
        command.game = game or default_game()
        if cls.second:
            if lowered(" ".join(words[:1])) != cls.second:
                raise misread("one-of", word=cut_short(" ".join(words[:1])), choice=cls.second)
            word, words = f"{word} {cls.second}", words[1:]
        shown = words
        login = cls.login_in(words)
        if login is not None:
            shown = [*words[: login + 1], MASK, *words[login + 2 :]]
            handle, password = words[login : login + 2]
            if password != MASK:  # as in stored lines
                command.login = Login(lowered(handle), SecretText(password))
            words = [*words[:login], *words[login + 2 :]]
        try:
            command._read(words)
        except Refusal as refusal:
            told = {**refusal.params, "number": command.named_board}
            raise Refusal(refusal.code, **told) from refusal
        at = cls._secret_at
        command.line = " ".join([word, *shown[:at], *(MASK for _ in shown[at:])])
        return command

    @property
    def named_board(self) -> int | None:
        board = vars(self).get("board")
        return board.number if isinstance(board, BoardRef) else None

    @property
    def sentence(self) -> str:
        """The words in the line that go to somebody else; empty if there are none."""
        return next(filter(None, (vars(self).get(name) for name in self._sentences)), "")

    def without_words(self) -> Self:
        """Return the command without the words in it that go to somebody else."""
        held = copy(self)
        held.line = self.line.removesuffix(self.sentence).rstrip()
        vars(held).update(dict.fromkeys(self._sentences))
        held.below = () if self.takes_text else self.below
        return held

    @classmethod
    def login_in(cls, words: list[str]) -> int | None:
        """Return the index of the handle if a handle and a password stand in `words`; else None."""
        at = login_at(words) if cls.takes_login else None
        return None if at and lowered(words[at]) in cls.passes_over else at

    def _read(self, words: list[str]) -> None:
        """Parse all fields. Words of a password or of a sentence are never options."""
        words = [word for word in words if lowered(word) not in self.passes_over]
        left, options = words[: self._secret_at], Options()
        if not self._sentences:
            left, options = split_options(left)
        left += words[self._secret_at :]
        for name, field in self._in_turn.items():
            setattr(self, name, field.read(left, options, self.game))
        if options:
            name, value = min(options.items())
            written = f"-{name}" if value is None else f"-{name}="
            forms: dict[str, str] = {}
            for field in self.fields.values():
                forms |= field.forms(self.game)
            near = [forms[form] for form in nearest(name, forms)]
            raise misread("option", word=cut_short(written), near=near)
        if left:
            word = MASK if self.has_secret() else cut_short(" ".join(left))
            raise misread("left-over", word=word)

    below: tuple[str, ...] = ()  # lines right below that belong to the command

    @classmethod
    def takes(cls, line: str) -> bool:  # noqa: ARG003 - for those that override it
        """Return whether a line right below belongs to the command."""
        return False

    def run(self, context: Context) -> Iterator[Event]:
        """Run the command and yield its events. If it raises Refusal, it has changed nothing."""
        raise NotImplementedError

    def pinned(self, context: Context) -> str:
        """Return the line to store until the player confirms the command.

        It names what the command would otherwise take from its mail, such as the board.
        """
        has_options = any(isinstance(field, GameOptions) for field in self.fields.values())
        return self.of_its_game(self.line) if has_options else self.line

    def of_its_game(self, line: str) -> str:
        """Return the line, with the game's name in front if this server has several games."""
        return f"{self.game.info.name} {line}" if len(games()) > 1 else line

    def on(self, board: BoardRef, line: str) -> Self | None:
        """Set the board and the line of a command that names no board yet, and return the command.

        Returns None if the command names a board, or if it is never about a board.
        """
        if vars(self).get("board", board) is not None:
            return None
        vars(self)["board"], self.line = board, line
        return self

    def question(self) -> str:
        """Return the question whether to run the command. If it is empty, the line is quoted."""
        return self.asks.format(**vars(self))

    def consequences(self, turn: Turn, player: Player) -> dict[str, Any] | None:
        """Return what to warn of in the mail that asks the player to confirm; None for no warning.

        It is data for the template of that mail.
        """
        return None

    @property
    def new_password(self) -> str | None:
        """The new password, or None. Hash it outside the transaction, and never store it."""
        return None


class BoardCommand(Command):
    """A command about one of the player's boards, named or implied by the mail."""

    board: BoardRef | None = operand(BoardKind(), optional=True)

    def pinned(self, context: Context) -> str:
        return f"{self.called} {context.own_board(self.board).id}"
