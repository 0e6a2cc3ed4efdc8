"""Challenges that wait for guests who were invited by mail address.

Such a challenge is stored as an errand of its sender. Each yes replaces an address in its line by a
handle; once no address is left, the line runs, and the board starts.
"""

import re
from collections.abc import Iterator
from dataclasses import replace

from pbm.commands.families.lobby import Challenge
from pbm.commands.language.words import is_handle
from pbm.commands.registry import read_commands
from pbm.commands.script import Script
from pbm.events import Answered, Proposed
from pbm.events.board import BoardStarted
from pbm.mail.address import address_key
from pbm.passwords import ConfirmedPassword
from pbm.play.challenges import who_is_asked
from pbm.play.turn import Turn
from pbm.rules.registry import default_game
from pbm.service.asking.questions import Invitation
from pbm.service.obeying.obey import tell
from pbm.service.obeying.scripts import run_script
from pbm.service.telling.mail_writer import MailWriter
from pbm.service.understanding.mail_turn import MailTurn
from pbm.store.values.asking import ErrandStatus, PendingCommands, Question
from pbm.store.values.players import Player

_TWO = 2  # players in the smallest challenge


def invited_to(turn: MailTurn, question: Question) -> PendingCommands | None:
    """The pending challenge that a question belongs to; None if it is over."""
    number = question.params.get("invitation")
    found = turn.work.questions.open_errands([number]) if number else ()
    return found[0] if found else None


def invitation_of(turn: Turn, errand: PendingCommands) -> Invitation:
    """The sender and the game of a challenge."""
    inviter = turn.work.players.get(errand.player_id)
    game = next((command.game for command in read_commands(errand.lines)), default_game())
    return Invitation(inviter.handle, game)


def said_yes(
    turn: MailTurn, errand: PendingCommands, question: Question, player: Player
) -> Answered:
    """Seat a guest who said yes; `start_if_complete` starts the board.

    Returns the answer to the guest. If the sender is suspended, the game is called off.
    """
    line = _with_handle(errand.lines[0], question.address, player.handle)
    turn.work.questions.rewrite_errand(errand, [line])
    inviter = turn.work.players.get(errand.player_id)
    waiting = "@" in line
    if not waiting and not inviter.is_active:
        return called_off()
    seated = filter(None, (_called(turn, name) for name in _names(line)))
    asked = who_is_asked([other for other in seated if other.id != player.id], inviter)
    waiting = waiting or bool(asked)
    return Answered("invitation", {"inviter": inviter.handle, "waiting": waiting})


def called_off() -> Answered:
    """The answer to a guest that there will be no game."""
    return Answered("invitation-off", {"title": "no game"})


def start_if_complete(turn: MailTurn, errand: PendingCommands) -> None:
    """Start the board, in the sender's name, once everybody has said yes."""
    (waiting,) = turn.work.questions.open_errands([errand.id])
    if any("@" in line for line in waiting.lines):
        return
    inviter = turn.work.players.get(waiting.player_id)
    if not inviter.is_active:
        turn.work.questions.settle_errand(waiting, ErrandStatus.DROPPED)
        _tell_guests(turn, waiting)
        return
    turn.work.questions.settle_errand(waiting, ErrandStatus.DONE)
    here = replace(turn, passwords=ConfirmedPassword(None))
    agreed = frozenset(guest.id for guest in _guests(turn, waiting))
    context = replace(here.context(inviter), hints=(), agreed=agreed)
    commands = read_commands(_as_called_now(turn, line) for line in waiting.lines)
    events = run_script(context, Script(commands, waiting.comment))
    tell(context, events)
    if not any(isinstance(event, BoardStarted | Proposed) for event in events):
        _tell_guests(turn, waiting, all_of_them=True)  # even the one just answered


def said_no(turn: MailTurn, errand: PendingCommands, question: Question) -> None:
    """Drop a challenge that was turned down, and tell the others."""
    turn.work.questions.settle_errand(errand, ErrandStatus.DROPPED)
    tell_it_is_off(turn, errand, question, "turned-down")


def tell_it_is_off(turn: Turn, errand: PendingCommands, question: Question, why: str) -> None:
    """Tell the sender of a challenge why it is off, and the guests who said yes."""
    inviter = turn.work.players.get(errand.player_id)
    if inviter.addresses:
        others = sum(
            "@" in name or is_handle(name) for line in errand.lines for name in _words(line)
        )
        told = {"address": question.address, "others": others > _TWO}
        MailWriter(turn).tell_or_keep(inviter, why, "your invitation", told)
    _tell_guests(turn, errand)


def _tell_guests(turn: Turn, errand: PendingCommands, *, all_of_them: bool = False) -> None:
    """Tell guests who said yes that the game is off, except one who is answered anyway."""
    off = {"sections": [{"section": called_off().section}], "last": False}
    for guest in _guests(turn, errand):
        if all_of_them or not turn.wrote(guest):
            MailWriter(turn).tell_or_keep(guest, "answer", "no game", off)


def _guests(turn: Turn, errand: PendingCommands) -> Iterator[Player]:
    """The guests who have said yes."""
    names = (name for line in errand.lines for name in _names(line))
    for player in filter(None, [_called(turn, name) for name in names]):
        keys = [address_key(address) for address in player.addresses]
        if turn.work.questions.has_accepted(keys, errand.id):
            yield player


def _words(line: str) -> list[str]:
    """The words that name players in a challenge."""
    return re.split("[ +]", line.partition(Challenge.words[0])[2])


def _as_called_now(turn: Turn, line: str) -> str:
    """The line with the players' current handles."""
    for name in _names(line):
        player = _called(turn, name)
        if player:
            line = re.sub(rf"(?<![^ +]){re.escape(name)}(?![^ +])", player.handle, line)
    return line


def _names(line: str) -> list[str]:
    """The words of a challenge that may be handles."""
    return [name for name in _words(line) if is_handle(name)]


def _called(turn: Turn, name: str) -> Player | None:
    """The player with this handle, or with this former one."""
    players = turn.work.players
    former = players.formerly(name)
    return players.by_handle(name) or (players.get(former) if former else None)


def _with_handle(line: str, address: str, handle: str) -> str:
    key = address_key(address)
    return " ".join(handle if address_key(word) == key else word for word in line.split())
