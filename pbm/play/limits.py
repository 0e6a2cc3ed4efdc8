"""The table of all limits (rates, numbers, times, sizes), and functions that count mails.

The page `help limits` takes its figures from this table. Moves that are played never count.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import partial

from pbm.addresses import address_key, mailbox_key
from pbm.errors import Refusal
from pbm.passwords import LONGEST, SHORTEST
from pbm.store.db import UnitOfWork
from pbm.store.repositories.buckets import Rate as Rate
from pbm.store.values.asking import CONSENT_STANDS, OPEN_FOR
from pbm.store.values.mails import Allowance, Kind
from pbm.store.values.players import Player

_MINUTE, _HOUR, _DAY, _WEEK = (timedelta(minutes=count) for count in (1, 60, 1_440, 10_080))


@dataclass(frozen=True)
class Limit:
    """The limit for our answers to one player: `most` answers in the time `within`."""

    most: int
    within: timedelta
    pause: Kind  # of the mail that tells the player that the limit is reached


# Answers to a player.
ANSWERS_IN_HOUR = Limit(20, _HOUR, Kind.PAUSE_HOUR)
ANSWERS_IN_DAY = Limit(100, _DAY, Kind.PAUSE_DAY)
# Mails that only a `From:` line brings to a player, each in a bucket of its own.
CLAIMED = Rate("claimed", 1, _DAY)
CLAIMED_OF_ORIGIN, CLAIMED_OF_ALL = 10, 30
ORIGIN_KNOWN = 30 * _DAY  # after a yes to its mail, an origin does not use up what is for all
CLAIMED_NOTED = Rate("claimed-noted", 300, _DAY)  # further mails that the digest counts
_LIMITS = (ANSWERS_IN_HOUR, ANSWERS_IN_DAY)
# On the first day, when newcomers try everything, answers do not pause below this number.
NEWCOMERS_DAY = _DAY
NEWCOMERS_ANSWERS = 40
LEFT_OUT_NOTICES = Rate("left-out-told", 20, _DAY)  # ends loops with autoresponders
UNNAMED_TOLD = Rate("unnamed-told", 10, _DAY)  # of mails to a reply address without clear author
BACK_BY_CLAIM = Rate("back", 4, _DAY)  # unproven mails claiming that a player is back

# Mails that others cause to a player, except the first of a turn that waits for the player: about
# 32 in any hour and 90 in any day. Further ones wait, and come as one mail an hour.
SENT = Rate("told", 30, 12 * _HOUR)
# Challenges have more, so that a player whose limit is used up can still be challenged.
CHALLENGED = Rate("challenged", 4, 12 * _HOUR)
CHALLENGED_BY = Rate("challenged-by", 2, 12 * _HOUR)  # of one player
PICTURED = 25.0  # tokens of SENT left, for a mail with a large picture
ACCOUNT_NEWS = Rate("account", 1, _DAY)  # of a player, on a board

# Questions.
QUESTION_STANDS, SIGNUP_STANDS, SUBMITTED_STANDS = OPEN_FOR, 3 * _DAY, 90 * _DAY
YES_STANDS = CONSENT_STANDS
ALIAS_ASKED_EVERY = _DAY  # about a reply from another address
OFFER_UNCLEAR = Rate("offer-unclear", 1, _WEEK)  # asking a player once about an offer
MOST_ALONE = 3  # commands of a mail that have a question each

# One mail.
MOST_COMMANDS = 20
MOST_MAILS = 20  # to others
MOST_PREVIEWED = 20  # moves in a preview
PLAN_LINES, PLAN_MOVES = 20, 12  # of a plan; of a line, moves of others included
MOST_SHOWN = 10  # boards in one answer
MOST_TOGETHER = 8  # boards in one mail of waiting ones; the Message-ID names each
MAILS_OF_ADDRESS = Rate("mails", 240, _HOUR)

# Games and words.
STARTS = Rate("starts", 60, _HOUR)  # boards begun by a player
FIRST_STARTS = Rate("first-starts", 10, _DAY)
TAKEN_UP = 5  # boards with others' moves, until STARTS replaces FIRST_STARTS
MOST_UNANSWERED = 3  # boards begun by one player and unanswered by another
OVER_COUNTS = _DAY  # of these, those that are over
MOST_WITH_ROBOTS = 5  # boards in progress, of one player
HINTS = Rate("hints", 30, _DAY)
ANALYSES = Rate("analyses", 3, _DAY)
IMPORTS = Rate("imports", 30, _DAY)
MOST_PLIES, A_RECORD = 2_000, 100  # of a record; each further hundred counts as another
KEPT_UNSEEN = 90 * _DAY  # an imported record that nobody looks at
EXPORTS_OF_ALL = Rate("exports-of-all", 5, _DAY)  # `export me`, whose answer grows with the games
DELETES = Rate("deletes", 5, _DAY)
NEWS = Rate("news", 30, _HOUR)  # of a player on a board, not counting moves
SAME_WORDS = Rate("same", 3, _DAY)  # identical comments of a player on a board
MESSAGES = Rate("messages", 30, _HOUR)  # of a player to others, about no board
MESSAGES_TO = Rate("messages-to", 10, _HOUR)  # of one player to another
LONGEST_MESSAGE = 10_000  # characters
THREAD_OPEN = 14 * _DAY  # for words on a board that is over
LONGEST_NOTE = 4_000  # characters
SAME_WORDS_NOTICES = Rate("same-told", 1, _DAY)
MOST_SEEKS = 5  # open ones of a player
JOINS = Rate("joins", 20, _DAY)
SEEK_STANDS, PAIRING_STANDS = 4 * _WEEK, 2 * _WEEK
MOST_CHALLENGES = 10  # pending ones of a player
CHALLENGE_AGAIN = Rate("challenges", 3, _DAY)  # of one player by another: it is a mail each time
CHALLENGE_STANDS = 7 * _DAY
SUBSTITUTES = Rate("substitutes", 5, _DAY)  # asked for by a player, on all boards
MOST_BLOCKED = 100  # by one player
MOST_WATCHED, MOST_FOLLOWED = 50, 20  # boards and players, by one player
WATCHERS_HEAR_AFTER = _MINUTE  # of a move, so that several moves come in one mail
REPORTS = Rate("reports", 5, _DAY)
# Those that are mailed to the operator; the others are only kept.
REPORTS_MAILED, MAILED_OF_PLAYER = Rate("reports-mailed", 10, _DAY), Rate("mailed-of", 2, _DAY)
WORDS_KEPT, MAILS_KEPT, REPORTS_KEPT = 30 * _DAY, 31 * _DAY, 180 * _DAY

# Mails to strangers' addresses: the first three limits allow at most 140 in an hour.
REFUSED = Rate("refused", 100, _WEEK)  # notes of refusals at the door, for `pbm-admin trace`
STRANGERS = Rate("strangers", 40, _HOUR)  # answers to mails, counted on receipt
ASIDE = Rate("strangers-aside", 10, _HOUR)  # other answers to such addresses
ASKED = Rate("unasked-all", 20, _HOUR)  # invitations, and to new addresses
VOUCHED = Rate("vouched", 50, _HOUR)  # answers where the sender's domain vouches
OF_ORIGIN = Rate("strangers-of", 10, _HOUR)  # of one domain or network
OF_CLAIM = Rate("claims-of", 20, _HOUR)  # of a domain that is only claimed
RESERVED = 10  # the last answers in an hour, for origins that have not written for a week
SEEN = Rate("origin-seen", 1, _WEEK)  # an origin that has written within a week
AGAIN = Rate("again", 200, _HOUR)  # to senders deferred before
OF_AGAIN = Rate("again-of", 50, _HOUR)  # of one domain or network
AGAIN_AFTER = 30 * _MINUTE  # after which a deferred mail is accepted
STRANGER_ANSWERS = 5
STRANGER = Rate("stranger", 1, _DAY)  # of each of five buckets of an address
OF_ASKING = Rate("unasked-known", 10, _HOUR)  # players who asked today or are new
UNASKED = Rate("unasked", 10, _DAY)  # invitations by a player
MOST_INVITED = 5  # unanswered invitations by one player

# Passwords.
SHORTEST_PASSWORD, LONGEST_PASSWORD = SHORTEST, LONGEST  # characters
NEW_PASSWORDS = Rate("new-passwords", 10, _HOUR)  # of a player; hashing is slow
ALL_NEW_PASSWORDS = Rate("all-new-passwords", 60, _HOUR)
MOST_CHECKS = 10  # an hour, per handle, and per peer except our own mail server
OWN_PASSWORDS = Rate("own-passwords", 30, _HOUR)  # checks of a player's own words
OTHERS_PASSWORDS = Rate("others-passwords", 10, _HOUR)  # checks of others' words
ALL_OWN_PASSWORDS = Rate("all-own-passwords", 600, _HOUR)


def take_mails(work: UnitOfWork, player_ids: Sequence[int], now: datetime) -> dict[int, float]:
    """Count one mail for each of these players, except for those who have reached their limit.

    The result maps the counted players to the number of mails still allowed before this one.
    """
    keys = {SENT.key(number): number for number in player_ids}
    taken = SENT.take_each(work, now, list(keys))
    return {keys[key]: left for key, left in taken.items()}


def count_challenge(work: UnitOfWork, by: Player, players: Iterable[Player], now: datetime) -> None:
    """Count a mail to each challenged player. Raises Refusal if one of them has had too many."""
    for player in players:
        if player.robot or SENT.take(work, now, player.id, wait=False):
            continue
        is_within = CHALLENGED_BY.take(work, now, player.id, by.id)
        if not (is_within and CHALLENGED.take(work, now, player.id)):
            raise Refusal("has-many-mails", handle=player.handle)


def count_asking(work: UnitOfWork, by: Player, guest: Player, now: datetime) -> None:
    """Count a mail that asks a player to play on for another. Raises Refusal."""
    if not SUBSTITUTES.take(work, now, by.id):
        again = minute_after(SUBSTITUTES.free_at(work, now, by.id))
        raise Refusal("too-often", most=SUBSTITUTES.most, again=again, name=SUBSTITUTES.name)
    if not CHALLENGE_AGAIN.take(work, now, by.id, guest.id):
        raise Refusal("asked-enough", handle=guest.handle, most=CHALLENGE_AGAIN.most)
    count_challenge(work, by, [guest], now)


def strangers_answers_left(work: UnitOfWork, address: str, now: datetime) -> int:
    return STRANGER_ANSWERS - work.buckets.taken_since(_keys_of(address), now - STRANGER.within)


def refusal_of_stranger(work: UnitOfWork, address: str, now: datetime) -> Refusal:
    """Return the Refusal for a stranger's address that has reached its limit."""
    first = work.buckets.first_taken(_keys_of(address)) or now
    again = minute_after(first + STRANGER.within)
    return Refusal("cannot-invite", address=address, most=STRANGER_ANSWERS, again=again)


