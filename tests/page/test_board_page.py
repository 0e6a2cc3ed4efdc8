"""The board page in a browser: a move chosen in every way, and the mail that plays it."""

import random
import re
from collections.abc import Iterator
from itertools import product
from pathlib import Path
from textwrap import wrap
from typing import Any
from urllib.parse import quote, unquote

import axe_core_python
import pytest

from pbm.play.board_page import listed_position
from pbm.rules.abalone import GAME
from pbm.rules.contract import Ground, PageTaps, has
from pbm.service.trouble.masking import masked
from tests.browser import Browser, Page
from tests.games.fourinarow import COLUMNS, FourInARow
from tests.page.visitor import FILE, PAGE_URL, Visitor, fragment_of
from tests.polling import until
from tests.table import Mail, Person, Table

KINDS = {
    "two": ("bob", ""),
    "three": ("bob carol", ""),
    "teams": ("bob carol dora", "-teams"),
    "six": ("bob carol dora emil frida", ""),
    "pillar": ("bob", "-pillar"),
    "bowl": ("bob", "-bowl"),
}
WAYS = {
    "mouse": Visitor.clicks,
    "touch": Visitor.touches,
    "drag": Visitor.drags,
    "keys": Visitor.uses_keys,
    "list": Visitor.picks_from_list,
    "typing": Visitor.types,
}
EACH_ONCE = list(zip(KINDS, WAYS, strict=True))
THE_REST = [pair for pair in product(KINDS, WAYS) if pair not in EACH_ONCE]
AXE = Path(axe_core_python.__file__).with_name("axe.min.js").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def one_page(browser: Browser) -> Iterator[Page]:
    page = browser.page()
    yield page
    page.close()


@pytest.fixture
def page(one_page: Page) -> Iterator[Page]:
    """A page that must have asked for nothing, and thrown nothing, in the end."""
    one_page.requests.clear()
    yield one_page
    assert {url.partition("#")[0] for url in one_page.requests} <= {FILE.as_uri(), "about:blank"}
    assert one_page.complaints == []
    one_page.call("Page.setBypassCSP", enabled=False)
    one_page.prefers()


@pytest.fixture
def table(embedded: Table) -> Table:
    embedded.has(page_url=PAGE_URL)
    return embedded


def begins(table: Table, kind: str) -> Person:
    """Somebody whose move it is on a new board of that kind."""
    others, options = KINDS[kind]
    alice, *_ = [table.joins(handle) for handle in ("alice", *others.split())]
    return alice.says(f"challenge {others} {options}")


def plays(table: Table, page: Page, kind: str, way: str) -> None:
    visitor = Visitor(page, begins(table, kind)).opens()
    move = visitor.some_move()
    WAYS[way](visitor, move)
    assert visitor.is_shown("mail"), visitor.text("hint")
    assert visitor.text("line") == move.text
    visitor.page.run("document.getElementById('words').focus()")
    page.type("Good luck, all!\nIt's a long way.")
    mail = visitor.mail()
    assert mail["subject"] == f"move 1#1 @0 {move.text}"
    assert mail["to"] == visitor.person.newest.reply_to
    visitor.sends()
    assert table.moves(1) == [move.text]
    heard = table.person("bob@example.org").newest.text
    assert "| Good luck, all!\n| It's a long way.\n" in heard


def a_finger_scrolls(visitor: Visitor) -> None:
    """A finger that begins on a piece, and goes up, chooses nothing."""
    visitor.opens()
    x, y = visitor.middle(60)  # i9, where bob can move
    visitor.page.touch((x, y), until_at=(x, y - 200))
    until(lambda: visitor.page.run("scrollY") > 0, "the page to scroll")
    assert visitor.page.run("document.querySelectorAll('.first, .dot').length") == 0


@pytest.mark.parametrize(("kind", "way"), EACH_ONCE)
def test_a_move_is_chosen_and_its_mail_plays_it(
    table: Table, browser: Browser, page: Page, kind: str, way: str
) -> None:
    if way == "touch":
        phone = browser.page(375, 700, phone=True)
        plays(table, phone, kind, way)
        a_finger_scrolls(Visitor(phone, table.person("alice@example.org")))
        assert phone.run("document.documentElement.scrollWidth") == 375
        assert phone.complaints == []
        phone.close()
    else:
        plays(table, page, kind, way)


