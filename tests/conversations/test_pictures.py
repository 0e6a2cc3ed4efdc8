"""The board's picture in the mails."""

import re
from dataclasses import replace
from email.message import Message

import pytest

from pbm.mail.writing import picture
from pbm.mail.writing.render import Renderer
from pbm.play.views import board_view, board_views, past_view
from pbm.service.telling import later
from pbm.store.values.players import PlayerSettings
from tests.pictures import pictures, pixels
from tests.table import Mail, Person, Table


def kinds(mail: Mail) -> list[str]:
    return [part.get_content_type() for part in mail.message.walk()]


def parts(mail: Mail, kind: str) -> list[Message]:
    return [part for part in mail.message.walk() if part.get_content_type() == kind]


def shown(mail: Mail) -> list[tuple[str, str]]:
    """The source and the alternative text of each picture in the HTML part."""
    return re.findall(r'<img src="cid:([^"]+)"[^>]* alt="([^"]+)">', mail.html)


def test_a_boards_mail_shows_it_above_the_text(table: Table) -> None:
    alice, bob = table.start("alice", "bob")
    alice.says("a1-c3,d4")
    mail = bob.newest
    assert kinds(mail)[1:] == ["text/plain", "multipart/related", "text/html", "image/png"]
    (image,) = parts(mail, "image/png")
    ((source, alternative),) = shown(mail)
    assert image["Content-ID"] == f"<{source}>"
    assert source == f"picture1.{mail['Message-ID'].strip('<>')}"
    assert image.get_content_disposition() == "inline"
    (related,) = parts(mail, "multipart/related")
    assert related.get_param("type") == "text/html"
    assert alternative == (
        "The board: o on a2 to a5, b1 to b6, c3 to c5, d4;"
        " x on g5 to g7, h4 to h9, i5 to i9; last a1-c3,b2."
    )
    assert mail.html.index("<img") < mail.html.index("To move, send")
    assert "A- . o" in mail.text
    assert "A- . o" not in mail.html
    assert "max-width:384px" in mail.html
    assert pixels(pictures(mail.raw)[0])[0] == (768, 820)  # two for one, to be sharp on a phone


def test_the_text_is_complete_without_it_and_ends_as_ever(table: Table) -> None:
    alice, bob = table.start("alice", "bob")
    mail = bob.newest
    assert "img" not in mail.text
    assert "cid:" not in mail.text
    assert mail.text.rstrip().split("\n")[-3] == "State:"
    assert re.search(r"word-break:break-all\">State: [^<]+</p>\s*</body>", mail.html)
    assert alice.newest.text.count("A- o o o o o /") == 1


def test_a_list_of_moves_is_not_cut_at_the_edge_of_a_phone(table: Table) -> None:
    people = table.start("ann", "ben", "cal", "dan")
    for person in people:
        person.says(person.newest.text.split("such as ")[1].split()[0].rstrip("."))
    (listed,) = re.findall(r'<pre style="white-space:pre-wrap">(.*?)</pre>', people[0].newest.html)
    moves = re.findall(r'<span style="white-space:nowrap">(.*?)</span>', listed)
    assert moves
    assert set(moves) <= set(table.moves(1))  # no move is broken at its hyphen


def test_each_reader_has_a_picture_and_those_of_two_players_are_drawn_once(table: Table) -> None:
    alice, bob = table.start("alice", "bob")
    picture.png.cache_clear()
    picture._board.cache_clear()
    alice.says("a1-c3,d4")
    found = [pictures(person.newest.raw)[0] for person in (alice, bob)]
    assert len(set(found)) == 2
    assert picture._board.cache_info().misses == 1


@pytest.mark.parametrize(
    ("players", "moves", "named"),
    [
        (2, 0, {"ann": "1", "ben": "2", None: "1"}),
        (2, 1, {"ann": "1", "ben": "2", None: "2"}),
        (3, 3, {"ann": "1", "ben": "2", "cal": "3", None: "1"}),
    ],
)
def test_every_readers_pieces_show_what_to_type(
    table: Table, players: int, moves: int, named: dict[str | None, str]
) -> None:
    people = table.start(*("ann", "ben", "cal")[:players])
    for at in range(moves):
        person = people[at % players]
        person.says(person.newest.text.split("such as ")[1].split()[0].rstrip("."))
    readers = {handle: table.player(handle) if handle else None for handle in named}
    with table.database.reading() as work:
        views = board_views(work, table.board(1), list(readers.values()))
    ids = {handle: reader.id if reader else None for handle, reader in readers.items()}
    drawn = {handle: views[ids[handle]]["picture"] for handle in named}
    assert {handle: shown and shown["named"] for handle, shown in drawn.items()} == named
    assert {
        handle: shown and (shown.get("you"), shown.get("mover")) for handle, shown in drawn.items()
    } == {handle: (seat, None) if handle else (None, seat) for handle, seat in named.items()}


