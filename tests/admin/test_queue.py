"""Mails that wait: listed, shown without secrets, tried again, dropped."""

import base64
import re
from datetime import timedelta
from email.header import Header

import pytest

from pbm.errors import OperatorError
from pbm.events.by_operator import BoardSentAgain
from pbm.service.operator import queue
from pbm.service.operator.operator_session import find_player
from pbm.service.trouble.masking import masked
from pbm.service.turns.inbox_worker import InboxWorker
from pbm.store.values.mails import ArrivedMail, incoming
from tests.admin.conftest import Room
from tests.serving import take_next
from tests.table import SERVER, Person

WHY = "it was spam"
SECRET = "hunter2horse"
TAG = re.compile(r"(?<![a-z0-9])k1[a-z2-7]{16}", re.ASCII)


PASSWORDS: list[tuple[str, str, dict[str, str]]] = [
    (f"signup dora {SECRET}", "", {}),
    (f"pbm abalone SIGNUP dora {SECRET}", "", {}),
    (f"Re: [list] signup dora {SECRET} and more {SECRET}", "", {}),
    (f"signup dora\r\n {SECRET}", "", {}),
    (f"signup\r\n\tdora\r\n {SECRET}", "", {}),
    (f"=?utf-8?q?signup_dora_{SECRET}?=", "", {}),
    (f"=?utf-8?q?signup_dora?=\r\n =?utf-8?q?_{SECRET}?=", "", {}),
    (Header(f"signup dora {SECRET}ü", "utf-8").encode(), "", {}),
    (f"signup\u00a0dora\u00a0{SECRET}", "", {}),
    (f"singup dora {SECRET}", "", {}),
    ("", f"signup dora {SECRET}", {}),
    ("", f"  > > signup dora {SECRET}", {}),
    ("", f"signup\tdora\t{SECRET}", {}),
    ("", f"**signup dora {SECRET}", {}),
    ("", f"signup dora =\r\n{SECRET}", {"Content-Transfer-Encoding": "quoted-printable"}),
    ("", f"signup=20dora=20{SECRET[:4]}=\r\n{SECRET[4:]}",
     {"Content-Transfer-Encoding": "quoted-printable"}),
    ("", base64.b64encode(f"signup dora {SECRET}".encode()).decode(),
     {"Content-Transfer-Encoding": "base64"}),
    ("", f"<p>signup&nbsp;dora <b>{SECRET}</b></p>", {"Content-Type": "text/html"}),
    ("", f"signup dora \r\n{SECRET}", {"Content-Type": "text/plain; format=flowed"}),
]  # fmt: skip


class PlantedError(RuntimeError):
    """Planted."""


@pytest.fixture
def stuck(room: Room, monkeypatch: pytest.MonkeyPatch) -> int:
    """The number of a move by bob that is stuck, since obeying it has a bug."""
    with monkeypatch.context() as patched:
        patched.setattr(InboxWorker, "_handle", _breaks)
        room.bob.says("i5-g5,h5")
    (mail,) = (row for row in room.table.rows("inbox") if row["status"] == "stuck")
    room.everybody_forgets()
    return int(mail["id"])


def _breaks(*_: object) -> str:
    raise PlantedError(f"signup bob {SECRET}")


def _keeps(room: Room, raw: bytes, to: str = SERVER) -> str:
    """Hand a mail in and let it wait; return its name."""
    reply = room.table.hand_in("bob@example.org", to, raw)
    return reply.rpartition(" ")[2]


def retry(room: Room, name: str) -> tuple[str, ...]:
    (names,) = queue.retry_all(room.office, [name])
    return names


def drop(room: Room, name: str, why: str) -> None:
    assert list(queue.drop_all(room.office, [name], why)) == [name]


def _due(room: Room) -> str:
    """The name of a mail that waits to go out, with a reply tag in it."""
    room.alice.says("show 1")
    with room.office.act(None) as act:
        act.send_board(act.board(1), find_player(act.work, "bob"), BoardSentAgain(1, WHY))
    return next(mail.name for mail in queue.list_queue(room.office)[0])


