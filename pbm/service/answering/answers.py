"""Handles answers to our questions, and replies to us from addresses that we do not know."""

from collections.abc import Sequence
from dataclasses import replace

from pbm.commands.auth import Answerer, Elsewhere, is_open
from pbm.commands.families.account import ExplainStop, NewKey
from pbm.commands.families.agree import CHALLENGE as CHALLENGE_WORD
from pbm.commands.families.agree import Accept, Reject
from pbm.commands.families.lobby import Decline
from pbm.commands.families.play import PlayMove
from pbm.commands.language.context import Context
from pbm.commands.registry import parse_line, read_commands
from pbm.commands.script import Script, behind_no, confirmation, read_script
from pbm.commands.sentences.agreeing import Asked, beside_yes
from pbm.commands.sentences.agreeing_words import PLAY
from pbm.errors import Refusal
from pbm.events import Answered, Event
from pbm.events.board import AddressChanged
from pbm.play.actions import boards_played
from pbm.play.limits import ALIAS_ASKED_EVERY
from pbm.play.subjects import question_subject
from pbm.service.answering.newcomers import handle_again, settle_signup
from pbm.service.asking.challenges import CHALLENGE
from pbm.service.asking.questions import (
    NEW_ADDRESS,
    as_shown,
    ask_once_more,
    ask_player,
    shortened,
    stored_password,
)
from pbm.service.obeying.obey import is_dangerous, obey, tell
from pbm.service.obeying.scripts import problem_answer, rehearse, run_script
from pbm.service.telling.announce import may_answer, shown_to
from pbm.service.telling.mail_writer import MailWriter
from pbm.service.understanding.interpret import interpret
from pbm.service.understanding.mail_turn import Known, MailTurn, Reading
from pbm.service.understanding.wishes import read_wish, status_asked
from pbm.store.values.asking import CONSENT_STANDS, ErrandStatus, PendingCommands, Question
from pbm.store.values.boards import Board
from pbm.store.values.players import Player

_OF_A_MOVE = ("bare-move", "unclear-move", "no-such-place", "which-move")
MOST_SENT_AGAIN = 100  # boards mailed again after a change of address


def handle_answer(turn: MailTurn, speaker: Answerer) -> str:
    question, player = speaker.question, speaker.player
    if question.kind == NEW_ADDRESS:
        return settle_new_address(turn, question, speaker.token)
    if player is None:
        return settle_signup(turn, speaker)
    if question.player_id is None:
        return handle_again(turn, speaker, player)
    if question.kind == CHALLENGE:
        return _settle_challenge(turn, speaker, turn.context(player))
    return _settle_commands(turn, speaker, player)


def _settle_commands(turn: MailTurn, speaker: Answerer, player: Player) -> str:
    """Handle an answer to a question of the kind "confirm" or "alias".

    "alias" asks a player whether a reply from an unknown address is theirs.
    """
    question, questions = speaker.question, turn.work.questions
    errands = questions.open_errands(question.params["errands"])
    context = turn.context(player, errands[-1].board_id if errands else None)
    yes = _answer(turn, context, question, errands)
    if yes is None or not player.is_active:
        return _obey_in_answer(turn, context, speaker, errands)
    if not is_open(question, turn.arrived):
        return _is_closed(context)
    questions.settle(question, "yes" if yes else "no")
    if not yes:
        return _drop(turn, context, speaker, errands)
    if question.params.get("way"):
        over = turn.now - CONSENT_STANDS  # a second consent does not prolong the first
        turn.work.consents.give(player, question.params["way"], turn.now, over=over)
    return _run_errands(turn, context, question, errands)


def _answer(
    turn: MailTurn, context: Context, question: Question, errands: Sequence[PendingCommands]
) -> bool | None:
    """Return True if the mail says yes, False if no or `stop`, None if it says anything else."""
    commands = turn.script(context).commands
    lines = [line for errand in errands for line in errand.lines]
    words = {command.words[0] for command in read_commands(lines)}
    others = [command for command in commands if command.words[0] not in words]
    if others and not (isinstance(others[0], ExplainStop) and is_open(question, turn.arrived)):
        return None
    alias = question.kind == "alias"
    asked = Asked.about(lines, turn.names_beside(_handles(context)), grave=alias)
    asked = replace(asked, kinds=("address",)) if alias else asked
    return confirmation(turn.envelope.said, asked)[0]


def _handles(context: Context) -> list[str]:
    """Return the handles of the player and of all who play on the board in question."""
    number = context.hints[0] if context.hints else None
    board = context.work.boards.find(number) if number else None
    seats = board.seats if board else ()
    return [context.player.handle, *(seat.handle for seat in seats)]