@pytest.mark.thorough
@pytest.mark.parametrize(("kind", "way"), THE_REST)
def test_each_way_on_each_board(
    table: Table, browser: Browser, page: Page, kind: str, way: str
) -> None:
    test_a_move_is_chosen_and_its_mail_plays_it(table, browser, page, kind, way)


def test_two_ends_and_an_arrow(table: Table, page: Page) -> None:
    visitor = Visitor(page, begins(table, "two")).opens()
    names = page.run("modules.abalone.names")
    page.click(visitor.middle(names.index("a1")))
    page.click(visitor.middle(names.index("c3")))
    assert visitor.text("hint") == "Line a1 to c3. It can go one way: choose an arrow."
    box = page.run("""(() => {
      const box = document.querySelector('.arrow').getBoundingClientRect();
      return [box.x + box.width / 2, box.y + box.height / 2];
    })()""")
    page.click(box)
    assert visitor.value("move") == "a1-c3,b2"
    assert visitor.text("hint") == "a1 b2 c3 to b2 c3 d4."
    page.click(visitor.middle(0))
    assert visitor.text("hint") == "Taken back. Choose again."
    assert visitor.value("move") == ""
    assert not visitor.is_shown("mail")


def test_moves_since_ones_own_are_stepped_through(table: Table, page: Page) -> None:
    alice = begins(table, "three")
    bob, carol = (table.person(f"{handle}@example.org") for handle in ("bob", "carol"))
    played = []
    for person in (alice, bob, carol):
        visitor = Visitor(page, person).opens()
        move = visitor.some_move()
        visitor.types(move)
        visitor.sends()
        played.append(move.text)
    assert table.moves(1) == played
    visitor = Visitor(page, alice).opens()
    assert visitor.text("standing") == "Your move."
    assert visitor.text("step") == f"#3 carol {played[2]}"
    visitor.press("back")
    assert visitor.text("step") == f"#2 bob {played[1]}"
    assert visitor.text("standing") == "Before move #3. You can look and try."
    assert not visitor.is_shown("answer")
    visitor.press("first")
    assert visitor.text("step") == "after #1"
    visitor.press("last")
    page.run("document.getElementById('copystate').click()")
    until(lambda: visitor.text("hint") == f"Copied: {alice.newest['X-PBM-State']}", "the state")
    visitor = Visitor(page, bob).opens()
    assert visitor.text("standing") == "alice's move. You can look and try."
    visitor.types(visitor.some_move())
    assert visitor.is_shown("try")
    assert not visitor.is_shown("mail")
    visitor.press("try")
    assert visitor.text("standing") == "You are trying moves. Nothing is sent."
    assert not visitor.is_shown("plan")  # carol's move comes before bob's
    visitor.press("now")
    assert visitor.text("standing") == "alice's move. You can look and try."


@pytest.mark.parametrize(
    ("kind", "moves", "line"),
    [
        ("two", ("a1-c3,b2", "i5-g5,h5"), "if a1-c3,b2 then i5-g5,h5"),
        ("three", ("b1,c2", "d8,d7", "d1,d2"), "if alice b1,c2 bob d8,d7 then d1,d2"),
    ],
)
def test_what_is_tried_is_kept_as_a_note_or_sent_as_a_plan(
    table: Table, page: Page, kind: str, moves: tuple[str, ...], line: str
) -> None:
    alice = begins(table, kind)
    *others, planner = (table.person(f"{name}@example.org") for name in KINDS[kind][0].split())
    visitor = Visitor(page, planner).opens()
    for text in moves:
        page.run("document.getElementById('move').focus()")
        page.type(text)
        visitor.press("try")
    assert visitor.text("step") == f"tried: {moves[-1]}"
    assert visitor.mail("plan")["subject"] == f"plan 1#0 @0 {line}"
    for link in ("note", "plan"):
        visitor.sends(link=link)
    planner.hears(f"| Tried: {'  '.join(moves)}", f"| {line}")
    for person, move in zip((alice, *others), moves, strict=False):
        person.says(move)
    assert table.moves(1) == [*moves]


