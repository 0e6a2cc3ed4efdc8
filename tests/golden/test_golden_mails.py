"""Each kind of mail, headers and body, byte for byte; a digest stands for a picture's pixels.

After a wanted change of wording run `REGOLD=1 make test ARGS=tests/golden` and read the
difference that git shows before you commit it.
"""

import itertools
import os
from base64 import b64decode
from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta
from difflib import unified_diff
from hashlib import sha256
from pathlib import Path
from random import Random

import pytest

from pbm.commands.families.play import Resign
from pbm.play import broadcasts
from pbm.play.limits import NEWCOMERS_ANSWERS
from pbm.robots import analysis
from pbm.robots.analysis import Judged, Piece, look_at
from pbm.robots.thinking import Course, RobotMove
from pbm.rules.contract import Budget
from pbm.rules.robots import ADVISER, ROBOTS
from pbm.service.asking import challenges, questions
from pbm.service.robots import handlers
from pbm.service.robots.jobs import MOST_TRIES
from pbm.service.running.heartbeat import TICKS
from pbm.service.ticks import jobs
from pbm.store.values.queues import TimerKind
from tests.conversations.greedy import greedy_move
from tests.conversations.playing import board_mail, plays_out
from tests.conversations.test_health import FULL, looks_on
from tests.pictures import PICTURE_PART, pixels
from tests.serving import broken, tick_next
from tests.table import OPERATOR, Mail, Person, Table

FOLDER = Path(__file__).parent / "mails"
REPORT = FOLDER.parents[1] / "mail" / "reading" / "reports" / "postfix-unknown-user.eml"
NAMES = (
    "welcome",
    "signed-up",
    "board-started",
    "board-after-a-move",
    "board-with-a-long-comment",
    "board-over",
    "refusal",
    "unreadable-line",
    "confirm",
    "alias",
    "invitation",
    "show",
    "games",
    "help",
    "whoami",
    "declined",
    "stuck-operator",
    "red-operator",
    "stuck-player",
    "unnamed",
    "stale-move",
    "replay",
    "submitted",
    "chat-of-six",
    "pushed-off",
    "invited",
    "turned-down",
    "which-board",
    "show-earlier",
    "yes-or-no",
    "newkey",
    "paused",
    "goodbye",
    "last-answer",
    "mail-comes-back",
    "board-once-more",
    "words-come-back",
    "mail-arrives-again",
    "whoami-after-bounces",
    "draw-offered",
    "take-back-asked",
    "take-back-done",
    "draw-agreed",
    "rematch-started",
    "draw-claimed",
    "team-started",
    "team-board",
    "round-over",
    "match-over",
    "which-move",
    "guessed-move",
    "yes-to-an-offer",
    "name-asked-back",
    "first-move-awaited",
    "first-move-missed",
    "unanswered-invitation",
    "stuck-timer",
    "next",
    "board-lines",
    "seek-open",
    "seeks",
    "seek-joined",
    "seek-complete",
    "seek-lapsed",
    "pair-waits",
    "welcome-to-pair",
    "paired",
    "challenge-asked",
    "challenge",
    "challenge-off",
    "report",
    "words-not-shown",
    "substitute",
    "substitute-asked",
    "seat-taken-over",
    "noted",
    "board-with-a-note",
    "message",
    "broadcast",
    "digest",
    "reminders",
    "watching",
    "watched",
    "watched-boards",
    "welcome-to-a-robot",
    "signed-up-to-a-robot",
    "robot-answered",
    "robot-awaited",
    "board-against-a-robot",
    "board-with-hints",
    "hint",
    "hint-failed",
    "robot-trouble",
    "analysis-begun",
    "analysis",
    "invited-player",
    "address-wanted",
)


@pytest.fixture(scope="module")
def mails(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, Mail]]:
    """One mail of each kind, from two conversations on clocks that stand."""
    folder = tmp_path_factory.mktemp("golden")
    found = _agreements(f"sqlite:///{folder / 'agreements.sqlite3'}")
    found |= _in_time(f"sqlite:///{folder / 'time.sqlite3'}")
    found |= _several(f"sqlite:///{folder / 'several.sqlite3'}")
    with pytest.MonkeyPatch.context() as monkeypatch:
        found |= _open_games(f"sqlite:///{folder / 'seeks.sqlite3'}", monkeypatch)
        found |= _left_alone(f"sqlite:///{folder / 'alone.sqlite3'}", monkeypatch)
        found |= _against_a_robot(f"sqlite:///{folder / 'robots.sqlite3'}", monkeypatch)
    found |= _of_the_time(f"sqlite:///{folder / 'of-the-time.sqlite3'}")
    with pytest.MonkeyPatch.context() as monkeypatch:
        yield found | _conversation(f"sqlite:///{folder / 'pbm.sqlite3'}", monkeypatch)


