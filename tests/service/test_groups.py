"""Turns that share a transaction beside other processes: who goes together, and who alone."""

import asyncio
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from itertools import count
from threading import Barrier, Thread
from typing import Any

import pytest
from sqlalchemy import event, func, select, text

from pbm.clock import system_clock
from pbm.mail.address import ServerAddress
from pbm.mail.site import Site
from pbm.mail.tags import load_keyring
from pbm.play.ratings import MOVES
from pbm.service.intake.arriving import queued
from pbm.service.loops import TurnTaker
from pbm.service.running.writer import Writer
from pbm.service.trouble.faults import GIVEN_UP_FOR
from pbm.service.turns.next_mails import NextMails
from pbm.service.turns.turn import MOST_TRIES, SLICE, Taken, Turns
from pbm.store.db import Database, UnitOfWork
from pbm.store.values.mails import ArrivedMail, InboxMail
from tests.polling import PATIENCE
from tests.torture.games import SECRET, SERVER, Game, Letter, begin_games

MOST = 16
PLAIN = "From: {0}\r\nMessage-ID: <{0}>\r\nSubject: help\r\n\r\n"


@dataclass
class Shared:
    """Boards on a database that others use, too, and their players' mails."""

    url: str
    boards: int
    players: int
    database: Database = field(init=False)
    games: Sequence[Game] = field(init=False)
    site: Site = field(init=False)
    _made: int = 0

    def __post_init__(self) -> None:
        self.database = Database(self.url)
        self.games = begin_games(self.database, self.boards, self.players)
        self.site = Site(ServerAddress(SERVER), load_keyring("nowhere", SECRET), "op@b.example")

    def turns(self, kind: type[Turns] = Turns) -> Turns:
        """As another process takes them."""
        turns = kind(Database(self.url), self.site, system_clock)
        turns.seconds = lambda: 0.0  # no turn takes long
        return turns

    def letter(self, board: int, ply: int) -> Letter:
        """What plays a ply, from whomever's turn it is then."""
        return self.games[board - 1].letter(ply, self.site.keyring)

    def hand_in(self, *letters: Letter) -> list[int]:
        """Let mails wait for their turns; return their numbers."""
        return [self.keep(it.sender, it.recipient, it.raw) for it in letters]

    def keep(self, sender: str, recipient: str, raw: bytes) -> int:
        """Let a mail wait for its turn."""
        self._made += 1
        to = self.site.address.parse(recipient)
        now = system_clock()
        with self.database.transaction() as work:
            (number,) = work.inbox.keep(
                ArrivedMail(
                    digest=str(self._made),
                    recipient=recipient,
                    sender=sender,
                    peer="",
                    raw=raw,
                    now=now,
                    same_for=now - now,
                    queued=queued(to, sender, raw, from_player=False),
                )
            )
        assert number is not None
        return number

    def help(self) -> int:
        """Let a mail of somebody else wait that is about no board."""
        sender = f"a{self._made}@b.example"
        return self.keep(sender, SERVER, PLAIN.format(sender).encode())

    def plies(self) -> list[int]:
        """How many plies each board has."""
        with self.database.reading() as work:
            return [work.boards.get(game.number).ply for game in self.games]

    def mail(self, number: int) -> InboxMail:
        """A mail as it is kept."""
        with self.database.reading() as work:
            return work.inbox.get(number)

    def waiting(self) -> int:
        """How many mails wait for their turns."""
        with self.database.reading() as work:
            return work.inbox.count("new")

    def deadlocks(self) -> int:
        """How many the database has found, as told by connections that are closed."""
        with self.database.engine.connect() as connection:
            query = "SELECT deadlocks FROM pg_stat_database WHERE datname = current_database()"
            return int(connection.scalar(text(query)))


@pytest.fixture
def shared(postgres_url: str) -> Iterator[Shared]:
    shared = Shared(postgres_url, boards=6, players=12)
    yield shared
    shared.database.close()


async def _here(work: Callable[[], Any]) -> Any:
    return work()