def test_the_copied_record_and_state_are_those_of_the_server(table: Table, page: Page) -> None:
    alice = begins(table, "two")
    bob = table.person("bob@example.org")
    visitor = Visitor(page, alice).opens()
    assert not visitor.is_shown("copyrecord")  # its link brings a position
    alice.says("a1-c3,b2")
    bob.says("i5-g5,h5")
    bob.says("resign 1")
    visitor.opens()
    assert visitor.text("standing") == "The game is over: you won."
    alice.says(f"import\n{visitor.copies('copyrecord')}").hears("It is board 2 now")
    assert table.moves(2) == ["a1-c3,b2", "i5-g5,h5"]
    assert table.board(2).winners == (1,)
    state = visitor.copies("copystate")
    assert table.board(2).rules.load(state) == table.board(2).position
    visitor.press("first")
    page.run("document.getElementById('move').focus()")
    page.type("a5-c5,b5")
    visitor.press("try")
    text = visitor.copies("copyrecord")
    assert text.endswith('[Result "*"]\n\n1. a5-c5,b5 *\n')
    assert GAME.read(text, {}).steps == ("a5-c5,b5",)
    assert visitor.mail("note")["body"] == "Tried (from #0): a5-c5,b5"
    visitor.press("back")
    assert visitor.text("step") == "from #0"


def test_an_older_link_a_second_use_and_a_forwarded_one(table: Table, page: Page) -> None:
    alice = begins(table, "two")
    bob = table.person("bob@example.org")
    link = fragment_of(alice.newest)
    visitor = Visitor(page, alice).opens(link)
    first, second = visitor.moves()[:2]
    visitor.types(first)
    visitor.sends()
    alice.forgets()
    visitor.sends()  # once more
    alice.hears("You meant this as move #1, but the next move on board 1 is #2.")
    assert table.moves(1) == [first.text]
    visitor.opens(link)
    visitor.types(second)
    alice.forgets()
    visitor.sends()
    alice.hears("You meant this as move #1, but the next move on board 1 is #2.")
    assert table.moves(1) == [first.text]
    link = fragment_of(bob.newest)
    carol = table.joins("carol")
    visitor = Visitor(page, bob).opens(link)
    move = visitor.some_move()
    visitor.types(move)
    bob.forgets()
    visitor.sends(by=carol)  # to whom bob has forwarded his mail
    assert table.moves(1) == [first.text]
    bob.hears("A reply to one of your mails (board 1) came from carol@example.org.")
    visitor.sends()
    assert table.moves(1) == [first.text, move.text]


def test_a_late_link_after_a_take_back_is_asked_about(table: Table, page: Page) -> None:
    alice = begins(table, "two")
    bob = table.person("bob@example.org")
    alice.says("a1-c3,b2")
    late = fragment_of(bob.newest)
    alice.says("takeback")
    bob.says("accept takeback")
    alice.says("a5-c5,b5")
    fresh = fragment_of(bob.newest)
    bob.forgets()
    for link, mark in ((late, "@0"), (fresh, "@1")):
        visitor = Visitor(page, bob).opens(link)
        page.run("document.getElementById('move').focus()")
        page.type("i5-g5,h5")
        assert visitor.mail()["subject"] == f"move 1#2 {mark} i5-g5,h5"
        assert table.moves(1) == ["a5-c5,b5"]
        visitor.sends()
        if link == late:
            bob.gets(1).hears("since then a move was taken back. Board 1 is now at move 1 (#2):")
    assert table.moves(1) == ["a5-c5,b5", "i5-g5,h5"]


def test_a_page_without_a_whole_link_says_how_to_answer(table: Table, page: Page) -> None:
    alice = begins(table, "two")
    whole = fragment_of(alice.newest)
    other = "A" if whole[-9] != "A" else "B"
    cut = (whole[:-20] + "z", whole[:-20], whole[:-9] + other + whole[-8:], whole[:-1], "#1.u7")
    visitor = Visitor(page, alice)
    for fragment in (*cut, "#"):
        assert visitor.opens(fragment).is_shown("without"), fragment
        assert not visitor.is_shown("game")
        assert visitor.is_shown("broken") == (fragment != "#")


