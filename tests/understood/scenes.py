"""Situations in which somebody writes to us, each set up once and then played many times.

What became of a mail is read off the database and the mails, as people would see it.
"""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from shutil import copyfile
from typing import Any

from pbm.rules.contract import Position
from pbm.rules.registry import default_game
from tests.help.boards import flow
from tests.help.pages import page_text
from tests.table import Mail, Person, Table
from tests.understood.expectations import Happened, Row

_MARTA, _DAVE = "marta@example.net", "dave@example.net"
_HELP = (
    *("", "abalone", "tutorial", "commands", "resign", "stop", "move", "draw", "takeback"),
    *("watch", "notify", "unwatch", "note", "message", "mute", "substitute", "submit", "confirm"),
    *("replay", "plan"),
)
_PAGE = 70  # letters at the beginning of a page, by which it is known
_MOVES = ("a1-c3,d4", "i9-g7,f6")
_PLAY_AS = re.compile(r"\bplay as \W?([a-z][a-z0-9_-]+)", re.IGNORECASE)
_GOODBYE = "pbm: goodbye"
_CARD = "To push, move two or three"
_LOST = "I found no command in your mail"


def _unknown(table: Table) -> tuple[Person, Mail | None]:
    table.joins("bob")
    return table.person(_MARTA), None


def _player(table: Table) -> tuple[Person, Mail | None]:
    alice, _ = table.joins("alice"), table.joins("bob")
    return alice, None


def _seated(table: Table) -> tuple[Person, Person]:
    alice, bob = table.start("alice", "bob")
    for person, move in zip((alice, bob), _MOVES, strict=True):
        person.says(move)
    return alice, bob


def _player_on_board(table: Table) -> tuple[Person, Mail | None]:
    alice, _ = _seated(table)
    return alice, None


def _welcome(table: Table) -> tuple[Person, Mail | None]:
    table.joins("bob")
    marta = table.person(_MARTA).writes("hello")
    return marta, marta.newest


def _invited(table: Table) -> tuple[Person, Mail | None]:
    table.joins("bob")
    table.joins("alice").says(f"challenge {_DAVE}")
    dave = table.person(_DAVE)
    return dave, dave.newest


def _turn(table: Table) -> tuple[Person, Mail | None]:
    alice, _ = _seated(table)
    return alice, alice.newest


def _waiting(table: Table) -> tuple[Person, Mail | None]:
    _, bob = _seated(table)
    return bob, bob.newest


def _onlooker(table: Table) -> tuple[Person, Mail | None]:
    _seated(table)
    return table.joins("carol"), None


def _beside(table: Table) -> tuple[Person, Mail | None]:
    alice, _ = _seated(table)
    shown = alice.newest
    alice.says("note 1 his left side is weak")
    table.joins("carol")
    table.joins("dora").says("challenge carol")
    return alice, shown


def _watcher(table: Table) -> tuple[Person, Mail | None]:
    _, bob = _seated(table)
    carol = table.joins("carol").says("watch 1 -moves")
    bob.says("takeback")
    table.person("alice@example.org").says("accept takeback")
    table.days_pass(minutes=2)
    return carol, carol.newest


def _plan_theirs(table: Table) -> tuple[Person, Mail | None]:
    alice, _ = table.start("alice", "bob")
    alice.says("b6,c6")
    return alice, alice.newest


def _plan_mine(table: Table) -> tuple[Person, Mail | None]:
    alice, _ = table.start("alice", "bob")
    return alice, alice.newest


def _plan_kept(table: Table) -> tuple[Person, Mail | None]:
    alice, _ = table.start("alice", "bob")
    alice.says("b6,c6\nif i5-g5,h5 then a2-c4,b3")
    return alice, alice.newest


def _watch(table: Table) -> tuple[Person, Mail | None]:
    alice, _ = _seated(table)
    table.start("carol", "dave")
    return alice, alice.newest


