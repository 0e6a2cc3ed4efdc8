"""Months of many people's games at one server, by mail, in a few minutes."""

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from pathlib import Path
from random import Random

from pbm.errors import OperatorError
from pbm.play.limits import OF_CLAIM
from pbm.rules.sides import after
from pbm.service.operator import boards as operator_boards
from pbm.service.operator.operator_session import OperatorSession
from pbm.store.values.boards import Board
from tests.conversations.greedy import greedy_move
from tests.conversations.playing import plays_on
from tests.season.crowd import past_idle_connections
from tests.season.people import Habit, habit
from tests.table import START, Person, Table

REPORT = Path(__file__).parents[1] / "mail" / "reading" / "reports" / "postfix-unknown-user.eml"
HALF_A_DAY = timedelta(hours=12)
KINDS = ("", "-bowl", "-pillar", "-forfeittime=8d", "-totaltime=60d", "-bank=10d+1d", "-unrated")
SIGN_UPS = 8  # an hour
FARM = 60  # subdomains of one domain
TWICE = 0.05  # mails that a server on the way delivers twice
LOOKS_ON = 0.04  # of a player, each half day


@dataclass(frozen=True)
class Size:
    """How large a season is; an outage of a week begins when a third of it is over."""

    players: int
    boards: int
    days: float


@dataclass(eq=False)
class Member:
    """Somebody who plays in the season, and how much of the mail has been read."""

    person: Person
    habit: Habit
    read: int

    @property
    def handle(self) -> str:
        """The name of this player."""
        return self.person.address.split("@")[0]


