"""What must hold after a season, found out in another way than the server does."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from statistics import fmean
from typing import Any
from zoneinfo import ZoneInfo

from openskill.models import PlackettLuce

from pbm.play.results import places_of
from pbm.store.values.boards import Board, Departure, Seat
from tests.season.season import Season

_OVER = re.compile(r"^Board (\d+) is (?:over|closed)", re.MULTILINE)
QUARTER = timedelta(minutes=15)
LATE = timedelta(hours=6)  # that a forfeit comes at most, where nothing holds it up
STOPPED_AT_MOST = timedelta(days=30)


def forfeits(season: Season) -> list[tuple[Board, Departure]]:
    """Who ran out of time, and where."""
    found = []
    for number in season.table.boards():
        board = season.table.board(number)
        for departure in season.table.departures(number):
            if departure.how == "forfeited":
                found.append((board, departure))
    return found


def waited(season: Season, board: Board, departure: Departure) -> timedelta:
    """How long a board had waited by the clock on the wall of who forfeited, counted in quarters of
    an hour."""
    seat = board.seats[departure.seat - 1]
    since = _wait_began(season, board, departure)
    waited = timedelta()
    counts, zone = _counts(season, seat.player_id, board.id), _zone(season, seat.player_id)
    moment = since
    while moment + QUARTER <= departure.left_at:
        after = moment + QUARTER
        if counts(moment + QUARTER / 2):  # in which summer time may begin
            waited += _on_the_wall(after, zone) - _on_the_wall(moment, zone)
        moment = after
    return waited


def _on_the_wall(moment: datetime, zone: ZoneInfo) -> datetime:
    return moment.astimezone(zone).replace(tzinfo=None)


def _zone(season: Season, player_id: int) -> ZoneInfo:
    person = next(row for row in season.table.rows("players") if row["id"] == player_id)
    return ZoneInfo((person["settings"] or {}).get("timezone", "UTC"))


def may_be_late(season: Season, board: Board, departure: Departure) -> timedelta:
    """By how much a forfeit may come later than the clock says.

    While mail came back the clock stood still for thirty days at most; from then on nobody was
    taken out until a reminder could arrive again, unless somebody claimed it.
    """
    handle = board.seats[departure.seat - 1].handle
    member = next(member for member in season.members if member.handle == handle)
    if member.habit.bounces is None:
        return LATE
    begin, end = member.habit.bounces
    return LATE + STOPPED_AT_MOST + timedelta(days=end - begin)


def _wait_began(season: Season, board: Board, departure: Departure) -> datetime:
    """Since when a board had waited for who forfeited.

    Who leaves while it is another's move changes nothing for that one.
    """
    plies = [ply for ply in season.table.plies(board.id) if ply.ply <= departure.after_ply]
    since = plies[-1].played_at if plies else board.started_at
    out: set[int] = set()
    mover = None
    for item in sorted(season.table.departures(board.id), key=lambda item: item.left_at):
        if item.left_at >= departure.left_at:
            break
        if item.after_ply == departure.after_ply:
            mover = mover or _next(board, plies[-1].seat if plies else 0, out)
            if board.seats[item.seat - 1].player_id == _who_plays(board, mover, out):
                since, mover = item.left_at, None
        out.add(item.seat)
    return since


def _next(board: Board, last: int, out: set[int]) -> int:
    """The seat whose turn it is after another's, where some have been given up."""
    count = len(board.seats)
    turns = [(last + step) % count + 1 for step in range(count)]
    return next(seat for seat in turns if _who_plays(board, seat, out) is not None)


def _who_plays(board: Board, seat: int, out: set[int]) -> int | None:
    """The player who moves for a seat: a partner for one who has left; None for nobody."""
    sides = board.start.sides
    own = [other for other in board.seats if sides[other.seat - 1] == sides[seat - 1]]
    own.sort(key=lambda other: other.seat != seat)
    return next((other.player_id for other in own if other.seat not in out), None)


def _counts(season: Season, player_id: int, board_id: int) -> Any:
    person = next(row for row in season.table.rows("players") if row["id"] == player_id)
    settings = person["settings"] or {}
    zone = _zone(season, player_id)
    weekends = settings.get("weekend", True)
    away = list(_days_away(season, player_id, board_id))

    def counts(moment: datetime) -> bool:
        local = moment.astimezone(zone)
        if any(begin <= moment < end for begin, end in season.was_down):
            return False
        if not weekends and local.weekday() >= 5:
            return False
        return not any(first <= local.date() <= last for first, last in away)

    return counts


