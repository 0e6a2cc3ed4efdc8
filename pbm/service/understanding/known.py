"""What is known beside the words of a mail: its sender, boards, open offers and game."""

from collections.abc import Collection, Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property

from pbm.commands.language.context import Context
from pbm.commands.language.words import BoardRef
from pbm.errors import Refusal
from pbm.play.offers import mark_of
from pbm.service.understanding.mail_turn import MailTurn
from pbm.store.values.boards import Board, Offer


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
