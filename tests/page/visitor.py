"""Somebody who opens the link of a board's mail in a browser, and sends the mail that it writes."""

import random
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast
from urllib.parse import parse_qs, unquote

from tests.browser import Page, Point
from tests.polling import until
from tests.table import Mail, Person

PAGE_URL = "https://games.example/board.html"
FILE = Path(__file__).parents[2] / "pbm" / "page" / "board.html"
_LINK = re.compile(rf"^{re.escape(PAGE_URL)}(#\S+)$", re.MULTILINE)
_MOVES = """(state) => {
  const { abalone } = modules;
  return abalone.moves(abalone.load(state)).map(({ text, from, to }) => [text, from, to]);
}"""
_MIDDLE = """(place) => {
  const box = document.querySelectorAll('.cell')[place].getBoundingClientRect();
  return [box.x + box.width / 2, box.y + box.height / 2];
}"""
# By the name of a cell: how a key changes its row and column.
_KEYS = {"6": (0, 1), "3": (1, 1), "1": (1, 0), "4": (0, -1), "7": (-1, -1), "9": (-1, 0)}


def fragment_of(mail: Mail) -> str:
    """The fragment of the link to the page, the same in both parts."""
    (found,) = _LINK.findall(mail.text)
    assert f'href="{PAGE_URL}{found}"' in mail.html
    return str(found)


@dataclass
class Move:
    text: str
    start: int  # the places of both taps
    target: int


@dataclass
class Visitor:
    """A page, and the person who looks at it."""

    page: Page
    person: Person

    def opens(self, fragment: str = "", at: str = FILE.as_uri()) -> "Visitor":
        """Open the link of the newest mail, or another one."""
        self.page.open(f"{at}{fragment or fragment_of(self.person.newest)}")
        shown = (
            "!document.getElementById('game').hidden || !document.getElementById('without').hidden"
        )
        until(lambda: self.page.run(shown), "the board or the words in its place")
        return self

    def moves(self) -> list[Move]:
        """The legal moves in the position of the newest mail."""
        state = str(self.person.newest["X-PBM-State"])
        return [Move(*each) for each in self.page.run(_MOVES, state)]

    def some_move(self, seed: int = 44) -> Move:
        return random.Random(seed).choice(self.moves())

    def text(self, name: str) -> str:
        return str(self.page.run(f"document.getElementById('{name}').textContent"))

    def value(self, name: str) -> str:
        return str(self.page.run(f"document.getElementById('{name}').value"))

    def is_shown(self, name: str) -> bool:
        return bool(self.page.run(f"document.getElementById('{name}').checkVisibility()"))

    def middle(self, place: int) -> Point:
        return cast(Point, self.page.run(_MIDDLE, place))

    def press(self, name: str) -> None:
        self.page.run(f"document.getElementById('{name}').click()")

    def copies(self, name: str) -> str:
        """Press a button, and return the text that it copies."""
        self.page.run("""(() => {
          window.copied = undefined;
          navigator.clipboard.writeText = async (text) => void (window.copied = text);
        })()""")
        self.press(name)
        until(lambda: self.page.run("window.copied !== undefined"), "the text to be copied")
        return str(self.page.run("window.copied"))

    # -- ways to choose a move ----------------------------------------------------------------

    def clicks(self, move: Move) -> None:
        self.page.click(self.middle(move.start))
        self.page.click(self.middle(move.target))

    def touches(self, move: Move) -> None:
        self.page.touch(self.middle(move.start))
        self.page.touch(self.middle(move.target))

    def drags(self, move: Move) -> None:
        self.page.click(self.middle(move.start), until_at=self.middle(move.target))

    def types(self, move: Move) -> None:
        self.page.run("document.getElementById('move').focus()")
        self.page.type(move.text.upper().replace(",", " ") if "-" in move.text else move.text)

    def picks_from_list(self, move: Move) -> None:
        """Find the move by its words among the buttons of the list."""
        state = str(self.person.newest["X-PBM-State"])
        told = """(state, text) => {
          const { abalone } = modules;
          const position = abalone.load(state);
          const move = abalone.moves(position).find((each) => each.text === text);
          return abalone.told(move, position, () => "");
        }"""
        first = str(self.page.run(told, state, move.text)).split("pushes")[0].strip()
        self.page.run("document.getElementById('all').open = true")
        self.page.run("document.getElementById('filter').focus()")
        self.page.type(move.text)
        rows = "[...document.querySelectorAll('#moves button')]"
        words = self.page.run(f"{rows}.map((button) => button.textContent)")
        (number,) = [index for index, row in enumerate(words) if row.startswith(first)]
        self.page.run(f"{rows}[{number}].click()")

    def uses_keys(self, move: Move) -> None:
        """Go there by Tab, then by the keys of the number pad, hearing where the cursor is."""
        names = self.page.run("modules.abalone.names")
        self.tabs_to_board()
        for place in (move.start, move.target):
            self.goes_to(names[place])
            self.page.press("Enter")

    def tabs_to_board(self) -> None:
        for _ in range(20):
            if re.match("[a-i][1-9], ", self.page.focused()):
                return
            self.page.press("Tab")
        raise AssertionError(f"no way to the board; the focus is on {self.page.focused()!r}")

    def goes_to(self, name: str) -> None:
        """Move the cursor to a cell, by what is heard of each on the way."""
        for _ in range(10):
            if (here := self.page.focused()[:2]) == name:
                return
            self.page.press(_key_towards(here, name))
        raise AssertionError(f"no way to {name}; the cursor is at {self.page.focused()!r}")

    # -- the mail -----------------------------------------------------------------------------

    def mail(self, link: str = "mail") -> dict[str, str]:
        """What a link to a mail says: address, subject, body."""
        href = str(self.page.run(f"document.getElementById('{link}').href"))
        assert len(href) < 1500
        address, _, query = href.removeprefix("mailto:").partition("?")
        assert not re.search(r"[+,:;'()! \n]", href.removeprefix("mailto:")), href
        told = parse_qs(query, keep_blank_values=True, strict_parsing=True)
        return {"to": unquote(address), **{name: value for name, (value,) in told.items()}}

    def sends(self, by: Person | None = None, link: str = "mail") -> None:
        """Send that mail, as a mail program does: a new one, which answers nothing."""
        mail: dict[str, Any] = self.mail(link)
        (by or self.person).writes(mail["subject"], mail.get("body", ""), to=mail["to"])


def _key_towards(name: str, goal: str) -> str:
    def place(cell: str, by: tuple[int, int] = (0, 0)) -> tuple[int, int]:
        return "abcdefghi".index(cell[0]) + 1 + by[0], int(cell[1]) + by[1]

    row, column = place(goal)

    def far(at: tuple[int, int]) -> int:
        rows, columns = row - at[0], column - at[1]
        on_board = 1 <= at[0] <= 9 and max(1, at[0] - 4) <= at[1] <= min(9, at[0] + 4)
        return max(abs(rows), abs(columns), abs(rows - columns)) if on_board else 99

    return min(_KEYS, key=lambda key: far(place(name, _KEYS[key])))
