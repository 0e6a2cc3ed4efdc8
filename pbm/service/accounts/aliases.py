"""Reply addresses used from somewhere else: nothing runs, and the owner is asked."""

from dataclasses import replace

from pbm.commands.auth import Elsewhere
from pbm.events import Answered
from pbm.mail.address import address_key
from pbm.service.turns.allowance import may_answer
from pbm.service.turns.hearing import Hearing
from pbm.service.turns.questions import ASK_ABOUT_ALIAS_EVERY, ask_alias, shortened
from pbm.service.turns.scripts import rehearse
from pbm.store.values import Player


def ask_owner(hearing: Hearing, speaker: Elsewhere) -> str:
    """Ask the owner, at most once a day. Returns the outcome for the operator."""
    work, owner = hearing.work, speaker.owner
    if owner.status != "active":
        return f"{owner.handle} is suspended"
    if work.questions.asked_player("alias", owner.id, hearing.now - ASK_ABOUT_ALIAS_EVERY):
        return f"{owner.handle} was asked today already"
    if not may_answer(work, hearing.mail_writer, owner, hearing.now):
        return (
            f"{owner.handle} had enough answers, so not asked about a reply from {speaker.author}"
        )
    context = hearing.context(owner, speaker.board_id)
    script = hearing.script(context)
    # The yes is about the reply; a dangerous command would ask for one of its own.
    left_out = [command.line for command in script.commands if command.dangerous]
    harmless = tuple(command for command in script.commands if not command.dangerous)
    script = replace(script, commands=harmless)
    rehearsal = rehearse(context, script)
    board_id = rehearsal.board_id or speaker.board_id
    errand_id = work.questions.add_errand(
        owner.id, board_id, rehearsal.lines, script.comment, hearing.now, status="elsewhere"
    )
    misread = [script.problem.line] if script.problem else []
    other = work.players.by_address(address_key(speaker.author))
    told = {
        "said": [*rehearsal.lines, *shortened([*misread, *script.comment])],
        "left_out": left_out,
        "number": speaker.board_id,
        "other": other.handle if other else None,
    }
    ask_alias(work, hearing.mail_writer, owner, speaker.author, errand_id, told, hearing.now)
    return f"asked {owner.handle} about a reply from {speaker.author}"


def adopt(hearing: Hearing, player: Player, address: str) -> list[Answered]:
    """Make the other address one of the player's own, unless somebody else plays from it."""
    if hearing.work.players.by_address(address_key(address)):
        return []
    hearing.work.players.add_address(player.id, address, hearing.now)
    return [Answered("address-added", {"title": "address added", "address": address})]
