"""New passwords: hashed within limits, and stored sealed while their question waits."""

from dataclasses import replace
from datetime import timedelta

from pbm.commands.families.account import SignUp
from pbm.commands.language.context import Context
from pbm.commands.script import Script
from pbm.errors import Refusal
from pbm.mail.address import address_key
from pbm.mail.tags import Keyring
from pbm.passwords import SHORTEST, PasswordHash, PasswordWork, SealedPassword
from pbm.play.limits import ALL_NEW_PASSWORDS, NEW_PASSWORDS, is_paused, limit_reached
from pbm.play.turn import Turn
from pbm.store.values.asking import OPEN_FOR, PendingCommands, Question
from pbm.store.values.players import Player

_MOST, _WITHIN = 60, timedelta(hours=1)  # hashes for all strangers; each takes some 25 ms


def hash_of_first(turn: Turn, command: SignUp | None) -> PasswordHash | None:
    """Hash the password of a `signup` command, if it has one. Raises Refusal and WorkNeeded."""
    if command is None or command.password is None:
        return None
    if not turn.work.buckets.take("signup-passwords", _MOST, _WITHIN, turn.now):
        raise Refusal("password-not-kept")
    return turn.passwords.hash_of(command.password.value)


def stored_password(keyring: Keyring, asked: Question | PendingCommands) -> PasswordHash | None:
    """The hash stored with a question or pending commands; None if its seal is not ours."""
    if asked.password is None:
        return None
    of_player = f"player {asked.player_id}"
    owner = of_address(asked.address) if isinstance(asked, Question) else of_player
    return keyring.open_password(asked.password, owner)


def of_address(address: str) -> str:
    """The owner name under which an unknown address's password is sealed."""
    return f"address {address_key(address)}"


def within_rate(context: Context, script: Script) -> Context:
    """The context; it refuses to hash new passwords if those of the script exceed a rate."""
    new = {word for word in _new_passwords(script) if len(word) >= SHORTEST}
    refusal = _why_not(context.turn, context.player, len(new)) if new else None
    if refusal is None:
        return context
    return replace(context, turn=replace(context.turn, passwords=PasswordWork(refusal)))


def _why_not(turn: Turn, player: Player, count: int) -> Refusal | None:
    """Why `count` new passwords may not be hashed; None if they may.

    Only one unproven password waits at a time, since the player could not tell several apart.
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
    """Hash a rehearsed script's last new password, and seal it for storage; None without one."""
    new = _new_passwords(script)
    if not new:
        return None
    kept = context.turn.passwords.hash_of(new[-1])
    return context.turn.site.keyring.seal_password(kept, f"player {context.player_id}")


def _new_passwords(script: Script) -> list[str]:
    return [command.new_password for command in script.commands if command.new_password]