def _days_away(season: Season, player_id: int, board_id: int) -> Iterator[tuple[date, date]]:
    for row in season.table.rows("vacations"):
        if row["player_id"] == player_id and row["board_id"] in (None, board_id):
            yield row["first_day"], row["last_day"]


Reminders = dict[tuple[int, int], list[tuple[datetime, datetime]]]
"""When each player was reminded of each board: written, and taken by the next server."""


def reminders(season: Season) -> Reminders:
    """The reminders that have arrived: what came back was none."""
    together = season.table.rows("reminded_boards")
    found: Reminders = {}
    for row in season.table.rows("outbox"):
        if row["kind"] not in ("reminder", "reminders") or row["status"] != "sent":
            continue
        if row["last_error"]:
            continue
        boards = [item["board_id"] for item in together if item["outbox_id"] == row["id"]]
        times = _aware(row["written_at"]), _aware(row["finished_at"])
        for board_id in [*boards, row["board_id"]]:
            found.setdefault((row["player_id"], board_id), []).append(times)
    return found


def was_warned(
    season: Season,
    board: Board,
    departure: Departure,
    reminded: Reminders,
) -> bool:
    """Whether a reminder was taken at least a day before the forfeit."""
    since = _wait_began(season, board, departure)
    until = departure.left_at - timedelta(days=1)
    times = reminded.get((board.seats[departure.seat - 1].player_id, board.id), [])
    return any(since <= written and taken <= until for written, taken in times)


def mails_sent_twice(season: Season) -> list[str]:
    """What somebody was told twice in the same words at the same time."""
    told = Counter(
        (mail["To"], mail["Date"], mail["Subject"], mail.text)
        for box in season.table.mailboxes.values()
        for mail in box
        if mail["X-PBM-Board"]
    )
    again = Counter(mail["Message-ID"] for box in season.table.mailboxes.values() for mail in box)
    return [
        *(str(key) for key, count in told.items() if count > 1),
        *(key for key, count in again.items() if count > 1),
    ]


def ends_told_again(season: Season) -> list[str]:
    """Who, of those who watch, was told more often that a board is over than it was."""
    ends = Counter(
        row["board_id"]
        for row in season.table.rows("board_events")
        if row["kind"] in ("board-ended", "board-declined", "first-move-missed")
    )
    told = Counter(
        (mail["To"], int(number))
        for box in season.table.mailboxes.values()
        for mail in box
        if mail["List-Id"].startswith("<watch.")
        for number in _OVER.findall(mail.text)
    )
    assert told
    return [str(key) for key, count in told.items() if count > ends[key[1]]]


def ratings_again(season: Season) -> dict[tuple[str, str, int], tuple[float, float, bool]]:
    """The ratings of all players, and whether they were made among people who have met others,
    from the places on all counted boards alone."""
    circles: dict[tuple[str, str, int], list[tuple[int, float]]] = {}
    model = PlackettLuce()
    known: dict[tuple[str, str, int], tuple[float, float, datetime]] = {}
    met: list[Met] = []
    for rated in season.table.rows("rated_boards"):
        board, compared, counting, lost = rated_on(season, season.table.board(rated["board_id"]))
        pool, at = (rated["game"], rated["pool"]), _aware(rated["counted_at"])
        places = places_of(board, lost)
        changed: dict[tuple[str, str, int], tuple[float, float, datetime]] = {}
        sides: dict[int, list[Seat]] = {}
        for seat in compared:
            sides.setdefault(board.start.sides[seat.seat - 1], []).append(seat)
        after = model.rate(
            [
                [
                    model.rating(*_grown(known.get((*pool, seat.player_id)), at, model))
                    for seat in side
                ]
                for side in sides.values()
            ],
            ranks=[float(places[side[0].seat - 1]) for side in sides.values()],
        )
        for side, values in zip(sides.values(), after, strict=True):
            against = [seat for other in sides.values() if other is not side for seat in other]
            for seat, value in zip(side, values, strict=True):
                if seat not in counting:
                    continue
                mu, sigma = _grown(known.get((*pool, seat.player_id)), at, model)
                weight = fmean(_weight(met, pool, at, seat, other) for other in against)
                circle = circles.setdefault((*pool, seat.player_id), [])
                circle += [(item.player_id, weight) for item in against if not item.robot]
                weight = 0.0 if seat.seat in spared_on(season, board) else weight
                mu, sigma = mu + (value.mu - mu) * weight, sigma + (value.sigma - sigma) * weight
                changed[(*pool, seat.player_id)] = (mu, sigma, at)
        known |= changed
        met += [
            (*pool, one.player_id, other.player_id, at) for one in counting for other in counting
        ]
    games = Counter(
        (row["game"], row["pool"], row["player_id"]) for row in season.table.rows("results")
    )
    return {
        key: (mu, sigma, games[key] < 10 or _is_wide(key, circles))
        for key, (mu, sigma, _) in known.items()
    }


