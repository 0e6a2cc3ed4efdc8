"""Runs what a player's mail means: each command in a savepoint, and refusals become answers."""

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from hashlib import sha256
from typing import Any, TypeGuard

from pbm.commands.families.status import card
from pbm.commands.language.context import Context
from pbm.commands.language.declare import Command
from pbm.commands.language.words import lowered
from pbm.commands.registry import Problem, nearly_move, whole_move
from pbm.commands.sentences.asked import Aim
from pbm.commands.sentences.moves_inside import moves_inside
from pbm.commands.turn import Postage
from pbm.errors import Refusal
from pbm.events import (
    AddressWanted,
    Answered,
    BoardEvent,
    CalledOff,
    Commented,
    Event,
    Invited,
    MovePlayed,
    NeedsConfirmation,
    Proposed,
    on_boards,
)
from pbm.play.advance import play_on
from pbm.play.boards import check_move
from pbm.play.limits import NEWS, SAME_WORDS, SAME_WORDS_NOTICES, has_said_no, take_unasked_mail
from pbm.play.offers import ENDS
from pbm.play.talk import check_open
from pbm.service.asking.challenges import record_invited
from pbm.service.asking.questions import record_wanted
from pbm.service.telling.announce import may_answer, others_reading
from pbm.service.understanding.mail_turn import Reading
from pbm.service.understanding.wishes import vacation_line

_LINES_READ = 24  # lines of an unsent comment that are searched for a move
_WITHOUT_A_BOARD = ("seeking", "unseek", "blocks", "invitation-off", "plan")  # told to one alone
_REFUSAL = "refusal"
_PERHAPS_WORDS = ("unclear-move", "no-such-place")


class _Rehearsed(Exception):  # noqa: N818 - not an error: it only undoes the savepoint
    """Raised to undo a rehearsal's savepoint."""


@dataclass(frozen=True)
class Rehearsal:
    lines: tuple[str, ...]  # of all commands, with board and ply
    refusals: tuple[Answered, ...]
    board_id: int | None
    fit: tuple[tuple[Command, str], ...] = ()  # commands not refused, with their lines
    comment: tuple[str, ...] = ()  # empty if a refusal quotes it
    submitted: tuple[NeedsConfirmation, ...] = ()  # moves


def run_script(context: Context, meant: Reading) -> list[Event]:
    """Run what a mail means; return all events, including refusals and comments."""
    run = _Run(context, meant)
    for command in meant.commands:
        run.next(command)
    happened = run.happened
    for index, words in meant.between.items():
        if words and happened[index]:
            happened[index] += _with_words(context, words, happened[index])
    if meant.comment and not meant.problem and not run.takes_text:
        happened.append(_place_comment(context, meant, happened))
    if meant.unplaced:
        happened.append([Answered("unplaced", {"comment": list(meant.unplaced)})])
    # What is planned waits for the whole mail: an offer in it stops a plan, which goes on after it.
    for number in sorted({it.board_id for it in run.events if isinstance(it, (MovePlayed, *ENDS))}):
        happened.append(play_on(context.work, context.work.boards.get(number), context.now))
    events = _with_begun(run.events, context.player_id)
    said = [item for item in events if isinstance(item, BoardEvent) and item.counts_as_words]
    for number in {item.board_id for item in said}:
        context.work.boards.note_answered(number, context.player_id)
    return events


def _with_begun(events: Sequence[Event], player_id: int) -> list[Event]:
    """Return events whose echoes of plans tell if the plan has played a move already."""
    moves = [it for it in events if isinstance(it, MovePlayed) and it.planned]
    begun = {it.board_id for it in moves if it.player == player_id}
    return [
        replace(it, params={**it.params, "begun": it.board_id in begun})
        if isinstance(it, Answered) and it.section == "plan"
        else it
        for it in events
    ]


