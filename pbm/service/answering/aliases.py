"""A reply address used from an unknown address: its owner is asked, and nothing runs."""

from dataclasses import replace

from pbm.commands.auth import Elsewhere
from pbm.events import Answered
from pbm.mail.address import address_key
from pbm.play.turn import Turn
from pbm.service.asking.questions import ASK_ABOUT_ALIAS_EVERY, ask_alias, shortened
from pbm.service.obeying.scripts import rehearse
from pbm.service.telling.answer import may_answer
from pbm.service.understanding.mail_turn import MailTurn
from pbm.service.understanding.wishes import read_wish
from pbm.store.values.players import Player


def ask_owner(turn: MailTurn, speaker: Elsewhere) -> str:
    """Ask the owner, at most once a day. Returns the outcome for the operator."""
    work, owner = turn.work, speaker.owner
    if owner.status != "active":
        return f"{owner.handle} is suspended"
    if work.questions.asked_player("alias", owner.id, turn.now - ASK_ABOUT_ALIAS_EVERY):
        return f"{owner.handle} was asked today already"
    if not may_answer(turn, owner):
        return (
            f"{owner.handle} had enough answers, so not asked about a reply from {speaker.author}"
        )
    context = turn.context(owner, speaker.board_id)
    script = turn.script(context)
    script = read_wish(context, script) or script
    # The yes is about the reply; a dangerous command would ask for one of its own.
    left_out = [command.line for command in script.commands if command.dangerous]
    harmless = tuple(command for command in script.commands if not command.dangerous)
    script = replace(script, commands=harmless)
    rehearsal = rehearse(context, script)
    board_id = rehearsal.board_id or speaker.board_id
    errand_id = work.questions.add_errand(
        owner.id, board_id, rehearsal.lines, script.comment, turn.now, status="elsewhere"
    )
    misread = [script.problem.line] if script.problem else []
    told = {
        "said": [*rehearsal.lines, *shortened([*misread, *script.comment])],
        "left_out": left_out,
        "number": speaker.board_id,
    }
    ask_alias(turn, owner, speaker.author, errand_id, told)
    return f"asked {owner.handle} about a reply from {speaker.author}"


def adopt(turn: Turn, player: Player, address: str) -> list[Answered]:
    """Make the other address one of the player's own, unless somebody else plays from it."""
    if turn.work.players.by_address(address_key(address)):
        return []
    turn.work.players.add_address(player.id, address, turn.now)
    return [Answered("address-added", {"title": "address added", "address": address})]