def _latest(circle: list[tuple[int, float]]) -> dict[int, float]:
    """The last twelve people met, and the games with each, three at most."""
    total: dict[int, float] = {}
    for player_id, weight in circle:
        total[player_id] = min(3.0, total.pop(player_id, 0.0) + weight)
        if len(total) > 12:
            del total[next(iter(total))]
    return total


def _is_wide(
    key: tuple[str, str, int], circles: dict[tuple[str, str, int], list[tuple[int, float]]]
) -> bool:
    *pool, own = key
    met, half = _latest(circles[key]), 0.0
    around = {own, *met}
    for player_id, games in met.items():
        theirs = set(_latest(circles[(pool[0], pool[1], player_id)]))
        around |= theirs
        if len(theirs) > 6 or (len(theirs) > 4 and theirs - met.keys() - {own}):
            half += games
    return half >= sum(met.values()) / 2 and len(around) > 9


Met = tuple[str, str, int, int, datetime]
"""In which games, who played with whom, and when."""


def _weight(met: list[Met], pool: tuple[str, str], at: datetime, one: Seat, two: Seat) -> float:
    """How much a game says of two players: their third within a month half, and so on."""
    pair = (*pool, one.player_id, two.player_id)
    before = sum(item[:4] == pair and item[4] > at - timedelta(days=30) for item in met)
    return 1.0 if before < 2 else 0.5 ** (before - 1)


def rated_on(
    season: Season, board: Board
) -> tuple[Board, Sequence[Seat], Sequence[Seat], dict[int, int]]:
    """A board with the first players of its seats; who of them is compared, and whose rating
    changes; and to which ply those played who were behind when others took their seats."""
    handed = [row for row in season.table.rows("handovers") if row["board_id"] == board.id]
    first = {row["seat"]: row for row in reversed(handed)}
    lost = {seat: row["after_ply"] for seat, row in first.items() if row["behind"]}
    seats = tuple(
        replace(it, player_id=first[it.seat]["player_id"]) if it.seat in first else it
        for it in board.seats
    )
    left = [seat for seat in seats if seat.seat in lost]
    known = [seat for seat in seats if seat.seat not in first or seat in left]
    board = replace(board, seats=seats)
    if len(set(board.start.sides)) < len(seats):
        return board, seats, left if first else seats, lost
    return board, known, known if len(known) > 1 else [], lost


def spared_on(season: Season, board: Board) -> set[int]:
    """The seats of a board to whose players it cost no rating."""
    kept = {seat.seat for seat in board.seats if not seat.taken_over}
    return kept & {item.seat for item in season.table.departures(board.id) if item.spared}


def got_somewhere(season: Season) -> set[int]:
    """The boards that have to count for ratings."""
    found = set()
    for number in season.table.boards():
        board = season.table.board(number)
        moved = Counter(board.start.sides[ply.seat - 1] for ply in season.table.plies(number))
        fewest = min(moved[side] for side in board.start.sides)
        scored = any(map(int, board.state.split()[2].split(",")))
        by_all = all(
            any(
                ply.seat == left.seat and ply.ply <= left.after_ply
                for ply in season.table.plies(number)
            )
            for left in season.table.departures(number)
        )
        long_enough = fewest >= 10 or (fewest >= 5 and scored)
        long_enough |= bool(board.position.outcome) and not board.position.out
        somebody = bool(rated_on(season, board)[2])
        if board.status == "finished" and board.rated and long_enough and by_all and somebody:
            found.add(number)
    return found


def _grown(
    known: tuple[float, float, datetime] | None, at: datetime, model: PlackettLuce
) -> tuple[float, float]:
    if known is None:
        return model.mu, model.sigma
    mu, sigma, since = known
    months = (at - since) / timedelta(days=30)
    return mu, min((sigma**2 + 0.6**2 * months) ** 0.5, model.sigma)


def _aware(moment: datetime) -> datetime:
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)