class TestList:
    def test_an_empty_queue(self, room: Room) -> None:
        assert queue.list_queue(room.office) == ([], 0)

    def test_what_waits(self, room: Room, stuck: int) -> None:
        first = _keeps(room, room.bob.mail_bytes("whoami"))
        with room.office.act(None) as act:
            act.send_board(act.board(1), find_player(act.work, "bob"), BoardSentAgain(1, WHY))
        listed, more = queue.list_queue(room.office)
        assert [(mail.name, mail.status) for mail in listed[:2]] == [
            (incoming(stuck), "stuck"),
            (first, "new"),
        ]
        assert re.fullmatch(r"o\d+", listed[2].name)
        assert listed[2].about == "board 1 to bob@example.org"
        assert more == 0

    def test_no_secret_is_in_it(self, room: Room, stuck: int) -> None:
        (mail, *_) = queue.list_queue(room.office)[0]
        assert mail.name == incoming(stuck)
        assert mail.trouble == "PlantedError: signup bob ****"
        assert f"pbm+g1.u{room.player('bob').id}.****@games.example" in mail.about
        assert not TAG.search(str(mail))

    def test_it_is_bounded(self, room: Room) -> None:
        for number in range(5):
            _keeps(room, room.bob.mail_bytes(f"show {number}"))
        listed, more = queue.list_queue(room.office, most=2)
        assert (len(listed), more) == (2, 3)


class TestShow:
    def test_a_password_is_masked(self, room: Room) -> None:
        encoded = base64.b64encode(SECRET.encode()).decode().rstrip("=")[1:-1]
        for subject, body, extra in PASSWORDS:
            name = _keeps(room, room.bob.mail_bytes(subject, body, headers=extra))
            mail, text = queue.show_mail(room.office, name)
            assert SECRET not in f"{mail} {text}"
            assert encoded not in text
            assert "****" in text
            assert "dora" in text

    def test_reply_tags_are_masked_wherever_they_stand(self, room: Room) -> None:
        reply_to = room.bob.newest.reply_to
        quoted = reply_to.replace("+", "%2B")
        body = (
            f"On Monday, pbm <{reply_to}> wrote:\n> mailto:{quoted}?subject=move\n"
            f"bounced: bob={reply_to.replace('@', '=')}@example.net {reply_to.upper()}"
        )
        raw = room.bob.mail_bytes("Re: board", body, to=reply_to)
        name = _keeps(room, raw, to=reply_to)
        mail, text = queue.show_mail(room.office, name)
        assert not TAG.search(f"{mail} {text}".lower())
        assert text.count("****") >= 5

    def test_promise_22_so_are_those_of_the_addresses_that_mail_comes_back_to(
        self, room: Room
    ) -> None:
        sender = room.bob.newest.envelope_sender
        assert TAG.search(sender)
        for text in (sender, f"To: <{sender.upper()}>", sender.replace("+", "%2B"), sender[:-20]):
            shown = masked(f"X: {text}")
            assert not TAG.search(shown.lower())
            assert "b.2." in shown.lower()

    def test_tokens_are_masked(self, room: Room) -> None:
        stranger: Person = room.table.person("dora@example.org")
        stranger.writes("signup dora")
        to = stranger.newest.reply_to
        token = to.partition("+c.")[2].partition("@")[0]
        assert len(token) == 24
        name = _keeps(room, stranger.mail_bytes("Re: hello", f"yes\n> {to}", to=to), to=to)
        mail, text = queue.show_mail(room.office, name)
        assert token not in f"{mail} {text}"
        assert text.count("****") == 2

    def test_what_is_no_secret_stays(self, room: Room) -> None:
        body = "move 1 i5-g5,h5\nNice one! Shall we meet on Monday?"
        name = _keeps(room, room.bob.mail_bytes("Re: board 1", body))
        text = queue.show_mail(room.office, name)[1]
        assert body in text
        assert "From: bob@example.org" in text
        assert "Subject: Re: board 1" in text

    def test_an_outgoing_mail(self, room: Room) -> None:
        mail, text = queue.show_mail(room.office, _due(room))
        assert mail.status == "due"
        assert "Subject: Abalone Board 1" in text
        assert "alice moved: your turn" in text
        assert not TAG.search(text)

    def test_an_outgoing_question(self, room: Room) -> None:
        _keeps(room, room.table.person("dora@example.org").mail_bytes("signup dora"))
        take_next(room.table.turns)
        (waiting,) = queue.list_queue(room.office)[0]
        text = queue.show_mail(room.office, waiting.name)[1]
        assert "pbm+c.****@games.example" in text
        assert "Reply yes to play as dora" in " ".join(text.split())

    def test_one_that_cannot_be_rendered(self, room: Room) -> None:
        name = _due(room)
        room.tampers("UPDATE outbox SET template = 'nonesuch' WHERE status = 'due'")
        text = queue.show_mail(room.office, name)[1]
        assert "cannot be rendered" in text

    def test_a_mail_for_postmaster(self, room: Room) -> None:
        raw = room.bob.mail_bytes("Help", "I lost my key", to="postmaster@games.example")
        name = _keeps(room, raw, to="postmaster@games.example")
        assert "I lost my key" in queue.show_mail(room.office, name)[1]
        take_next(room.table.turns)
        (waiting,) = queue.list_queue(room.office)[0]
        assert "I lost my key" in queue.show_mail(room.office, waiting.name)[1]

    @pytest.mark.parametrize(
        "raw",
        [b"\r\n", b"no header at all\r\n",
         b"From: \x1b[31mred\r\n\r\n\x1b]0;title\x07\x9b1m\xff\r\n",
         b"Subject: " + b"x" * 60_000 + b"\r\n\r\n", b"A: b\r\n" * 300 + b"\r\n"],
    )  # fmt: skip
    def test_garbage_is_shown_harmlessly(self, room: Room, raw: bytes) -> None:
        with room.table.database.transaction() as work:
            now = room.table.clock()
            number = work.inbox.keep(ArrivedMail("d", SERVER, "", "", raw, now, now - now))
            assert number is not None
        text = queue.show_mail(room.office, incoming(number))[1]
        assert all(char.isprintable() or char == "\n" for char in text)

    def test_one_that_is_done(self, room: Room) -> None:
        mail, text = queue.show_mail(room.office, "i1")
        assert mail.status == "done"
        assert text == "Its contents were erased when it was done."

    def test_one_that_is_not_there(self, room: Room) -> None:
        for name in ("i999", "I999", "o999", "O999"):
            with pytest.raises(OperatorError, match=f"There is no .* mail {name.lower()}"):
                queue.show_mail(room.office, name)

    def test_what_names_no_mail(self, room: Room) -> None:
        for name in ("", "i", "o", "x1", "i0", "-1", "1 2", "i99999999999999999999", "i٣"):
            for act in (queue.show_mail, lambda _, name: retry(room, name)):
                with pytest.raises(OperatorError, match="names no mail"):
                    act(room.office, name)

    def test_a_bare_number_could_be_two_mails(self, room: Room) -> None:
        for act in (queue.show_mail, lambda _, name: retry(room, name)):
            with pytest.raises(OperatorError, match="say i1 for the one that came in, o1 for"):
                act(room.office, "1")