def rehearse(context: Context, meant: Reading) -> Rehearsal:
    """Run what a mail means and roll it back, to learn which commands would be refused."""
    lines: list[str] = []
    # A fresh `Postage`, since commands that are rolled back cost none.
    run = _Run(replace(context, turn=replace(context.turn, postage=Postage())), meant)
    with suppress(_Rehearsed), context.work.savepoint():
        for command in meant.commands:
            lines.append(_pinned(run.seen_by(command), command))
            run.next(command)
        raise _Rehearsed
    events, comment = run.events, meant.comment
    refusals = [event for event in events if is_refusal(event)]
    tried = zip(meant.commands, lines, run.happened, strict=True)
    fit = tuple(
        (command, next((event.line for event in _submitted(came)), line))
        for command, line, came in tried
        if not any(map(is_refusal, came))
    )
    if comment and refusals and not any(command.takes_text for command, _ in fit):
        refusals[-1], comment = giving_back(refusals[-1], comment), ()
    # Boards that the rehearsal started are rolled back.
    started = {event.board_id for event in on_boards(events) if event.begins_board}
    stay = [event.acted_on for event in events if event.acted_on not in (None, *started)]
    number = stay[-1] if stay else context.own_hint
    return Rehearsal(tuple(lines), tuple(refusals), number, fit, comment, _submitted(events))


def _submitted(events: Sequence[Event]) -> tuple[NeedsConfirmation, ...]:
    return tuple(event for event in events if isinstance(event, NeedsConfirmation) and event.kept)


class _Run:
    def __init__(self, context: Context, meant: Reading) -> None:
        self._context, self._meant = context, meant
        self._alone = len(meant.commands) == 1
        self.takes_text = bool(meant.commands) and meant.commands[-1].takes_text
        self.happened: list[list[Event]] = []
        self._looked: set[str] = set()  # lines of commands that only read, since the last change

    @property
    def events(self) -> list[Event]:
        return [event for events in self.happened for event in events]

    def seen_by(self, command: Command) -> Context:
        """Return the context in which `command` runs. It depends on earlier events."""
        context, before = self._context, self.events
        answered = [item for item in before if isinstance(item, Answered)]
        shown = sum(len(item.boards) for item in answered)
        changed = [item.params["confirm"] for item in answered if item.section == "settings"]
        confirms = changed[-1] == "on" if changed else context.confirms_moves
        touched = tuple(event.acted_on for event in before if event.acted_on)
        last = touched[-1:] if command.comes_last else ()
        has_text = self.takes_text and command is self._meant.commands[-1]
        text = self._meant.comment if has_text else context.text
        hints = context.hints or last
        return replace(context, shown=shown, hints=hints, text=text, confirms_moves=confirms)

    def next(self, command: Command) -> None:
        """Run a command, unless it depends on a command that was refused or must be confirmed."""
        if self._is_repeated(command):
            self.happened.append([])
            return
        here = self.seen_by(command)
        # Only commands that come last depend on earlier ones: they mean the position after a move.
        before = self.events if command.comes_last else []
        held = [event for event in before if isinstance(event, NeedsConfirmation)]
        if any(map(is_refusal, before)):
            refusal = Refusal("after-a-refusal")
            self.happened.append([refused(command, refusal, here, alone=self._alone)])
        elif held:
            self.happened.append([replace(held[-1], line=_pinned(here, command))])
        else:
            self.happened.append(self._done(here, command))

    def _is_repeated(self, command: Command) -> bool:
        """Return whether the mail made this query before, with only queries in between."""
        if not command.reads_only:
            self._looked.clear()
            return False
        line = " ".join(lowered(command.line).split())
        is_repeated = line in self._looked
        self._looked.add(line)
        return is_repeated

    def _done(self, context: Context, command: Command) -> list[Event]:
        turn = context.turn
        try:
            if self.happened and not context.player.is_active:  # an earlier command deleted it
                raise Refusal("not-registered")
            with turn.work.savepoint():
                events = [_recorded(context, event) for event in list(command.run(context))]
                _count_news(context, events)
                turn.postage.count(turn.work, context.player_id, events)
                return events
        except Refusal as refusal:
            answer = refused(command, refusal, context, alone=self._alone)
            words = (*command.below, *context.text) if command.takes_text else ()
            return [giving_back(answer, words) if words else answer]


