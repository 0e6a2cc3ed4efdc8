"""A season that leaves something of every kind in the database, played by mail.

In its first part every mail is sent. In the second the post dies each time between a sending and
its record: the players have their mails and go on, and all of them wait in the outbox still.
"""

import re
from dataclasses import replace
from pathlib import Path
from random import Random

from sqlalchemy import text

from pbm.commands.turn import Turn
from pbm.mail.keys import Keyring
from pbm.mail.smtp_out.delivery import Deferred, Delivery, Failed
from pbm.service.accounts import CLEARED, tell_whose_was_cleared
from pbm.service.operator import boards, players, queue
from pbm.service.operator.operator_session import OperatorSession
from pbm.service.post.post import Composer, Post
from pbm.service.running.heartbeat import ROLES, Heart
from tests.conversations.playing import plays_out
from tests.table import Mail, Person, Table

WHY = "both asked for it"
SETUPS = {  # a board's name here, and its challenge
    "two": "bob",
    "three": "me bob carol",
    "four": "me bob carol dave",
    "five": "me bob carol dave erin",
    "six": "me bob carol dave erin frank",
    "bowl of two": "dave -bowl",
    "bowl of three": "me dave erin -bowl",
    "bowl of four": "me dave erin frank -bowl",
    "bowl of five": "me dave erin frank grace -bowl",
    "bowl of six": "me dave erin frank grace heidi -bowl",
    "official of three": "me frank grace -layout=official",
    "official of four": "me frank grace heidi -layout=official",
    "teams": "me+carol bob+dave",
    "teams without a partner": "me+erin grace+frank",
    "teams around a pillar": "me+heidi grace+frank -bowl -pillar",
    "pillar of two": "erin -pillar",
    "pillar of three": "me erin frank -pillar",
    "pillar of five": "me bob carol dave erin -bowl -pillar",
}
LAYOUTS = """
    belgian snakes alien checkerboard duel dutch german swiss star the_wall the_clearing papillons
    fujiyama face_to_face alliances domination atomouche centrifugeuse snakes_variant korean_daisy
    infiltration pyramid classic official
""".split()
NEWS = (  # after a round of a game of three: who says what
    ("draw asked", ("carol: draw",)),
    ("draw seconded", ("carol: draw", "dave: accept draw")),
    ("draw refused", ("carol: draw", "dave: reject draw")),
    ("draw withdrawn", ("carol: draw", "carol: reject draw")),
    ("draw lapsed", ("dave: draw", "MOVE")),
    ("draw agreed", ("carol: draw", "dave: accept", "bob: accept")),
    ("take-back asked", ("carol: takeback",)),
    ("take-back seconded", ("carol: takeback", "dave: accept")),
    ("take-back refused", ("carol: takeback", "dave: reject")),
    ("take-back withdrawn", ("carol: takeback", "carol: reject")),
    ("take-back lapsed", ("carol: takeback", "MOVE")),
    ("taken back with a draw", ("carol: draw", "bob: takeback", "carol: accept", "dave: accept")),
    ("one resigned", ("carol: resign",)),
)
TO_AND_FRO = ("a1-c3,d4", "i9-g7,f6", *("c3,d3", "g7,f7", "d3,c3", "f7,g7") * 2)
REPORT = Path(__file__).parents[1] / "mail" / "reading" / "reports" / "postfix-unknown-user.eml"
RECORD = """[Black "bob"]
[White "erin"]
[Variant "standard"]

1. a1-c3,b2 i5-g5,h5 2. a2-c4,b3
"""
GUESTS = "nora oscar pia quinn rosa simon tina".split()  # who are asked, and have not joined