def _drop(
    turn: MailTurn, context: Context, speaker: Answerer, errands: Sequence[PendingCommands]
) -> str:
    """Drop the commands that waited for a yes, since the player said no.

    If the commands were about a board, a move after the "no" is played.
    """
    for errand in errands:
        turn.work.questions.settle_errand(errand, ErrandStatus.DROPPED)
    question = speaker.question
    words, in_answer = behind_no(turn.envelope.said), bool(context.hints)
    others = read_script("", words, in_answer=in_answer, game=context.game_meant)
    others = turn.held(others)
    instead = in_answer and _is_of_a_move(interpret(context, others))
    misread = [others.problem.line] if others.problem else []  # `line` has masked secrets
    unread = [*(command.line for command in others.commands), *misread, *others.comment]
    told = {"lines": _lines_asked(errands), "unread": [] if instead else unread}
    told["comment"] = [line for errand in errands for line in errand.comment]
    refused = run_script(context, Reading(read_commands(question.params.get("no", ()))))
    tell(context, refused or [Answered("dropped", {**told})])
    said_no = f"{context.player.handle} said no"
    return f"{said_no}; {obey(context, others, proven=speaker.proven)}" if instead else said_no


def _is_of_a_move(meant: Reading) -> bool:
    """Return whether all commands are moves, or an unreadable line may be a move."""
    if meant.problem:
        return meant.problem.code in _OF_A_MOVE
    return bool(meant.commands) and all(isinstance(item, PlayMove) for item in meant.commands)


def _obey_in_answer(
    turn: MailTurn, context: Context, speaker: Answerer, errands: Sequence[PendingCommands]
) -> str:
    question, player = speaker.question, context.player
    script = turn.script(context)
    is_alias = question.kind == "alias"
    offered = is_alias and player.is_active and is_open(question, turn.arrived)
    if offered and script.commands and all(isinstance(item, NewKey) for item in script.commands):
        tell(context, run_script(context, Reading.of(script)))
        return f"{player.handle}: {script.commands[0].words[0]}"
    if not player.is_active or not turn.is_unclear(script):
        return obey(context, script, proven=speaker.proven)
    if not is_open(question, turn.arrived):
        return _is_closed(context)
    card = status_asked(Known(**vars(context)), script) if question.params.get("unclear") else None
    if card:  # instead of silence
        return obey(context, Script(card.commands), proven=speaker.proven)
    asked = {"author": question.params["author"]} if is_alias else {"lines": _lines_asked(errands)}
    asked |= {"place": errands[-1].board_id} if errands and "no" in question.params else {}
    return f"{player.handle}: {ask_once_more(turn, player, question, speaker.token, asked)}"


def _lines_asked(errands: Sequence[PendingCommands]) -> list[str]:
    return [as_shown(line) for errand in errands for line in errand.lines]


def _is_closed(context: Context) -> str:
    tell(context, [Answered("question-closed", {})])
    return f"{context.player.handle}: the question is closed"


def _run_errands(
    turn: MailTurn, context: Context, question: Question, errands: tuple[PendingCommands, ...]
) -> str:
    events: list[Event] = []
    if question.kind == "alias":
        address = question.params["author"]
        if not turn.work.players.by_address(address):
            turn.work.players.add_address(context.player_id, address, turn.now)
            events.append(Answered("address-added", {"address": address}))
    for errand in errands:
        turn.work.questions.settle_errand(errand, ErrandStatus.DONE)
        hints = (errand.board_id,) if errand.board_id else ()
        kept = stored_password(turn.site.keyring, errand)
        turn = replace(turn, new_password=kept or Refusal("password-lapsed"))
        is_yes = question.kind != "alias"  # that asks whose mail it was
        meant = replace(context, turn=turn, hints=hints, mailed=(), confirmed=is_yes)
        events += run_script(meant, Reading(read_commands(errand.lines), errand.comment))
    if not events:
        events.append(Answered("nothing-left", {}))
    return f"{context.player.handle} said yes{tell(context, events)}"


def _settle_challenge(turn: MailTurn, speaker: Answerer, context: Context) -> str:
    question, player, script = speaker.question, context.player, turn.script(context)
    challenge = turn.work.challenges.find(question.params["challenge"])
    seats = challenge.seats if challenge else ()
    handles = [seat.handle for seat in seats if seat.handle]
    answer, words = _answer_to_challenge(turn, script, handles)
    other = answer is None and not turn.is_unclear(script)
    if not player.is_active or other:
        return obey(context, script, proven=speaker.proven)
    waits = challenge is not None and player.id in challenge.waiting
    if challenge is None or not (waits and is_open(question, turn.arrived)):
        tell(context, [Answered("challenge-closed", {})])
        return f"{player.handle}: the challenge waits no longer"
    inviter = challenge.handle_of(challenge.by_id)
    if answer is None:
        told = ask_once_more(turn, player, question, speaker.token, {"inviter": inviter})
        return f"{player.handle}: {told}"
    command = parse_line(f"{(Accept if answer else Reject).words[0]} {CHALLENGE_WORD} {inviter}")
    assert isinstance(command, Accept | Reject)
    others = replace(script, commands=())
    if not script.commands:
        others = turn.held(read_script("", words, in_answer=False))
    also = others.commands if speaker.proven and not is_dangerous(others.commands) else ()
    events = run_script(context, Reading((command, *also), others.comment))
    if others.problem:
        events.append(problem_answer(context, others.problem, others.comment))
    told = tell(context, events)
    if also != others.commands:
        told += f"; {obey(context, replace(others, comment=()), proven=speaker.proven)}"
    after = turn.work.challenges.find(challenge.id)
    if after is None or player.id not in after.waiting:
        turn.work.questions.settle(question, "yes" if answer else "no")
    return f"{player.handle} said {'yes' if answer else 'no'} to a challenge{told}"