@dataclass
class Season:
    """A server, and people who write to it as they are used to."""

    table: Table
    size: Size
    chance: Random
    members: list[Member] = field(default_factory=list)
    was_down: list[tuple[datetime, datetime]] = field(default_factory=list)
    eased: set[int] = field(default_factory=set)
    """Boards on which somebody asked for a pause, or gave time."""
    cheats: Random = field(default_factory=lambda: Random(1))
    talkers: Random = field(default_factory=lambda: Random(2))
    onlookers: Random = field(default_factory=lambda: Random(3))
    leavers: Random = field(default_factory=lambda: Random(4))
    crowded: bool = False
    """Whether idle connections hold all places at the listener when the next mail comes."""

    def begin(self) -> None:
        """Let everybody sign up and say how they play."""
        for number in range(self.size.players):
            if number % SIGN_UPS == SIGN_UPS - 1:  # of one domain more are put off
                self.table.clock.passes(hours=1)
            if number % SIGN_UPS == 1:
                self._farms(number)
            person = self.table.joins(f"p{number:02d}")
            habits = habit(self.chance, number, self.size.days)
            weekend = "on" if habits.weekends else "off"
            person.says(f"set timezone {habits.zone}\nset weekend {weekend}\nset picture off")
            self.members.append(Member(person, habits, len(person.mails)))
        self.check_settings()

    def check_settings(self) -> None:
        """Check that everybody has the zone, the weekends and the pictures that they have set."""
        for member in self.members:
            player = self.table.player(member.handle)
            assert player is not None
            kept = player.settings
            wanted = (member.habit.zone, member.habit.weekends, False)
            assert (kept.timezone, kept.weekend, kept.picture) == wanted, member.handle

    @property
    def day(self) -> float:
        """How long the season has lasted."""
        return (self.table.clock() - START) / timedelta(days=1)

    def live(self) -> None:
        """Let the time of the season go by."""
        while self.day < self.size.days:
            if not self.was_down and self.day > self.size.days / 3:
                self._is_down(days=7)
            self.table.days_pass(HALF_A_DAY / timedelta(days=1))
            for member in self.chance.sample(self.members, len(self.members)):
                if member.habit.writes_on(self.day):
                    self._acts(member)
                self._reads(member)
            if self.chance.random() < 0.02:
                self._operator_acts()
            if self.leavers.random() < 0.5 and self.table.boards():
                self._hands_over()
            if self.cheats.random() < 0.15:
                self._gives_a_game(self.members[0], self.members[3])
            if self.cheats.random() < 0.1:
                self._draw_a_game(self.members[4], self.members[6])
            self.crowded = self.cheats.random() < 0.05

    def falls_silent(self, days: float) -> None:
        """Let nobody write any more, so that every clock runs out that can."""
        until = self.day + days
        while self.day < until:
            self.table.days_pass(1)
            for member in self.members:
                self._reads(member)

    # -- what people do ------------------------------------------------------------------------

    def _acts(self, member: Member) -> None:
        habits = member.habit
        for number in self.waiting_for(member):
            if self.chance.random() < habits.eager:
                self._moves(member, number)
        if self.chance.random() < habits.begins and self._begun() < self.size.boards:
            self._says(member, self._challenge(member))
        if self.chance.random() < habits.talks:
            self._says(member, self.chance.choice(WISHES)(self, member))
        if self.onlookers.random() < LOOKS_ON:
            self._says(member, self._looks_on())

    def _looks_on(self) -> str:
        """Words of somebody who wants to watch something, or not to be followed."""
        board = self.onlookers.choice(self.table.boards() or [1])
        other = self.onlookers.choice(self.members).handle
        lines = (
            *(f"watch {board}", f"watch {board} -moves", f"notify {board}", f"watch {other}"),
            *(f"watch {other} -moves", "watch", "unwatch all", f"unwatch {other}"),
            *("set public off", "set public on", "set talk public", "set talk private"),
        )
        return self.onlookers.choice(lines)

    def _moves(self, member: Member, number: int) -> None:
        line = self.line_for(member, number)
        beside = self._plan(number, line) + self._beside(member, number) if line else ""
        looks_first = bool(line) and number % 5 == 2 and not beside
        self._says(member, f"{'submit' if looks_first else 'move'} {line}{beside}" if line else "")
        if looks_first:
            self._says(member, f"{'drop' if len(line) % 7 == 0 else 'confirm'} {number}")

    def _beside(self, member: Member, number: int) -> str:
        """Something below a move, sometimes: a note, words to somebody, a board that is muted."""
        others = [one for one in handles(self.table.board(number)) if one != member.handle]
        lines = (
            f"note {number} move of day {self.day}",
            f"message {self.talkers.choice(others)} How are you on day {self.day}?",
            f"mute {number}",
            f"unmute {number}",
        )
        return f"\n{self.talkers.choice(lines)}" if self.talkers.random() < 0.1 else ""

    def _plan(self, number: int, line: str) -> str:
        """Lines below a move that plan two more, sometimes; what was expected seldom comes."""
        if self.cheats.random() > 0.2:
            return ""
        position = after(self.table.board(number).position, line.split(" ")[1])
        moves = list[str]()
        while position.outcome is None and len(moves) < len(position.sides):
            moves.append(str(greedy_move(position, self.cheats)))
            position = after(position, moves[-1])
        if len(moves) < len(position.sides):
            return ""
        *theirs, own = moves
        any_moves = " ".join("*" for _ in theirs)
        said = " ".join(theirs) if self.cheats.random() < 0.5 else any_moves
        return f"\nplan {number} if {said} then {own}\nplan {number} add otherwise {own}"

    def _says(self, member: Member, body: str) -> None:
        """Answer the newest mail; some servers on the way deliver that twice."""
        if not body:
            return
        person = member.person
        newest = person.newest
        thread = {"In-Reply-To": newest["Message-ID"]}
        to = newest.reply_to
        raw = person.mail_bytes(f"Re: {newest['Subject']}", body, to=to, headers=thread)
        if self.crowded:
            raw, self.crowded = past_idle_connections(raw), False
        for _ in range(2 if self.chance.random() < TWICE else 1):
            person.sends(raw, to=to)

    def _challenge(self, member: Member) -> str:
        others = [other.handle for other in self.members if other is not member]
        count = self.chance.choice((1, 1, 1, 1, 2, 3, 3, 5))
        named = self.chance.sample(others, count)
        if count == 3 and self.chance.random() < 0.5:
            return f"challenge me+{named[0]} {named[1]}+{named[2]}"
        kind = self.chance.choice(KINDS if count == 1 else KINDS[3:])
        return f"challenge me {' '.join(named)} {kind}"

    def _gives_a_game(self, loser: Member, winner: Member) -> None:
        """Let somebody play a game for the other's rating, some no longer than two plies."""
        self.table.begins(loser.handle, winner.handle)
        number = max(self.table.boards())
        plays_on(self.table, number, self.cheats.choice((2, 20, 20)))
        self._says(loser, f"resign {number}")

    def _farms(self, number: int) -> None:
        """Let somebody write from many names of one domain; others can join all the same."""
        names = [f"x{number}@n{one}.abc.de" for one in range(FARM)]
        replies = [self.table.person(name).writes("signup").replied[:3] for name in names]
        assert replies.count("250") == OF_CLAIM.most, replies

    def _draw_a_game(self, one: Member, other: Member) -> None:
        """Let two players draw with each other, again and again."""
        self.table.begins(one.handle, other.handle)
        number = max(self.table.boards())
        plays_on(self.table, number, 20)
        self._says(one, f"draw {number}")
        self._says(other, f"accept {number}")

    def _hands_over(self) -> None:
        """Let somebody play on for another one on a board where all who play there agree."""
        present = {it.handle: it for it in self.members if it.habit.writes_on(self.day)}
        board = self.table.board(self.leavers.choice(self.table.boards()))
        there = [seat.handle for seat in board.seats if seat.player_id in board.still_in]
        others = sorted(present.keys() - {seat.handle for seat in board.seats})
        if not (board.playing and others and present.keys() >= {*there}):
            return
        leaver, guest = self.leavers.choice(there), self.leavers.choice(others)
        self.eased.add(board.id)
        self._says(present[leaver], f"substitute {board.id} {guest}")
        for handle in (*there, guest):
            if handle != leaver:
                self._says(present[handle], f"accept substitute {board.id}")

    # -- what happens to people ----------------------------------------------------------------

    def _reads(self, member: Member) -> None:
        """Take what has come; mail that comes back is reported to the server."""
        new = member.person.mails[member.read :]
        member.read += len(new)
        if not member.habit.is_unreachable(self.day):
            return
        for mail in new:
            if mail.envelope_sender:
                report = REPORT.read_bytes().replace(b"\n", b"\r\n")
                number = self.table.next_message_id().encode()
                self.table.deliver("", mail.envelope_sender, report + number)

    def _is_down(self, days: float) -> None:
        begin = self.table.clock()
        self.table.is_down(days)
        self.was_down.append((begin, self.table.clock()))

    def _operator_acts(self) -> None:
        office = OperatorSession(self.table.database, self.table.site, self.table.clock, "root")
        act: Callable[[OperatorSession, int, str], object] = self.chance.choice(
            (operator_boards.undo, operator_boards.reopen)
        )
        with suppress(OperatorError):
            act(office, self.chance.choice(self.table.boards()), "so it was agreed")
        self.table.posts()

    # -- what is asked -------------------------------------------------------------------------

    def line_for(self, member: Member, number: int) -> str:
        """A board's number and a move there; nothing where it is somebody else's turn."""
        board = self.table.board(number)
        if not board.to_move or board.to_move.handle != member.handle:
            return ""
        return f"{number} {greedy_move(board.position, self.chance)!s}"

    def seeks_without(self, member: Member) -> list[int]:
        """The open seeks in which somebody does not wait."""
        with self.table.database.reading() as work:
            player = work.players.by_handle(member.handle)
            return [seek.id for seek in work.seeks.standing(player.id)] if player else []

    def board_of(self, member: Member) -> int | None:
        """One of somebody's boards that is played."""
        mine = [
            number
            for number in self.table.boards()
            if member.handle in handles(board := self.table.board(number)) and board.playing
        ]
        return self.chance.choice(mine) if mine else None

    def other(self, member: Member) -> str:
        """Somebody else's handle."""
        return self.chance.choice([one for one in self.members if one is not member]).handle

    def waiting_for(self, member: Member) -> list[int]:
        """The boards on which it is somebody's move."""
        with self.table.database.reading() as work:
            player = work.players.by_handle(member.handle)
            return list(work.boards.to_move(player.id)) if player else []

    def _begun(self) -> int:
        return len(self.table.boards())