def test_any_three_taps_choose_a_move_or_say_something(table: Table, page: Page) -> None:
    Visitor(page, begins(table, "six")).opens()
    dice = random.Random(44)
    taps = [dice.randrange(-1, 61) for _ in range(900)]
    silent = page.run(
        """(taps) => {
          const cells = document.querySelectorAll('.cell');
          const silent = [];
          taps.forEach((place, number) => {
            const box = cells[Math.max(place, 0)].getBoundingClientRect();
            const [x, y] = place < 0 ? [2, 2] : [box.x + box.width / 2, box.y + box.height / 2];
            document.getElementById('hint').textContent = '';
            document.getElementById('svg').dispatchEvent(new PointerEvent(
              'pointerdown', { clientX: x, clientY: y, bubbles: true }));
            const said = document.getElementById('hint').textContent;
            if (place >= 0 && !said) silent.push(number);
          });
          return silent;
        }""",
        taps,
    )
    assert silent == []
    assert page.complaints == []


def test_axe_finds_nothing_serious(table: Table, page: Page) -> None:
    visitor = Visitor(page, begins(table, "six"))
    page.call("Page.setBypassCSP", enabled=True)  # for axe itself
    link = fragment_of(visitor.person.newest)
    for fragment, scheme in product((link, "#"), ("light", "dark")):
        page.prefers(**{"prefers-color-scheme": scheme})
        visitor.opens(fragment)
        if fragment == link:
            visitor.types(visitor.some_move())
            page.run("for (const each of document.querySelectorAll('details')) each.open = true")
        page.run(AXE + ";0")
        found = page.run("axe.run().then((done) => done.violations)")
        grave = [it for it in found if it["impact"] in ("serious", "critical")]
        assert [(it["id"], [node["html"] for node in it["nodes"]]) for it in grave] == []


@pytest.mark.thorough
def test_ten_moves_without_eyes(table: Table, page: Page) -> None:
    """Everything is heard: the focused cell, and what the live region says. No pixel is read."""
    people = [begins(table, "two"), table.person("bob@example.org")]
    dice = random.Random(44)
    for ply in range(10):
        visitor = Visitor(page, people[ply % 2]).opens()
        visitor.tabs_to_board()
        for _ in range(20):
            if visitor.value("move"):
                break
            page.press(*"o" * dice.randrange(1, 8))
            assert page.focused().endswith(", yours")
            page.press("t")
            told = page.heard()
            if told.startswith("No move begins"):
                continue
            goal = dice.choice(re.findall(r"([a-i][1-9]): ", told))
            page.press("Enter")
            assert page.heard().startswith(page.focused()[:2] + ". ")
            visitor.goes_to(goal)
            assert page.heard().startswith(f"{goal}: ")
            page.press("Enter")
        visitor.sends()
        assert len(table.moves(1)) == ply + 1


def test_words_that_do_not_fit_are_copied(table: Table, page: Page) -> None:
    visitor = Visitor(page, begins(table, "two")).opens()
    visitor.types(visitor.some_move())
    page.run("document.getElementById('words').focus()")
    page.type("é" * 300)
    assert visitor.is_shown("long")
    assert "body" not in visitor.mail()
    page.run("document.getElementById('words').value = ''")
    page.type("é" * 20)
    assert not visitor.is_shown("long")
    assert visitor.mail()["body"] == "é" * 20
    given = r"'p+g1@x.example', 'move 1#2 a1,b1', 'one,\ntwo'"
    mail = f"(isIos) => modules.mail.mailto({given}, isIos).href"
    start = "mailto:p%2Bg1@x.example?subject=move%201%232%20a1%2Cb1&body=one%2C"
    assert page.run(mail, False) == f"{start}%0D%0Atwo"
    assert page.run(mail, True) == f"{start}%20%2F%20two"