def _recorded(context: Context, event: Event) -> Event:
    if isinstance(event, Invited):
        return record_invited(context.turn, context.player, event)
    if isinstance(event, AddressWanted):
        if has_said_no(context.work, event.address):
            raise Refusal("wants-no-mail", address=event.address)
        take_unasked_mail(context.work, context.player, event.address, context.now)
        return record_wanted(context.turn, context.player, event)
    return event


def _pinned(context: Context, command: Command) -> str:
    try:
        return command.pinned(context)
    except Refusal:
        return command.line  # running the command gives the reason


def _count_news(context: Context, events: Sequence[Event]) -> None:
    """Count the news that a command brings to each board. Raises Refusal if there is too much."""
    happened = on_boards(events)
    if any(event.happens_once for event in happened):
        return
    for number in sorted({event.board_id for event in happened if event.counts_as_words}):
        if not NEWS.take(context.work, context.now, number, context.player_id, wait=False):
            raise Refusal("too-much-news", number=number, most=NEWS.most)


def _place_comment(context: Context, meant: Reading, happened: list[list[Event]]) -> list[Event]:
    """Return the events that send the comment to a board, or quote it to the sender.

    The comment goes with the last command that changes something or was refused.
    """
    for command, events in zip(reversed(meant.commands), reversed(happened), strict=True):
        leaves_words = command.reads_only or command.takes_lines
        if events and (is_refusal(events[-1]) or not leaves_words):
            return _with_words(context, meant.comment, events)
    number = context.own_hint
    if number is None and not any(map(whole_move, meant.comment[:_LINES_READ])):
        return []  # it may be a signature
    if meant.commands or number is None:
        return [Answered("unsent", {"comment": list(meant.comment)}, number)]
    return _chat(context, number, meant)


def _with_words(context: Context, comment: tuple[str, ...], events: list[Event]) -> list[Event]:
    """Put the comment into the command's last event, or return a new event that has the comment."""
    match events[-1]:
        case Answered() as refusal if is_refusal(refusal):
            events[-1] = giving_back(refusal, comment)
        case (
            NeedsConfirmation()
            | Invited()
            | Proposed()
            | CalledOff(why="refused" | "withdrawn") as waiting
        ):
            events[-1] = replace(waiting, comment=comment)
            # The answer says that the comment is sent later.
            for place, event in enumerate(events):
                if isinstance(event, Answered) and event.section in ("invited", "challenged"):
                    events[place] = replace(event, params={**event.params, "words": True})
        case Answered(section="challenge-accepted") as accepted:
            events[-1] = giving_back(accepted, comment)
    # The command is about the first board; the others only show consequences.
    touched = [event.board_id for event in on_boards(events)]
    sections = {event.section for event in events if isinstance(event, Answered)}
    if not touched and not sections.isdisjoint(_WITHOUT_A_BOARD):
        return [Answered("words-back", {"comment": list(comment)})]
    speaker, vacation = context.player.id, vacation_line(comment)
    return [Commented(number, speaker, comment, vacation=vacation) for number in touched[:1]]


def giving_back(refusal: Answered, comment: tuple[str, ...]) -> Answered:
    """Return the refusal with a quotation of the unsent comment."""
    return replace(refusal, params={**refusal.params, "comment": list(comment)})


