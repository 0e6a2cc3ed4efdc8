"""All commands, and the parser of command lines."""

import re
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

from pbm.commands.families import (
    account,
    agree,
    away,
    control,
    help,
    lobby,
    look,
    plan,
    play,
    records,
    seeks,
    settings,
    status,
    submit,
    talk,
    watch,
)
from pbm.commands.families.play import PlayMove
from pbm.commands.language.around_moves import undressed, with_signs
from pbm.commands.language.declare import MASK, Command
from pbm.commands.language.words import BoardKind, cut_short, lowered, misread
from pbm.commands.sentences.moves_inside import moves_inside
from pbm.errors import Refusal
from pbm.mail.reading.charsets import fold_typography
from pbm.nearest import nearest
from pbm.play import game_words
from pbm.rules.contract import Game
from pbm.rules.registry import default_game, games

_FAMILIES = (  # in the order of the help pages
    *(help, account, lobby, seeks, settings, control, look, play, submit, plan, talk, agree),
    *(status, away, records, watch),
)
COMMANDS: tuple[type[Command], ...] = tuple(
    item
    for family in _FAMILIES
    for item in vars(family).values()
    if isinstance(item, type) and issubclass(item, Command) and item.words
    if item.__module__ == family.__name__
)
COMMAND_WORDS = frozenset(word for command in COMMANDS for word in command.words)
_BY_WORD = {word: [item for item in COMMANDS if word in item.words] for word in COMMAND_WORDS}
_LONGEST_LINE = 400  # characters, but for words to somebody behind a command
TALK_WORDS = frozenset(word for item in COMMANDS if item.group == "talk" for word in item.words)
# Reasons of syntax errors that show a command rather than plain words.
_NO_PLAIN_WORDS = frozenset("option option-value no-such-value address-in-team rounds".split())
_ALIKE = 0.75  # stricter than elsewhere: plain words are compared, too
_OF_ALL_GAMES = ["all", look.Show.words[0]]  # as older servers had it, in place of a game's name
# A board's number, perhaps with a ply, and the rest.
_NUMBERED_LINE = re.compile(r"(\d{1,9}(?:#\d{1,5})?)(?: ?: ?| )(\S.*)", re.ASCII)
_LISTED = (look.Games, records.ListPlayers, seeks.ListSeeks, records.Standings)
_LISTS = frozenset(word for command in _LISTED for word in command.words)
_OWN_GAMES = re.compile(
    "(?:(?:show|list) )?(?:me )?(?:all|my|all my|all the|all of my) (?:boards|games)[.!?]?",
    re.IGNORECASE,
)
_NEAR_MANY = 4  # letters
_SHORT = 2  # words at most in a short form


@dataclass(frozen=True)
class Problem:
    """A line that was meant as a command but cannot be parsed."""

    line: str
    code: str  # names the refusal that tells the player why; `params` fill it
    params: dict[str, Any]
    nearest: str | None = None  # the line, corrected
    example: str | None = None  # any correct line
    about_board: bool = True  # the answer shows the mail's board


def parse_line(line: str, game: Game | None = None) -> Command | Problem | None:
    """Parse a line. Returns None if it is no command, and a Problem if it is a faulty one."""
    words, named = _words(line)
    game = named or game or default_game()
    if not words or (len(line) > _LONGEST_LINE and lowered(words[0]) not in TALK_WORDS):
        return None
    found = list(_candidates(words))
    if not found:
        return _for_a_board(words, game) or _perhaps_meant(words, game)
    if len(found) > 1 and all(command.second for command in found):
        word, seconds = " ".join(words[1:2]), [command.second for command in found]
        told = {"choice": "|".join(seconds), "near": nearest(word, seconds)}
        return _problem(found, words, misread("one-of", word=cut_short(word), **told), game)
    problem: Problem | None = None
    for command in found:
        try:
            return command.parse(lowered(words[0]), words[1:], game)
        except Refusal as refusal:
            problem = _problem([command], words, refusal, game)
    if not any(name.startswith(lowered(words[0])) for command in found for name in command.words):
        return _perhaps_meant(words, game)  # "prevent" only begins like a command
    return problem