def _watching(table: Table) -> tuple[Person, Mail | None]:
    alice, answered = _watch(table)
    alice.says("watch 2\nwatch bob")
    return alice, answered


def _note(table: Table) -> tuple[Person, Mail | None]:
    alice, _ = _seated(table)
    table.joins("dora")
    return alice, alice.newest


def _note_kept(table: Table) -> tuple[Person, Mail | None]:
    alice, answered = _note(table)
    alice.says("note 1 the left side is weak")
    return alice, answered


def _draw(table: Table) -> tuple[Person, Mail | None]:
    alice, bob = _seated(table)
    bob.says("draw")
    return alice, alice.newest


def _takeback(table: Table) -> tuple[Person, Mail | None]:
    alice, bob = _seated(table)
    bob.says("takeback")
    return alice, alice.newest


def _confirm(table: Table) -> tuple[Person, Mail | None]:
    alice, _ = table.joins("alice"), table.joins("bob")
    alice.writes("challenge bob")
    return alice, alice.newest


def _resign(table: Table) -> tuple[Person, Mail | None]:
    alice, _ = _seated(table)
    alice.says("I give up")
    return alice, alice.newest


def _move(table: Table) -> tuple[Person, Mail | None]:
    alice, _ = table.start("alice", "bob")
    alice.says("I think that a1-c3,b2 looks nice here")
    return alice, alice.newest


def _delete(table: Table) -> tuple[Person, Mail | None]:
    alice, _ = _seated(table)
    alice.says("delete")
    return alice, alice.newest


def _challenge(table: Table) -> tuple[Person, Mail | None]:
    alice, bob = table.joins("alice"), table.joins("bob")
    bob.says("challenges ask")
    alice.says("challenge bob")
    return bob, bob.newest


_SITUATIONS: dict[str, Callable[[Table], tuple[Person, Mail | None]]] = {
    "stranger": _unknown,
    "player": _player,
    "player-on-board": _player_on_board,
    "welcome": _welcome,
    "invited": _invited,
    "turn": _turn,
    "waiting": _waiting,
    "onlooker": _onlooker,
    "watcher": _watcher,
    "beside": _beside,
    "plan-theirs": _plan_theirs,
    "plan-mine": _plan_mine,
    "plan-kept": _plan_kept,
    "watch": _watch,
    "watching": _watching,
    "note": _note,
    "note-kept": _note_kept,
    "substitute": _note,
    "draw": _draw,
    "takeback": _takeback,
    "confirm": _confirm,
    "resign": _resign,
    "move": _move,
    "delete": _delete,
    "challenge": _challenge,
}


@dataclass
class Scenes:
    """All situations, set up when they are first asked for, in files of a folder."""

    folder: Path
    empty: Path
    _set_up: dict[str, "_Scene"] = field(default_factory=dict)

    def happens(self, row: Row) -> Happened:
        """Let somebody write what a row says, and return what became of it."""
        if row.situation not in self._set_up:
            file = self.folder / f"{row.situation}.sqlite3"
            copyfile(self.empty, file)
            self._set_up[row.situation] = _Scene.of(row.situation, file)
        return self._set_up[row.situation].happens(row)

    def plays(self, row: Row, move: str) -> str:
        """A move of a row's board in the one form in which what was played is told."""
        return _canonical(move, default_game().load(self._set_up[row.situation].before.state))


@dataclass(frozen=True)
class _Scene:
    """One situation, kept as a file beside that of its table, which is put back for each mail.

    `answered` is the mail that is answered, if one is.
    """

    table: Table
    file: Path
    writer: str
    answered: Mail | None
    before: "_Stand"

    @classmethod
    def of(cls, situation: str, file: Path) -> "_Scene":
        """Set a situation up."""
        table = Table(f"sqlite:///{file}")
        person, answered = _SITUATIONS[situation](table)
        before = _Stand.of(table)
        table.close()
        copyfile(file, file.with_suffix(".kept"))
        return cls(table, file, person.address, answered, before)

    def happens(self, row: Row) -> Happened:
        """Let somebody write what a row says, and return what became of it."""
        copyfile(self.file.with_suffix(".kept"), self.file)
        self.table.mailboxes.clear()
        writer = self.table.person(self.writer)
        if self.answered is None:
            writer.writes(row.subject, row.text)
        else:
            writer.says(_with_quotation(row.text, self.answered), answering=self.answered)
        happened = _What(self.before, _Stand.of(self.table), writer).happened()
        self.table.close()  # no connection is left to what is put back
        return happened


