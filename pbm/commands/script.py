"""Parses a whole mail into commands and a comment, or into a problem."""

import re
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import islice, pairwise, takewhile

from pbm.commands.families.plan import MakePlan
from pbm.commands.families.play import PlayMove, Preview
from pbm.commands.language.arguments import Opponents
from pbm.commands.language.around_moves import PHRASES
from pbm.commands.language.declare import MASK, Command, Operand
from pbm.commands.language.plan_lines import begins_plan, is_returned
from pbm.commands.language.words import Handle, Login, lowered
from pbm.commands.registry import (
    TALK_WORDS,
    Problem,
    begun_by,
    botched_move,
    parse_line,
    parse_move,
    whole_move,
)
from pbm.commands.sentences.agreeing import LONGEST_YES, WELCOME, Asked, agrees
from pbm.commands.sentences.answers import opts_out, says_no, says_only_yes, spoken
from pbm.commands.sentences.clauses import SENTENCE_WORDS, words_of
from pbm.play import subjects
from pbm.play.game_words import mentions_place
from pbm.play.limits import MOST_COMMANDS, PLAN_LINES
from pbm.rules.contract import Game
from pbm.rules.registry import default_game

_MOST_PLACES = 100  # lines right below quotations that are searched for commands
# Of a move, where a line may break; "=" is left of a break in a mail that was not decoded.
_SIGNS = "-\u2010\u2011\u2012\u2013\u2014\u2212,;>→=~_/|"
_LINES_READ = 200  # of one mail
_OPENING_LINES = 2
_ENDS = (".", "!", "?", ":", ",")  # of a line, below which others begin anew
_NO_BELOW = 4  # lines below a yes that may contradict it
_MULTIPLE = "multiple"
_FEWEST_WORDS = 3  # of a sentence; shorter lines are mistyped commands
_TO_YOU, _WORDS, _OURS, _BEGINNINGS, _WHOLE = SENTENCE_WORDS.values()
# A number, an option, an address, a ply, two partners.
_EXACT = re.compile(r"\d|[@#=+*]|(?:^|\s)[-\u2013\u2014]{1,2}\w")
_PLAYS = (PlayMove, Preview)  # "move the left one up" can only be a command
_Read = Callable[[str], Command | Problem | None]


@dataclass(frozen=True)
class Script:
    """All that one mail asks for. If it has a `problem`, no command runs."""

    commands: tuple[Command, ...] = ()
    comment: tuple[str, ...] = ()  # for other players, or the text that the last command takes
    problem: Problem | None = None
    apart: tuple[Command, ...] = ()  # commands with words of their own, among the comment
    said: tuple[str, ...] = ()  # the sender's lines, which may hold a password
    heading: str = ""  # the subject, if the sender wrote it

    def without(self, logins: Collection[Login | None]) -> "Script":
        left = tuple(command for command in self.commands if command.login not in logins)
        return Script(left, self.comment if left[-1:] == self.commands[-1:] else (), self.problem)

    def without_words(self) -> "Script":
        """Return the script without the sender's own words: no comment, no sentences."""
        problem = self.problem and Problem(MASK, "held-line", {})
        return Script(tuple(item.without_words() for item in self.commands), problem=problem)

    @property
    def all_commands(self) -> tuple[Command, ...]:
        return (*self.commands, *self.apart)

    @property
    def is_empty(self) -> bool:
        return not (self.commands or self.comment or self.problem)


def read_script(
    subject: str,
    said: Sequence[str],
    *,
    in_answer: bool,
    below_quotes: Sequence[int] = (),
    game: Game | None = None,
) -> Script:
    """Parse a mail: its subject, without "Re:" and the like, and the lines that the sender wrote.

    `in_answer` says that the mail answers a mail with a board; a move alone is a command then.
    `below_quotes` are the indexes of the lines right below quotations. Commands there count only if
    the mail has no other commands.
    """
    game = game or default_game()
    read = partial(_read_line, game=game, in_answer=in_answer)
    apart, kept = _words_apart(said, read)
    places = {at: place for place, at in enumerate(kept)}
    below_quotes = [places[at] for at in below_quotes if at in places]
    said = [said[at] for at in kept]
    joined, below, parts = _with_moves_joined(said, below_quotes)
    script = _read_joined(subject, joined, below, read, game)
    comment = script.comment
    if parts:
        comment = tuple(part for line in comment for part in parts.get(line, (line,)))
    # Lines of a plan that come back from one of our mails are nobody else's to read.
    if "|" in "".join(comment):
        barred = [at for at, line in enumerate(comment) if line.lstrip().startswith("|")]
        returned = {at for at in barred[:_LINES_READ] if is_returned(comment[at])}
        returned.update(barred[_LINES_READ:])
        comment = trimmed([line for at, line in enumerate(comment) if at not in returned])
    if len(script.commands) + len(apart) > MOST_COMMANDS:
        return Script(problem=Problem("", "too-many-commands", {"most": MOST_COMMANDS}))
    if comment or script.problem:
        return replace(script, comment=comment, apart=apart)
    return replace(script, comment=comment, commands=(*script.commands, *apart))


