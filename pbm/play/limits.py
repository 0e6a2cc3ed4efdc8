"""How often something may happen: answers to an address, words on a board, new boards.

Mails that a played move brings about never count.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import partial

from pbm.errors import Refusal
from pbm.mail.address import address_key, mailbox_key
from pbm.store.db import UnitOfWork
from pbm.store.kinds import Allowance, Kind
from pbm.store.values.players import Player


@dataclass(frozen=True)
class Limit:
    """At most so many answers within a time; `pause` is the kind of mail that says so once."""

    most: int
    within: timedelta
    pause: Kind


@dataclass(frozen=True)
class Rate:
    """At most `most` at once, and as many again spread over `within`; counted in buckets that
    all processes share."""

    name: str
    most: int
    within: timedelta

    def take(self, work: UnitOfWork, now: datetime, *whose: object, wait: bool = True) -> bool:
        """Count one more, unless that is too many; it counts only if the transaction does.

        Without `wait` one may pass uncounted beside another process that counts the same.
        """
        return work.buckets.take(self.key(*whose), self.most, self.within, now, wait=wait)

    def is_empty(self, work: UnitOfWork, now: datetime, *whose: object) -> bool:
        """Whether one more would be too many."""
        return work.buckets.is_empty(self.key(*whose), self.most, self.within, now)

    def free_at(self, work: UnitOfWork, now: datetime, *whose: object) -> datetime:
        """When one more is not too many any longer."""
        return work.buckets.free_at(self.key(*whose), self.most, self.within, now)

    def key(self, *whose: object) -> str:
        """The name of somebody's bucket."""
        return ":".join(map(str, (self.name, *whose)))


NEWS = Rate("news", 30, timedelta(hours=1))  # of a player on a board, moves apart
STARTS = Rate("starts", 60, timedelta(hours=1))  # boards that a player begins
# Mails that others bring a player, but for the first of a turn that waits for the player: about 32
# in any hour and 90 in any day. What is more than that waits, and comes as one mail an hour.
TOLD = Rate("told", 30, timedelta(hours=12))
# Challenges beyond them, so that nobody who fills the others keeps everybody from asking.
CHALLENGED = Rate("challenged", 4, timedelta(hours=12))
CHALLENGED_BY = Rate("challenged-by", 2, timedelta(hours=12))  # of one player
PICTURED = 25.0  # of them left at least: a mail has a picture, which is most of its size
WAS_TOO_MUCH = 10.0  # of them left at most: within some hours something may have been kept
ACCOUNT_NEWS = Rate("account", 1, timedelta(days=1))  # of a player, on a board
SAME_WORDS = Rate("same", 3, timedelta(days=1))  # of a player on a board, and nothing else said
SAME_WORDS_TOLD = Rate("same-told", 1, timedelta(days=1))
# Mails to addresses that nobody plays from: the first three so never more than 140 in an hour.
STRANGERS = Rate("strangers", 40, timedelta(hours=1))  # answers to mails, each counted at the door
ASIDE = Rate("strangers-aside", 10, timedelta(hours=1))  # other answers to such addresses
ASKED = Rate("unasked-all", 20, timedelta(hours=1))  # invitations, and to new addresses
VOUCHED = Rate("vouched", 50, timedelta(hours=1))  # answers where the sender's domain vouches
STRANGERS_AGAIN = Rate("strangers-again", 200, timedelta(hours=1))  # to who comes a second time
VOUCHED_AGAIN = Rate("vouched-again", 200, timedelta(hours=1))
# Shares of the answers at the door, and of what is asked.
OF_NETWORK = Rate("strangers-of", 10, timedelta(hours=1))
OF_DOMAIN = Rate("domain-of", 10, timedelta(hours=1))  # that vouches
OF_SAID_DOMAIN = Rate("said-domain-of", 20, timedelta(hours=1))  # where no network is known
OF_FORM = Rate("form-of", 30, timedelta(hours=1))
OF_AGAIN = Rate("again-of", 50, timedelta(hours=1))  # of a network or domain, a second time
NEW_DOMAIN = Rate("new-domain", 1, timedelta(days=7))  # a domain's first mail for long
OF_KNOWN = Rate("known-of", 30, timedelta(hours=1))  # all others, of all domains
OF_ASKING = Rate("unasked-known", 10, timedelta(hours=1))  # who asked today, or is new here
UNASKED = Rate("unasked", 10, timedelta(days=1))  # of a player, to people who have not asked for it
NEW_PASSWORDS = Rate("new-passwords", 10, timedelta(hours=1))  # of a player; to hash is dear
ALL_NEW_PASSWORDS = Rate("all-new-passwords", 60, timedelta(hours=1))
OWN_PASSWORDS = Rate("own-passwords", 30, timedelta(hours=1))  # of a player, looked for in words
OTHERS_PASSWORDS = Rate("others-passwords", 10, timedelta(hours=1))  # of one, in others' words
ALL_OWN_PASSWORDS = Rate("all-own-passwords", 600, timedelta(hours=1))
LEFT_OUT_TOLD = Rate("left-out-told", 20, timedelta(days=1))  # so that no robot is told for ever
BACK_BY_CLAIM = Rate("back", 4, timedelta(days=1))  # unproven mails that say somebody is back

PLAYER_LIMITS = (
    Limit(20, timedelta(hours=1), Kind.PAUSE_HOUR),
    Limit(100, timedelta(days=1), Kind.PAUSE_DAY),
)
UNPROVEN_LIMIT = Limit(5, timedelta(hours=1), Kind.PAUSE_FROM)
# So many answers meet no pause on a player's first day, on which everything is tried for once.
NEWCOMERS_DAY = timedelta(days=1)
NEWCOMERS_ANSWERS = 40  # and as many to mails that nobody has proven
STRANGER_ANSWERS = 5
_STRANGER = Rate("stranger", 1, timedelta(days=1))  # of one in five buckets: five in any day


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
    """How many mails an address that nobody plays from may still get today.

    Addresses that differ behind a `+` count as one.
    """
    return STRANGER_ANSWERS - work.buckets.taken_since(_keys_of(address), now - _STRANGER.within)


def refusal_of_stranger(work: UnitOfWork, address: str, now: datetime) -> Refusal:
    """Why an address that nobody plays from is asked nothing now, and from when on it may be."""
    first = work.buckets.first_taken(_keys_of(address)) or now
    told = {"most": STRANGER_ANSWERS, "again": minute_after(first + _STRANGER.within)}
    return Refusal("cannot-invite", address=address, **told)


def has_said_no(work: UnitOfWork, address: str) -> bool:
    """Whether an address has turned us down: nobody makes us write to it any more."""
    return work.questions.turned_down({address_key(address), mailbox_key(address)})


def take_strangers_mail(work: UnitOfWork, address: str, now: datetime) -> bool:
    """Count a mail to an address that nobody plays from; False if it must not be written.

    All strangers together have shares as well, from which the mail was counted before.
    """
    return any(_STRANGER.take(work, now, *whose) for whose in _of_stranger(address))


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
    return [_STRANGER.key(*whose) for whose in _of_stranger(address)]


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
    return (UNPROVEN_LIMIT,) if unproven else PLAYER_LIMITS