@dataclass(frozen=True)
class _Stand:
    """What is so at a moment."""

    rows: dict[str, dict[int, dict[str, Any]]]
    moves: tuple[str, ...]
    plans: tuple[dict[str, Any], ...]
    watchings: tuple[dict[str, Any], ...]
    notes: tuple[dict[str, Any], ...]

    @property
    def state(self) -> str:
        """How the first board stands, empty where there is none."""
        return self.rows["boards"][1]["state"] if 1 in self.rows["boards"] else ""

    @classmethod
    def of(cls, table: Table) -> "_Stand":
        """What is so now."""
        named = ("players", "boards", "departures", "questions", "errands")
        rows = {name: {row["id"]: row for row in table.rows(name)} for name in named}
        moves = tuple(table.moves(1)) if rows["boards"] else ()
        kept = (tuple(table.rows(name)) for name in ("plans", "watchings", "notes"))
        return cls(rows, moves, *kept)

    def offers(self) -> set[tuple[str, int]]:
        """What is open on the board, and who asks for it."""
        offers = self.rows["boards"][1]["offers"] if self.rows["boards"] else None
        return {(item.kind, item.by) for item in offers or () if item.open}


@dataclass(frozen=True)
class _What:
    """What became of a mail."""

    before: _Stand
    after: _Stand
    writer: Person

    def happened(self) -> Happened:
        done = frozenset(self._done())
        said = tuple(self._said())
        return Happened(done or frozenset({"talk"} if said else self._answered()), said)

    def _new(self, name: str) -> list[dict[str, Any]]:
        old = self.before.rows[name]
        return [row for number, row in self.after.rows[name].items() if number not in old]

    def _done(self) -> Iterator[str]:
        """What cannot be called back."""
        for player in self._new("players"):
            yield f"signed-up {player['handle']}"
        joined, begun = bool(self._new("players")), bool(self._new("boards"))
        if self._questions("invite"):
            if joined != begun:
                yield "signed-up without a game" if joined else "done challenge"
        elif begun:
            yield "done challenge"
        yield from self._done_on_board()
        for number, player in self.before.rows["players"].items():
            now = self.after.rows["players"][number]
            if now["status"] != player["status"]:
                yield "done delete"
            elif _set_by(now) != _set_by(player):
                yield "done set"

    def _done_on_board(self) -> Iterator[str]:
        if not self.before.rows["boards"]:
            return
        had, has = self.before.moves, self.after.moves
        ended_by = self.after.rows["boards"][1]["ended_by"]
        lapsed = {kind for kind, _ in self.before.offers() - self.after.offers()}
        for move in has[len(had) :]:
            yield f"played {_canonical(move, default_game().load(self.before.state))}"
        if self.after.plans != self.before.plans:
            yield "done plan" if self.after.plans else "done drop"
        if len(self.after.watchings) != len(self.before.watchings):
            more = len(self.after.watchings) > len(self.before.watchings)
            yield "done watch" if more else "done unwatch"
        if self.after.notes != self.before.notes:
            yield "done note" if self.after.notes else "done erase"
        if self._new("departures"):
            yield "done resign"
        if ended_by in ("agreed", "declined", "claimed"):
            yield {"agreed": "done accept draw"}.get(ended_by, f"done {ended_by}")
        if len(has) < len(had):
            yield "done accept takeback"
        elif len(has) == len(had) and ended_by is None:
            yield from (f"done reject {kind}" for kind in sorted(lapsed))
        yield from (f"done {kind}" for kind, _ in self.after.offers() - self.before.offers())

    def _said(self) -> Iterator[str]:
        """The lines that others than the writer were sent."""
        for address, mails in self.writer.table.mailboxes.items():
            if address != self.writer.address:
                for mail in mails:
                    quoted = [line for line in mail.text.splitlines() if line.startswith("|")]
                    yield from filter(None, (line.removeprefix("|").strip() for line in quoted))

    def _answered(self) -> set[str]:
        """What the writer alone was answered, where nothing was done."""
        if not self.writer.mails:
            return {"nothing"}
        mail = self.writer.newest
        for kind, word in (
            ("invite", "no-for-ever"),
            ("signup", "goodbye"),
            ("confirm", "dropped"),
        ):
            if any(row["answer"] == "no" for row in self._questions(kind)):
                return {word}
        errands = [errand for errand in self._new("errands") if errand["status"] != "unsent"]
        asked = [line for errand in errands for line in errand["lines"] or ["talk"]]
        if asked:
            return {f"asked {_as_asked(line, self.before.state)}" for line in asked}
        page = "card" if _CARD in flow(mail.text) else _page(mail)
        if page:
            return {page}
        if any(row["answer"] is None for row in self._questions("signup", "invite", "confirm")):
            word = (
                "asked-again" if self.before.rows["questions"] and self._was_asked() else "welcome"
            )
            name = _PLAY_AS.search(flow(mail.text))
            return {f"{word} {name[1]}" if name else word}
        if _LOST in flow(mail.text):
            return {"lost"}
        return {"goodbye" if mail["Subject"] == _GOODBYE else "told"}

    def _questions(self, *kinds: str) -> list[dict[str, Any]]:
        """The questions to the writer, of some kinds."""
        asked = self.after.rows["questions"].values()
        return [
            row for row in asked if row["kind"] in kinds and row["address"] == self.writer.address
        ]

    def _was_asked(self) -> bool:
        before = self.before.rows["questions"].values()
        return any(row["address"] == self.writer.address and not row["answer"] for row in before)