def test_after_many_mails_the_picture_is_small_but_there(
    table: Table, monkeypatch: pytest.MonkeyPatch
) -> None:
    alice, bob = table.start("alice", "bob")
    assert pixels(pictures(bob.newest.raw)[0])[0][0] == 768
    monkeypatch.setattr(later, "PICTURED", 99.0)
    alice.says("Have a nice game, bob!")
    assert "Have a nice game" in bob.newest.text
    assert pixels(pictures(bob.newest.raw)[0])[0][0] == 384


def test_all_moves_since_the_readers_last_one_are_marked(table: Table) -> None:
    people = table.start("ann", "ben", "cal")
    ann, ben, cal = people
    for person, move in ((ann, "b1-b3,c1"), (ben, "d8,d7"), (cal, "f3,f4"), (ann, "c1-c3,d2")):
        person.says(move)
    picture.png.cache_clear()
    ben.says("e9-e8,e7")
    marked = [shown(person.newest)[0][1].split("; last ")[1] for person in people]
    # Whoever moved reads of the own move, as the mail above it does.
    assert marked == ["e9-e8,e8.", "e9-e8,e8.", "c1-c3,d2 e9-e8,e8."]
    assert picture.png.cache_info().misses == 3
    assert "last: 2 ben: to e7 e8, leaving e9 empty\n" in ann.newest.text
    assert (
        "last 1: 1 ann: to d2 d3 d4, leaving c1 c2 c3 empty\n"
        "last 2: 2 ben: to e7 e8, leaving e9 empty\n"
    ) in cal.newest.text


def test_a_refusal_and_an_older_position_show_it_too(table: Table) -> None:
    alice, bob = table.start("alice", "bob")
    first = alice.newest
    assert len(shown(alice.says("a2-b2,b3").newest)) == 1
    alice.says("a1-c3,d4")
    bob.says("i9-g7,f6")
    earlier = alice.says("show 1#1 1#0").newest
    assert [words.count("d4") for _, words in shown(earlier)] == [1, 0]
    assert len(set(pictures(earlier.raw))) == 2
    stale = alice.says("a2-c4,d5", answering=first).newest
    assert "You answered an older mail." in stale.text
    assert len(shown(stale)) == 1


def test_the_same_board_twice_in_a_mail_is_one_picture(table: Table) -> None:
    alice, _ = table.start("alice", "bob")
    mail = alice.writes("multiple", "show 1\nboard 1").newest
    assert len(shown(mail)) == 2
    assert len(set(shown(mail))) == 1
    assert len(pictures(mail.raw)) == 1


def test_a_mail_without_a_board_has_no_picture(table: Table) -> None:
    alice = table.joins("alice")
    for mail in (alice.says("whoami").newest, alice.says("help").newest):
        assert kinds(mail) == ["multipart/alternative", "text/plain", "text/html"]


def test_questions_and_pages_about_a_board_show_it(table: Table) -> None:
    alice, bob = table.joins("alice"), table.joins("bob")
    bob.says("set challenges ask")
    alice.says("challenge bob -bowl")
    standard, bowl = alice.mails[0], bob.newest
    alice.says("challenge carol@example.com -bowl")
    pages = [alice.says(f"help {page}").newest for page in ("boards", "bowl", "abalone")]
    asked = table.person("carol@example.com").newest
    for mail in (standard, bowl, asked, *pages):
        assert len(shown(mail)) == len(pictures(mail.raw)) == 1
        assert len(mail.raw) < 40_000 or mail in pages
    assert pictures(bowl.raw) != pictures(pages[1].raw)  # it tells bob which side is his
    assert pictures(pages[0].raw) == pictures(pages[2].raw) != pictures(bowl.raw)
    for small, full in ((standard, pages[0]), (asked, bowl)):  # a stranger's has half the density
        assert len(pictures(small.raw)[0]) * 2 < len(pictures(full.raw)[0])
    alice.says("set picture off")
    assert pictures(alice.says("help boards").newest.raw) == []