def read_commands(lines: Iterable[str]) -> tuple[Command, ...]:
    """Parse lines that we stored or wrote, leaving out lines that no longer parse."""
    return tuple(item for item in map(parse_line, lines) if isinstance(item, Command))


def parse_move(line: str, game: Game | None = None) -> PlayMove | None:
    """Parse a line that is a move and nothing else, without the word `move`."""
    game, text = game or default_game(), fold_typography(line)
    if len(line) > _LONGEST_LINE or not game_words.is_bare_move(text, game):
        return None
    return PlayMove.bare(text, " ".join(line.split()), game)


def whole_move(line: str, game: Game | None = None) -> PlayMove | None:
    """Parse a move, or a `move` command without a password. Returns None for other lines."""
    game = game or default_game()
    if len(line) > _LONGEST_LINE:
        return None
    plain = fold_typography(line)
    for text in dict.fromkeys((plain, undressed(plain))):
        if game_words.is_bare_move(text, game):
            return PlayMove.bare(text, " ".join(line.split()), game)
        words, named = _words(text)
        if words and lowered(words[0]) in PlayMove.words:
            with suppress(Refusal):
                command = PlayMove.parse(lowered(words[0]), words[1:], named or game)
                if not command.login:
                    return command
    return None


def line_for_a_board(line: str, game: Game) -> Command | None:
    """Parse a line with a board's number first, such as "12 resign"; None for other lines."""
    return None if len(line) > _LONGEST_LINE else _for_a_board(fold_typography(line).split(), game)


def nearly_move(line: str, game: Game) -> str | None:
    """Return the move in a line that is surely a move in unusual notation; None for other lines."""
    if len(line) > _LONGEST_LINE:
        return None
    text = undressed(fold_typography(line))
    first, _, rest = text.partition(" ")
    if lowered(first) in PlayMove.words:
        text = undressed(rest)
    text = with_signs(text)
    return text if game_words.is_nearly_move(text, game) else None


def _for_a_board(words: list[str], game: Game) -> Command | None:
    line = " ".join(words)
    found = _NUMBERED_LINE.fullmatch(line)
    if not found:
        return None
    board, written = BoardKind().read([found[1]]), found[2]
    plain = undressed(written, numbered=False)
    is_move = game_words.is_any_bare_move(plain) or game_words.is_nearly_move(
        with_signs(plain), game
    )
    is_place = game_words.mentions_place(plain) and " " not in plain
    if is_move or is_place or botched_move(plain, game):
        return PlayMove.on_board(
            board, plain if game_words.may_be_move(plain) else written, line, game
        )
    command = parse_line(written, game) if not written[0].isdigit() else None
    if not isinstance(command, Command) or command.login:
        return None
    return command.on(board, line)


def botched_move(line: str, game: Game) -> Problem | None:
    """Return what is wrong with a move to or from a place off the board; None for other lines."""
    if len(line) > _LONGEST_LINE:
        return None
    plain = " ".join(fold_typography(line).split())
    try:
        game_words.check_place(plain, game)
    except Refusal as refusal:
        return Problem(plain, refusal.code, refusal.params)
    return None


def find_command(word: str) -> type[Command] | None:
    return next(_candidates([word]), None)


def begun_by(line: str) -> list[type[Command]]:
    """Return the commands that the first word of a line may stand for; it may be mistyped."""
    words, _ = _words(line)
    if not words or len(line) > _LONGEST_LINE:
        return []
    found = list(_candidates(words))
    alike = [] if found else _alike(lowered(words[0]))
    return found or [item for word in alike for item in _candidates([word, *words[1:]])]


def _words(line: str) -> tuple[list[str], Game | None]:
    """Return the words of a line, and the game that it names at its beginning or None."""
    words = [word for word in fold_typography(line).split() if word != "**"]
    if words and lowered(words[0]) == "pbm":
        words = words[1:]
    if words and words[0].endswith(":") and lowered(words[0][:-1]) in TALK_WORDS:
        words[:1] = [words[0][:-1], ":"]
    if [lowered(word) for word in words[:2]] == _OF_ALL_GAMES:
        words = words[1:]
    if len(words) > 1 and lowered(words[0]) in games():
        return _in_full(words[1:]), games()[lowered(words[0])]
    return _in_full(words), None


