"""Allowances: whether a mail still fits the recipient's limits; each answer is counted."""

from collections.abc import Iterable, Sequence
from datetime import datetime, timedelta
from functools import partial

from pbm.errors import Refusal
from pbm.mail.address import address_key, mailbox_key
from pbm.play.limits import (
    ANSWERS_IN_DAY,
    ANSWERS_IN_HOUR,
    ANSWERS_UNPROVEN,
    ASKED,
    CHALLENGED,
    CHALLENGED_BY,
    NEWCOMERS_ANSWERS,
    NEWCOMERS_DAY,
    OF_ASKING,
    PICTURED,
    SENT,
    STRANGER,
    STRANGER_ANSWERS,
    UNASKED,
    Limit,
    Rate,
)
from pbm.store.db import UnitOfWork
from pbm.store.values.mails import Allowance
from pbm.store.values.players import Player


def take_mails(work: UnitOfWork, player_ids: Sequence[int], now: datetime) -> dict[int, float]:
    """Count a mail caused by others to each of some players, without waiting for locks.

    Returns the players below their limit, and how many more mails each may get.
    """
    keys = {SENT.key(number): number for number in player_ids}
    taken = work.buckets.take_each(list(keys), SENT.most, SENT.within, now)
    return {keys[key]: left for key, left in taken.items()}


def is_pictured(work: UnitOfWork, player_id: int, now: datetime) -> bool:
    """Whether a player's mails from others are few enough that the next has a picture."""
    return work.buckets.left(SENT.key(player_id), SENT.most, SENT.within, now) >= PICTURED


def count_challenge(work: UnitOfWork, by: Player, players: Iterable[Player], now: datetime) -> None:
    """Count a mail to each challenged player.

    Raises Refusal if one of them has had too many.
    """
    for player in players:
        if player.robot or SENT.take(work, now, player.id, wait=False):
            continue
        if not CHALLENGED_BY.take(work, now, player.id, by.id):
            raise Refusal("has-many-mails", handle=player.handle)
        if not CHALLENGED.take(work, now, player.id):
            raise Refusal("has-many-mails", handle=player.handle)


def strangers_answers_left(work: UnitOfWork, address: str, now: datetime) -> int:
    """Number of mails that a stranger's address may still get today.

    Addresses that differ only after a `+` count as one.
    """
    return STRANGER_ANSWERS - work.buckets.taken_since(_keys_of(address), now - STRANGER.within)


def refusal_of_stranger(work: UnitOfWork, address: str, now: datetime) -> Refusal:
    """The refusal to write to a stranger's address now, with the time when it is possible again."""
    first = work.buckets.first_taken(_keys_of(address)) or now
    again = minute_after(first + STRANGER.within)
    return Refusal("cannot-invite", address=address, most=STRANGER_ANSWERS, again=again)


def has_said_no(work: UnitOfWork, address: str) -> bool:
    """Whether an address has turned us down: then players cannot have us write to it."""
    return work.questions.turned_down({address_key(address), mailbox_key(address)})


def take_strangers_mail(work: UnitOfWork, address: str, now: datetime) -> bool:
    """Count a mail to a stranger's address; False if it must not be written.

    The shared limit of all strangers was counted before.
    """
    return any(STRANGER.take(work, now, *whose) for whose in _of_stranger(address))


def take_unasked_mail(work: UnitOfWork, player: Player, address: str, now: datetime) -> None:
    """Count a mail to a stranger's address that a player asked for.

    Players who have asked for one today already, or are new here, share a part of the total, so
    that some is left for others. Raises Refusal if it must not be written now, with the reason and
    the time when it may be.
    """
    begun = work.buckets.taken_since([UNASKED.key(player.id)], now - UNASKED.within)
    rates: list[tuple[Rate, tuple[int, ...]]] = [(UNASKED, (player.id,)), (ASKED, ())]
    if begun or player.joined_at > now - NEWCOMERS_DAY:
        rates.insert(1, (OF_ASKING, ()))
    for rate, whose in rates:
        if not rate.take(work, now, *whose):
            again = minute_after(rate.free_at(work, now, *whose))
            whose_rate = {"own": rate is UNASKED, "shared": rate is OF_ASKING}
            raise Refusal("not-now", address=address, **whose_rate, most=rate.most, again=again)
    if not take_strangers_mail(work, address, now):
        raise refusal_of_stranger(work, address, now)


def minute_after(moment: datetime) -> str:
    """A moment for readers, rounded up to the minute."""
    return f"{moment + timedelta(seconds=59):%Y-%m-%d %H:%M} UTC"  # none is named too early


def _keys_of(address: str) -> list[str]:
    return [STRANGER.key(*whose) for whose in _of_stranger(address)]


def _of_stranger(address: str) -> list[tuple[int, str]]:
    return [(number, mailbox_key(address)) for number in range(STRANGER_ANSWERS)]


def is_paused(work: UnitOfWork, address: str, now: datetime, *, unproven: bool = False) -> bool:
    """Whether a player was told of a pause that still lasts.

    Unproven mails have a limit of their own, so that forgers do not use up the player's answers.
    """
    key = address_key(address)
    return any(
        work.outbox.written_since(limit.pause, key, now - limit.within)
        for limit in _limits(unproven=unproven)
    )


def limit_reached(
    work: UnitOfWork, player: Player, now: datetime, *, unproven: bool = False
) -> Limit | None:
    """The limit that a player's next answer would exceed, None if there is none."""
    allowance = Allowance.UNPROVEN if unproven else Allowance.PROVEN
    count = partial(work.outbox.count_answers, allowance, address_key(player.address))
    limits = _limits(unproven=unproven)
    reached = next((limit for limit in limits if count(now - limit.within) >= limit.most), None)
    if reached is None or player.joined_at <= now - NEWCOMERS_DAY:
        return reached
    return reached if count(now - NEWCOMERS_DAY) >= NEWCOMERS_ANSWERS else None


def _limits(*, unproven: bool) -> tuple[Limit, ...]:
    return (ANSWERS_UNPROVEN,) if unproven else (ANSWERS_IN_HOUR, ANSWERS_IN_DAY)
