"""Challenges that wait for people who were asked by their mail addresses.

The challenge is an errand of the player who sent it. Each yes puts a handle in the place of
an address in its line; when no address is left, the line is obeyed, and the board starts.
"""

from dataclasses import replace

from pbm.commands.declare import Command
from pbm.commands.registry import parse_line
from pbm.commands.script import Script
from pbm.events import Answered
from pbm.mail.address import address_key
from pbm.passwords import ConfirmedPassword
from pbm.service.turns.mail_turn import MailTurn
from pbm.service.turns.mail_writer import MailWriter
from pbm.service.turns.obey import tell
from pbm.service.turns.scripts import run_script
from pbm.store.values import PendingCommands, Player, Question


def invited_to(turn: MailTurn, question: Question) -> PendingCommands | None:
    """The challenge that a question belongs to, while it waits."""
    number = question.params.get("invitation")
    found = turn.work.questions.open_errands([number]) if number else ()
    return found[0] if found else None


def said_yes(
    turn: MailTurn, errand: PendingCommands, question: Question, player: Player
) -> Answered:
    """Let a player who said yes take the seat; `start_if_complete` does the rest.

    Returns what the player is told. There is no game with somebody who cannot play any more.
    """
    line = _with_handle(errand.lines[0], question.address, player.handle)
    turn.work.questions.rewrite_errand(errand, [line])
    inviter = turn.work.players.get(errand.player_id)
    waiting = "@" in line
    if not waiting and inviter.status != "active":
        return called_off()
    return Answered("invitation", {"inviter": inviter.handle, "waiting": waiting})


def called_off() -> Answered:
    """Tell somebody who said yes that there will be no game."""
    return Answered("invitation-off", {"title": "no game"})


def start_if_complete(turn: MailTurn, errand: PendingCommands) -> None:
    """Start the board of a challenge once everybody has said yes, in its sender's name."""
    (waiting,) = turn.work.questions.open_errands([errand.id])
    if any("@" in line for line in waiting.lines):
        return
    inviter = turn.work.players.get(waiting.player_id)
    if inviter.status != "active":
        turn.work.questions.settle_errand(waiting, "dropped")
        return
    turn.work.questions.settle_errand(waiting, "done")
    here = replace(turn, passwords=ConfirmedPassword(None))
    context = replace(here.context(inviter), hints=(), is_agreed=True)
    commands = [command for line in waiting.lines if (command := _command(line))]
    tell(context, run_script(context, Script(tuple(commands), waiting.comment)))


def said_no(turn: MailTurn, errand: PendingCommands, question: Question) -> None:
    """Drop a challenge that somebody turned down, and tell its sender."""
    turn.work.questions.settle_errand(errand, "dropped")
    inviter = turn.work.players.get(errand.player_id)
    if inviter.addresses:
        told = {"address": question.address}
        MailWriter(turn).notice_player(inviter, "turned-down", "your invitation", told)


def _with_handle(line: str, address: str, handle: str) -> str:
    key = address_key(address)
    return " ".join(handle if address_key(word) == key else word for word in line.split())


def _command(line: str) -> Command | None:
    found = parse_line(line)
    return found if isinstance(found, Command) else None