def _in_full(words: list[str]) -> list[str]:
    """Return the usual form: `set weekend off` for `weekend off`, `seeks` for `list seeks`."""
    first, second = (lowered(word) for word in (*words, "", "")[:2])
    if len(words) == _SHORT and first in settings.SWITCHES and second in ("on", "off"):
        return [settings.Set.words[0], *words]
    if first == "list" and second in _LISTS:
        return words[1:]
    if _OWN_GAMES.fullmatch(" ".join(words)):
        return [look.Games.words[0]]
    return words


def _candidates(words: list[str]) -> Iterator[type[Command]]:
    """Yield the commands to try on a line. If all fail, the error of the last is shown."""
    word, second = lowered(words[0]), lowered(words[1]) if len(words) > 1 else ""
    begun = _BY_WORD.get(word)
    if begun is None:
        has_prefix = (item for item in COMMANDS if item.prefix and word.startswith(item.prefix))
        begun = list(has_prefix) if word.isascii() else []
    if any(other[0].isalnum() for other in words[1:]):
        begun = [command for command in begun if not command.stands_alone]
    begun = [item for item in begun if second == item.second or not item.needs_second]
    seconds = {command.second for command in begun}
    if len(words) <= _SHORT:
        yield from (command for command in begun if word in command.short)
    for command in begun:
        other = command.second not in ("", second) and second in seconds
        if word not in command.short and not other:
            yield command


def _problem(
    found: Sequence[type[Command]], words: list[str], refusal: Refusal, game: Game
) -> Problem:
    secretive = next((command for command in found if command.has_secret()), found[0])
    usage = " or ".join(command.usage(game) for command in found)
    told = {"usage": usage, "command": found[0].words[0]}
    params = {"game": game.info.name, **refusal.params, **told}
    return Problem(
        _masked(secretive, words),
        refusal.code,
        params,
        example=next(iter(found[0].examples_of(game)), None),
        about_board=params.get("reason") not in _NO_PLAIN_WORDS or found[0].about_board,
    )


def _masked(command: type[Command], words: Iterable[str]) -> str:
    shown = list(words)
    login = command.login_in(shown[1:])
    if login is not None:
        shown[login + 2] = MASK
    if command.has_secret():
        shown[2:] = [MASK for _ in shown[2:]]
    return " ".join(shown)


def _perhaps_meant(words: list[str], game: Game) -> Problem | None:
    """Return what is wrong with a mistyped command or move; None for plain words."""
    line = " ".join(words)
    alike = _alike(lowered(words[0]))
    for command in _candidates([alike[0], *words[1:]]) if alike else ():
        try:
            meant = command.parse(command.words[0], words[1:], game)
            if command.group == "talk" and len(alike[0]) <= _NEAR_MANY and not meant.named_board:
                continue  # "What", "not" and "mate" begin talk
            instead = meant.line
        except Refusal:
            if not command.has_secret():
                continue
            instead = command.examples_of(game)[0]
        return Problem(_masked(command, words), "unknown-command", {}, instead)
    move = undressed(line)
    if game_words.is_bare_move(move, game):
        return Problem(line, "bare-move", {"move": move})
    is_nearly = nearly_move(line, game) is not None
    if not is_nearly and not game_words.mentions_place(line):
        return None
    if (botched := botched_move(move, game)) is not None:
        return replace(botched, line=line)
    if is_nearly or moves_inside(line, game):
        told = {"word": line, "game": game.info.name}
        example = next(iter(PlayMove.examples_of(game)), None)
        return Problem(line, "unclear-move", told, example=example)
    return None


@lru_cache(maxsize=1024)  # words of 400 characters at most; few different ones begin lines
def _alike(word: str) -> list[str]:
    """Return the most similar command word; an empty list if none is similar."""
    return nearest(word, sorted(COMMAND_WORDS), most=1, alike=_ALIKE)