def _words_apart(said: Sequence[str], read: _Read) -> tuple[tuple[Command, ...], Sequence[int]]:
    """Return the commands with words of their own, such as "chat 14 Hello".

    Returns the indexes of the other lines, too.
    """
    found: dict[int, Command] = {}
    for at, line in enumerate(said[:_LINES_READ]):
        if TALK_WORDS.isdisjoint(map(lowered, line.split(maxsplit=3)[:3])):
            continue
        command = read(line)
        if isinstance(command, Command) and command.begins_words:
            above = said[at - 1].rstrip() if at else ""
            if command.named_board or not above or above.endswith(_ENDS) or at - 1 in found:
                found[at] = command
    taken = set[int]()
    for at, end in pairwise([*found, len(said)]):
        command, lines = found[at], tuple(said[at + 1 : end])
        if command.sentence and command.named_board and not command.keeps_lines:
            own = takewhile(lambda it: it.strip() and not isinstance(read(it), Command), lines)
            lines = tuple(own)
        command.below = trimmed(lines)
        taken.update(range(at, at + 1 + len(lines)))
    return tuple(found.values()), _kept(said, taken) if found else range(len(said))


def _read_joined(
    subject: str, said: Sequence[str], below_quotes: Sequence[int], read: _Read, game: Game
) -> Script:
    heading = "" if not subject or subjects.is_own(subject) else subject.strip()
    script = replace(_read_mail(heading, said, read, game), said=trimmed(said), heading=heading)
    if script.commands or script.problem:
        return script
    for index in below_quotes[:_MOST_PLACES]:
        if not isinstance(read(said[index]), Command):
            continue
        later = _read_body(trimmed(said[index:]), read)
        if later.commands and not later.commands[-1].takes_text:
            words = trimmed([*said[:index], *later.comment])
            return replace(script, commands=later.commands, comment=words)
    return script


def _with_moves_joined(
    said: Sequence[str], below_quotes: Sequence[int]
) -> tuple[Sequence[str], Sequence[int], Mapping[str, Sequence[str]]]:
    """Return the lines with moves joined that a mail program broke; no rest may read as a move.

    Returns the new indexes of the lines below quotations, too, and the parts of joined lines.

    >>> _with_moves_joined(["K and Q,", "that is all"], [1])
    (['K and Q,', 'that is all'], [1], {})
    """
    lines = [at for at, line in enumerate(said[:_LINES_READ]) if line.strip()]
    broken = {
        between
        for above, below in pairwise(lines)
        if below not in below_quotes and _is_broken(said[above].split(), said[below].split())
        for between in range(above + 1, below + 1)
    }
    if not broken:
        return said, below_quotes, {}
    joined: list[str] = []
    parts: dict[str, list[str]] = {}
    for at, line in enumerate(said):
        if at not in broken:
            joined.append(line)
        elif line.strip():
            above = parts.get(joined[-1], [joined[-1]])
            joined[-1] = f"{joined[-1].rstrip()} {line.lstrip()}"
            parts[joined[-1]] = [*above, line]
    below = [at - sum(it < at for it in broken) for at in below_quotes if at not in broken]
    return joined, below, parts


def _is_broken(above: list[str], below: list[str]) -> bool:
    """Return whether a sign of a move stands at the break between two lines, and places around."""
    last, first = above[-1], below[0]
    is_between = last.casefold() in PHRASES["to"] or not last.strip(_SIGNS)
    before = above[-2] if is_between and len(above) > 1 else last.rstrip(_SIGNS)
    after = below[1] if not first.strip(_SIGNS) and len(below) > 1 else first.lstrip(_SIGNS)
    if not (is_between or before != last or after != first):
        return False
    lists = last.endswith(",") and len(above) > 1 and "-" not in before  # "I like K,"
    return not lists and mentions_place(before) and mentions_place(after)


def _read_mail(heading: str, said: Sequence[str], read: _Read, game: Game) -> Script:
    body = trimmed(said)
    if not heading:
        return _read_body(body, read)
    if lowered(heading) == _MULTIPLE:
        return _read_body(body, partial(parse_line, game=game), only_commands=True)
    first = read(heading)
    if isinstance(first, Command):
        return Script((first,), trimmed(body[_take_lines(first, body) :]))
    script = _read_body(body, read)
    if isinstance(first, Problem) and not script.commands and not script.problem:
        return Script(comment=body, problem=first)
    return script


