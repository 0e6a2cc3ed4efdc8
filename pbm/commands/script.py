"""What a mail asks for: its commands, its comment, or the line that went wrong."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import Any

from pbm.commands.language.declare import MASK, Command
from pbm.commands.language.logins import Login
from pbm.commands.language.words import lowered
from pbm.commands.registry import Problem, botched_move, parse_line, parse_move, whole_move
from pbm.commands.sentences.everyday import opts_out, says_no
from pbm.commands.sentences.yes_and_no import accepts, said_below, spoken
from pbm.commands.talk import is_talk
from pbm.events import Answered
from pbm.play import subjects
from pbm.rules.contract import Game
from pbm.rules.registry import default_game

MOST_COMMANDS = 20
_MOST_PLACES = 100  # below something quoted, where commands are looked for
_OPENING_LINES = 2
_MULTIPLE = "multiple"


@dataclass(frozen=True)
class Script:
    """The commands in order and the words for the others; with a problem nothing is done.

    If the last command takes a text, the words are that, and for nobody else. `said` are the
    sender's own lines as they came: they may hold what nobody is to see, such as a password.
    `guess` is the section of a question that says what was read as these commands, where they
    are only guessed: they are asked about even after a proof. `heading` is a subject that is not
    one of ours. `wish` is a line of the words below that asks us for something: it is asked about
    once the commands are done. `unplaced` are words that belong to no board for sure: they come
    back. `answer` is sent in place of doing anything.
    """

    commands: tuple[Command, ...] = ()
    comment: tuple[str, ...] = ()
    problem: Problem | None = None
    said: tuple[str, ...] = ()
    guess: Mapping[str, Any] | None = None
    heading: str = ""
    wish: "Script | None" = None
    unplaced: tuple[str, ...] = ()
    answer: Answered | None = None

    def of(self, logins: Collection[Login]) -> "Script":
        """The part that carries one of these logins; the words go with the last command."""
        own = tuple(command for command in self.commands if command.login in logins)
        last = self.commands[-1:] == own[-1:]
        return Script(own, self.comment if own and last else ())

    def without(self, logins: Collection[Login]) -> "Script":
        """The part that carries none of these."""
        left = tuple(command for command in self.commands if command.login not in logins)
        last = self.commands[-1:] == left[-1:]
        return Script(left, self.comment if last else (), self.problem)

    def without_words(self) -> "Script":
        """The commands alone, without what they say themselves; a line that went wrong is not
        quoted."""
        problem = self.problem and Problem(MASK, "held-line", {})
        return Script(tuple(item.without_words() for item in self.commands), problem=problem)

    def words_around(self, left_out: Collection[int | None]) -> tuple[str, ...]:
        """The sender's own lines without those of some indexes; where one stood between blank
        lines, one of these is left."""
        kept: list[str] = []
        for index, line in enumerate(self.said):
            doubled = index - 1 in left_out and not line.strip() and not (kept and kept[-1].strip())
            if index not in left_out and not doubled:
                kept.append(line)
        return trimmed(kept)

    @property
    def is_empty(self) -> bool:
        """Whether nothing is asked for and nothing is said."""
        return not (self.commands or self.comment or self.problem)


def read_script(
    subject: str,
    said: Sequence[str],
    *,
    in_answer: bool,
    below_quotes: Sequence[int] = (),
    game: Game | None = None,
) -> Script:
    """Read a cleaned subject and the sender's own lines.

    `in_answer`: the mail answers a board's mail, so that a bare move is a command. `game` is the
    board's, or the one that is meant where a line names none.
    `below_quotes`: the indexes of the lines that stand first below something quoted. Where the
    first line of all is none, the first of these that is a command counts.
    """
    reader = _Reader(game or default_game(), in_answer=in_answer)
    heading = "" if subjects.is_own(subject) else subject.strip()
    script = replace(reader.read_mail(subject, said), said=trimmed(said), heading=heading)
    if script.commands or script.problem:
        return script
    for index in below_quotes[:_MOST_PLACES]:
        if not reader.begins_commands(said[index]):
            continue
        later = reader.read_body(trimmed(said[index:]))
        if later.commands and not later.commands[-1].takes_text:
            words = trimmed([*said[:index], *later.comment])
            return replace(script, commands=later.commands, comment=words)
    return script


class _Reader:
    """Reads the lines of one mail, each as it is meant in a game."""

    def __init__(self, game: Game, *, in_answer: bool) -> None:
        self._game = game
        self._in_answer = in_answer

    def read_mail(self, subject: str, said: Sequence[str]) -> Script:
        """Read a subject and the lines below it."""
        body = trimmed(said)
        if subjects.is_own(subject):
            return self.read_body(body)
        if lowered(subject.strip()) == _MULTIPLE:
            return self._read_all(body)
        first = self._read_line(subject)
        if isinstance(first, Command):
            return Script((first,), body)
        script = self.read_body(body)
        if isinstance(first, Problem) and not script.commands and not script.problem:
            return Script(comment=body, problem=first)
        return script

    def read_body(self, body: tuple[str, ...]) -> Script:
        """Read lines without a subject."""
        commands: list[Command] = []
        for index, line in enumerate(body):
            if not line.strip():
                continue
            found = self._read_line(line)
            if isinstance(found, Command):
                if len(commands) == MOST_COMMANDS:
                    return _too_many(commands)
                commands.append(found)
                if found.text_follows:
                    return Script(_in_order(commands), trimmed(body[index + 1 :]))
                continue
            rest = trimmed(body[index:])
            if isinstance(found, Problem) and not commands:
                return Script(comment=trimmed(body[index + 1 :]), problem=found)
            return Script(_in_order(commands), rest)
        return Script(_in_order(commands))

    def begins_commands(self, line: str) -> bool:
        """Whether a line is a command."""
        return isinstance(self._read_line(line), Command)

    def _read_all(self, body: tuple[str, ...]) -> Script:
        """Read a mail with the subject `multiple`: every line is a command, or nothing is done."""
        commands: list[Command] = []
        for index, line in enumerate(body):
            if not line.strip():
                continue
            found = parse_line(line, self._game)
            if not isinstance(found, Command):
                return Script(problem=found or Problem(line, "not-a-command", {}))
            if len(commands) == MOST_COMMANDS:
                return _too_many(commands)
            commands.append(found)
            if found.text_follows:
                return Script(_in_order(commands), trimmed(body[index + 1 :]))
        return Script(_in_order(commands))

    def _read_line(self, line: str) -> Command | Problem | None:
        game = self._game
        bare = parse_move(line, game) if self._in_answer else None
        found = bare or parse_line(line, game)
        if bare or not self._in_answer:
            return found
        if not isinstance(found, Command):
            found = whole_move(line, game) or botched_move(line, game) or found
        return None if found and is_talk(line, found) else found


def confirmation(
    said: Sequence[str], *, clearly: bool = False, leaving: bool = False
) -> tuple[bool | None, tuple[str, ...]]:
    """Read the answer to a question: True for a yes, False for a no, None for what is neither or
    may be either.

    A yes before a command in the same line may mean either. `clearly`: it counts only where the
    line says nothing else, in words that mean nothing else; `leaving`: it was asked whether
    somebody wants to leave for good.
    The second value is what stands below the answer.
    """
    body = trimmed(said)
    found = spoken(body, leaving=leaving)
    unclear = found.answer and (not found.clear if clearly else bool(parse_line(found.rest)))
    if found.answer is None or unclear:
        return None, body
    return found.answer, body[found.lines :]


def begins_answer(said: Sequence[str]) -> bool:
    """Whether it begins as a yes or a no does, be it one or not."""
    return spoken(trimmed(said)).begins


def behind_answer(said: Sequence[str]) -> tuple[str, ...]:
    """What is said besides a yes or a no, in its line and below."""
    body = trimmed(said)
    found = spoken(body)
    return trimmed((found.rest, *body[found.lines :]))


def answer_to_welcome(said: Sequence[str]) -> tuple[bool | None, tuple[str, ...]]:
    """Read the answer to the question whether somebody wants to play here.

    Whatever may be a no, or a wish for no more mail, is a no; below a yes it is neither.
    """
    body = trimmed(said)
    found = spoken(body)
    if found.answer:
        below = body[found.lines :]
        return (None, body) if any(map(says_no, said_below(below))) else (True, below)
    return (False, body[1:]) if says_no(_opening(body)) else (None, body)


def wants_no_mail(subject: str, said: Sequence[str]) -> bool:
    """Whether a cleaned subject, or the sender's own words, begin with the wish for no mail."""
    body = trimmed(said)
    by_subject = opts_out(subject) and not subjects.is_own(subject)
    return by_subject or opts_out(_opening(body))


