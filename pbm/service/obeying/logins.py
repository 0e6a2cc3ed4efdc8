"""Commands with a login: a userid and its password, as on older servers.

A right password proves its player for these commands only, whoever sent the mail. Answers go to the
player's own address. A command with a wrong password is ignored.
"""

from collections.abc import Iterator
from dataclasses import replace

from pbm.commands.auth import Proven, Speaker, doubt_about
from pbm.commands.language.words import Login
from pbm.commands.script import Script
from pbm.mail.address import address_key
from pbm.mail.reading.auth_results import Dmarc
from pbm.passwords import hash_of_nobody
from pbm.play.actions import show_life
from pbm.service.obeying.obey import obey
from pbm.service.understanding.mail_turn import MailTurn
from pbm.service.understanding.withheld_text import may_check
from pbm.store.values.players import Player

_MOST_IN_A_MAIL = 3  # different logins


def run_logins(turn: MailTurn, speaker: Speaker, dmarc: Dmarc) -> tuple[MailTurn, list[str]]:
    """Run the commands with a correct login.

    Returns the mail without them, and the outcomes for the operator.
    """
    script = turn.script_about(turn.hints(getattr(speaker, "board_id", None)))
    logins = dict.fromkeys(command.login for command in script.commands if command.login)
    if isinstance(speaker, Proven):  # a proven player needs no password
        logins = {login: None for login in logins if login.handle != speaker.player.handle}
    if not logins:
        return turn, []
    found = dict(_proven(turn, tuple(logins)[:_MOST_IN_A_MAIL], dmarc))
    outcomes = [
        f"a password of {login.handle} that proves nothing"
        for login in logins
        if login not in found
    ]
    for player in dict.fromkeys(found.values()):
        own = [login for login in found if found[login] == player]
        outcomes.append(_obey_for(turn, player, script.of(own)))
    return replace(turn, done=frozenset(found)), outcomes


def _obey_for(turn: MailTurn, player: Player, script: Script) -> str:
    show_life(turn.work, player)
    return obey(turn.context(player), script, proven=True)


def _proven(
    turn: MailTurn, logins: tuple[Login, ...], dmarc: Dmarc
) -> Iterator[tuple[Login, Player]]:
    """The correct logins, with their players.

    Each check takes the same time, also for unknown handles.
    """
    tried = [login for login in logins if may_check(turn, login.handle)]
    players = [_player_of(turn, login, dmarc) for login in tried]
    hashes = [
        (player and player.password_hash) or hash_of_nobody(login.handle)
        for login, player in zip(tried, players, strict=True)
    ]
    words = [login.password.value for login in tried]
    right = turn.passwords.are_right(list(zip(hashes, words, strict=True)))
    for login, player, is_right in zip(tried, players, right, strict=True):
        if player and is_right:
            yield login, player


def _player_of(turn: MailTurn, login: Login, dmarc: Dmarc) -> Player | None:
    """The player of a login, if a password can prove them."""
    player = turn.work.players.by_handle(login.handle)
    if player is None or not player.addresses or not player.password_hash:
        return None
    return None if _insists(turn, player, dmarc) else player


def _insists(turn: MailTurn, player: Player, dmarc: Dmarc) -> bool:
    """Whether the player is strict and the mail is not proven to be from an own address."""
    if not player.settings.strict:
        return False
    author = address_key(turn.envelope.author or "")
    known = author in {address_key(address) for address in player.addresses}
    return not known or bool(doubt_about(player, dmarc))
