"""Challenges with guests who were invited by mail address: their answers, begin, cancellation."""

from dataclasses import replace

from pbm.commands.families.lobby import challenged_answer
from pbm.commands.registry import read_commands
from pbm.errors import Refusal
from pbm.events import Answered, Event, Proposed
from pbm.mail.address import address_key
from pbm.play.challenges import go_on, seat_guest
from pbm.play.turn import Turn
from pbm.rules.registry import default_game, game_named
from pbm.service.obeying.obey import tell
from pbm.service.obeying.scripts import giving_back, refused
from pbm.service.telling.mail_writer import MailWriter
from pbm.service.understanding.mail_turn import MailTurn
from pbm.store.values.asking import PendingChallenge, Question
from pbm.store.values.players import Player

_TWO = 2  # players in the smallest challenge


def invited_to(turn: Turn, question: Question) -> PendingChallenge | None:
    """The pending challenge that a question invites to; None if guests are no longer asked."""
    number = question.params.get("invitation")
    found = turn.work.challenges.find(number) if number else None
    return found if found and found.command else None


def who_asks(challenge: PendingChallenge | None) -> Refusal:
    """The refusal for a stranger who asks who we are."""
    inviter = challenge.handle_of(challenge.by_id) if challenge else None
    game = game_named(challenge.setup["game"]) if challenge else default_game()
    return Refusal("who-asks", inviter=inviter, title=game.info.title)


def said_yes(
    turn: MailTurn, challenge: PendingChallenge, question: Question, player: Player
) -> Answered:
    """Seat a guest who said yes; return the answer to them."""
    challenge, waits = seat_guest(turn.work, challenge, address_key(question.address), player)
    inviter = turn.work.players.get(challenge.by_id)
    if not challenge.addresses and not inviter.is_active:
        return called_off()
    return Answered("invitation", {"inviter": inviter.handle, "waiting": waits})


def called_off() -> Answered:
    """The answer to a guest whose game is cancelled."""
    return Answered("invitation-off", {"title": "no game"})


def start_if_complete(turn: MailTurn, challenge_id: int) -> None:
    """Start the board in the inviter's name, if all guests have said yes."""
    work = turn.work
    challenge = work.challenges.get(challenge_id)
    if challenge.addresses:
        return
    inviter = work.players.get(challenge.by_id)
    if not inviter.is_active:
        work.challenges.forget(challenge.id)
        _tell_guests(turn, challenge)
        return
    context = replace(turn.context(inviter), hints=())
    events: list[Event]
    try:
        with work.savepoint():
            events = go_on(work, challenge, turn.now)
            turn.postage.count(work, inviter.id, events)
    except Refusal as refusal:
        work.challenges.forget(challenge.id)
        handles = [challenge.handle_of(number) for number in challenge.players]
        line = " ".join((challenge.command or "", *handles))
        answer = next(
            (refused(command, refusal, context) for command in read_commands([line])), called_off()
        )
        tell(context, [giving_back(answer, challenge.comment) if challenge.comment else answer])
        _tell_guests(turn, challenge, all_of_them=True)  # also the one who has just said yes
        return
    for event in [event for event in events if isinstance(event, Proposed)]:
        asked = [player.handle for player in work.players.some(event.players)]
        words = bool(challenge.comment)
        events.insert(0, challenged_answer(asked, first_unsaid=False, words=words))
    tell(context, events)


def call_off(turn: Turn, challenge: PendingChallenge, question: Question, why: str) -> None:
    """Cancel a challenge; tell its inviter why, and the guests who said yes."""
    turn.work.challenges.forget(challenge.id)
    inviter = turn.work.players.get(challenge.by_id)
    if inviter.addresses:
        told = {"address": question.address, "others": len(challenge.seats) > _TWO}
        MailWriter(turn).tell_or_keep(inviter, why, "your invitation", told)
    _tell_guests(turn, challenge)


def _tell_guests(turn: Turn, challenge: PendingChallenge, *, all_of_them: bool = False) -> None:
    """Tell the guests who said yes that the game is off, by default except the mail's sender."""
    off = {"sections": [{"section": called_off().section}], "last": False}
    for guest in turn.work.players.some(challenge.asked):
        if all_of_them or not turn.wrote(guest):
            MailWriter(turn).tell_or_keep(guest, "answer", "no game", off)