def has_said_no(work: UnitOfWork, address: str) -> bool:
    return work.questions.turned_down({address_key(address), mailbox_key(address)})


def take_strangers_mail(work: UnitOfWork, address: str, now: datetime) -> bool:
    """Count a mail to a stranger's address; return False if the address has reached its limit.

    This limit is for one address. The caller must have checked the limits for all strangers
    together.
    """
    mailbox = mailbox_key(address)
    return any(STRANGER.take(work, now, one, mailbox) for one in range(STRANGER_ANSWERS))


def take_unasked_mail(work: UnitOfWork, player: Player, address: str, now: datetime) -> None:
    """Count a mail to a stranger that a player has caused, and the stranger has not asked for.

    Raises Refusal, which says when the player can try again.
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
    """Return a moment as text, rounded up to the minute."""
    return f"{moment + timedelta(seconds=59):%Y-%m-%d %H:%M} UTC"  # never too early


def _keys_of(address: str) -> list[str]:
    return [STRANGER.key(one, mailbox_key(address)) for one in range(STRANGER_ANSWERS)]


def take_claimed_mail(
    work: UnitOfWork, player_id: int, origin: str, now: datetime, *, known: bool
) -> bool:
    """Count a mail to a player that only a `From:` line brings; return False if there are enough.

    A `known` origin uses up nothing but its own share.
    """
    if claims_spent(work, player_id, origin, now, known=known):
        return False
    quotas = _claimed_of(player_id, origin, known=known)
    return all(any(CLAIMED.take(work, now, *whose) for whose in some) for some in quotas)


def claims_spent(
    work: UnitOfWork, player_id: int, origin: str, now: datetime, *, known: bool
) -> bool:
    since = now - CLAIMED.within
    quotas = _claimed_of(player_id, origin, known=known)
    keys = ([CLAIMED.key(*whose) for whose in some] for some in quotas)
    return any(work.buckets.taken_since(some, since) >= len(some) for some in keys)


def _claimed_of(player_id: int, origin: str, *, known: bool) -> list[list[tuple[object, ...]]]:
    own: list[tuple[object, ...]] = [(player_id, origin, it) for it in range(CLAIMED_OF_ORIGIN)]
    shared: list[tuple[object, ...]] = [(player_id, it) for it in range(CLAIMED_OF_ALL)]
    return [own] if known else [own, shared]


def is_paused(work: UnitOfWork, address: str, now: datetime) -> bool:
    """Return whether answers to an address are paused, as a recent mail told its owner."""
    key = address_key(address)
    return any(work.outbox.written_since(item.pause, key, now - item.within) for item in _LIMITS)


def limit_reached(work: UnitOfWork, player: Player, now: datetime) -> Limit | None:
    """Return the limit for answers that a player has reached; None if there is none."""
    count = partial(work.outbox.count_answers, Allowance.PROVEN, address_key(player.address))
    reached = next((limit for limit in _LIMITS if count(now - limit.within) >= limit.most), None)
    if reached is None or player.joined_at <= now - NEWCOMERS_DAY:
        return reached
    return reached if count(now - NEWCOMERS_DAY) >= NEWCOMERS_ANSWERS else None