def _chat(context: Context, number: int, meant: Reading) -> list[Event]:
    """Send a comment to a board's other players; ignore repeated ones, to end mail loops.

    What the server alone can answer is held back, if an answer may go out.
    """
    work, now, player, comment = context.work, context.now, context.player, meant.comment
    board = work.boards.get(number, lock=True)  # the lock makes the counts exact
    told = {"number": number, "comment": list(comment)}
    try:
        check_open(board, now)
    except Refusal as refusal:
        closed = Problem("", refusal.code, refusal.params)
        return [problem_answer(context, closed, comment)]
    said = sha256("\n".join(comment).encode("utf-8", "replace")).hexdigest()[:32]
    if not SAME_WORDS.take(work, now, number, player.id, said, wait=False):
        if not SAME_WORDS_NOTICES.take(work, now, number, player.id, wait=False):
            return []
        return [Answered("said-before", {**told, "most": SAME_WORDS.most}, number)]
    if not NEWS.take(work, now, number, player.id, wait=False):
        return [Answered("said-enough", {**told, "most": NEWS.most}, number)]
    people = others_reading(board, player.id)
    if not people or (meant.aim is Aim.SERVER and may_answer(context.turn, player)):
        view = card(context, board, comment)
        view |= {"unsent": people, "vacation": vacation_line(comment)}
        if people:
            view["replaced"] = work.questions.hold_words(player.id, number, comment, now)
        return [Answered("status", view, number)]
    first, asks = work.boards.note_told_of_words(number, player.id), meant.aim is not Aim.OTHERS
    away = vacation_line(comment)
    return [Commented(number, player.id, comment, first=first, vacation=away, asks=asks)]


def refused(
    command: Command, refusal: Refusal, context: Context, *, alone: bool = True
) -> Answered:
    """Return the answer to a refused command; `alone` says that the mail has no other command."""
    told: dict[str, Any] = {"command": command.words[0], "line": command.line, "alone": alone}
    told |= {"code": refusal.code, "params": refusal.params}
    number = refusal.params.get("number")
    return Answered(_REFUSAL, told, _board_shown(context, number, about_board=command.about_board))


def problem_answer(context: Context, problem: Problem, comment: Sequence[str]) -> Answered:
    number = problem.params.get("number")
    board_id = _board_shown(context, number, about_board=problem.about_board)
    clearer = _refusal_of_move(context, problem, board_id)
    shown = clearer or problem
    told = {"line": problem.line, "code": shown.code, "params": shown.params, "alone": True}
    told |= {"talk": problem.code in _PERHAPS_WORDS, "comment": list(comment)}
    if clearer is None:
        example = None if problem.nearest else problem.example
        told |= {"nearest": problem.nearest, "example": example}
    return Answered(_REFUSAL, told, board_id)


def is_refusal(event: Event) -> TypeGuard[Answered]:
    """Return whether an event answers a refused command or an unreadable line."""
    return isinstance(event, Answered) and event.section == _REFUSAL


def _board_shown(context: Context, number: int | None, *, about_board: bool) -> int | None:
    """Return the board to show in a refusal, or None. `number` is the board the command names."""
    if number:
        return number if context.sits_at(number) else None
    return context.own_hint if about_board else None


def _refusal_of_move(context: Context, problem: Problem, board_id: int | None) -> Refusal | None:
    """Return a refusal that says what is wrong with a move that cannot be read, or None."""
    if problem.code == "bare-move" and context.actor_id:
        try:
            context.board(None)
        except Refusal as refusal:
            return refusal if refusal.params.get("boards") == [] else None
    unreadable = problem.params.get("reason") == "move" or problem.code == "unclear-move"
    board = context.work.boards.find(board_id) if board_id and unreadable else None
    if board is None or not board.to_move:
        return None
    if context.actor_id and board.to_move.player_id != context.actor_id:
        # An example of another player's moves would mislead.
        word = problem.params["word"]
        is_move = nearly_move(word, board.rules) is not None or moves_inside(word, board.rules)
        told = {"turn": board.to_move.handle, "number": board.id}
        return Refusal("not-your-turn", **told) if is_move else None
    try:
        check_move(board, problem.params["word"])
    except Refusal as refusal:
        return refusal
    return None
