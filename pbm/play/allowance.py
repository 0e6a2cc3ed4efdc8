"""Allowances: whether a mail to somebody still fits their limits; each answer is counted."""

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
    STRANGER,
    STRANGER_ANSWERS,
    TOLD,
    UNASKED,
    Limit,
    Rate,
)
from pbm.store.db import UnitOfWork
from pbm.store.values.kinds import Allowance
from pbm.store.values.players import Player


def may_be_told(work: UnitOfWork, player_ids: Sequence[int], now: datetime) -> dict[int, float]:
    """Count a mail that others bring each of some players, and wait for nobody.

    Returns who has not had too many, and how many more each may have had.
    """
    keys = {TOLD.key(number): number for number in player_ids}
    taken = work.buckets.take_each(list(keys), TOLD.most, TOLD.within, now)
    return {keys[key]: left for key, left in taken.items()}


def is_pictured(work: UnitOfWork, player_id: int, now: datetime) -> bool:
    """Whether others have brought a player so few mails that the next has a picture."""
    return work.buckets.left(TOLD.key(player_id), TOLD.most, TOLD.within, now) >= PICTURED


def count_challenge(work: UnitOfWork, by: Player, players: Iterable[Player], now: datetime) -> None:
    """Count a mail to each of some players whom another one challenges.

    Raises Refusal where one of them has had too many.
    """
    for player in players:
        if player.robot or TOLD.take(work, now, player.id, wait=False):
            continue
        if not CHALLENGED_BY.take(work, now, player.id, by.id):
            raise Refusal("has-many-mails", handle=player.handle)
        if not CHALLENGED.take(work, now, player.id):
            raise Refusal("has-many-mails", handle=player.handle)


def strangers_answers_left(work: UnitOfWork, address: str, now: datetime) -> int:
    """Number of mails that the address of a stranger may still get today.

    Addresses that differ behind a `+` count as one.
    """
    return STRANGER_ANSWERS - work.buckets.taken_since(_keys_of(address), now - STRANGER.within)


def refusal_of_stranger(work: UnitOfWork, address: str, now: datetime) -> Refusal:
    """Why an address that nobody plays from is asked nothing now, and from when on it may be."""
    first = work.buckets.first_taken(_keys_of(address)) or now
    told = {"most": STRANGER_ANSWERS, "again": minute_after(first + STRANGER.within)}
    return Refusal("cannot-invite", address=address, **told)


def has_said_no(work: UnitOfWork, address: str) -> bool:
    """Whether an address has turned us down: nobody makes us write to it any more."""
    return work.questions.turned_down({address_key(address), mailbox_key(address)})


def take_strangers_mail(work: UnitOfWork, address: str, now: datetime) -> bool:
    """Count a mail to an address that nobody plays from; False if it must not be written.

    All strangers together have shares as well, from which the mail was counted before.
    """
    return any(STRANGER.take(work, now, *whose) for whose in _of_stranger(address))


def take_unasked_mail(work: UnitOfWork, player: Player, address: str, now: datetime) -> None:
    """Count a mail that a player lets us write to such an address.

    Players who have asked for one today already, or are new here, have a share of what there is
    for all, so that they leave some for others. Raises Refusal where it must not be written
    now: why, and from when on it may be.
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
    """A moment as people read it, to the minute."""
    return f"{moment + timedelta(seconds=59):%Y-%m-%d %H:%M} UTC"  # none is named too early


def _keys_of(address: str) -> list[str]:
    return [STRANGER.key(*whose) for whose in _of_stranger(address)]


def _of_stranger(address: str) -> list[tuple[int, str]]:
    return [(number, mailbox_key(address)) for number in range(STRANGER_ANSWERS)]


def is_paused(work: UnitOfWork, address: str, now: datetime, *, unproven: bool = False) -> bool:
    """Whether a player was told of a pause that is not over yet.

    Mails that only claim to be the player's have a limit of their own, so that forgers do not
    use up the player's answers.
    """
    key = address_key(address)
    return any(
        work.outbox.written_since(limit.pause, key, now - limit.within)
        for limit in _limits(unproven=unproven)
    )


def limit_reached(
    work: UnitOfWork, player: Player, now: datetime, *, unproven: bool = False
) -> Limit | None:
    """The limit that a player's next answer would go beyond."""
    allowance = Allowance.UNPROVEN if unproven else Allowance.PROVEN
    count = partial(work.outbox.count_answers, allowance, address_key(player.address))
    limits = _limits(unproven=unproven)
    reached = next((limit for limit in limits if count(now - limit.within) >= limit.most), None)
    if reached is None or player.joined_at <= now - NEWCOMERS_DAY:
        return reached
    return reached if count(now - NEWCOMERS_DAY) >= NEWCOMERS_ANSWERS else None


def _limits(*, unproven: bool) -> tuple[Limit, ...]:
    return (ANSWERS_UNPROVEN,) if unproven else (ANSWERS_IN_HOUR, ANSWERS_IN_DAY)
