"""Asks challenged players, guests, newcomers and substitutes; tells of cancelled challenges."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from html import unescape
from typing import Any
from unicodedata import normalize
from urllib.parse import unquote

from pbm.clock import local_moment
from pbm.commands.families.lobby import Challenge
from pbm.commands.families.seeks import Join, Play
from pbm.commands.registry import parse_line
from pbm.commands.script import Script
from pbm.commands.turn import Turn
from pbm.errors import Refusal
from pbm.events import CalledOff, Guest, Invited, Proposed
from pbm.events.board import SubstituteAsked
from pbm.mail.keys import new_token, token_digest
from pbm.passwords import PasswordHash
from pbm.plain import from_plain
from pbm.play.challenges import setup_of_challenge, takes_challenge
from pbm.play.clocks.terms import usual_terms
from pbm.play.limits import CHALLENGE_STANDS, SIGNUP_STANDS, take_unasked_mail
from pbm.play.offers import SUBSTITUTE
from pbm.play.subjects import question_subject
from pbm.play.views import opening_view
from pbm.rules.contract import Game, Position, completed
from pbm.rules.registry import default_game, game_named, games
from pbm.rules.sides import mover, teams
from pbm.service.accounts import suggest_handle
from pbm.service.asking.questions import ask_player, of_address, shortened
from pbm.service.telling.announce import shown_to
from pbm.service.telling.mail_writer import MailWriter
from pbm.store.values.asking import ErrandStatus, PendingChallenge
from pbm.store.values.mails import Kind
from pbm.store.values.players import Player

CHALLENGE = "challenge"  # the kind of question
_LONGEST_WORDS, _MOST_READ = 200, 2000  # characters of an inviter's words; read for them
_CUT = "\u2026"
# What mail programs make a link, and what people write instead: "bob(at)example.org".
_LEADS_AWAY = re.compile(
    r"@|//|\\\\|[^\W\d_]{2}:[\w+]|[^\s.]\.[^\W\d_]{2}|(?:\d{1,3}\.){3}\d|::"
    r"|[a-z0-9][\u3002\u06d4\u2027\u2022\u00b7\u2219\u22c5][a-z]{2}"  # other signs for the dot
    r"|[\[({<*_](?:\.|dot|at)[\])}>*_]|^\W*(?:dot|h..ps?|www|\.\w+)\W*$",
    re.IGNORECASE,
)
_SLASHES = str.maketrans(dict.fromkeys("\u2044\u2215\u29f8", "/"))
FIRST_GAMES = Challenge | Play | Join
"""Commands by which a newcomer can ask for a game; `SeekOthers` is a subclass of `Challenge`."""


def ask_challenged(turn: Turn, event: Proposed) -> None:
    """Ask players whether they accept a challenge. The limit on answers does not apply."""
    challenge = turn.work.challenges.find(event.challenge_id)
    if challenge is None:
        return
    if event.comment:
        turn.work.challenges.set_comment(challenge.id, event.comment)
    told = {**_challenge_data(challenge), "comment": shortened(event.comment)}
    subject = invitation_subject(told["inviter"], game_named(told["game"]))
    for player in turn.work.players.some(event.players):
        own = [seat.seat for seat in challenge.seats if seat.player_id == player.id]
        shown = {**told, **opening_view(*start_of(challenge), own)}
        shown |= {} if player.settings.picture else {"picture": None}
        kept = {"errands": [], "challenge": challenge.id}
        asked = CHALLENGE, subject, shown, kept, challenge.expires_at, Kind.NOTICE
        ask_player(turn, player, *asked)


def record_invited(turn: Turn, player: Player, event: Invited) -> Invited:
    """Store a question to each guest; return the event with its `guests`. Raises Refusal."""
    work, now = turn.work, turn.now
    guests = tuple(
        Guest(address, suggest_handle(work, address), new_token()) for address in event.addresses
    )
    for guest in guests:  # now, since the next command is checked against these questions
        take_unasked_mail(work, player, guest.address, now)
        kept = {"handle": guest.handle, "invitation": event.challenge_id, "by": player.id}
        digest = token_digest(guest.token)
        work.questions.ask("invite", guest.address, digest, kept, now, now + SIGNUP_STANDS)
    return replace(event, guests=guests)


def ask_invited(turn: Turn, player: Player, event: Invited) -> None:
    """Ask the guests; a player who accepts no challenge from the inviter is silently left out."""
    if event.comment:
        turn.work.challenges.set_comment(event.challenge_id, event.comment)
    challenge, game = turn.work.challenges.get(event.challenge_id), game_named(event.game)
    told = {
        "inviter": player.handle,
        "title": game.info.title,
        "until": local_moment(turn.now + SIGNUP_STANDS, "UTC"),
    }
    if turn.work.history.has_moved(player.id):
        told["words"] = without_links(event.comment)
    for guest in event.guests:
        known = turn.work.players.by_address(guest.address)
        if known and not takes_challenge(turn.work, event.game, player, known, turn.now):
            continue
        who = {"handle": known.handle if known else guest.handle, "plays": known is not None}
        own = [seat.seat for seat in challenge.seats if seat.address == guest.address]
        shown = {**told, **who, **opening_view(*start_of(challenge), own, small=True)}
        asking = invitation_subject(player.handle, game), shown, guest.token
        MailWriter(turn).question(guest.address, "invite", *asking, granted=True)


def without_links(comment: Sequence[str]) -> str:
    """Return the beginning of a comment in one line, without links and addresses.

    >>> without_links(["Hi! See www.example.org/a", "or ask bob@example.org."])
    'Hi! See \u2026 or ask \u2026'
    """
    words = " ".join(comment)[:_MOST_READ].split()
    plain = (normalize("NFKC", unescape(unquote(word))).translate(_SLASHES) for word in words)
    leads = map(_LEADS_AWAY.search, plain)
    text = " ".join(_CUT if away else word for word, away in zip(words, leads, strict=True))
    if not any(map(str.isalnum, text)):
        return ""
    return text if len(text) <= _LONGEST_WORDS else text[: _LONGEST_WORDS - 1].rstrip() + _CUT


def ask_guest(turn: Turn, event: SubstituteAsked) -> None:
    """Mail the board to whoever is to take over seats, with the question whether to play on."""
    work, number, until = turn.work, event.board_id, turn.now + CHALLENGE_STANDS
    board, guest = work.boards.get(number), work.players.get(event.guest)
    told = (number, (f"accept {SUBSTITUTE} {number}",), ())
    errand = work.questions.add_errand(guest.id, *told, turn.now, status=ErrandStatus.HELD)
    kept = {"errands": [errand], "no": [f"reject {SUBSTITUTE} {number}"], "origin": None}
    by = board.handle_of(event.player)
    shown = {**shown_to(turn, guest, board), "by": by, "until": f"{until:%Y-%m-%d}"}
    asked = "confirm", question_subject(f"play on for {by}"), shown, kept, until, Kind.NOTICE
    ask_player(turn, guest, *asked, template=SUBSTITUTE)


def invitation_subject(inviter: str, game: Game) -> str:
    return question_subject(f"a game of {game.info.title} with {inviter}")


def start_of(challenge: PendingChallenge) -> tuple[Game, Position]:
    setup = setup_of_challenge(challenge)
    return game_named(setup.game), setup.position(len(challenge.seats))


def tell_called_off(turn: Turn, event: CalledOff) -> None:
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
            MailWriter(turn).tell_or_keep(player, "challenge-off", {**told, **own})


def _challenge_data(challenge: PendingChallenge) -> dict[str, Any]:
    setup, (game, position) = setup_of_challenge(challenge), start_of(challenge)
    players = [seat.handle for seat in challenge.seats]
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
        "private": setup.private,
        "clock": {name: getattr(terms, name) for name in ("each", "total", "bank", "increment")},
        "until": f"{challenge.expires_at:%Y-%m-%d}",
    }


@dataclass(frozen=True)
class FirstGame:
    """The game that a newcomer wants to begin with."""

    game: str
    line: str  # the command that runs when the newcomer says yes
    robots: tuple[str, ...] = ()  # the handles of the opponents, if they are robots

    @property
    def told(self) -> dict[str, Any]:
        """The parameters of the welcome's template that describe this game."""
        pairs = self.line == Play.words[0]  # with any opponent
        seat = None if self.robots or pairs else self.line
        return {"pairs": pairs, "robots": list(self.robots), "seat": seat}

    @property
    def script(self) -> Script:
        """The script with this game's command; empty if the command no longer parses."""
        game = games().get(self.game)
        command = parse_line(self.line, game) if game else None
        return Script((command,)) if isinstance(command, FIRST_GAMES) else Script()


