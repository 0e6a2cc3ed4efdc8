"""Players' addresses: replies from unknown ones, and the answers of new ones."""

from collections.abc import Sequence
from dataclasses import replace

from pbm.commands.auth import Elsewhere, is_open
from pbm.commands.script import confirmation
from pbm.events.board import AddressChanged
from pbm.mail.address import address_key
from pbm.play.actions import boards_played
from pbm.play.limits import ALIAS_ASKED_EVERY
from pbm.play.subjects import answer_subject
from pbm.service.asking.questions import as_shown, ask_alias, ask_once_more, shortened
from pbm.service.obeying.scripts import rehearse
from pbm.service.telling.announce import shown_to
from pbm.service.telling.answer import may_answer
from pbm.service.telling.mail_writer import MailWriter, answers_left
from pbm.service.understanding.mail_turn import MailTurn
from pbm.service.understanding.wishes import read_wish
from pbm.store.values.asking import ErrandStatus, Question
from pbm.store.values.boards import Board
from pbm.store.values.players import Player

MOST_SENT_AGAIN = 100  # boards mailed again after a change of address


def settle_new_address(turn: MailTurn, question: Question, token: str) -> str:
    """Settle the question to a new address. Returns the outcome for the operator."""
    work, answered = turn.work, answer_subject("your answer")
    yes, _ = confirmation(turn.envelope.said, clearly=True)
    player = work.players.find_locked(question.params["player"])
    is_wanted = player is not None and player.epoch == question.params["epoch"]
    is_wanted = is_wanted and work.players.by_address(address_key(question.address)) is None
    if player is None or not (player.is_active and is_wanted and is_open(question, turn.arrived)):
        MailWriter(turn).answer(question.address, answered, [{"section": "question-closed"}])
        return f"{question.address}: the question is closed"
    if yes is None:
        if answers_left(turn, question.address):
            ask_once_more(turn, question.address, question, token, {"handle": player.handle})
        return f"{question.address}: neither yes nor no"
    work.questions.settle(question, "yes" if yes else "no")
    if not yes:
        MailWriter(turn).answer(question.address, answered, [{"section": "dropped"}])
        return f"{question.address} is not {player.handle}'s"
    if question.params["instead"]:
        new = (question.address, *player.addresses[1:])
        work.players.set_addresses(player.id, new, turn.now)
        work.players.renew_epoch(player.id)
    else:
        work.players.add_address(player.id, question.address, turn.now)
    boards = boards_played(work, player) if question.params["instead"] else []
    after = work.players.get(player.id)
    _announce(turn, player, after, question, boards)
    # Reply addresses of older mails are invalid.
    for board in boards[:MOST_SENT_AGAIN]:
        view = shown_to(turn, after, board, AddressChanged(board.id, question.address))
        MailWriter(turn).board(after, board, view)
    return f"{question.address} is {player.handle}'s now"


def _announce(
    turn: MailTurn, before: Player, player: Player, question: Question, boards: Sequence[Board]
) -> None:
    """Tell every address of the player, including a replaced one."""
    told = {
        "handle": before.handle,
        "address": question.address,
        "instead": question.params["instead"],
    }
    sent = [board.id for board in boards[:MOST_SENT_AGAIN]]
    follow = {"boards": sent, "more": len(boards) - len(sent)}
    section = {"section": "new-address", **told, **follow}
    MailWriter(turn).answer(player, answer_subject("your addresses"), [section])
    if question.address != player.address:
        there = {"sections": [{**section, "first": player.address}], "last": False}
        own = question.address
        MailWriter(turn).notice(player, "answer", "your addresses", there, address=own)
    for address in before.addresses:
        if address != player.address:
            MailWriter(turn).notice(address, "addresses-changed", "your addresses", told)


def ask_owner(turn: MailTurn, speaker: Elsewhere) -> str:
    """Ask the address's owner, at most once a day. Returns the outcome for the operator."""
    work, owner = turn.work, speaker.owner
    if not owner.is_active:
        return f"{owner.handle} is suspended"
    if work.questions.asked_player("alias", owner.id, turn.now - ALIAS_ASKED_EVERY):
        return f"{owner.handle} was asked today already"
    if not may_answer(turn, owner):
        return (
            f"{owner.handle} had enough answers, so not asked about a reply from {speaker.author}"
        )
    context = turn.context(owner, speaker.board_id)
    script = turn.script(context)
    script = read_wish(context, script) or script
    # A yes confirms the reply only; dangerous commands need their own confirmation.
    left_out = [command.line for command in script.commands if command.dangerous]
    harmless = tuple(command for command in script.commands if not command.dangerous)
    script = replace(script, commands=harmless)
    rehearsal = rehearse(context, script)
    board_id = rehearsal.board_id or speaker.board_id
    errand_id = work.questions.add_errand(
        owner.id, board_id, rehearsal.lines, script.comment, turn.now, status=ErrandStatus.ELSEWHERE
    )
    misread = [script.problem.line] if script.problem else []
    told = {
        "said": [*map(as_shown, rehearsal.lines), *shortened([*misread, *script.comment])],
        "left_out": left_out,
        "number": speaker.board_id,
    }
    ask_alias(turn, owner, speaker.author, errand_id, told)
    return f"asked {owner.handle} about a reply from {speaker.author}"