def handles(board: Board) -> list[str]:
    """Who sits at a board."""
    return [seat.handle for seat in board.seats]


def _about_a_board(words: str) -> Callable[[Season, Member], str]:
    def wish(season: Season, member: Member) -> str:
        number = season.board_of(member)
        return words.format(number) if number else ""

    return wish


def _easing(words: str) -> Callable[[Season, Member], str]:
    def wish(season: Season, member: Member) -> str:
        number = season.board_of(member)
        season.eased |= {number} if number else set()
        return words.format(number) if number else ""

    return wish


def _seek(season: Season, _: Member) -> str:
    players, kind = season.chance.choice(((2, ""), (2, "-unrated"), (3, "-bowl"), (4, "")))
    return f"seek {kind} {players}"


def _join(season: Season, member: Member) -> str:
    found = season.seeks_without(member)
    return f"join {season.chance.choice(found)}" if found else "play"


def _setting(season: Season, _: Member) -> str:
    return season.chance.choice(
        (
            *("challenges ask", "challenges on", "challenges off", "limit 9", "limit none"),
            *("set digest daily", "set digest hourly", "set digest off"),
            *("set mails turn", "set mails all"),
        )
    )


def _answer(season: Season, _: Member) -> str:
    """A yes or a no to the newest question or offer, whatever it is."""
    return season.chance.choice(("yes", "yes", "no"))


def _moves_everywhere(season: Season, member: Member) -> str:
    lines = [season.line_for(member, number) for number in season.waiting_for(member)]
    return "\n".join(filter(None, lines[:4]))


WISHES: tuple[Callable[[Season, Member], str], ...] = (
    lambda season, _: f"vacation tomorrow {season.chance.randrange(2, 12)}d",
    lambda *_: "back",
    lambda *_: "standings",
    lambda *_: "games",
    _about_a_board("draw {}"),
    _about_a_board("accept {}"),
    _about_a_board("takeback {}"),
    _about_a_board("resign {}"),
    _about_a_board("rematch {}"),
    _about_a_board("chat {}\nGood luck!"),
    _easing("pause {}"),
    _easing("resume {}"),
    _easing("give 3d {}"),
    _about_a_board("report {} This is no fun."),
    _about_a_board("history"),
    lambda *_: "play",
    _seek,
    _join,
    lambda season, member: f"block {season.other(member)}",
    lambda season, member: f"unblock {season.other(member)}",
    lambda season, member: f"info {season.other(member)}",
    _setting,
    _setting,
    _answer,
    _answer,
    _moves_everywhere,
    _moves_everywhere,
    lambda *_: "next",
    lambda *_: "unseek",
    lambda *_: "seek -unrated\n" * 5,
    lambda *_: "import\n1. c5,d5 g5,f5",
)