def taker_of(turns: Turns) -> TurnTaker:
    """A taker whose groups are as large as can be from the beginning."""
    taker = TurnTaker(turns, Writer(turns.database, _here), MOST, _here, _here)
    taker._together = MOST
    return taker


def take(taker: TurnTaker) -> Taken:
    return asyncio.run(taker.take())


def take_all(shared: Shared, *all_turns: Turns) -> None:
    """Let several processes take turns until nothing waits any more, all beginning together."""
    begin, end = Barrier(len(all_turns)), time.monotonic() + PATIENCE

    def work(turns: Turns) -> None:
        taker = taker_of(turns)
        begin.wait()
        while shared.waiting():
            assert time.monotonic() < end, "not done in time"
            take(taker)

    failed: list[BaseException] = []

    def run(turns: Turns) -> None:
        try:
            work(turns)
        except BaseException as error:
            failed.append(error)
            raise

    threads = [Thread(target=run, args=(turns,)) for turns in all_turns]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failed


def close(*all_turns: Turns) -> None:
    for turns in all_turns:
        turns.database.close()


def said(letter: Letter, words: str) -> Letter:
    """The same mail with other words in the place of its move."""
    head, _, body = letter.raw.partition(b"\r\n\r\n")
    rest = body.partition(b"\r\n")[2]
    raw = b"\r\n".join((head, b"", words.encode(), rest))
    return replace(letter, raw=raw)


@contextmanager
def commits(turns: Turns) -> Iterator[list[int]]:
    """The commits of a process, one entry each."""
    counted: list[int] = []
    event.listen(turns.database.engine, "commit", lambda _: counted.append(1))
    yield counted


class Breaking(Turns):
    """Some mails break their turns."""

    def __post_init__(self) -> None:
        super().__post_init__()
        self.breaks: dict[int, Callable[[UnitOfWork], str]] = {}
        self.obeyed: list[int] = []

    def _obey(self, work: UnitOfWork, mail: InboxMail, prepared: Any) -> str:
        self.obeyed.append(mail.id)
        outcome = super()._obey(work, mail, prepared)
        breaks = self.breaks.get(mail.id)
        return breaks(work) if breaks else outcome


def planted(_: UnitOfWork) -> str:
    raise ZeroDivisionError("a planted bug")


def unwritable(_: UnitOfWork) -> str:
    return "an outcome that no column takes: \0"


def test_boards_of_one_group_are_one_commit(shared: Shared) -> None:
    shared.hand_in(*(shared.letter(game.number, 1) for game in shared.games))
    turns = shared.turns()
    with commits(turns) as counted:
        assert take(taker_of(turns)) == Taken(len(shared.games), more=False)
    assert len(counted) == 1
    assert shared.plies() == [1] * len(shared.games)
    close(turns)


def test_a_mail_that_is_about_no_board_goes_before_the_others(shared: Shared) -> None:
    first, *others = shared.hand_in(*(shared.letter(number, 1) for number in (1, 2, 3)))
    plain = [shared.help(), shared.help()]
    turns = shared.turns(Breaking)
    assert isinstance(turns, Breaking)
    with commits(turns) as counted:
        assert take(taker_of(turns)) == Taken(4, more=True)
        assert turns.obeyed == [plain[0], first, *others]
        assert take(taker_of(turns)) == Taken(1, more=False)
    assert len(counted) == 2
    assert not shared.waiting()
    close(turns)


def test_no_mail_is_left_behind_slow_ones_that_go_first(shared: Shared) -> None:
    (move,) = shared.hand_in(shared.letter(1, 1))
    plain = [shared.help() for _ in range(4)]
    turns = shared.turns(Breaking)
    assert isinstance(turns, Breaking)
    moments = count()
    turns.seconds = lambda: float(next(moments))  # every turn takes too long
    take_all(shared, turns)
    assert turns.obeyed == [plain[0], move, *plain[1:]]
    close(turns)


