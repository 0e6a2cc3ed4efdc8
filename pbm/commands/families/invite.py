"""Limits for invitations by mail address: each address once, and a few at a time."""

from collections.abc import Sequence
from datetime import timedelta

from pbm.commands.language.context import Context
from pbm.errors import Refusal
from pbm.mail.address import address_key, is_at_home, leads_elsewhere
from pbm.mail.reading.automatic import is_own, is_role
from pbm.play.allowance import has_said_no, refusal_of_stranger, strangers_answers_left
from pbm.play.limits import MOST_INVITED

WAITING_FOR = timedelta(days=3)


def check_invitations(context: Context, addresses: Sequence[str]) -> None:
    """Raise Refusal if one of the addresses may not be invited."""
    since = context.now - WAITING_FOR
    asked = context.work.challenges.guests_of(context.player.id, since)
    if asked + len(addresses) > MOST_INVITED:
        raise Refusal("too-many-invitations", most=MOST_INVITED, days=WAITING_FOR.days)
    for address in addresses:
        _check_address(context, address)


def check_is_of_a_person(context: Context, address: str) -> None:
    """Raise Refusal for an address of this server or a mail server's role address."""
    own = is_own(address, context.server)
    if own or is_role(address) or leads_elsewhere(address, context.server):
        raise Refusal("nobody-there", address=address, own=own)


def _check_address(context: Context, address: str) -> None:
    check_is_of_a_person(context, address)
    if is_at_home(address, context.server):
        raise Refusal("invited-at-home", address=address, server=context.server)
    if _is_asked(context, address_key(address)) or has_said_no(context.work, address):
        raise Refusal("invited-already", address=address, server=context.server)
    if not strangers_answers_left(context.work, address, context.now):
        raise refusal_of_stranger(context.work, address, context.now)


def _is_asked(context: Context, key: str) -> bool:
    """Whether an address was invited already; for a player's address, by this inviter."""
    asked = context.work.questions
    if context.work.players.by_address(key):
        return asked.invitation_stands(key, context.player_id, context.now)
    return asked.asked_address("invite", key)