def _read_body(body: tuple[str, ...], read: _Read, *, only_commands: bool = False) -> Script:
    """Parse the text of a mail. With `only_commands`, other lines are problems, not a comment."""
    commands: list[Command] = []
    comment: tuple[str, ...] = ()
    taken = 0  # lines that belong to commands above
    for index, line in enumerate(body):
        if index < taken or not line.strip():
            continue
        found = read(line)
        if isinstance(found, Command):
            if len(commands) == MOST_COMMANDS:
                line = commands[0].line  # as the other lines of commands, it may hold a secret
                most = {"most": MOST_COMMANDS}
                return Script(problem=Problem(line, "too-many-commands", most))
            commands.append(found)
            taken = index + 1 + _take_lines(found, body[index + 1 :])
            if found.takes_text and (found.keeps_lines or not found.sentence):  # its text is below
                comment = trimmed(body[index + 1 :])
                break
        elif only_commands:
            return Script(problem=found or Problem(line, "not-a-command", {}))
        elif found and not commands:
            return Script(comment=trimmed(body[index + 1 :]), problem=found)
        else:
            comment = trimmed(body[index:])
            break
    if not (commands and commands[-1].takes_text):
        comment = _take_plan(commands, comment, read)
    commands.sort(key=lambda item: (item.takes_text, item.comes_last))
    return Script(tuple(commands), comment)


def _take_plan(commands: list[Command], lines: tuple[str, ...], read: _Read) -> tuple[str, ...]:
    """Add the plan whose lines stand among a sender's words to commands; return the other words."""
    at = [index for index, line in enumerate(lines[:_LINES_READ]) if begins_plan(line)]
    at = at[: PLAN_LINES + 1]  # with more lines the plan is refused
    found = {index: command for index in at if isinstance(command := read(lines[index]), MakePlan)}
    if not found:
        return lines
    written = [lines[index] for index in found]
    plan = next((item for item in commands if isinstance(item, MakePlan)), None)
    if plan is None:
        plan = next(iter(found.values()))
        commands.append(plan)
        del written[0]
    plan.below += tuple(written)
    return trimmed([line for index, line in enumerate(lines) if index not in found])


def _take_lines(command: Command, below: Sequence[str]) -> int:
    """Give a command the lines right below that belong to it; return how many these are."""
    if not command.takes_lines:
        return 0
    near = below[: 2 * (PLAN_LINES + 1)]  # with more lines the plan is refused
    lines = tuple(takewhile(lambda line: not line.strip() or command.takes(line), near))
    command.below = tuple(filter(str.strip, lines))
    return len(lines)


def _read_line(line: str, game: Game, in_answer: bool) -> Command | Problem | None:
    if not in_answer:
        return parse_line(line, game)
    plan = MakePlan.bare(line, game) if begins_plan(line) else None
    found = parse_move(line, game) or plan or parse_line(line, game)
    if not isinstance(found, Command):
        found = whole_move(line, game) or botched_move(line, game) or found
    return None if found and _is_talk(line, found) else found


def _is_talk(line: str, found: Command | Problem) -> bool:
    """Return whether a line, parsed as `found`, is rather a sentence for the other players.

    In a reply to a board, "Draw your own conclusions" goes to the others, "move left" does not. A
    line is a sentence only if it has words from `languages/sentences.txt`. It must have nothing
    that may be a password, and nothing like an argument of a command: no number, option or address.
    """
    if isinstance(found, Command) and found.takes_text and not found.named_board:
        words = words_of(line)
        return any(" ".join(words[:count]) in _BEGINNINGS for count in (2, 3))
    if isinstance(found, Command) and not found.reads_only:
        return False
    if isinstance(found, Problem) and (found.code == "unclear-move" or found.params.get("near")):
        return False
    line = " ".join(word for word in line.split() if not mentions_place(word))
    words = words_of(line)
    if _EXACT.search(line) or not words:
        return False
    if isinstance(found, Problem) and found.code == "unknown-command" and words[0] in _WORDS:
        return True  # "How" is no "show"
    if len(words) < _FEWEST_WORDS:
        return " ".join(words) in _WHOLE
    meant = begun_by(line)
    if not meant or any(command.has_secret() for command in meant):
        return False
    return _is_sentence(words, meant)


