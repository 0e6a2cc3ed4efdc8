"""Pending challenges: players or mail addresses are asked, and not all have said yes yet.

Guests, who are invited by mail address, are asked first; then the players whose setting
`challenges` is `ask`. The last yes starts the board. Two players share one challenge at most.
"""

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import datetime
from typing import Any

from pbm.addresses import address_key
from pbm.errors import Refusal
from pbm.events import CalledOff, Commented, Event, Invited, Proposed
from pbm.plain import from_plain, to_plain
from pbm.play import limits
from pbm.play.begin import begin_board, check_others
from pbm.play.boards import Setup
from pbm.store.db import UnitOfWork
from pbm.store.values.asking import PendingChallenge
from pbm.store.values.players import Player, PlayerStatus


def who_is_asked(players: Sequence[Player], begun_by: Player) -> tuple[Player, ...]:
    others = (player for player in players if player.id != begun_by.id)
    return tuple(player for player in others if player.settings.challenges == "ask")


def takes_challenge(
    work: UnitOfWork, game: str, begun_by: Player, other: Player, now: datetime
) -> bool:
    """Return whether `other`, whom `begun_by` invites by mail address, may be asked.

    Never tell `begun_by` the result, as it may reveal whose address it is.
    """
    try:
        check_others(work, game, (begun_by, other), begun_by, now)
    except Refusal:
        return False
    return other.is_active


def propose(
    work: UnitOfWork,
    setup: Setup,
    players: Sequence[Player],
    begun_by: Player,
    now: datetime,
    *,
    first_unsaid: bool = False,
) -> list[Event]:
    """Challenge `players`, who are in seat order. Raises Refusal.

    The challenge waits for the answers of those whose setting is to be asked first.
    """
    check_others(work, setup.game, players, begun_by, now)
    asked = who_is_asked(players, begun_by)
    _count_asked(work, asked, begun_by, now)
    ids = [player.id for player in asked]
    plain, seated = _plain(setup), [player.id for player in players]
    until = now + limits.CHALLENGE_STANDS
    number = work.challenges.add(
        begun_by.id, plain, seated, ids, now, until, first_unsaid=first_unsaid
    )
    return [Proposed(number, tuple(ids))]


def _count_asked(
    work: UnitOfWork, asked: Sequence[Player], begun_by: Player, now: datetime
) -> None:
    """Count a challenge by `begun_by` for each player in `asked`. Raises Refusal."""
    pending = work.challenges.of_player(begun_by.id, now)
    own = [item for item in pending if item.by_id == begun_by.id]
    if len(own) >= limits.MOST_CHALLENGES:
        raise Refusal("too-many-challenges", most=limits.MOST_CHALLENGES)
    for other in asked:
        if any(other.id in item.waiting for item in own):
            raise Refusal("challenged-already", handle=other.handle)
        if not limits.CHALLENGE_AGAIN.take(work, now, begun_by.id, other.id):
            raise Refusal("asked-enough", handle=other.handle, most=limits.CHALLENGE_AGAIN.most)
    limits.count_challenge(work, begun_by, asked, now)


def invite(
    work: UnitOfWork,
    setup: Setup,
    guests: Sequence[int | str],
    begun_by: Player,
    now: datetime,
    command: str,
) -> Invited:
    """Store a challenge that waits for guests, who are asked by mail address.

    `guests` has, for each seat in order, the mail address of a guest or the id of a player.
    `command` is the command line without the players. A mail quotes it if the board cannot start.
    """
    addresses = tuple(guest for guest in guests if isinstance(guest, str))
    until = now + limits.SIGNUP_STANDS
    plain = _plain(setup)
    number = work.challenges.add(begun_by.id, plain, guests, addresses, now, until, command=command)
    return Invited(number, addresses, setup.game)


def seat_guest(
    work: UnitOfWork, challenge: PendingChallenge, address_key: str, player: Player
) -> tuple[PendingChallenge, bool]:
    """Seat a guest who has said yes. The second result is whether others must still say yes."""
    work.challenges.seat_guest(challenge.id, address_key, player.id)
    challenge = work.challenges.get(challenge.id)
    begun_by = work.players.get(challenge.by_id)
    return challenge, bool(challenge.addresses or _still_to_ask(work, challenge, begun_by))


def _still_to_ask(
    work: UnitOfWork, challenge: PendingChallenge, begun_by: Player
) -> tuple[Player, ...]:
    unasked = [number for number in challenge.players if number not in challenge.asked]
    return who_is_asked(list(map(work.players.get, unasked)), begun_by)


