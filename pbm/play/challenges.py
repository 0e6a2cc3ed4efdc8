"""Pending challenges: some players want to be asked, and not all have said yes.

The board starts after the last yes. One player has at most one challenge pending with another, so
that a handle names it.
"""

from collections.abc import Sequence
from datetime import datetime

from pbm.errors import Refusal
from pbm.events import CalledOff, Commented, Event, Proposed
from pbm.events.board import BoardStarted
from pbm.plain import from_plain, to_plain
from pbm.play.allowance import count_challenge
from pbm.play.begin import begin_board, check_others
from pbm.play.boards import Setup
from pbm.play.limits import CHALLENGE_AGAIN, CHALLENGE_STANDS, MOST_CHALLENGES
from pbm.store.db import UnitOfWork
from pbm.store.values.asking import PendingChallenge
from pbm.store.values.players import Player


def who_is_asked(players: Sequence[Player], begun_by: Player) -> tuple[Player, ...]:
    """The other players who must agree before the challenge becomes a board."""
    others = (player for player in players if player.id != begun_by.id)
    return tuple(player for player in others if player.settings.challenges == "ask")


def takes_challenge(work: UnitOfWork, game: str, begun_by: Player, other: Player) -> bool:
    """Whether a player invited by mail address may be asked. The inviter is not told if not."""
    try:
        check_others(work, game, (begun_by, other), begun_by)
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
    """Ask those who want to be asked, seats in the order given. Raises Refusal."""
    check_others(work, setup.game, players, begun_by)
    asked = who_is_asked(players, begun_by)
    own = [
        item for item in work.challenges.of_player(begun_by.id, now) if item.by_id == begun_by.id
    ]
    if len(own) >= MOST_CHALLENGES:
        raise Refusal("too-many-challenges", most=MOST_CHALLENGES)
    for other in asked:
        if any(other.id in item.waiting for item in own):
            raise Refusal("challenged-already", handle=other.handle)
        if not CHALLENGE_AGAIN.take(work, now, begun_by.id, other.id):
            raise Refusal("asked-enough", handle=other.handle, most=CHALLENGE_AGAIN.most)
    count_challenge(work, begun_by, asked, now)
    ids = [player.id for player in asked]
    number = work.challenges.add(
        begun_by.id,
        to_plain(setup),
        [player.id for player in players],
        ids,
        now,
        now + CHALLENGE_STANDS,
        first_unsaid=first_unsaid,
    )
    return [Proposed(number, tuple(ids))]


def accept_challenge(
    work: UnitOfWork, challenge: PendingChallenge, player: Player, now: datetime
) -> list[Event]:
    """Accept a challenge; the last yes starts the board. If that is impossible by now, it is
    called off."""
    challenge = work.challenges.note_yes(challenge, player.id)
    if challenge.waiting:
        return []
    work.challenges.forget(challenge.id)
    begun_by = work.players.get(challenge.by_id)
    players = [work.players.get(seat.player_id) for seat in challenge.seats]
    away = tuple(item.handle for item in players if not item.is_active)
    if away:
        return [_called_off(work, challenge, "impossible", away, but=player)]
    try:
        with work.savepoint():
            _check_unasked(challenge, players)
            setup = setup_of_challenge(challenge)
            begun = begin_board(
                *(work, setup, players, begun_by, now),
                agreed=challenge.asked,
                first_unsaid=challenge.first_unsaid,
            )
    except Refusal:
        return [_called_off(work, challenge, "impossible", (), but=player)]
    if challenge.comment:
        (number,) = (event.board_id for event in begun if isinstance(event, BoardStarted))
        begun.append(Commented(number, begun_by.handle, challenge.comment))
    return begun


def _check_unasked(challenge: PendingChallenge, players: Sequence[Player]) -> None:
    """Raise Refusal if a player who was not asked has set `challenges ask` since."""
    for player in players:
        is_unasked = player.id not in (challenge.by_id, *challenge.asked)
        if is_unasked and player.settings.challenges == "ask":
            raise Refusal("takes-no-challenges", handle=player.handle)


def refuse_challenge(work: UnitOfWork, challenge: PendingChallenge, player: Player) -> CalledOff:
    """Refuse a challenge, or withdraw one's own."""
    work.challenges.forget(challenge.id)
    why = "withdrawn" if player.id == challenge.by_id else "refused"
    return _called_off(work, challenge, why, (player.handle,), but=player)


def lapse_challenge(work: UnitOfWork, challenge: PendingChallenge) -> CalledOff:
    """Call off a challenge that was not answered in time."""
    work.challenges.forget(challenge.id)
    silent = tuple(challenge.handle_of(player_id) for player_id in challenge.waiting)
    return _called_off(work, challenge, "lapsed", silent)


def call_off_all(work: UnitOfWork, player: Player) -> list[CalledOff]:
    """Call off all pending challenges with a player who leaves the server."""
    found = [work.challenges.find(number) for number in work.challenges.with_player(player.id)]
    events: list[CalledOff] = []
    for challenge in filter(None, found):
        work.challenges.forget(challenge.id)
        events.append(_called_off(work, challenge, "left", (player.handle,), but=player))
    return events


def call_off_between(
    work: UnitOfWork, player: Player, other: Player, now: datetime
) -> list[CalledOff]:
    """Refuse or withdraw all pending challenges between two players."""
    between = (
        challenge.id
        for challenge in work.challenges.of_player(player.id, now)
        if {player.id, other.id} <= {seat.player_id for seat in challenge.seats}
    )
    found = (work.challenges.find(number) for number in between)
    return [refuse_challenge(work, challenge, player) for challenge in found if challenge]


def setup_of_challenge(challenge: PendingChallenge) -> Setup:
    """The setup of a pending challenge."""
    return from_plain(Setup, challenge.setup)


def _called_off(
    work: UnitOfWork,
    challenge: PendingChallenge,
    why: str,
    who: tuple[str, ...],
    *,
    but: Player | None = None,
) -> CalledOff:
    """The news for a challenge's sender and those who were asked, except `but`."""
    readers = tuple(
        player_id
        for player_id in (challenge.by_id, *challenge.asked)
        if but is None or player_id != but.id
    )
    by = work.players.get(challenge.by_id).handle
    return CalledOff(by, challenge.setup["game"], why, who, readers)