def _is_sentence(words: Sequence[str], meant: Sequence[type[Command]]) -> bool:
    if any(" ".join(words[:count]) in _BEGINNINGS for count in (2, 3)):
        return not _OURS.intersection(words[3:])
    about_board = words[0] == "board"  # without a number it is an ordinary word
    if _OURS.intersection(words[1:]) and not about_board:
        return False
    if _TO_YOU.intersection(words[1:]):
        return True
    is_possible = about_board or all(map(_names_something, meant))
    return is_possible and not _WORDS.isdisjoint(words[1:])


def _names_something(command: type[Command]) -> bool:
    """Return whether a command must have an argument that says what it is about."""
    operands = [field for field in command.fields.values() if isinstance(field, Operand)]
    if command in _PLAYS or any(isinstance(field.kind, Handle | Opponents) for field in operands):
        return False
    return any(not field.optional for field in operands)


def confirmation(
    said: Sequence[str], asked: Asked, *, with_commands: bool = False
) -> tuple[bool | None, tuple[str, ...]]:
    """Return the answer to a yes-or-no question, and the lines below it.

    The answer is True for yes, False for no, and None if it is unclear. If it is unclear, all lines
    are returned. With `with_commands`, lines of commands may follow a yes.
    """
    body = trimmed(said)
    answer, below = _divided(body) if with_commands else (body, ())
    if agrees(answer, asked):
        return True, below
    found = spoken(body)
    return (False, body[found.lines :]) if found.no else (None, body)


def _divided(body: tuple[str, ...]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Divide a text above its first line that is a command, unless what is above is no yes."""
    length = 0
    for at, line in enumerate(body):
        if at and line and _is_command(line):
            return trimmed(body[:at]), body[at:]
        length += len(line.strip())
        if length > LONGEST_YES:
            break
    return body, ()


def _is_command(line: str) -> bool:
    """Return whether a line is a command, or one that is mistyped, and no answer."""
    found = parse_line(line)
    mistyped = isinstance(found, Problem) and bool(found.nearest)
    like_one = isinstance(found, Command) or mistyped
    return like_one and not spoken((line,)).begins and not says_no(line)


def begins_answer(said: Sequence[str]) -> bool:
    return spoken(trimmed(said)).begins


def behind_no(said: Sequence[str]) -> tuple[str, ...]:
    """Return what follows a no: the remainder of its line, and the lines below."""
    body = trimmed(said)
    found = spoken(body)
    return trimmed((found.rest, *body[found.lines :]))


def answer_to_welcome(
    said: Sequence[str], asked: Asked = WELCOME
) -> tuple[bool | None, tuple[str, ...]]:
    """Parse an answer to a welcome, and return the same as `confirmation`.

    It takes more words for a no: those that perhaps mean no count as a no, too.
    """
    body = trimmed(said)
    yes, below = confirmation(body, asked, with_commands=True)
    if yes:  # what may be another no is not run
        no = any(map(says_no, islice(filter(str.strip, below), _NO_BELOW)))
        return (None, body) if no else (True, below)
    return (False, body[1:]) if says_no(_opening(body)) else (None, body)


def wants_no_mail(subject: str, said: Sequence[str]) -> bool:
    body = trimmed(said)
    by_subject = opts_out(subject) and not subjects.is_own(subject)
    return by_subject or opts_out(_opening(body))


def _opening(body: Sequence[str]) -> str:
    """Return the first two nonblank lines, as the first may be only a greeting."""
    return "\n".join(islice((line for line in body if line.strip()), _OPENING_LINES))


def is_bare_yes(script: Script) -> bool:
    return not script.commands and len(script.comment) == 1 and says_only_yes(script.comment[0])


def is_bare_no(script: Script) -> bool:
    """Return whether a mail only says no. Asking for no more mail does not count."""
    alone = not script.commands and len(script.comment) == 1 and not opts_out(script.comment[0])
    found = spoken(script.comment)
    return alone and found.no and not found.rest


def without_lines(lines: Sequence[str], left_out: Collection[int | None]) -> tuple[str, ...]:
    return tuple(lines[index] for index in _kept(lines, left_out))


def _kept(lines: Sequence[str], left_out: Collection[int | None]) -> list[int]:
    """Return the indexes of lines without `left_out`, and without blank lines that it leaves."""
    kept: list[int] = []
    for index, line in enumerate(lines):
        doubled = (
            index - 1 in left_out and not line.strip() and not (kept and lines[kept[-1]].strip())
        )
        if index not in left_out and not doubled:
            kept.append(index)
    said = [index for index in kept if lines[index].strip()]
    return [index for index in kept if said and said[0] <= index <= said[-1]]


def trimmed(lines: Sequence[str]) -> tuple[str, ...]:
    """Return the lines without leading and trailing blank lines."""
    kept = [index for index, line in enumerate(lines) if line.strip()]
    return tuple(lines[kept[0] : kept[-1] + 1]) if kept else ()