def test_what_others_do_with_the_processor_meanwhile_ends_no_group(shared: Shared) -> None:
    shared.hand_in(*(shared.letter(number, 1) for number in (1, 2, 3)))
    turns = Interrupted(Database(shared.url), shared.site, system_clock)
    assert take(taker_of(turns)) == Taken(3, more=False)
    close(turns)


class Interrupted(Turns):
    """Each turn has to wait for the processor, for longer than all of a group may take."""

    def _obey(self, work: UnitOfWork, mail: InboxMail, prepared: Any) -> str:
        time.sleep(SLICE)
        return super()._obey(work, mail, prepared)


def test_a_turn_that_may_wait_is_found_out_and_goes_alone(shared: Shared) -> None:
    """To resign a game that got somewhere counts it, for which others may have to wait."""
    for ply in range(1, 2 * MOVES + 1):
        shared.hand_in(shared.letter(1, ply), shared.letter(2, ply))
    before = shared.turns()
    take_all(shared, before)
    move = shared.hand_in(shared.letter(2, 2 * MOVES + 1))
    (number,) = shared.hand_in(said(shared.letter(1, 2 * MOVES + 1), "resign"))
    turns = shared.turns(Breaking)
    assert isinstance(turns, Breaking)
    take_all(shared, turns)
    close(before, turns)
    assert turns.obeyed == [*move, number, number, *move]
    assert shared.mail(number).outcome.endswith("resign")
    assert shared.mail(number).tries == 0


@pytest.mark.parametrize("breaks", [planted, unwritable])
def test_a_mail_that_breaks_its_turn_in_the_middle_is_stuck_and_no_other(
    shared: Shared, breaks: Callable[[UnitOfWork], str]
) -> None:
    numbers = shared.hand_in(*(shared.letter(game.number, 1) for game in shared.games))
    bad = numbers[2]
    turns = shared.turns(Breaking)
    assert isinstance(turns, Breaking)
    turns.breaks[bad] = breaks
    take_all(shared, turns)
    close(turns)
    assert shared.mail(bad).status == "stuck"
    assert shared.mail(bad).tries == MOST_TRIES
    assert shared.plies() == [1, 1, 0, 1, 1, 1]
    good = [number for number in numbers if number != bad]
    assert [shared.mail(number).tries for number in good] == [0] * len(good)
    # Those that it undid once are done again, and not one by one where it was known which it is.
    again = [turns.obeyed.count(number) for number in good]
    assert max(again) <= 1 + (MOST if breaks is unwritable else 1)


@pytest.mark.parametrize("place", [0, 2])
def test_a_turn_that_the_database_gives_up_keeps_no_other(shared: Shared, place: int) -> None:
    numbers = shared.hand_in(*(shared.letter(game.number, 1) for game in shared.games))
    turns = shared.turns(Breaking)
    assert isinstance(turns, Breaking)
    turns.breaks[numbers[place]] = too_slow
    event.listen(turns.database.engine, "connect", _in_a_hurry)
    taker = taker_of(turns)
    for _ in range(3):
        take(taker)
    played = [1] * len(numbers)
    played[place] = 0
    assert shared.plies() == played
    waiting = shared.mail(numbers[place])
    assert (waiting.status, waiting.tries) == ("new", 0)
    turns.breaks.clear()
    turns.clock = lambda: system_clock() + GIVEN_UP_FOR
    take_all(shared, turns)
    close(turns)
    assert shared.plies() == [1] * len(numbers)


def too_slow(work: UnitOfWork) -> str:
    work.run(select(func.pg_sleep(PATIENCE)))
    return "never"


def _in_a_hurry(held: Any, _: object) -> None:
    held.execute("SET statement_timeout = '300ms'")