def go_on(work: UnitOfWork, challenge: PendingChallenge, now: datetime) -> list[Event]:
    """Go on with a challenge after the last guest, invited by mail address, has said yes.

    If players of the challenge want to be asked first, ask them. Otherwise start the board. Raises
    Refusal.
    """
    begun_by = work.players.get(challenge.by_id)
    players = list(map(work.players.get, challenge.players))
    names = {player.handle for player in players}
    if len(names) < len(players):
        raise Refusal("challenge-same-player", yourself=names == {begun_by.handle})
    for player in players:
        if not player.is_active:
            code = "has-left" if player.status == PlayerStatus.REMOVED else "player-away"
            raise Refusal(code, handle=player.handle)
    asked = _still_to_ask(work, challenge, begun_by)
    if not asked:
        work.challenges.forget(challenge.id)
        return _begin(work, challenge, players, begun_by, now)
    check_others(work, challenge.setup["game"], players, begun_by, now, agreed=challenge.asked)
    _count_asked(work, asked, begun_by, now)
    ids = tuple(player.id for player in asked)
    work.challenges.ask(challenge.id, ids, now, now + limits.CHALLENGE_STANDS)
    return [Proposed(challenge.id, ids, challenge.comment)]


def accept_challenge(
    work: UnitOfWork, challenge: PendingChallenge, player: Player, now: datetime
) -> list[Event]:
    """Store a player's yes to a challenge. The last yes starts the board if that is possible."""
    challenge = work.challenges.note_yes(challenge, player.id)
    if challenge.waiting:
        return []
    work.challenges.forget(challenge.id)
    begun_by = work.players.get(challenge.by_id)
    players = list(map(work.players.get, challenge.players))
    away = tuple(item.handle for item in players if not item.is_active)
    if not away and not _still_to_ask(work, challenge, begun_by):  # the setting may be new
        with suppress(Refusal), work.savepoint():
            return _begin(work, challenge, players, begun_by, now)
    return [_called_off(work, challenge, "impossible", away, but=player)]


def _begin(
    work: UnitOfWork,
    challenge: PendingChallenge,
    players: Sequence[Player],
    begun_by: Player,
    now: datetime,
) -> list[Event]:
    """Start a challenge's board, and pass on its comment. Raises Refusal."""
    setup = setup_of_challenge(challenge)
    begun = begin_board(work, setup, players, begun_by, now, agreed=challenge.asked)
    told = replace(begun, first_unsaid=challenge.first_unsaid)
    if not challenge.comment:
        return [told]
    return [told, Commented(begun.board_id, begun_by.id, challenge.comment)]


def refuse_challenge(work: UnitOfWork, challenge: PendingChallenge, player: Player) -> CalledOff:
    """Refuse a challenge, or withdraw it if `player` began it."""
    work.challenges.forget(challenge.id)
    why = "withdrawn" if player.id == challenge.by_id else "refused"
    return _called_off(work, challenge, why, (player.handle,), but=player)


def lapse_challenge(work: UnitOfWork, challenge: PendingChallenge) -> CalledOff:
    work.challenges.forget(challenge.id)
    silent = tuple(challenge.handle_of(player_id) for player_id in challenge.waiting)
    return _called_off(work, challenge, "lapsed", silent)


def call_off_all(work: UnitOfWork, player: Player) -> list[CalledOff]:
    """Call off all pending challenges of a player who leaves the server.

    There is no event for an unanswered invitation by address: it would reveal whose address it is.
    """
    seated = work.challenges.with_player(player.id)
    waiting = work.challenges.with_guest(list(map(address_key, player.addresses)))
    found = map(work.challenges.find, dict.fromkeys((*seated, *waiting)))
    events: list[CalledOff] = []
    for challenge in filter(None, found):
        work.challenges.forget(challenge.id)
        if challenge.id in seated:
            events.append(_called_off(work, challenge, "left", (player.handle,), but=player))
    return events


def call_off_between(
    work: UnitOfWork, player: Player, other: Player, now: datetime
) -> list[CalledOff]:
    """Call off the pending challenges with `other` that `player` began or was asked to accept."""
    found = map(work.challenges.find, work.challenges.with_player(player.id))
    return [
        refuse_challenge(work, challenge, player)
        for challenge in found
        if challenge
        and challenge.expires_at > now
        and other.id in challenge.players
        and player.id in (challenge.by_id, *challenge.asked)
    ]


def _plain(setup: Setup) -> dict[str, Any]:
    """Return a setup as it is stored; earlier versions can read one that is not private."""
    plain = to_plain(setup).items()
    return {name: value for name, value in plain if setup.private or name != "private"}


def setup_of_challenge(challenge: PendingChallenge) -> Setup:
    return from_plain(Setup, challenge.setup)


def _called_off(
    work: UnitOfWork,
    challenge: PendingChallenge,
    why: str,
    who: tuple[str, ...],
    *,
    but: Player | None = None,
) -> CalledOff:
    """Return the event for the challenger and all who were asked, except the player `but`."""
    told = (challenge.by_id, *challenge.asked)
    readers = tuple(player_id for player_id in told if but is None or player_id != but.id)
    by = work.players.get(challenge.by_id).handle
    return CalledOff(by, challenge.setup["game"], why, who, readers)