class TestRetry:
    def test_a_stuck_mail_is_obeyed_after_the_mend(self, room: Room, stuck: int) -> None:
        assert retry(room, incoming(stuck)) == (incoming(stuck),)
        room.table.runs()
        assert room.board().ply == 2
        room.alice.gets(1).hears("Your move on board 1")
        assert queue.list_queue(room.office)[0] == []
        assert room.is_sound()

    def test_it_gets_stuck_again_while_the_bug_is_there(
        self, room: Room, stuck: int, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        retry(room, incoming(stuck))
        monkeypatch.setattr(InboxWorker, "_handle", _breaks)
        room.table.runs()
        (waiting,) = queue.list_queue(room.office)[0]
        assert (waiting.name, waiting.status, waiting.tries) == (incoming(stuck), "stuck", 3)

    def test_one_that_is_not_stuck(self, room: Room) -> None:
        name = _keeps(room, room.bob.mail_bytes("whoami"))
        with pytest.raises(OperatorError, match=f"Mail {name} is not stuck"):
            retry(room, name)

    def test_one_that_is_done(self, room: Room) -> None:
        with pytest.raises(OperatorError, match="Mail i1 is done"):
            retry(room, "i1")
        with pytest.raises(OperatorError, match="Mail o1 is sent already"):
            retry(room, "o1")

    def test_a_failed_outgoing_mail_is_sent(self, room: Room) -> None:
        name = _due(room)
        room.bob.forgets()
        with room.table.database.transaction() as work:
            work.outbox.fail(int(name[1:]), "550 no such user", room.table.clock())
        room.posts()
        room.bob.hears_nothing()
        (waiting,) = queue.list_queue(room.office)[0]
        assert (waiting.status, waiting.trouble) == ("failed", "550 no such user")
        retry(room, name)
        room.posts()
        room.bob.gets(1).hears("Your move on board 1")

    def test_a_deferred_outgoing_mail_is_due_at_once(self, room: Room) -> None:
        name = _due(room)
        room.bob.forgets()
        later = room.table.clock().replace(year=2027)
        with room.table.database.transaction() as work:
            work.outbox.defer(int(name[1:]), "no connection", later)
        room.posts()
        room.bob.hears_nothing()
        retry(room, name)
        room.posts()
        room.bob.gets(1)

    def test_those_that_stand_before_it_go_first(self, room: Room) -> None:
        first, now = _due(room), room.table.clock()
        with room.office.act(None) as act:
            act.send_board(
                act.board(1), find_player(act.work, "bob"), BoardSentAgain(1, "for the second time")
            )
            act.work.outbox.defer(int(first[1:]), "no connection", now + timedelta(minutes=32))
        room.bob.forgets()
        room.posts()
        room.bob.hears_nothing()
        held, second = (mail for mail in queue.list_queue(room.office)[0] if "bob" in mail.about)
        assert (held.name, held.until) == (first, now + timedelta(minutes=32))
        assert retry(room, second.name) == (second.name, first)
        room.posts()
        room.bob.gets(2)
        assert "for the second time" not in room.bob.arrived[0].text


class TestDrop:
    def test_a_stuck_mail(self, room: Room, stuck: int) -> None:
        drop(room, incoming(stuck), WHY)
        room.table.runs()
        assert room.board().ply == 1
        room.bob.gets(1).hears(
            "has now been dropped. Nothing in it was done", f"| {WHY}", "Board 1"
        )
        room.alice.hears_nothing()
        assert room.table.mail_kept(stuck).raw == b""
        assert [(change.what, change.why) for change in room.journal(handle="bob")] == [
            ("mail dropped", WHY)
        ]
        with pytest.raises(OperatorError, match=f"Mail i{stuck} is done"):
            drop(room, incoming(stuck), WHY)

    def test_a_strangers_mail_without_a_word(self, room: Room) -> None:
        stranger = room.table.person("dora@example.org")
        name = _keeps(room, stranger.mail_bytes("hello"))
        drop(room, name, WHY)
        room.table.runs()
        stranger.hears_nothing()

    def test_a_password_in_its_subject_is_not_mailed_back(self, room: Room) -> None:
        name = _keeps(room, room.bob.mail_bytes(f"signup bob {SECRET}"))
        drop(room, name, WHY)
        room.table.runs()
        assert SECRET not in room.bob.newest.text
        assert SECRET not in room.table.everything_stored()
        room.bob.hears("signup bob ****")

    def test_an_outgoing_mail(self, room: Room) -> None:
        name = _due(room)
        room.bob.forgets()
        drop(room, name, WHY)
        room.posts()
        room.bob.gets(1).hears("could not be sent", f"| {WHY}", "show 1")
        with pytest.raises(OperatorError, match=f"Mail {name} is dropped already"):
            retry(room, name)

    def test_a_notice_of_a_drop_makes_no_other(self, room: Room) -> None:
        drop(room, _due(room), WHY)
        (notice,) = queue.list_queue(room.office)[0]
        drop(room, notice.name, WHY)
        assert queue.list_queue(room.office)[0] == []

    def test_it_needs_a_reason(self, room: Room, stuck: int) -> None:
        with pytest.raises(OperatorError, match="reason"):
            drop(room, incoming(stuck), " ")
        assert room.table.mail_kept(stuck).status == "stuck"


@pytest.mark.parametrize(
    "line",
    [
        "I would like to sign up, please!",
        "Nice one!",
        "move 12 a1-c3,d4",
        "a1-c3,d4",
        "challenge bob carol dora",
        "help tutorial",
        "On Monday I will be away; you may wait for me.",
        "<g1.p2.0123456789abcdef@games.example>",
    ],
)
def test_plain_words_are_not_masked(line: str) -> None:
    assert masked(line) == line


def test_a_word_that_repeats_what_comes_before_a_password_is_searched_once() -> None:
    text = "passwd!" * 30_000  # minutes, if each repetition were searched to its end
    assert masked(text) == text
    assert masked(f"So {text} secret\nsecret") == f"So {text} ****\nsecret"