class Season(Table):
    """The table at which it is played."""

    def __init__(self, url: str, keyring: Keyring) -> None:
        super().__init__(url)
        self.site = self.intake.site = self.turns.site = replace(self.site, keyring=keyring)
        self.office = OperatorSession(self.database, self.site, self.clock, "root")
        self.boards_named: dict[str, int] = {}
        self.questions: dict[str, Mail] = {}
        self.is_recording = True
        self._arrived: set[int] = set()

    def posts(self) -> None:
        """Send all due mails; in the second part without a record of it."""
        if self.is_recording:
            super().posts()
            return
        with self.database.reading() as work:
            due = [mail for mail in work.outbox.waiting() if mail.id not in self._arrived]
        for mail in due:
            self._arrived.add(mail.id)
            self.arrive(mail)

    def play(self) -> None:
        """Play the whole season."""
        for (
            handle
        ) in "alice bob carol dave erin frank grace heidi ivan judy kim lee mona nick".split():
            self.joins(handle)
        for handle in "alice bob carol dave erin frank grace heidi judy kim lee mona".split():
            self.tells(handle, "set picture off")
        self.tells("grace", "set subject classic")
        self.tells("heidi", "set mails turn\nset timezone Europe/Berlin")
        self._play_on_all_boards()
        self._end_some()
        self._agree()
        self._prepare()
        self.clock.passes(days=2)
        self._ask_too_much()
        self._come_back()
        self._tell_news()
        self._act_as_operator()
        self._change_accounts()
        self._ask()
        self._break_one()
        self._let_wait()

    def waiting(self) -> list[Mail]:
        """The mails that wait in the outbox, as their readers have them already."""
        due = {row["message_id"] for row in self.rows("outbox") if row["status"] == "due"}
        mails = [mail for mails in self.mailboxes.values() for mail in mails]
        return [mail for mail in mails if mail["Message-ID"] in due]

    # -- how people play ---------------------------------------------------------------------

    def tells(self, handle: str, words: str) -> None:
        """Let somebody answer the welcome."""
        self.clock.passes(minutes=20)
        person = self.player_named(handle)
        person.says(words, answering=person.mail("pbm: welcome"))

    def player_named(self, handle: str) -> Person:
        """Somebody at the usual address."""
        return self.person(f"{handle}@example.org")

    def begins_board(self, name: str, by: str, challenge: str) -> int:
        """Let somebody begin a board, and note its number under a name."""
        self.clock.passes(hours=3)
        self.tells(by, f"challenge {challenge}")
        return self.notes(name)

    def notes(self, name: str) -> int:
        """Note the number of the newest board, which has none yet, under a name."""
        number = self.boards()[-1]
        assert number not in self.boards_named.values(), name
        self.boards_named[name] = number
        return number

    def newest(self, handle: str, number: int) -> Mail:
        """A player's newest mail about a board."""
        mails = reversed(self.player_named(handle).mails)
        return next(mail for mail in mails if mail["X-PBM-Board"] == str(number))

    def on_board(self, number: int, handle: str, words: str) -> None:
        """Let somebody answer the newest mail about a board."""
        self.clock.passes(minutes=5)
        self.player_named(handle).says(words, answering=self.newest(handle, number))

    def mover(self, number: int) -> str:
        """Whose turn it is."""
        seat = self.board(number).to_move
        assert seat is not None
        return seat.handle

    def moves_on(self, number: int, plies: int = 1) -> None:
        """Play the moves that the mails name as examples."""
        for _ in range(plies):
            mover = self.mover(number)
            self.on_board(number, mover, example_in(self.newest(mover, number)))

    # -- what they play ----------------------------------------------------------------------

    def _play_on_all_boards(self) -> None:
        for name, challenge in SETUPS.items():
            seats = len(challenge.replace("+", " ").split(" -")[0].split())
            self.moves_on(self.begins_board(name, "alice", challenge), seats + 2)
        pairs = [("bob", "carol"), ("dave", "erin"), ("frank", "grace"), ("heidi", "ivan")]
        for place, layout in enumerate(LAYOUTS):
            by, other = pairs[place % len(pairs)]
            challenge = f"{other} -layout={layout}"
            self.moves_on(self.begins_board(f"on {layout}", by, challenge), 3)
        left = self.boards_named["teams without a partner"]
        self.on_board(left, "erin", "resign")
        self.moves_on(left, 3)
        self.on_board(self.boards_named["five"], "carol", "resign\n\nNo time, sorry.")
        self.on_board(self.boards_named["two"], "bob", "A word between the moves.")

    def _end_some(self) -> None:
        number = self.begins_board("round one", "bob", "dave -bowl -rounds=2")
        plays_out(self, [self.player_named("bob"), self.player_named("dave")], number, Random(2))
        self.moves_on(self.notes("round two"), 2)
        number = self.begins_board("resigned", "bob", "erin")
        self.moves_on(number, 2)
        self.on_board(number, "bob", "resign")
        self.on_board(number, "erin", "rematch\n\nOnce more!")
        self.moves_on(self.notes("rematch"), 2)
        number = self.begins_board("agreed", "bob", "frank")
        self.on_board(number, "bob", "draw")
        self.on_board(number, "frank", "accept draw")
        self.on_board(self.begins_board("declined", "bob", "frank"), "frank", "decline")
        self.tells("erin", f"import\n{RECORD}")
        self.notes("record")

    def _agree(self) -> None:
        number = self.begins_board("taken back", "erin", "carol")
        self.moves_on(number, 3)
        self.on_board(number, "erin", "takeback")
        self.on_board(number, "carol", "accept takeback")
        for name, words in (("draw offered", "draw"), ("take-back open", "takeback")):
            number = self.begins_board(name, "carol", "erin")
            self.moves_on(number, 3)
            self.on_board(number, "carol", f"{words}\n\nPlease?")

    def _prepare(self) -> None:
        """Begin the boards about which mails will wait."""
        for name, _ in NEWS:
            self.moves_on(self.begins_board(name, "bob", "me carol dave"), 3)
        self.moves_on(self.begins_board("one declined", "bob", "me carol dave"), 2)
        number = self.begins_board("claimed", "heidi", "erin")
        for move in TO_AND_FRO:
            self.on_board(number, self.mover(number), move)
        self.moves_on(self.begins_board("match won", "heidi", "frank -rounds=2"))
        for name in ("undone", "ended", "closed", "reopened", "handed over"):
            self.moves_on(self.begins_board(name, "judy", "kim"), 2)
        self.moves_on(self.begins_board("suspended one", "judy", "mona"), 2)
        self.moves_on(self.begins_board("removed one", "judy", "lee"), 2)
        self.moves_on(self.begins_board("broken", "frank", "grace"), 2)

    def _ask_too_much(self) -> None:
        judy, kim = self.player_named("judy"), self.player_named("kim")
        for _ in range(20):
            judy.says("whoami", answering=judy.mail("pbm: welcome"))
        for _ in range(5):
            kim.writes("set picture on")
        self.is_recording = False
        judy.says("whoami", answering=judy.mail("pbm: welcome"))
        kim.writes("set picture on")

    # -- what waits in the outbox ------------------------------------------------------------

    def _tell_news(self) -> None:
        named = self.boards_named
        for name, said in NEWS:
            for words in said:
                handle, _, line = words.partition(": ")
                if line:
                    self.on_board(named[name], handle, line)
                else:
                    self.moves_on(named[name])
        self.on_board(named["one declined"], "dave", "decline")
        self.notes("without the one")
        self.on_board(named["claimed"], "erin", "claim")
        self.on_board(named["match won"], "heidi", "resign")
        self.on_board(self.notes("match over"), "heidi", "resign\n\nWell played.")
        self.on_board(named["match over"], "frank", "rematch")
        self.on_board(self.notes("match broken off"), "frank", "decline")

    def _act_as_operator(self) -> None:
        named, office = self.boards_named, self.office
        boards.undo(office, named["undone"], WHY)
        boards.end(office, named["ended"], WHY, ["judy"])
        boards.end(office, named["closed"], WHY)
        boards.end(office, named["reopened"], WHY, [])
        boards.reopen(office, named["reopened"], WHY)
        boards.replace(office, named["handed over"], "kim", "frank", WHY)
        boards.resend(office, named["two"], None, WHY)
        players.suspend(office, "kim", WHY)
        players.unsuspend(office, "kim", WHY)
        players.suspend(office, "mona", WHY)
        players.remove(office, "lee", WHY)
        game = boards.game_of(None)
        record = boards.parse(RECORD, game, {})
        self.boards_named["from elsewhere"] = boards.take_over(office, game, record, (), WHY).id
        players.set_address(office, "kim", "kim@new.example", WHY)
        self.runs()

    def _change_accounts(self) -> None:
        self.tells("carol", "change password correct-Horse-7")
        self._answers("carol", "yes")
        self.tells("dave", "add dave@work.example")
        self._answers("dave", "yes")
        self.person("dave@work.example").says("yes")
        self.tells("dave", "whoami\nsettings\ngames all\nhelp move\nshow 3#2 4\nexport 2\nmoev a1")
        self.tells("frank", "stop")
        self.tells("carol", "I play as carol correct-Horse-7, do not tell.")
        self.tells("frank", f"import\n{RECORD}")
        self.tells("mona", "games")
        number = self.boards_named["on duel"]
        address = self.newest("bob", number).reply_to
        self.on_board(number, "bob", f"Write to {address} then.")
        self.on_board(number, "carol", "Yes, please!")
        nick = self.player_named("nick")
        for line in ("newkey", "change handle niklas", "change address nick@new.example"):
            self.clock.passes(hours=1)
            nick.says(line).says("Perhaps.")
            asked = nick.mail("Please confirm")
            nick.says("yes", answering=asked).says("yes", answering=asked)
        self.person("nick@new.example").says("yes")
        self.tells("judy", "delete")
        self._answers("judy", "yes")
        with self.database.transaction() as work:
            erin = work.players.by_handle("erin")
            assert erin is not None
            work.facts.note(CLEARED, [erin.id], self.clock())
            tell_whose_was_cleared(Turn(work=work, site=self.site, now=self.clock()))
        self.runs()

    def _answers(self, handle: str, words: str) -> None:
        person = self.player_named(handle)
        person.says(words, answering=person.mail("Please confirm"))

    def _ask(self) -> None:
        named, guests = self.boards_named, {name: f"{name}@example.net" for name in GUESTS}
        self.person(guests["nora"]).writes("hello", "how does this work?")
        self.person(guests["oscar"]).writes("signup oscar another-Horse-8")
        self.tells("bob", f"challenge {guests['pia']}\n\nLike in the old days?")
        self.tells("dave", f"challenge me {guests['quinn']} {guests['rosa']} -bowl")
        self.person(guests["quinn"]).says("yes")
        self.tells("dave", f"challenge me {guests['simon']} {guests['tina']}")
        self.person(guests["simon"]).says("no")
        for name in ("nora", "oscar", "pia", "rosa"):
            self.questions[name] = self.person(guests[name]).newest
        move = example_in(self.newest("bob", named["one resigned"]))
        self._asks("unproven move", "bob", f"move {named['one resigned']} {move}")
        self._asks("unproven resignation", "dave", f"resign {named['draw refused']}")
        self._asks("new password", "erin", "change password third-Horse-9")
        self._asks("pinned commands", "heidi", "newkey", proven=True)
        self._asks("new handle", "grace", "change handle gracie", proven=True)
        self.tells("frank", "add frank@work.example")
        self._answers("frank", "yes")
        self.questions["new address"] = self.person("frank@work.example").newest
        number = self.boards_named["on alliances"]
        asked = self.newest(self.mover(number), number)
        self.moves_on(number, 2)
        self.player_named(self.mover(number)).says(
            example_in(self.newest(self.mover(number), number)), answering=asked
        )
        self.questions["stale move"] = self.player_named(self.mover(number)).newest
        self.person("elsewhere@example.net").says(
            "A word from elsewhere.", answering=self.newest("carol", named["take-back asked"])
        )
        self.questions["other address"] = self.player_named("carol").newest

    def _asks(self, name: str, handle: str, line: str, *, proven: bool = False) -> None:
        self.clock.passes(hours=1)
        person = self.player_named(handle)
        if proven:
            self.tells(handle, line)
        else:
            person.writes(line)
        assert person.newest["Subject"].startswith("Please confirm"), person.newest.text
        self.questions[name] = person.newest

    # -- what went wrong ---------------------------------------------------------------------

    def _come_back(self) -> None:
        number = self.boards_named["on swiss"]
        report = REPORT.read_bytes().replace(b"\n", b"\r\n")
        self.deliver("", self.newest("ivan", number).envelope_sender, report)
        self.on_board(self.boards_named["on papillons"], "heidi", "Are you there, ivan?")
        grace = self.newest("grace", self.boards_named["on german"])
        self.deliver("", grace.envelope_sender, report + b"\r\n")
        self.on_board(self.boards_named["on german"], "grace", "Here I am again.")

    def _break_one(self) -> None:
        number = self.boards_named["broken"]
        with self.database.engine.begin() as connection:
            spoilt = text("UPDATE boards SET state = 'no position' WHERE id = :number")
            connection.execute(spoilt, {"number": number})
        self.on_board(number, "frank", "show")

    def _let_wait(self) -> None:
        self.person("somebody@example.net").sends(
            b"Subject: Your server\r\n\r\nIs it free?\r\n", to="postmaster@games.example"
        )
        for _ in range(3):
            self.tells("carol", "games")
        answers = [row["id"] for row in self.rows("outbox") if row["kind"] == "answer"]
        self._meets(answers[-1], Failed("550 no such user"))
        list(queue.drop_all(self.office, [f"o{answers[-1]}"], WHY))
        self._meets(answers[-2], Failed("550 no such user"))
        self._meets(answers[-3], Deferred("451 try again later"))
        number = self.boards_named["on dutch"]
        dropped, kept = self.mover(number), self.mover(self.boards_named["on star"])
        self._hands_in(dropped, number, "a word")
        list(queue.drop_all(self.office, [f"i{self.rows('inbox')[-1]['id']}"], WHY))
        self.posts()
        number = self.boards_named["on star"]
        self._hands_in(kept, number, example_in(self.newest(kept, number)))
        with self.database.transaction() as work:
            Heart(self.clock, ROLES).beat(work)

    def _meets(self, outbox_id: int, outcome: Delivery) -> None:
        post = Post(self.database, self.site, self.clock, None, Composer(""))  # type: ignore[arg-type]
        with self.database.transaction() as work:
            post.record(work, [(work.outbox.get(outbox_id), outcome)])

    def _hands_in(self, handle: str, number: int, words: str) -> None:
        """Let a mail arrive that nobody obeys yet."""
        person, answered = self.player_named(handle), self.newest(handle, number)
        raw = person.mail_bytes(f"Re: {answered['Subject']}", words, to=answered.reply_to)
        assert self.hand_in(person.address, answered.reply_to, raw).startswith("250")


def example_in(mail: Mail) -> str:
    """A legal move, as a mail to the player whose turn it is names one."""
    said = mail.text.replace("\n", " ").split("such as ")[1]
    return re.split(r", and nothing| or |\. ", said)[0]