def test_a_board_that_another_has_in_hand_is_left_and_looked_at_again(shared: Shared) -> None:
    numbers = shared.hand_in(*(shared.letter(number, 1) for number in (1, 2, 3)))
    turns = shared.turns()
    taker, now = taker_of(turns), system_clock()
    turns.clock = lambda: now  # else a busy machine would look again, and wait, before we do
    with shared.database.transaction() as other:
        other.boards.get(2, lock=True)
        taken = take(taker)
        assert (taken.mails, taken.boards_missed) == (2, True)
        taken = take(taker)
        assert (taken.mails, taken.more, taken.boards_missed) == (0, False, True)
    turns.clock = system_clock
    assert shared.mail(numbers[1]).status == "new"
    take_all(shared, turns)
    close(turns)
    assert shared.plies()[:3] == [1, 1, 1]


def test_a_mail_that_comes_by_itself_waits_for_no_board(shared: Shared) -> None:
    (number,) = shared.hand_in(shared.letter(1, 1))
    turns = shared.turns()
    taker = taker_of(turns)
    with shared.database.transaction() as other:
        other.boards.get(1, lock=True)
        taken = take(taker)
        assert (taken.mails, taken.more, taken.boards_missed) == (0, False, True)
    take_all(shared, turns)
    close(turns)
    assert shared.mail(number).tries == 0
    assert shared.plies()[0] == 1


def test_boards_that_others_have_in_hand_keep_no_mails_behind_them(shared: Shared) -> None:
    """Also where so few are claimed at once that all of them are about such boards."""
    shared.hand_in(*(shared.letter(game.number, 1) for game in shared.games))
    turns = shared.turns()
    taker = taker_of(turns)
    taker._together = 1
    with shared.database.transaction() as other:
        for number in (1, 2, 3, 4):
            other.boards.get(number, lock=True)
        began = turns.clock()
        turns.clock = lambda: began  # all of it within the time for which a mail is put aside
        while take(taker).more:
            pass
        assert shared.plies() == [0, 0, 0, 0, 1, 1]
    close(turns)


def test_a_mail_that_comes_by_itself_may_wait_for_others(shared: Shared) -> None:
    """To resign a game in which all have moved counts it, for which others may have to wait."""
    before = shared.turns()
    for ply in (1, 2):
        shared.hand_in(shared.letter(1, ply))
    take_all(shared, before)
    (number,) = shared.hand_in(said(shared.letter(1, 3), "resign"))
    turns = shared.turns(Breaking)
    assert isinstance(turns, Breaking)
    assert take(taker_of(turns)).mails == 1
    close(before, turns)
    assert turns.obeyed == [number]
    assert shared.mail(number).outcome.endswith("resign")


def test_nobody_is_waited_for_whose_handle_is_changed(shared: Shared) -> None:
    shared.hand_in(*(shared.letter(number, 1) for number in (1, 3, 5)))
    turns = shared.turns()
    with shared.database.transaction() as other:
        other.players.change_handle(shared.games[2].players[0], "another")
        other.flush()
        taken = take(taker_of(turns))
        assert (taken.mails, taken.boards_missed) == (2, True)
    take_all(shared, turns)
    close(turns)
    assert shared.plies() == [1, 0] * 3


def test_nor_for_a_handle_of_who_writes_to_a_board_without_a_seat_there(shared: Shared) -> None:
    """As one may who has left it: the answer refers to them."""
    letter, player = shared.letter(1, 1), shared.games[0].players[0]
    tag = shared.site.keyring.reply_tag(player.id, player.epoch, 3)
    elsewhere = shared.site.address.board_reply(player.id, tag, 3)
    (move,) = shared.hand_in(shared.letter(5, 1))
    number = shared.keep(letter.sender, elsewhere, said(letter, "show").raw)
    turns = shared.turns(Breaking)
    assert isinstance(turns, Breaking)
    with shared.database.transaction() as other:
        other.players.change_handle(player, "another")
        other.flush()
        with limited_waits(shared):
            taken = take(taker_of(turns))
        assert (taken.mails, taken.boards_missed) == (1, True)
    take_all(shared, turns)
    close(turns)
    assert turns.obeyed == [move, number]
    assert shared.mail(number).outcome == "another: show"