def first_game_kept(params: Mapping[str, Any]) -> FirstGame | None:
    begins = params.get("begins")
    return from_plain(FirstGame, begins) if begins else None


def ask_signup(
    turn: Turn,
    address: str,
    handle: str,
    problem: Refusal | None,
    *,
    kept: PasswordHash | None = None,
    first_game: FirstGame | None = None,
    invitation: int | None = None,  # the number of a challenge
    challenge: PendingChallenge | None = None,  # that challenge, if waiting; the mail invites to it
    unclear: bool = False,  # an answer was neither yes nor no; another gets no answer
    **told: Any,  # parameters of the template
) -> None:
    """Mail an unknown address the welcome, which asks whether it wants to play under `handle`."""
    sealed = turn.site.keyring.seal_password(kept, of_address(address)) if kept else None
    if challenge:
        game, start = start_of(challenge)
    else:
        game = default_game()
        start = game.start(game.info.seats[0], completed(game.info.options, {}))
    params = {
        "handle": handle,
        "named": False,  # whether the address itself chose the handle
        "more": False,  # whether commands were dropped
        "asked": [],  # dropped commands that only players may use
        "help": None,  # the text of a help page
        **told,
        "problem": problem and {"code": problem.code, "params": problem.params},
        "game": game.info.name,
        "title": game.info.title,
        **opening_view(game, start, small=True),
        "password": sealed is not None,
        **(first_game.told if first_game else {}),
        "until": local_moment(turn.now + SIGNUP_STANDS, "UTC"),
    }
    template, subject, token = "welcome", question_subject(f"play as {handle}"), new_token()
    if challenge:
        inviter = challenge.handle_of(challenge.by_id)
        template, subject = "invite", invitation_subject(inviter, game)
        params |= {"inviter": inviter, "again": True}
    begins = {"begins": vars(first_game)} if first_game else {}
    stored = {"handle": handle, "invitation": invitation, **begins}
    if unclear:
        stored["unclear"] = True
    turn.work.questions.ask(
        *("signup", address, token_digest(token), stored, turn.now, turn.now + SIGNUP_STANDS),
        password=sealed,
    )
    MailWriter(turn).question(address, template, subject, params, token)
