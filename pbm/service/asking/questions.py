"""Questions: each has a token that only the asked mailbox sees; `yes` or `no` settles it."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from pbm.clock import local_moment
from pbm.commands.registry import read_commands
from pbm.errors import Refusal
from pbm.events import Guest, Invited
from pbm.mail.address import address_key
from pbm.mail.tags import new_token, token_digest
from pbm.passwords import PasswordHash, SealedPassword
from pbm.play.allowance import take_unasked_mail
from pbm.play.challenges import setup_of_challenge, takes_challenge
from pbm.play.limits import MOST_ERRANDS, SIGNUP_STANDS
from pbm.play.subjects import question_subject
from pbm.play.turn import Turn
from pbm.play.views import opening_view
from pbm.rules.contract import Game, Position, completed
from pbm.rules.registry import default_game, game_named
from pbm.service.accounts import suggest_handle
from pbm.service.asking.first_games import FirstGame
from pbm.service.asking.passwords import sealed_for
from pbm.service.asking.standing_consent import origin_of
from pbm.service.telling.answer import may_answer
from pbm.service.telling.mail_writer import Asking, MailWriter
from pbm.store.values.asking import (
    OPEN_FOR,
    ErrandStatus,
    PendingChallenge,
    PendingCommands,
    Question,
)
from pbm.store.values.players import Player

_MOST_LINES, _MOST_CHARACTERS = 5, 400  # of a comment, in a mail that only asks


@dataclass(frozen=True)
class Invitation:
    """A challenge to somebody by mail address: its sender, the game, and where it starts."""

    inviter: str
    game: Game
    start: Position


def invitation_to(challenge: PendingChallenge) -> Invitation:
    """The sender and the game of a challenge."""
    setup = setup_of_challenge(challenge)
    start = setup.position(len(challenge.seats))
    return Invitation(challenge.handle_of(challenge.by_id), game_named(setup.game), start)


@dataclass(frozen=True)
class Welcome:
    """The question to an unknown address whether it wants to play.

    `problem`: the refusal of the wished handle. `named`: the handle was read in the previous
    answer. `last`: no further answer today. `more`: commands below were not kept. `asked`: the
    names of commands that only players may give. `invitation`: the challenge that a yes belongs
    to; `invited` describes it while it waits. `kept`: the hash of a password sent along. `help`:
    the text of a page.
    """

    handle: str
    problem: Refusal | None
    last: bool
    more: bool = False
    asked: Sequence[str] = ()
    invitation: int | None = None
    invited: Invitation | None = None
    kept: PasswordHash | None = None
    help: str | None = None
    named: bool = False
    first_game: FirstGame | None = None


@dataclass(frozen=True)
class ToConfirm:
    """Commands that a player is asked to confirm.

    `reasons` are sections that explain the question. `avoidable`: in an answer to our mail they
    would not need it. `guessed`: they were inferred from other words. `password` is the new one
    among the lines.
    """

    lines: tuple[str, ...]
    comment: tuple[str, ...]
    board_id: int | None
    reasons: Sequence[dict[str, Any]] = ()
    avoidable: bool = False
    guessed: bool = False
    password: SealedPassword | None = None


def ask_signup(turn: Turn, address: str, welcome: Welcome) -> None:
    """Ask an unknown address whether it wants to play under a handle."""
    sealed = sealed_for(turn.site.keyring, welcome.kept, address)
    invited, problem = welcome.invited, welcome.problem
    game = invited.game if invited else default_game()
    params = {
        "handle": welcome.handle,
        "named": welcome.named,
        "last": welcome.last,
        "more": welcome.more,
        "asked": list(welcome.asked),
        "problem": problem and {"code": problem.code, "params": problem.params},
        "game": game.info.name,
        "title": game.info.title,
        **opening_view(game, invited.start if invited else _usual_start(game)),
        "password": sealed is not None,
        "help": welcome.help,
        **(welcome.first_game.told if welcome.first_game else {}),
        "until": local_moment(turn.now + SIGNUP_STANDS, "UTC"),
    }
    asking = Asking("welcome", question_subject(f"play as {welcome.handle}"), params, new_token())
    if invited:
        told = {**params, "inviter": invited.inviter, "again": True}
        subject = _invites(invited.inviter, game)
        asking = replace(asking, template="invite", subject=subject, params=told)
    kept: dict[str, Any] = {"handle": welcome.handle, "invitation": welcome.invitation}
    if welcome.first_game:
        kept |= welcome.first_game.kept
    turn.work.questions.ask(
        *("signup", address, token_digest(asking.token), kept, turn.now, turn.now + SIGNUP_STANDS),
        password=sealed,
    )
    MailWriter(turn).question(address, asking)


def record_invited(turn: Turn, player: Player, event: Invited) -> Invited:
    """Store the questions to the guests at once, so that the next command sees them.

    Raises Refusal if we may not write to one of them now.
    """
    work, now = turn.work, turn.now
    guests = tuple(
        Guest(address, suggest_handle(work, address), new_token()) for address in event.addresses
    )
    for guest in guests:
        take_unasked_mail(work, player, guest.address, now)
        kept = {"handle": guest.handle, "invitation": event.challenge_id, "by": player.id}
        digest = token_digest(guest.token)
        work.questions.ask("invite", guest.address, digest, kept, now, now + SIGNUP_STANDS)
    return replace(event, guests=guests)


def ask_invited(turn: Turn, player: Player, event: Invited) -> None:
    """Ask the guests challenged by mail address, each once.

    The challenge's comment is sent with the board, after all have said yes. A player who takes no
    challenge from the sender is not asked, which looks like silence.
    """
    if event.comment:
        turn.work.challenges.set_comment(event.challenge_id, event.comment)
    game = game_named(event.game)
    told = {
        "inviter": player.handle,
        "title": game.info.title,
        **opening_view(game, invitation_to(turn.work.challenges.get(event.challenge_id)).start),
        "until": local_moment(turn.now + SIGNUP_STANDS, "UTC"),
    }
    for guest in event.guests:
        known = turn.work.players.by_address(address_key(guest.address))
        if known and not takes_challenge(turn.work, event.game, player, known):
            continue
        who = {"handle": known.handle if known else guest.handle, "plays": known is not None}
        subject = _invites(player.handle, game)
        asking = Asking("invite", subject, {**who, **told}, guest.token)
        MailWriter(turn).question(guest.address, asking, granted=True)


def _invites(inviter: str, game: Game) -> str:
    return question_subject(f"a game of {game.info.title} with {inviter}")


def _usual_start(game: Game) -> Position:
    """The first position, for somebody who has never seen the game."""
    return game.start(game.info.seats[0], completed(game.info.options, {}), 0)


def shortened(comment: Sequence[str]) -> list[str]:
    """The first lines of a comment, for a question; a last line says if it is cut."""
    told: list[str] = []
    room = _MOST_CHARACTERS
    for line in comment[:_MOST_LINES]:
        if len(line) > room:
            told.append(line[:room])
            break
        told.append(line)
        room -= len(line)
    cut = told != list(comment)
    return [*told, "(and more)"] if cut else told


def ask_once_more(
    turn: Turn, reader: Player | str, question: Question, token: str, told: dict[str, Any]
) -> None:
    """Ask the same question again after an unclear answer.

    `token` is the question's, `told` its template parameters.
    """
    if isinstance(reader, Player) and not may_answer(turn, reader):
        return
    section = {"section": "yes-or-no", "asks": question.kind, **told}
    params = {"sections": [section], "last": False}
    MailWriter(turn).question(
        reader, Asking("answer", question_subject("yes or no?"), params, token)
    )


def ask_errand(turn: Turn, player: Player, asked: ToConfirm) -> None:
    """Ask a player to confirm commands.

    Unproven ones share one question with others that wait, at most the newest ten.
    """
    if not may_answer(turn, player):
        return
    waiting = _waiting_with(turn, player, asked)
    way = ""  # a yes gives no consent, unless all commands have one origin
    if asked.avoidable and turn.unproven and not player.settings.strict:
        own = origin_of(turn)
        ids = [errand.id for errand in waiting]
        way = own if turn.work.questions.ways_of(player.id, ids, turn.now) <= {own} else ""
    older = max(0, len(waiting) - MOST_ERRANDS)
    waiting = waiting[older:]
    params = {
        "errands": [_errand_data(turn, player, item) for item in waiting],
        "guessed": asked.guessed,
        "older": older,
        "reasons": list(asked.reasons),
        "avoidable": asked.avoidable,
        "stands_for": turn.cause.author if way else "",
    }
    subject = question_subject(next(iter(asked.lines), "your words"))
    kept = {"errands": [errand.id for errand in waiting], "way": way}
    _ask_player(turn, player, Asking("confirm", subject, params, new_token()), kept)


def _waiting_with(turn: Turn, player: Player, asked: ToConfirm) -> list[PendingCommands]:
    """Store the commands; return all commands of the question, these last."""
    questions, now = turn.work.questions, turn.now
    waiting = questions.waiting_errands(player.id, now - OPEN_FOR) if turn.unproven else ()
    told = (asked.board_id, asked.lines, asked.comment)
    # A waiting password cannot be compared with this one.
    same = [
        item
        for item in waiting
        if asked.password is None and (item.board_id, item.lines, item.comment) == told
    ]
    if not same:
        added = questions.add_errand(
            *(player.id, asked.board_id, asked.lines, asked.comment, now),
            status=ErrandStatus.WAITING if turn.unproven else ErrandStatus.HELD,
            password=asked.password,
        )
        same += questions.open_errands([added])
    return [*(item for item in waiting if item not in same), *same]


def _errand_data(turn: Turn, player: Player, errand: PendingCommands) -> dict[str, Any]:
    """Pending commands as template parameters: lines, words, consequences."""
    found = read_commands(errand.lines)
    ends = [item.consequences(turn, player) for item in found]
    return {
        "lines": list(map(as_shown, errand.lines)),
        "question": found[0].question() if len(errand.lines) == len(found) == 1 else "",
        "comment": shortened(errand.comment),
        "ends": [section for section in ends if section],
    }


def as_shown(line: str) -> str:
    """A stored command line for display, without a hash that an older version wrote into it."""
    return next((item.line for item in read_commands([line]) if item.new_password), line)


def ask_alias(turn: Turn, owner: Player, author: str, errand_id: int, told: dict[str, Any]) -> None:
    """Ask a player about a reply from an unknown address."""
    kept = {"author": author, "errands": [errand_id]}
    subject = question_subject(f"a reply from {author}")
    params = {"author": author, **told}
    _ask_player(turn, owner, Asking("alias", subject, params, new_token()), kept)


def _ask_player(turn: Turn, player: Player, asking: Asking, kept: dict[str, Any]) -> None:
    """Ask a player; `kept` is stored for the answer."""
    digest, until = token_digest(asking.token), turn.now + OPEN_FOR
    turn.work.questions.ask(
        *(asking.template, player.address, digest, kept, turn.now, until, player)
    )
    MailWriter(turn).question(player, asking)
