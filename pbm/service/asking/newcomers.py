"""The question to newcomers whether they want to play, and the first game that they ask for."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pbm.clock import local_moment
from pbm.commands.families.lobby import Challenge
from pbm.commands.families.seeks import Join, Play
from pbm.commands.registry import parse_line
from pbm.commands.script import Script
from pbm.errors import Refusal
from pbm.mail.tags import new_token, token_digest
from pbm.passwords import PasswordHash
from pbm.play.limits import SIGNUP_STANDS
from pbm.play.subjects import question_subject
from pbm.play.turn import Turn
from pbm.play.views import opening_view
from pbm.rules.contract import completed
from pbm.rules.registry import default_game, games
from pbm.service.asking.challenges import invitation_subject, start_of
from pbm.service.asking.passwords import of_address
from pbm.service.telling.mail_writer import MailWriter
from pbm.store.values.asking import PendingChallenge

FIRST_GAMES = Challenge | Play | Join
"""Commands by which a newcomer may ask for a game; `SeekOthers` is a `Challenge`."""


@dataclass(frozen=True)
class FirstGame:
    """Command line to run after the yes, with its game; `robots` are its opponents."""

    game: str
    line: str
    robots: tuple[str, ...] = ()

    @property
    def pairs(self) -> bool:
        """Whether the newcomer asks to be paired."""
        return self.line == Play.words[0]

    @property
    def told(self) -> dict[str, Any]:
        """Template parameters for the welcome."""
        asks_for_seat = not self.robots and not self.pairs
        seat = self.line if asks_for_seat else None
        return {"pairs": self.pairs, "robots": list(self.robots), "seat": seat}

    @property
    def kept(self) -> dict[str, Any]:
        """Parameters stored with the question."""
        return {"pairs": self.game} if self.pairs else {"begins": vars(self)}

    @property
    def script(self) -> Script:
        """The command; empty if unreadable by now."""
        game = games().get(self.game)
        command = parse_line(self.line, game) if game else None
        return Script((command,)) if isinstance(command, FIRST_GAMES) else Script()


def first_game_kept(params: Mapping[str, Any]) -> FirstGame | None:
    """The first game stored with a question."""
    begins, pairs = params.get("begins"), params.get("pairs")
    if begins:
        return FirstGame(begins["game"], begins["line"], tuple(begins["robots"]))
    return FirstGame(pairs, Play.words[0]) if pairs else None


def ask_signup(
    turn: Turn,
    address: str,
    handle: str,
    problem: Refusal | None,
    *,
    last: bool,
    named: bool = False,
    more: bool = False,
    asked: Sequence[str] = (),
    page: str | None = None,
    kept: PasswordHash | None = None,
    first_game: FirstGame | None = None,
    invitation: int | None = None,
    challenge: PendingChallenge | None = None,
) -> None:
    """Ask an unknown address whether it wants to play under a handle.

    `problem`: the refusal of the wished handle. `last`: no further answer today. `named`: the
    handle was read in the previous answer. `more`: commands below were not kept. `asked`: the names
    of commands that only players may give. `page`: the text of a help page. `kept`: the hash of a
    password sent along. `invitation`: the challenge that a yes belongs to; `challenge`: the same,
    while it waits.
    """
    sealed = turn.site.keyring.seal_password(kept, of_address(address)) if kept else None
    if challenge:
        game, start = start_of(challenge)
    else:
        game = default_game()
        start = game.start(game.info.seats[0], completed(game.info.options, {}), 0)
    params = {
        "handle": handle,
        "named": named,
        "last": last,
        "more": more,
        "asked": list(asked),
        "problem": problem and {"code": problem.code, "params": problem.params},
        "game": game.info.name,
        "title": game.info.title,
        **opening_view(game, start, small=True),
        "password": sealed is not None,
        "help": page,
        **(first_game.told if first_game else {}),
        "until": local_moment(turn.now + SIGNUP_STANDS, "UTC"),
    }
    template, subject, token = "welcome", question_subject(f"play as {handle}"), new_token()
    if challenge:
        inviter = challenge.handle_of(challenge.by_id)
        template, subject = "invite", invitation_subject(inviter, game)
        params |= {"inviter": inviter, "again": True}
    stored = {"handle": handle, "invitation": invitation, **(first_game.kept if first_game else {})}
    turn.work.questions.ask(
        *("signup", address, token_digest(token), stored, turn.now, turn.now + SIGNUP_STANDS),
        password=sealed,
    )
    MailWriter(turn).question(address, template, subject, params, token)