def _count_tokens(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the tokens of questions be known, and no secret."""
    tokens = itertools.count(1)
    letters = str.maketrans("0123456789", "abcdefghij")
    for module in (challenges, questions):
        monkeypatch.setattr(module, "new_token", lambda: f"{next(tokens):024d}".translate(letters))


def _conversation(url: str, monkeypatch: pytest.MonkeyPatch) -> dict[str, Mail]:
    _count_tokens(monkeypatch)
    table = Table(url)
    found: dict[str, Mail] = {}
    alice = table.person("alice@example.org")
    found["welcome"] = alice.writes("hi", "I would like to play here.").newest
    found["signed-up"] = alice.says("yes").newest
    bob = table.joins("bob")
    found["board-started"] = alice.says("challenge bob\n\nGood luck!").newest
    found["board-after-a-move"] = (alice.says("a1-c3,d4"), bob.newest)[1]
    words = "\n".join(f"This is line {number} of a long remark." for number in range(1, 9))
    found["board-with-a-long-comment"] = (bob.says(f"i9-g7,f6\n\n{words}"), alice.newest)[1]
    found["refusal"] = alice.says("a2-b2,b3\n\nTake that!").newest
    found["unreadable-line"] = alice.says("moev a2-c4,b3").newest
    found["confirm"] = alice.writes("resign 1", "Sorry!").newest
    other = table.person("alice@work.example")
    other.says("a2-c4,b3", answering=found["board-started"])
    found["alias"] = alice.newest
    alice.writes("show 1")
    found["show"] = alice.newest
    found["games"] = alice.writes("games").newest
    found["help"] = alice.writes("help").newest
    found["whoami"] = alice.writes("whoami").newest
    found["board-over"] = (bob.writes("resign 1").says("yes"), alice.newest)[1]
    carol = table.joins("carol")
    carol.says("challenge bob")
    found["declined"] = (bob.says("decline"), carol.newest)[1]
    carol.says("challenge dave@example.org\n\nCome and play!")
    found["invitation"] = table.person("dave@example.org").newest
    carol.says("challenge bob")
    monkeypatch.setattr(Resign, "run", broken)
    carol.says("resign 3")
    found["stuck-operator"] = table.person(OPERATOR).newest
    found["stuck-player"] = carol.newest
    return found | _rarer(table)


def _in_time(url: str) -> dict[str, Mail]:
    """The mails that nobody's mail has asked for, but the time."""
    table = Table(url)
    alice, bob, carol = table.start("alice", "bob", "carol")
    carol.says("challenge dave@example.org")
    table.days_pass(2)
    found = {"first-move-awaited": alice.newest}
    table.days_pass(5.1)
    found["first-move-missed"] = bob.mail("Abalone Board 1:")
    found["unanswered-invitation"] = carol.mail("pbm: your invitation")
    with table.database.transaction() as work:
        now = table.clock()
        work.timers.set(TimerKind.FIRST_MOVE_REMINDER, "0", now, now, player_id=0)
    with pytest.MonkeyPatch.context() as monkeypatch:
        monkeypatch.setattr(jobs, "HANDLERS", {TimerKind.FIRST_MOVE_REMINDER: broken})
        for _ in range(jobs.MOST_TRIES):
            tick_next(table.ticks)
    table.posts()
    found["stuck-timer"] = table.person(OPERATOR).newest
    table.behind_front("")
    found["unnamed"] = carol.says("whoami", headers={"From": "carol, carl"}).newest
    with table.database.transaction() as work:
        work.timers.set(TimerKind.HEALTH, "", now, table.clock() + timedelta(minutes=10))
    table.ticks.look_at_machine = lambda: [FULL]
    looks_on(table, TICKS, times=2)
    found["red-operator"] = table.person(OPERATOR).newest
    table.close()
    return found


def _several(url: str) -> dict[str, Mail]:
    """A mail with several boards, and what is told of an answer with a line for each."""
    table = Table(url)
    alice, bob = table.start("alice", "bob")
    alice.says("challenge bob").says("challenge me bob")
    for number in (1, 2, 3):
        alice.says(f"move {number} a1-c3,d4")
        bob.says(f"move {number} i9-g7,f6")
    bob.says("draw 2")
    found = {"next": alice.says("next").newest}
    alice.says("What a day, bob.\n1 a2-c4,d5\n2 a2-c4,a3\n9 b1,c1\nGood luck!")
    found["board-lines"] = alice.newest
    table.close()
    return found


def _open_games(url: str, monkeypatch: pytest.MonkeyPatch) -> dict[str, Mail]:
    """The mails by which people find each other."""
    _count_tokens(monkeypatch)
    table = Table(url)
    alice, bob, carol = (table.joins(name) for name in ("alice", "bob", "carol"))
    found = {"seek-open": alice.says("seek 3 -bowl -unrated -rating=1400-1600").newest}
    found["pair-waits"] = bob.says("play").newest
    found["seek-joined"] = (bob.says("join 1"), alice.newest)[1]
    found["seeks"] = bob.says("seek -rating=1900-").says("seeks", answering=bob.newest).newest
    found["seek-complete"] = carol.says("join 1").newest
    dave = table.person("dave@example.net")
    found["welcome-to-pair"] = dave.writes("play").newest
    dave.says("yes")
    found["paired"] = dave.mail("Abalone Board")
    table.days_pass(29)
    found["seek-lapsed"] = bob.mail("pbm: seek 3")
    carol.says("challenge bob@example.org").says("add bob@example.org").says("yes")
    found |= {"invited-player": bob.mail("Please"), "address-wanted": bob.mail("pbm: your address")}
    table.close()
    return found


def _left_alone(url: str, monkeypatch: pytest.MonkeyPatch) -> dict[str, Mail]:
    """The mails of players who want to be asked first, or not to read somebody."""
    tokens = iter("ab")
    monkeypatch.setattr(questions, "new_token", lambda: next(tokens) * 24)
    table = Table(url)
    alice, bob = table.start("alice", "bob")
    bob.says("challenges ask")
    line = "challenge bob -bowl -rounds=2 -bank=30d+1d"
    found = {"challenge-asked": alice.says(f"{line}\n\nShall we?").newest}
    found["challenge"] = bob.newest
    bob.says("no\nNot this week.")
    found["challenge-off"] = alice.newest
    alice.says("a1-c3,d4\nYou will lose.", answering=alice.mail("Abalone"))
    bob.says("report 1 alice boasts").says("block alice")
    found["report"] = table.person(OPERATOR).newest
    bob.says("move 1 i9-g7,f6")
    alice.says("a2-c4,d5\nAnd lose again.", answering=alice.mail("Abalone"))
    found["words-not-shown"] = bob.newest
    dora = table.joins("dora")
    bob.says("substitute 1 dora", answering=bob.mail("Abalone"))
    found["substitute"], found["substitute-asked"] = dora.newest, alice.newest
    dora.says("yes")
    alice.says("yes")
    found["seat-taken-over"] = dora.newest
    found["noted"] = alice.says("note 1 He is angry.\na4-c4,b4 may be next").newest
    found["board-with-a-note"] = alice.says("show 1").newest
    with table.database.transaction() as work:
        broadcasts.begin(work, ["The server moves on Friday."], table.clock())
    table.days_pass(0)
    found["broadcast"] = alice.newest
    found["message"] = (dora.says("message alice: Peace?"), alice.newest)[1]
    table.close()
    return found


def _against_a_robot(url: str, monkeypatch: pytest.MonkeyPatch) -> dict[str, Mail]:
    _count_tokens(monkeypatch)
    monkeypatch.setattr(handlers, "think_about", lambda *_: RobotMove("i9-g7,h8"))
    table = Table(url)
    table.robots_join()
    alice = table.person("alice@example.org")
    found = {"welcome-to-a-robot": alice.writes("challenge pebble").newest}
    found["signed-up-to-a-robot"] = alice.says("yes").newest
    alice.says("a1-c3,b2\ndraw\n\nHello!", answering=board_mail(alice, 1))
    table.robots_think()
    found["robot-answered"] = alice.newest
    alice.says("a2-c4,b3")
    table.days_pass(seconds=table.site.robot_seconds)
    found["robot-awaited"] = alice.newest
    found["board-against-a-robot"] = next(mail for mail in alice.mails if mail["X-PBM-Board"])
    found |= _helped_by_robots(table, alice, monkeypatch)
    table.close()
    return found


def _helped_by_robots(
    table: Table, alice: Person, monkeypatch: pytest.MonkeyPatch
) -> dict[str, Mail]:
    """What robots find for people, by a short search, and what is told where none comes to its
    end."""
    monkeypatch.setattr(
        analysis,
        "ROBOTS",
        {ADVISER: replace(ROBOTS[ADVISER], budget=Budget(300, depth=2))},
    )
    monkeypatch.setattr(analysis, "look_at", _as_if_dear)
    for look in ("SHORT_LOOK", "LONG_LOOK"):
        monkeypatch.setattr(analysis, look, 120)
    monkeypatch.setattr(analysis, "LEAST", 0)
    alice.says("resign 1").says("analyse 1")
    found = {"analysis-begun": alice.newest}
    table.robots_think()
    found["analysis"] = alice.newest
    alice.says("challenge pebble -unrated")
    found["board-with-hints"] = alice.newest
    alice.says("hint")
    table.robots_think()
    found["hint"] = alice.newest
    monkeypatch.setattr(analysis, "advise", broken)
    table.clock.passes(hours=1)
    alice.says("hint", answering=board_mail(alice, 2))
    for _ in range(MOST_TRIES + 1):
        table.robots_think()
        table.clock.passes(seconds=5)
    return {
        **found,
        "hint-failed": alice.newest,
        "robot-trouble": table.person(OPERATOR).newest,
    }


def _as_if_dear(course: Course, piece: Piece) -> list[Judged]:
    """What a look finds, and each move has cost something."""
    found = look_at(course, piece)
    return [replace(item, best=item.made + 40 * item.ply) for item in found]


def _of_the_time(url: str) -> dict[str, Mail]:
    """The mails about several boards that the time brings."""
    table = Table(url)
    alice, bob = table.joins("alice"), table.joins("bob")
    alice.says("set timezone Europe/Berlin").says("set digest daily")
    bob.says("challenge alice").says("a1-c3,b2\n\nGood luck!").says("challenge alice -bowl")
    table.days_pass(1)
    found = {"digest": alice.newest}
    bob.says(bob.newest.text.split("such as ")[1].split()[0].rstrip("."))
    table.days_pass(1.1)
    found["reminders"] = alice.newest
    carol = table.joins("carol")
    carol.says("watch 1 -moves")
    found["watching"] = carol.newest
    alice.says("move 1 i5-g5,h5")
    table.days_pass(minutes=2)
    found["watched"] = carol.newest
    carol.says("watch 1").says("watch bob")
    bob.says("resign 1").says("resign 2")
    table.days_pass(1)
    found["watched-boards"] = carol.newest
    table.close()
    return found


def _rarer(table: Table) -> dict[str, Mail]:
    """The mails that a player seldom sees."""
    names = ["erin", "frank", "grace", "heidi", "ivan", "judy"]
    erin, frank, grace, *_ = people = [table.joins(name) for name in names]
    found: dict[str, Mail] = {}
    first = erin.says("challenge -bowl " + " ".join(names)).newest
    number = table.boards()[-1]
    example = ""
    for person in people:
        example = person.newest.text.split("such as ")[1].split()[0]
        person.says(example)
    example = erin.newest.text.split("such as ")[1].split()[0]
    found["stale-move"] = erin.says(f"{example}\n\nHere I come.", answering=first).newest
    found["yes-or-no"] = erin.says("Yes, but not today.").newest
    found["newkey"] = erin.says("newkey").says("yes").newest
    found["chat-of-six"] = (frank.says("Well played, all of you."), grace.newest)[1]
    found["show-earlier"] = grace.says(f"show {number}#2").newest
    grace.says("challenge erin").says("challenge frank")
    found["which-board"] = grace.writes("move c5,d5", "Hm.").newest
    found["invited"] = erin.says("challenge me mallory@example.net trent@example.net").newest
    mallory = table.person("mallory@example.net")
    found["goodbye"] = mallory.says("no").newest
    found["turned-down"] = erin.newest
    for _ in range(4):
        found["last-answer"] = mallory.writes("signup 4ever").newest
    found |= {"pushed-off": _pushed_off(table)} | _come_back(table) | _mistaken(table)
    for _ in range(NEWCOMERS_ANSWERS):
        found["paused"] = grace.says("whoami", answering=grace.mail("pbm: welcome")).newest
    judy = people[-1]
    found["replay"] = judy.says(f"replay {number} 3-6").newest
    found["submitted"] = judy.says("challenge heidi").says("submit a1-c3,b2\n\nHello!").newest
    return found


def _come_back(table: Table) -> dict[str, Mail]:
    """The mails about a player whose mail comes back, and to that player."""
    mia, noa = table.start("mia", "noa")
    report = REPORT.read_bytes().replace(b"\n", b"\r\n")
    table.deliver("", mia.newest.envelope_sender, report)
    table.days_pass(1)
    told, again = noa.newest, mia.newest
    for _ in range(4):
        said = noa.says("Are you there?").newest
    mia.says("whoami", answering=mia.mail("pbm: welcome"))
    asked = mia.mail("pbm: whoami")
    table.days_pass(1)
    return {
        "mail-comes-back": told,
        "board-once-more": again,
        "words-come-back": said,
        "mail-arrives-again": noa.newest,
        "whoami-after-bounces": asked,
    }


def _mistaken(table: Table) -> dict[str, Mail]:
    """What is told to people who took something else for a move, or for an answer."""
    amy, ben = table.start("amy", "ben")
    board = amy.newest
    found = {"which-move": amy.says("Hi ben,\n\na1-c3,d4\n\nor\n\na5-c5,d5?\n\nb1,c1").newest}
    found["guessed-move"] = amy.says("Hi ben,\n\nc3 d4\n\nBye!", answering=board).newest
    ben.says("draw")
    found["yes-to-an-offer"] = amy.says("yes?").newest
    amy.says("challenge kim@example.net")
    found["name-asked-back"] = table.person("kim@example.net").says("Kimberly").newest
    return found


def _pushed_off(table: Table) -> Mail:
    """The first mail that tells of a marble pushed off the board."""
    people = kim, _ = table.start("kim", "lee", bowl=True)
    number, chance = table.boards()[-1], Random(2)
    while not any(table.board(number).position.scores):
        board = table.board(number)
        people[board.ply % 2].says(str(greedy_move(board.position, chance)))
    return kim.newest


def _agreements(url: str) -> dict[str, Mail]:
    """The mails about what players agree on, about teams, and about matches."""
    table = Table(url)
    people = alice, bob, carol, _ = [
        table.joins(name) for name in ("alice", "bob", "carol", "dave")
    ]
    found: dict[str, Mail] = {}
    alice.says("challenge bob").says("a1-c3,d4\ndraw\n\nEven already, I would say.")
    found["draw-offered"] = bob.newest
    bob.says("i9-g7,f6")
    found["take-back-asked"] = (alice.says("takeback\n\nI took the wrong line."), bob.newest)[1]
    found["take-back-done"] = (bob.says("accept takeback"), alice.newest)[1]
    alice.says("draw")
    found["draw-agreed"] = (bob.says("accept draw\n\nFine with me."), alice.newest)[1]
    found["rematch-started"] = (alice.says("rematch\n\nIn earnest now!"), bob.newest)[1]
    for move in ("c3,d3", "g7,f7", "d3,c3", "f7,g7") * 2:
        mover = (bob, alice)[table.board(2).ply % 2]
        mover.says(move, answering=board_mail(mover, 2))
    found["draw-claimed"] = (alice.says("claim 2"), bob.newest)[1]
    alice.says("challenge alice+carol bob+dave\n\nTwo against two.")
    found["team-started"] = carol.newest
    chance = Random(14)
    plays_out(table, people, 3, chance, until=10)
    carol.says("resign 3")
    table.days_pass(hours=12)  # after many mails in an hour there are no pictures
    plays_out(table, people, 3, chance, until=14)
    found["team-board"] = alice.newest
    carol.says("challenge alice -bowl -rounds=2")
    plays_out(table, [alice, carol], 4, Random(2))
    found["round-over"] = board_mail(alice, 4)
    plays_out(table, [alice, carol], 5, Random(24), until=15)
    carol.says("resign 5\n\nThat match is yours.")
    found["match-over"] = board_mail(alice, 5)
    return found


def readable(raw: bytes) -> bytes:
    """The mail with a line for each picture: how well it is compressed does not matter here."""
    return PICTURE_PART.sub(lambda part: part[1] + _digest(part[2]), raw)


def _digest(encoded: bytes) -> bytes:
    seen = sha256(pixels(b64decode(encoded))[1]).hexdigest()
    return f"(a picture whose pixels have the SHA-256 {seen[:32]})\r\n".encode()


def test_the_mails_are_as_they_were(mails: dict[str, Mail]) -> None:
    for name in NAMES if os.environ.get("REGOLD") else ():
        (FOLDER / f"{name}.eml").write_bytes(readable(mails[name].raw))
    changes = "".join(line for name in NAMES for line in changed(name, readable(mails[name].raw)))
    assert not changes, changes


def changed(name: str, raw: bytes) -> Iterator[str]:
    """The lines in which a mail differs from what it was."""
    was, now = (FOLDER / f"{name}.eml").read_bytes(), raw
    if was != now:
        lines = (text.decode("utf-8").splitlines(keepends=True) for text in (was, now))
        yield from unified_diff(*lines, name, f"{name} now", n=0)
        yield f"{name} is not what it was\n"


def test_every_kind_is_here(mails: dict[str, Mail]) -> None:
    assert sorted(mails) == sorted(NAMES) == sorted(file.stem for file in FOLDER.glob("*.eml"))