def _opening(body: Sequence[str]) -> str:
    """The first lines that say something: the first of all may only be a greeting."""
    return "\n".join(islice((line for line in body if line.strip()), _OPENING_LINES))


def is_bare_yes(script: Script) -> bool:
    """Whether a mail says yes and nothing else, which only the answer to a question may."""
    alone = not script.commands and len(script.comment) == 1
    return alone and (spoken(script.comment).clear or accepts(script.comment[0]))


def is_bare_no(script: Script) -> bool:
    """Whether a mail says no and nothing else; the wish for no more mail is no such no."""
    alone = not script.commands and len(script.comment) == 1 and not opts_out(script.comment[0])
    found = spoken(script.comment)
    return alone and found.answer is False and not found.rest


def _in_order(commands: list[Command]) -> tuple[Command, ...]:
    """As written, but for those that come after a move in the same mail, or take the rest of it."""
    return tuple(sorted(commands, key=lambda item: (item.takes_text, item.comes_last)))


def _too_many(commands: list[Command]) -> Script:
    line = commands[0].line  # as the other lines of commands, it may hold a secret
    return Script(problem=Problem(line, "too-many-commands", {"most": MOST_COMMANDS}))


def trimmed(lines: Sequence[str]) -> tuple[str, ...]:
    """The lines without blank ones at both ends."""
    start, end = 0, len(lines)
    while start < end and not lines[start].strip():
        start += 1
    while start < end and not lines[end - 1].strip():
        end -= 1
    return tuple(lines[start:end])
