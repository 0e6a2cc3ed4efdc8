"""Mails about pending challenges: the question to each player, and the cancellation."""

from typing import Any

from pbm.events import CalledOff, Proposed
from pbm.mail.tags import new_token, token_digest
from pbm.play.challenges import setup_of_challenge
from pbm.play.clocks.terms import usual_terms
from pbm.play.subjects import question_subject
from pbm.play.turn import Turn
from pbm.play.views import opening_view
from pbm.rules.registry import game_named
from pbm.rules.sides import mover, teams
from pbm.service.asking.questions import shortened
from pbm.service.telling.mail_writer import Asking, MailWriter
from pbm.store.values.asking import PendingChallenge
from pbm.store.values.mails import Kind

CHALLENGE = "challenge"  # the kind of question


def ask_challenged(turn: Turn, event: Proposed) -> None:
    """Ask players whether they accept a challenge; this does not count as an answer."""
    questions = turn.work.questions
    challenge = turn.work.challenges.find(event.challenge_id)
    if challenge is None:
        return
    if event.comment:
        turn.work.challenges.set_comment(challenge.id, event.comment)
    told = {**_challenge_data(challenge), "comment": shortened(event.comment)}
    subject = question_subject(f"a game of {told['title']} with {told['inviter']}")
    for player in turn.work.players.some(event.players):
        token = new_token()
        kept = {"errands": [], "challenge": challenge.id}
        until = challenge.expires_at
        questions.ask(
            *(CHALLENGE, player.address, token_digest(token), kept, turn.now, until, player)
        )
        shown = told if player.settings.picture else {**told, "picture": None}
        asking = Asking(CHALLENGE, subject, shown, token)
        MailWriter(turn).question(player, asking, kind=Kind.NOTICE)


def tell_called_off(turn: Turn, event: CalledOff) -> None:
    """Tell everybody concerned that a challenge is off, and why."""
    told = {
        "by": event.by,
        "title": game_named(event.game).info.title,
        "why": event.why,
        "who": list(event.who),
        "comment": shortened(event.comment),
    }
    for player in turn.work.players.some(event.readers):
        if player.addresses:
            own = {"own": player.handle == event.by}
            MailWriter(turn).tell_or_keep(player, "challenge-off", "no game", {**told, **own})


def _challenge_data(challenge: PendingChallenge) -> dict[str, Any]:
    """The challenge as template parameters for the question."""
    setup = setup_of_challenge(challenge)
    players = [seat.handle for seat in challenge.seats]
    position, game = setup.position(len(players)), game_named(setup.game)
    terms = setup.clock or usual_terms(len(players))
    return {
        "inviter": challenge.handle_of(challenge.by_id),
        "game": setup.game,
        "title": game.info.title,
        "options": dict(setup.options),
        "players": players,
        "sides": teams(position),
        "begins": players[(mover(position) or 1) - 1],
        "asked": [challenge.handle_of(player_id) for player_id in challenge.asked],
        "rounds": setup.rounds,
        "rated": setup.rated,
        "clock": {name: getattr(terms, name) for name in ("each", "total", "bank", "increment")},
        **opening_view(game, position),
        "until": f"{challenge.expires_at:%Y-%m-%d}",
    }
