"""The unit of work that handles one mail, what is known beside its words, and what they mean.

It parses the mail into scripts, which the readers of `interpret` make readings of.
"""

from collections.abc import Collection, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from typing import Any, Self

from pbm.addresses import address_key
from pbm.commands.families.help import help_page
from pbm.commands.families.submit import Confirm, Drop, submitted
from pbm.commands.language.context import Context, game_meant
from pbm.commands.language.declare import Command
from pbm.commands.language.words import BoardRef, Login
from pbm.commands.registry import COMMANDS, Problem, read_commands
from pbm.commands.script import Script, answer_to_welcome, begins_answer, read_script, trimmed
from pbm.commands.sentences.asked import Aim
from pbm.commands.turn import Turn
from pbm.errors import Refusal
from pbm.events import Answered
from pbm.mail.address import QuestionReply
from pbm.mail.reading.inbound import Envelope, clean_subject
from pbm.mail.reading.signatures import name_words
from pbm.mail.site import Answering
from pbm.play.offers import mark_of
from pbm.play.subjects import board_named, is_own
from pbm.service.accounts import check_new_handle
from pbm.store.values.boards import Board, Offer
from pbm.store.values.mails import InboxMail
from pbm.store.values.players import Player


@dataclass(frozen=True, kw_only=True)
class MailTurn(Turn):
    mail: InboxMail
    envelope: Envelope
    mailed: tuple[Answering, ...] = ()  # boards shown in the mail that this one answers
    wrote: int | None = None  # the player whose message this mail answers
    believes_front: bool = False  # trusts the upstream mail server
    done: frozenset[Login] = frozenset()  # logins whose commands have already run
    withholds_words: bool = False  # they may hold a password, so nobody gets them
    _read: dict[tuple[bool, int | None], Script] = field(
        default_factory=dict, repr=False, compare=False
    )

    @cached_property
    def subject(self) -> str:
        """The subject without reply marks and list tags."""
        return clean_subject(self.envelope.subject)

    @cached_property
    def heading(self) -> str:
        """The subject if the sender wrote it; empty if it repeats the subject of our mail."""
        is_ours = self._board_named is not None or is_own(self.subject)
        return "" if is_ours else self.subject

    @cached_property
    def _board_named(self) -> int | None:
        return board_named(self.subject)

    def hints(self, board_id: int | None) -> tuple[int, ...]:
        """Return the numbers of the boards that the mail may be about, the likeliest first."""
        numbers = (board_id, self.cause.board_id, self._board_named)
        return tuple(dict.fromkeys(number for number in numbers if number))

    def context(self, actor: Player | None, board_id: int | None = None) -> Context:
        """Return what the mail's commands need. `board_id` is from the mail's reply address."""
        return Context(
            turn=self,
            actor_id=actor.id if actor else None,
            help_page=partial(help_page, commands=COMMANDS, server=self.site.address.plain),
            check_handle=partial(check_new_handle, self.work),
            hints=self.hints(board_id),
            mailed=self.mailed,
            can_be_strict=self.believes_front,
            confirms_moves=actor is not None and actor.settings.confirm,
        )

    def script(self, context: Context) -> Script:
        """Return the mail's script, without the commands that have already run."""
        script = self.held(self._script(context.hints, in_answer=bool(context.hints or self.wrote)))
        script = script.without(self.done) if self.done else script
        if not any(isinstance(item, Confirm | Drop) for item in script.commands):
            return script
        asked = isinstance(self.site.address.parse(self.mail.recipient), QuestionReply)
        return _with_submitted(context, script, asked=asked or context.actor_id is None)

    def scripts(self) -> tuple[Script, ...]:
        """Parse the mail as an answer, as a new mail, and without a yes or no at its top."""
        _, below = answer_to_welcome(self.envelope.said)
        read = [self._script((), in_answer=in_answer) for in_answer in (True, False)]
        return (*read, read_script("", below, in_answer=False))

    def names_beside(self, handles: Iterable[str]) -> frozenset[str]:
        """Return the names, in lower case, with which an answer may address or sign."""
        local = address_key(self.cause.author).partition("@")[0]
        return name_words(local) | self.envelope.author_words | {*handles}

    def is_unclear(self, script: Script) -> bool:
        """Return whether this mail may be an answer to us, although it says neither yes nor no."""
        return not script.commands and (begins_answer(self.envelope.said) or not script.problem)

    def held(self, script: Script) -> Script:
        """Return the script, without the sender's words if they may hold a password."""
        return script.without_words() if self.withholds_words else script

    def _script(self, hints: tuple[int, ...], *, in_answer: bool) -> Script:
        about = in_answer, next(iter(hints), None)
        if about not in self._read:
            self._read[about] = read_script(
                self.heading,
                self.envelope.said,
                in_answer=in_answer,
                below_quotes=self.envelope.below_quotes,
                game=game_meant(self.work, hints),
            )
        return self._read[about]