def quoted(mail: Mail) -> dict[str, str]:
    """A board's mail as programs quote it, some of them without any mark."""
    lines = mail.text.split("\n")
    return {
        "marked": "\n".join(f"> {line}" for line in lines),
        "below a line": f"-----Original Message-----\nFrom: pbm\n\n{mail.text}",
        "unmarked": mail.text,
        "broken": "\n".join("\n".join(wrap(line, 72)) for line in lines),
    }


def test_no_link_goes_to_the_others(table: Table) -> None:
    alice = begins(table, "two")
    bob = table.person("bob@example.org")
    for way in quoted(alice.newest):
        move = str(table.board(1).position.legal_moves()[9])  # type: ignore[attr-defined]
        mover, other = (alice, bob) if table.board(1).ply % 2 == 0 else (bob, alice)
        mover.says(f"{move}\n\nA nice game.\n\n{quoted(mover.newest)[way]}")
        said = [line for line in other.newest.text.split("\n") if line.startswith("|")]
        assert said == ["| A nice game."], way
    assert len(table.moves(1)) == len(quoted(alice.newest))


def test_a_link_is_short(table: Table) -> None:
    handles = [f"{letter}-long-handle-{letter}" for letter in "abcdef"]
    first, *_ = people = [table.joins(handle) for handle in handles]
    first.says(f"challenge {' '.join(handles[1:])}")
    for person in people:
        person.says(max((str(it) for it in table.board(1).position.legal_moves()), key=len))  # type: ignore[attr-defined]
    link = PAGE_URL + fragment_of(first.newest)
    assert 300 < len(link) < 600
    assert max(map(len, first.newest.text.split("\n"))) == len(link)


def test_who_sends_on_a_link_sends_no_tag(table: Table) -> None:
    alice = begins(table, "two")
    link = fragment_of(alice.newest)
    tag = link.split(".")[3]
    alice.says(f"a1-c3,b2\nLook here: {PAGE_URL}{link} and {quote(link, safe='')}")
    heard = table.person("bob@example.org").newest
    assert "| Look here: " in heard.text
    assert tag not in unquote(heard.raw.replace(b"=\r\n", b"").decode())
    assert tag not in masked(f"{PAGE_URL}{link} {quote(link, safe='')}")


def test_a_game_without_rules_on_the_page_shows_its_legal_moves(page: Page, table: Table) -> None:
    class Clicked(FourInARow):
        """With a picture, and one tap for a move: the cell into which the piece falls."""

        ground = Ground(
            names=tuple(f"{column}{row}" for row in "654321" for column in COLUMNS),
            cells=tuple((float(at % 7), float(at // 7)) for at in range(42)),
            labels=(),
            corners=((0.0, 0.0), (6.0, 0.0), (6.0, 5.0), (0.0, 5.0)),
            width=280,
            height=240,
            middle=(32, 30),
            scale=(36, 36),
        )

        def drawing(self, position: Any, moves: object) -> dict[str, Any]:  # noqa: ARG002
            return {"signs": "".join(position.rows).translate(str.maketrans("xo", "12"))}

        def taps(self, position: Any, move: Any) -> tuple[int, int]:
            free = [
                row for row in range(6) if position.rows[row]["abcdefg".index(str(move))] == "."
            ]
            return (7 * free[-1] + "abcdefg".index(str(move)),) * 2

    game = Clicked()
    assert has(game, PageTaps)
    listed = listed_position(game, game.start(2, {}))
    about = {"g": "connect4", "t": "Four in a Row", "b": 3, "p": 0, "s": "", "m": [], "l": 1}
    data = {**about, "n": ["alice", "bob"], "o": [1], "y": [1], "d": listed}
    link = table.site.page_link(data).partition("#")[2].replace("1..", f"1.g3.u1.{'a' * 18}.", 1)
    assert len(link) < 1000
    visitor = Visitor(page, table.person("alice@example.org")).opens(f"#{link}")
    assert visitor.text("standing") == "Your move."
    page.click(visitor.middle(5 * 7 + 3))
    assert visitor.value("move") == "d"
    assert visitor.mail()["subject"] == "move 3#1 d"
    assert page.run("document.querySelectorAll('.cell')[38].ariaLabel") == "d1, yours"
