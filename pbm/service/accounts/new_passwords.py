"""New passwords: how many are hashed for a player, and how one waits for the player's `yes`."""

from dataclasses import replace

from pbm.commands.context import Context
from pbm.commands.script import Script
from pbm.errors import Refusal
from pbm.mail.tags import Keyring
from pbm.passwords import SHORTEST, PasswordHash, RefusedPasswords, SealedPassword
from pbm.play.limits import ALL_NEW_PASSWORDS, NEW_PASSWORDS, is_paused, limit_reached
from pbm.play.turn import Turn
from pbm.service.turns.questions import OPEN_FOR
from pbm.store.values.players import Player
from pbm.store.values.questions import PendingCommands


def within_rate(context: Context, script: Script) -> Context:
    """The same circumstances, in which no password is hashed where one must not be.

    Each that a script brings counts, before it costs anything. Mails that only claim to be the
    player's have rates of their own.
    """
    new = {word for word in _new_passwords(script) if len(word) >= SHORTEST}
    refusal = _why_not(context.turn, context.player, len(new)) if new else None
    if refusal is None:
        return context
    return replace(context, turn=replace(context.turn, passwords=RefusedPasswords(refusal)))


def _why_not(turn: Turn, player: Player, count: int) -> Refusal | None:
    """The refusal, None where so many passwords may be hashed.

    Of those that nobody has proven only one waits: the player could not tell a forger's from
    the own one. Where no question could be asked, nothing is hashed for it.
    """
    work, now, unproven = turn.work, turn.now, turn.unproven
    waiting = work.questions.waiting_errands(player.id, now - OPEN_FOR) if unproven else ()
    if any(errand.password for errand in waiting):
        return Refusal("password-waits")
    if is_paused(work, player.address, now, unproven=unproven) or limit_reached(
        work, player, now, unproven=unproven
    ):
        return Refusal("too-many-passwords")
    kind = ("unproven",) if unproven else ()
    rates = ((NEW_PASSWORDS, (player.id, *kind)), (ALL_NEW_PASSWORDS, kind))
    for _ in range(count):
        if not all(rate.take(work, now, *whose) for rate, whose in rates):
            return Refusal("too-many-passwords")
    return None


def sealed_for_errand(context: Context, script: Script) -> SealedPassword | None:
    """The new password of a rehearsed script as it waits; of several, the last one counts."""
    new = _new_passwords(script)
    if not new:
        return None
    kept = context.passwords.hash_of(new[-1])
    return context.turn.site.keyring.seal_password(kept, _owner(context.player.id))


def password_of(keyring: Keyring, errand: PendingCommands) -> PasswordHash | None:
    """The new password that waits with an errand, None where there is none that we wrote."""
    if errand.password is None:
        return None
    return keyring.open_password(errand.password, _owner(errand.player_id))


def _new_passwords(script: Script) -> list[str]:
    return [command.new_password for command in script.commands if command.new_password]


def _owner(player_id: int) -> str:
    return f"player {player_id}"