def _set_by(player: dict[str, Any]) -> dict[str, Any]:
    """What a player has set; which signatures and last lines were seen is only noted."""
    noted = ("signature", "endings")
    return {name: value for name, value in (player["settings"] or {}).items() if name not in noted}


def _page(mail: Mail) -> str:
    """Which page of the help a mail brings, empty for none."""
    subject, text = mail["Subject"], flow(mail.text)
    if subject.startswith("pbm: help"):
        return subject.removeprefix("pbm: ")
    return next((f"help {name}".strip() for name in _HELP if _beginning(name) in text), "")


@cache
def _beginning(page: str) -> str:
    return flow(page_text(page))[:_PAGE]


def _as_asked(line: str, state: str) -> str:
    """A line that waits for a yes: its move alone, where it has one, or else as it is."""
    if state:
        for word in line.split():
            if default_game().is_move_text(word):
                return _canonical(word, default_game().load(state))
    return line


def _canonical(move: str, position: Position) -> str:
    return str(position.parse(move, position.to_move[0]))


def _with_quotation(text: str, mail: Mail) -> str:
    """A text with the mail that it answers below, as mailers put it there."""
    lines = mail.text.rstrip("\n").split("\n")
    quoted = "\n".join(f"> {line}".rstrip() for line in lines)
    said = f"On Sat, Nov 21, 2026 at 1:02 PM pbm <{mail.reply_to}> wrote:\n\n{quoted}"
    head = f"From: pbm <{mail.reply_to}>\nSent: Saturday, November 21, 2026 1:02 PM"
    below = f"{head}\nTo: {mail['To']}\nSubject: {mail['Subject']}\n\n" + "\n".join(lines)
    return text.replace("{quoted}", said).replace("{outlook}", below)
