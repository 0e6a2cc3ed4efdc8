"""New passwords: how many are hashed for a player, and how one waits for the player's `yes`."""

from dataclasses import replace

from pbm.commands.context import Context
from pbm.commands.limits import NEW_PASSWORDS
from pbm.commands.script import Script
from pbm.mail.tags import Keyring
from pbm.passwords import SHORTEST, NoMorePasswords, PasswordHash, SealedPassword
from pbm.service.hearing import Hearing
from pbm.store.values import Errand, Player


def within_rate(hearing: Hearing, context: Context, script: Script) -> Context:
    """The same circumstances, in which no password is hashed where the player has had enough.

    Each that a script brings counts, before it costs anything. Mails that only claim to be the
    player's have a rate of their own.
    """
    new = {word for word in _new_passwords(script) if len(word) >= SHORTEST}
    whose = (context.player.id, "unproven") if hearing.letters.unproven else (context.player.id,)
    if all(NEW_PASSWORDS.take(hearing.work, hearing.now, *whose) for _ in new):
        return context
    return replace(context, passwords=NoMorePasswords())


def sealed_for_errand(hearing: Hearing, player: Player, script: Script) -> SealedPassword | None:
    """The new password of a rehearsed script as it waits; of several, the last one counts."""
    new = _new_passwords(script)
    if not new:
        return None
    kept = hearing.passwords.hash_of(new[-1])
    return hearing.house.keyring.seal_password(kept, _owner(player.id))


def password_of(keyring: Keyring, errand: Errand) -> PasswordHash | None:
    """The new password that waits with an errand, None where there is none that we wrote."""
    if errand.password is None:
        return None
    return keyring.open_password(errand.password, _owner(errand.player_id))


def _new_passwords(script: Script) -> list[str]:
    return [command.new_password for command in script.commands if command.new_password]


def _owner(player_id: int) -> str:
    return f"player {player_id}"