@contextmanager
def limited_waits(shared: Shared) -> Iterator[None]:
    """Connections that are made meanwhile wait for nobody for long."""
    with shared.database.engine.connect() as connection:
        connection.execution_options(isolation_level="AUTOCOMMIT")
        name = connection.scalar(text("SELECT current_database()"))
        connection.execute(text(f'ALTER DATABASE "{name}" SET lock_timeout = 1000'))
        yield
        connection.execute(text(f'ALTER DATABASE "{name}" RESET lock_timeout'))


def test_a_board_that_is_not_there_is_missed_for_ever_by_none(shared: Shared) -> None:
    letter = shared.letter(1, 1)
    forged = letter.recipient.replace("+g1.", "+g999.")
    assert forged != letter.recipient
    numbers = shared.hand_in(shared.letter(2, 1), shared.letter(3, 1))
    numbers.append(shared.keep(letter.sender, forged, letter.raw))
    turns = shared.turns()
    take_all(shared, turns)
    close(turns)
    assert {shared.mail(number).status for number in numbers} == {"done"}


def test_what_waits_is_obeyed_once_and_in_order_by_several_processes(postgres_url: str) -> None:
    """A wrong order, or a mail left out, makes a move that is not its player's turn."""
    shared = Shared(postgres_url, boards=24, players=8)
    plies = 4
    for ply in range(1, plies + 1):
        shared.hand_in(*(shared.letter(game.number, ply) for game in shared.games))
        shared.help()
    turns = [shared.turns(Breaking) for _ in range(3)]
    take_all(shared, *turns)
    close(*turns)
    assert shared.plies() == [plies] * len(shared.games)
    assert shared.deadlocks() == 0
    shared.database.close()


class GivenMails(NextMails):
    """What a test gives, whatever waits before it in its lanes."""

    def __init__(self, turns: Turns) -> None:
        super().__init__(turns.site, turns.preparations)
        self.numbers: Sequence[int] = ()

    def claim(self, work: UnitOfWork, now: Any, most: int) -> list[InboxMail]:  # noqa: ARG002
        found = (work.inbox.find_new(number, wait=False) for number in self.numbers)
        return [mail for mail in found if mail is not None]


class Given(Turns):
    """Takes what a test gives it."""

    def __post_init__(self) -> None:
        super().__post_init__()
        self._next: GivenMails = GivenMails(self)
        self.obeyed: list[int] = []

    def give(self, numbers: Sequence[int]) -> None:
        """Let these be next, in this order."""
        self._next.numbers = numbers

    def _obey(self, work: UnitOfWork, mail: InboxMail, prepared: Any) -> str:
        self.obeyed.append(mail.id)
        return super()._obey(work, mail, prepared)


@pytest.mark.parametrize(
    "times", [10, pytest.param(1000, marks=pytest.mark.thorough)], ids=["few", "many"]
)
def test_two_groups_that_want_the_same_boards_in_opposite_order(
    postgres_url: str, times: int
) -> None:
    """On each board one player moves in the one group, and the other speaks in the other group."""
    shared = Shared(postgres_url, boards=4, players=4)
    up, down = shared.turns(Given), shared.turns(Given)
    assert isinstance(up, Given)
    assert isinstance(down, Given)
    for ply in range(1, times + 1):
        move = [shared.letter(game.number, ply) for game in shared.games]
        speak = [said(shared.letter(game.number, ply + 1), f"Word {ply}") for game in shared.games]
        up.give(shared.hand_in(*move))
        down.give(shared.hand_in(*reversed(speak)))
        take_all(shared, up, down)
    close(up, down)
    assert not set(up.obeyed) & set(down.obeyed)  # each has taken what it was given
    assert shared.plies() == [times] * len(shared.games)
    with shared.database.engine.connect() as connection:
        query = text(
            "SELECT count(*), count(*) FILTER (WHERE status = 'done'), sum(tries),"
            " count(*) FILTER (WHERE outcome LIKE '%: move') FROM inbox"
        )
        assert tuple(connection.execute(query).one()) == (8 * times, 8 * times, 0, 4 * times)
    assert shared.deadlocks() == 0
    shared.database.close()