def test_a_mail_rendered_again_is_the_same(table: Table, monkeypatch: pytest.MonkeyPatch) -> None:
    alice, bob = table.start("alice", "bob")
    written: list[bytes] = []
    render = Renderer.render

    def twice(self: Renderer, *args: object) -> object:
        first = render(self, *args)  # type: ignore[arg-type]
        picture.png.cache_clear()
        assert render(self, *args) == first  # type: ignore[arg-type]
        written.extend(item.png for item in first.pictures)
        return first

    monkeypatch.setattr(Renderer, "render", twice)
    alice.says("a1-c3,d4")
    assert written[-1] == pictures(bob.newest.raw)[0]


def test_who_wants_none_gets_none(table: Table) -> None:
    table.start("alice", "bob")
    alice, bob = table.player("alice"), table.player("bob")
    assert alice
    assert bob
    board, bob = table.board(1), replace(bob, settings=PlayerSettings(picture=False))
    with table.database.reading() as work:
        views = board_views(work, board, [alice, bob])
        alone = board_view(work, board, bob)
        past = past_view(work, board, board.position, 0, bob)
    drawing = views[alice.id]["picture"]
    assert drawing
    assert drawing["signs"].count("1") == 14
    assert views[bob.id]["picture"] is alone["picture"] is past["picture"] is None
    shown = {**views[bob.id], "lead": [], "comments": []}
    plain = table.renderer.render("board", shown, "<one@games.example>")
    drawn = table.renderer.render(
        "board",
        {**shown, "picture": drawing},
        "<one@games.example>",
    )
    assert (plain.pictures, len(drawn.pictures)) == ((), 1)
    assert "<img" not in plain.html
    assert plain.text == drawn.text


@pytest.mark.parametrize(
    "players", [*(pytest.param(few, marks=pytest.mark.thorough) for few in range(2, 6)), 6]
)
def test_a_boards_mail_has_at_most_forty_kilobytes(table: Table, players: int) -> None:
    people = table.start(*("ann", "ben", "cal", "dan", "eve", "fay")[:players])
    for turn in range(18):
        person = people[turn % players]
        person.says(person.newest.text.split("such as ")[1].split()[0].rstrip("."))
        assert max(len(reader.newest.raw) for reader in people) <= 40_000


def returned(person: Person, mail: Mail, said: str) -> bytes:
    """A reply as a mailer writes it that sends our HTML part back, picture and all."""
    (image,) = pictures(mail.raw)
    html = mail.html.replace("\n", "\r\n")
    quote = "".join(f"> {line}\r\n" for line in mail.text.split("\n"))
    ((_, words),) = shown(mail)
    broken = said.replace("\n", "<br>")
    encoded = parts(mail, "image/png")[0].as_string().replace("\n", "\r\n")
    assert image
    return (
        f"From: {person.address}\r\nTo: {mail.reply_to}\r\nSubject: Re: {mail['Subject']}\r\n"
        f"Message-ID: {person.table.next_message_id()}\r\nIn-Reply-To: {mail['Message-ID']}\r\n"
        'MIME-Version: 1.0\r\nContent-Type: multipart/related; boundary="r"\r\n\r\n'
        '--r\r\nContent-Type: multipart/alternative; boundary="a"\r\n\r\n'
        f"--a\r\nContent-Type: text/plain; charset=utf-8\r\n\r\n{said}"
        f"\r\nOn Saturday, pbm wrote:\r\n> [image: {words}]\r\n{quote}\r\n"
        f"--a\r\nContent-Type: text/html; charset=utf-8\r\n\r\n<div>{broken}</div>"
        f"<blockquote type=cite>{html}</blockquote>\r\n--a--\r\n"
        f"--r\r\n{encoded}\r\n--r--\r\n"
    ).encode()


@pytest.mark.parametrize("plain", [True, False])
def test_our_picture_may_come_back_in_an_answer(table: Table, plain: bool) -> None:
    alice, bob = table.start("alice", "bob")
    raw = returned(alice, alice.newest, "a1-c3,d4\r\n\r\nHave fun!\r\n")
    if not plain:
        raw = re.sub(
            rb"(--a\r\nContent-Type: text/plain[^\r]*\r\n\r\n).*?(?=--a\r\n)",
            rb"\1",
            raw,
            count=1,
            flags=re.S,
        )
    alice.sends(raw, to=alice.newest.reply_to)
    assert table.moves(1) == ["a1-c3,b2"]
    assert "| Have fun!\n" in bob.newest.text
    assert "The board: " not in bob.newest.text


def test_the_example_of_a_move_is_a_link(table: Table) -> None:
    alice, _ = table.start("alice", "bob")
    example = alice.newest.text.split("such as ")[1].split()[0].rstrip(".")
    assert f'&amp;body={example.replace(",", "%2C")}">' in alice.newest.html