def _with_submitted(context: Context, script: Script, *, asked: bool) -> Script:
    """Put what was submitted in place of `confirm`; alone it may be a yes, and `drop` a no.

    `asked` says that the mail answers a question.
    """
    first, *others = script.commands
    alone = isinstance(first, Confirm | Drop) and first.board is None and not others
    as_words = replace(script, commands=(), comment=script.said)
    if asked and alone:
        return as_words
    commands, words = list[Command](), list[str]()
    for command in script.commands:
        errand = None
        if isinstance(command, Confirm) and not command.kept and context.actor_id is not None:
            with suppress(Refusal):  # told when the command runs
                errand = submitted(context, command.board)
            if errand is None and alone and not context.work.questions.submitted(context.actor_id):
                return as_words
        commands += read_commands(errand.lines) if errand else [command]
        words += [*errand.comment, ""] if errand else []
    return replace(script, commands=tuple(commands), comment=trimmed([*words, *script.comment]))


@dataclass(frozen=True)
class Reading:
    """What a mail means. If it has a `problem` or an `answer`, no command runs."""

    commands: tuple[Command, ...] = ()
    comment: tuple[str, ...] = ()  # for other players, or the text that the last command takes
    problem: Problem | None = None
    answer: Answered | None = None
    guess: Mapping[str, Any] | None = None  # a mail section that asks if the commands are meant
    wish: "Reading | None" = None  # a request in plain words below a move; it waits for a yes
    aim: Aim = Aim.OTHERS  # of the comment
    aside: Answered | None = None  # the sender is told this beside what is done
    # Comments below commands other than the last, by the index of the command.
    between: Mapping[int, tuple[str, ...]] = field(default_factory=dict)
    unplaced: tuple[str, ...] = ()  # words that belong to no board; the sender gets them back

    @classmethod
    def of(cls, script: Script) -> Self:
        """Return the reading of a script that means what it says."""
        return cls(script.commands, script.comment, script.problem)

    def with_one_comment(self) -> "Reading":
        """Return a copy. Comments between its commands are moved to `unplaced`."""
        words = [self.unplaced, *self.between.values()]
        unplaced = trimmed([line for lines in words if lines for line in (*lines, "")])
        return replace(self, between={}, unplaced=unplaced)


@dataclass(frozen=True)
class Known(Context):
    """The context of a mail, and what follows from it, looked up when it is first needed."""

    @cached_property
    def number(self) -> int | None:
        return self.own_hint

    @property
    def wrote(self) -> Player | None:
        """The player whose message the mail answers."""
        number = self.turn.wrote if isinstance(self.turn, MailTurn) else None
        return self.work.players.find(number) if number else None

    @cached_property
    def mine(self) -> Board | None:
        """The board that the mail is about, if the sender has a seat there."""
        return self.work.boards.get(self.number) if self.number else None

    @cached_property
    def asked(self) -> Mapping[Offer, Collection[int]]:
        """The open offers on this board that wait for the sender, and for whom else."""
        offers = self.mine.open_offers if self.mine else {}
        return {offer: who for offer, who in offers.items() if self.player_id in who}

    @property
    def is_shown(self) -> bool:
        """Whether the answered mail shows the only offer, and only the sender is asked here."""
        here = [{*who} - {offer.guest} for offer, who in self.asked.items()]
        is_only = here == [{self.player_id}]
        if not is_only or [item.number for item in self.mailed] != [self.number]:
            return False
        return mark_of(*self.asked) in self.mailed[0].asked

    @property
    def several(self) -> frozenset[int]:
        """The numbers of the boards in the answered mail, if it shows more than one."""
        return frozenset(item.number for item in self.mailed if len(self.mailed) > 1)

    def names_beside(self, board: Board) -> Collection[str]:
        """Return the names with which the sender may address others, or sign."""
        handles = [seat.handle for seat in board.seats]
        return self.turn.names_beside(handles) if isinstance(self.turn, MailTurn) else handles

    def meant(self, number: int | None = None) -> Board | None:
        """Return the board `number`, or else the only board that the mail can mean, or None."""
        with suppress(Refusal):
            return self.board(BoardRef(number) if number else None)
        return None

    def on_turn(self, number: int | None = None) -> Board | None:
        """Return the board that is meant, if it is the sender's turn there."""
        board = self.meant(number)
        mover = board.to_move if board and board.playing else None
        return board if mover and mover.player_id == self.player_id else None
