"""What is known beside the words of a mail, and what its words were read as."""

from collections.abc import Collection, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Self

from pbm.commands.language.context import Context
from pbm.commands.language.declare import Command
from pbm.commands.language.words import BoardRef
from pbm.commands.registry import Problem
from pbm.commands.script import Script, trimmed
from pbm.commands.sentences.asked import Aim
from pbm.errors import Refusal
from pbm.events import Answered
from pbm.play.offers import mark_of
from pbm.service.understanding.mail_turn import MailTurn
from pbm.store.values.boards import Board, Offer


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
        """Whether the answered mail shows the only offer, and only the sender is asked."""
        mail = self.answered
        if mail is None or mail.number != self.number:
            return False
        return [*self.asked.values()] == [(self.player_id,)] and mark_of(*self.asked) in mail.asked

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