def _answer_to_challenge(
    turn: MailTurn, script: Script, handles: Sequence[str]
) -> tuple[bool | None, tuple[str, ...]]:
    """Return True if the mail accepts the challenge, False if it rejects it, else None.

    The lines that follow the answer are returned, too.
    """
    if not script.commands:
        asked = Asked((PLAY,), names=turn.names_beside(handles))
        said = turn.envelope.said
        answer, below = confirmation(said, asked, with_commands=True)
        if answer:
            return True, (*below, *beside_yes(said[: len(said) - len(below)], asked))
        return answer, behind_no(said) if answer is False else below
    command = script.commands[0]
    if len(script.commands) > 1 or not isinstance(command, Accept | Reject | Decline):
        return None, ()
    what, who = getattr(command, "what", None), getattr(command, "who", None)
    if command.board or who or what not in (None, CHALLENGE_WORD):
        return None, ()
    return isinstance(command, Accept), ()


def settle_new_address(turn: MailTurn, question: Question, token: str) -> str:
    work = turn.work
    player = work.players.find_locked(question.params["player"])
    names = turn.names_beside([player.handle] if player else [])
    yes, _ = confirmation(turn.envelope.said, Asked(("address",), names=names, grave=True))
    is_wanted = player is not None and player.epoch == question.params["epoch"]
    is_wanted = is_wanted and work.players.by_address(question.address) is None
    if player is None or not (player.is_active and is_wanted and is_open(question, turn.arrived)):
        section = {"section": "question-closed", "of_address": True}
        MailWriter(turn).answer(question.address, [section])
        return f"{question.address}: the question is closed"
    if yes is None:
        told = {"handle": player.handle}
        return f"{question.address}: {ask_once_more(turn, question.address, question, token, told)}"
    work.questions.settle(question, "yes" if yes else "no")
    if not yes:
        section = {"section": "dropped", "of_address": True}
        MailWriter(turn).answer(question.address, [section])
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
    # The boards are mailed again, since the reply addresses of older mails are invalid now.
    for board in boards[:MOST_SENT_AGAIN]:
        view = shown_to(turn, after, board, AddressChanged(board.id, question.address))
        MailWriter(turn).board(after, board, view)
    return f"{question.address} is {player.handle}'s now"


def _announce(
    turn: MailTurn, before: Player, player: Player, question: Question, boards: Sequence[Board]
) -> None:
    """Tell all addresses of the player, old and new, that the player's addresses have changed."""
    new, instead = question.address, question.params["instead"]
    told = {"handle": before.handle, "address": new, "instead": instead}
    sent = [board.id for board in boards[:MOST_SENT_AGAIN]]
    section = {"section": "new-address", **told, "boards": sent, "more": len(boards) - len(sent)}
    MailWriter(turn).answer(player, [section])
    if new != player.address:
        there = {"sections": [{**section, "first": player.address}], "last": False}
        MailWriter(turn).notice(player, "answer", there, address=new)
    for address in before.addresses:
        if address != player.address:
            MailWriter(turn).notice(address, "addresses-changed", told)


def ask_owner(turn: MailTurn, speaker: Elsewhere) -> str:
    """Ask a player whether a reply from an unknown address is theirs, at most once a day."""
    work, owner, author = turn.work, speaker.owner, speaker.author
    if not owner.is_active:
        return f"{owner.handle} is suspended"
    if work.questions.asked_player("alias", owner.id, turn.now - ALIAS_ASKED_EVERY):
        return f"{owner.handle} was asked today already"
    if not may_answer(turn, owner):
        return f"{owner.handle} had enough answers, so not asked about a reply from {author}"
    context = turn.context(owner, speaker.board_id)
    script = turn.script(context)
    meant = read_wish(Known(**vars(context)), script) or Reading.of(script)
    # A yes only confirms the reply; dangerous commands need a confirmation of their own.
    left_out = [command.line for command in meant.commands if command.danger]
    harmless = tuple(command for command in meant.commands if not command.danger)
    meant = replace(meant, commands=harmless)
    rehearsal = rehearse(context, meant)
    board_id = rehearsal.board_id or speaker.board_id
    errand_id = work.questions.add_errand(
        owner.id, board_id, rehearsal.lines, meant.comment, turn.now, status=ErrandStatus.ELSEWHERE
    )
    misread = [meant.problem.line] if meant.problem else []
    told = {
        "author": author,
        "said": [*map(as_shown, rehearsal.lines), *shortened([*misread, *meant.comment])],
        "left_out": left_out,
        "number": speaker.board_id,
    }
    kept = {"author": author, "errands": [errand_id]}
    what = f"a reply from {author}"
    ask_player(turn, owner, "alias", question_subject(what), told, kept)
    return f"asked {owner.handle} about {what}"
