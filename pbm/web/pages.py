"""The public pages by their paths. Each is one short read of the database, then a template.

What they may show is decided in `pbm/play/public.py`.
"""

import re
from base64 import b64encode
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from hashlib import sha256
from operator import itemgetter
from re import Match, Pattern
from typing import Any
from urllib.parse import quote

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from pbm.addresses import ADDRESS
from pbm.clock import Clock
from pbm.events import event_name
from pbm.plain import packed
from pbm.play import listings
from pbm.play.board_page import whole_game
from pbm.play.happened import public_history, public_words
from pbm.play.public import is_public, public_boards
from pbm.play.records import record_of
from pbm.play.views import board_view
from pbm.resources import board_page, resource_path
from pbm.rules.contract import RecordError
from pbm.rules.record import forms_of, written
from pbm.rules.registry import games
from pbm.store.db import Database, UnitOfWork
from pbm.store.values.boards import Board, BoardStatus
from pbm.web.blocks import blocks_of
from pbm.web.drawing import shapes

ATOM = "application/atom+xml; charset=utf-8"
HTML, TEXT = "text/html; charset=utf-8", "text/plain; charset=utf-8"
_NUMBER = r"(?P<number>[1-9]\d{0,8})"
_HANDLE = r"(?P<handle>[a-z][a-z0-9_-]{1,15})"
_ALL = 10**9  # above every number that a path can name
_MOST_COUNTED = 1000
_MOST_ENTRIES = 50  # of a feed
_MOST_LOOKED_AT = 200  # events of a board, for what was said
_LONGEST_GAME = 1000  # plies; a link with more would be too long for some browsers
_RECORD = "record"  # the form of `export` without an option
_POLICY = re.compile(r'http-equiv="Content-Security-Policy" content="([^"]*)"')
_ROBOTS = "User-agent: *\nDisallow: /board/*/\n"


@dataclass(frozen=True)
class Answer:
    body: bytes
    kind: str = HTML
    status: int = 200
    policy: str = "default-src 'none'"

    @property
    def tag(self) -> str:
        """The ETag: a digest of the content, so that no change of a name or rating is missed."""
        return f'"{sha256(self.body).hexdigest()[:24]}"'


@dataclass(frozen=True)
class Shown:
    """What pages tell of the server, and the help pages by their paths."""

    address: str
    help: Mapping[str, Callable[[], str]]


class NotFoundError(Exception):
    """There is no such page. `code` names a sentence in `templates/web/missing.html`."""

    def __init__(self, code: str = "page", **told: Any) -> None:
        super().__init__(code)
        self.told = {"code": code, **told}


class Pages:
    """Answers for paths, from threads of any number."""

    def __init__(self, database: Database, clock: Clock, shown: Shown) -> None:
        self._database, self._clock, self._shown = database, clock, shown
        folder = resource_path("templates") / "web"
        self._templates = Environment(
            loader=FileSystemLoader(folder),
            autoescape=True,
            undefined=StrictUndefined,
            trim_blocks=True,
            lstrip_blocks=True,
            auto_reload=False,
        )
        self._style = (folder / "style.css").read_text(encoding="utf-8").strip()
        digest = b64encode(sha256(self._style.encode()).digest()).decode()
        self._policy = (
            f"default-src 'none'; style-src 'sha256-{digest}'; img-src data:; base-uri 'none'; "
            "form-action 'none'; frame-ancestors 'none'"
        )
        self._templates.globals |= {"mailto": self._mailto, "style": self._style, **self._named()}
        self._help = cache(lambda subject: shown.help[subject]())
        self._board_page = board_page()
        self._routes: dict[Pattern[str], Callable[[Match[str]], Answer]] = {
            re.compile(path): answer
            for path, answer in {
                "/": self._front,
                rf"/boards/(?P<which>running|ended)(?:/{_NUMBER})?": self._boards,
                r"/feed\.atom": self._feed,
                rf"/board/{_NUMBER}": self._board,
                rf"/board/{_NUMBER}/feed\.atom": self._board_feed,
                rf"/board/{_NUMBER}/(?P<form>[a-z]{{1,20}})\.txt": self._record,
                rf"/player/{_HANDLE}": self._player,
                rf"/player/{_HANDLE}/feed\.atom": self._player_feed,
                r"/standings(?:/(?P<game>[a-z]{1,16}))?": self._standings,
                "/seeks": self._seeks,
                r"/help(?:/(?P<subject>[a-z-]{1,40}))?": self._help_page,
                r"/board\.html": lambda _: self._clicked_board(),
                r"/robots\.txt": lambda _: Answer(_ROBOTS.encode(), TEXT),
            }.items()
        }

    def _named(self) -> dict[str, Any]:
        address = self._shown.address
        subjects = sorted(self._shown.help)
        return {"address": address, "server": address.rpartition("@")[2], "subjects": subjects}

    def answer(self, path: str) -> Answer:
        """Return the answer to a path, which is one of status 404 for an unknown one."""
        try:
            for route, answer in self._routes.items():
                if found := route.fullmatch(path):
                    return answer(found)
            raise NotFoundError
        except NotFoundError as missing:
            return self._page("missing.html", 404, **missing.told)

    def told(self, code: str, status: int) -> Answer:
        """Return a page that says in a sentence why there is no answer."""
        return self._page("missing.html", status, code=code)

    # -- feeds ----------------------------------------------------------------------------------

    def _feed(self, _: Match[str]) -> Answer:
        both = (BoardStatus.PLAYING, BoardStatus.FINISHED)
        with self._database.reading() as work:
            lists = [listings.public_list(work, it, _ALL, self._clock()) for it in both]
        boards = [board for found in lists for board in found["boards"]]
        return self._boards_fed("/", self._shown.address.rpartition("@")[2], boards)

    def _player_feed(self, path: Match[str]) -> Answer:
        found = self._found_player(path["handle"])
        boards = [*found["running"], *found["ended"]]
        return self._boards_fed(f"/player/{found['handle']}", found["handle"], boards)

    def _boards_fed(self, page: str, title: str, boards: list[listings.Listing]) -> Answer:
        """Return a feed of beginnings and ends of boards."""
        entries = [
            {**board, "at": board["started" if board["status"] == "playing" else "changed"]}
            for board in boards
        ]
        entries = sorted(entries, key=itemgetter("at"), reverse=True)[:_MOST_ENTRIES]
        return self._fed("boards.atom", page=page, name=title, entries=entries)

    def _board_feed(self, path: Match[str]) -> Answer:
        number = int(path["number"])
        with self._database.reading() as work:
            board = _public_board(work, number)
            history = public_history(work, number, _MOST_ENTRIES)
            people = work.boards.have_sat([number])[number]
            handles = work.players.handles_of(people)
        seats = [seat.handle for seat in board.seats]
        entries = [
            {
                "number": row.number,
                "at": f"{row.at:%Y-%m-%dT%H:%M:%SZ}",
                "kind": event_name(type(event)),
                "event": event,
            }
            for row, event in reversed(history)
        ]
        told = {"name": f"{board.rules.info.title} board {number}", "handles": handles}
        told |= {"seats": seats, "page": f"/board/{number}"}
        return self._fed("board.atom", entries=entries, **told)

    def _fed(self, template: str, **told: Any) -> Answer:
        text = self._templates.get_template(template).render(told)
        return Answer(text.encode(), ATOM)

    # -- pages ---------------------------------------------------------------------------------

    def _front(self, _: Match[str]) -> Answer:
        with self._database.reading() as work:
            counts = {
                "running": len(work.boards.newest(BoardStatus.PLAYING, _ALL, _MOST_COUNTED)),
                "most": _MOST_COUNTED,
                "begun": work.boards.last_number(),
            }
            newest = listings.public_list(work, BoardStatus.PLAYING, _ALL, self._clock())
        return self._page("front.html", **counts, boards=newest["boards"][:10])

    def _boards(self, path: Match[str]) -> Answer:
        which = path["which"]
        status = BoardStatus.PLAYING if which == "running" else BoardStatus.FINISHED
        with self._database.reading() as work:
            found = listings.public_list(work, status, int(path["number"] or _ALL), self._clock())
        return self._page("boards.html", which=which, later=path["number"] is not None, **found)

    def _board(self, path: Match[str]) -> Answer:
        with self._database.reading() as work:
            board = _public_board(work, int(path["number"]))
            view = board_view(work, board, None, whole=True)
            link = whole_game(work, board) if board.ply <= _LONGEST_GAME else None
            words = public_words(work, board.id, _MOST_LOOKED_AT)
            handles = work.players.handles_of({said.player for _, said in words})
        return self._page(
            "board.html",
            v=view,
            title=board.rules.info.title,
            since=str(board.started_at.date()),
            changed=str(board.changed_at.date()),
            drawn=shapes(board.rules, view),
            plies=len(link["m"]) if link else 0,
            link=f"/board.html#1..{packed(link)}z" if link else None,
            forms=_forms(board) or [_RECORD],
            talk=[
                {
                    "handle": handles[said.player],
                    "day": f"{row.at:%Y-%m-%d}",
                    "lines": [ADDRESS.sub("(an address)", line) for line in said.lines],
                }
                for row, said in words
            ],
        )

    def _record(self, path: Match[str]) -> Answer:
        form = path["form"]
        with self._database.reading() as work:
            board = _public_board(work, int(path["number"]))
            record = record_of(work, board, self._shown.address)
        if form not in (_RECORD, *_forms(board)):
            raise NotFoundError
        try:
            text = written(record, board.rules, {form: True} if form != _RECORD else {})
        except RecordError as error:
            raise NotFoundError("form", number=board.id, form=form) from error
        return Answer(text.encode(), TEXT)

    def _player(self, path: Match[str]) -> Answer:
        return self._page("player.html", p=self._found_player(path["handle"]))

    def _found_player(self, handle: str) -> listings.Listing:
        with self._database.reading() as work:
            player = work.players.by_handle(handle)
            if player is None or not is_public(player):
                raise NotFoundError("player")
            return listings.public_player(work, player, self._clock())

    def _standings(self, path: Match[str]) -> Answer:
        name = path["game"] or next(iter(games()))
        if name not in games():
            raise NotFoundError
        with self._database.reading() as work:
            found = listings.standings(work, name, None, self._clock(), public=True)
        others = {name: game.info.title for name, game in games().items()}
        return self._page("standings.html", s=found, others=others)

    def _seeks(self, _: Match[str]) -> Answer:
        with self._database.reading() as work:
            found = listings.public_seeks(work, self._clock())
        return self._page("seeks.html", seeks=found)

    def _help_page(self, path: Match[str]) -> Answer:
        subject = path["subject"]
        if subject is not None and subject not in self._shown.help:
            raise NotFoundError
        blocks = blocks_of(self._help(subject)) if subject else []
        return self._page("help.html", subject=subject, blocks=blocks)

    def _clicked_board(self) -> Answer:
        policy = _POLICY.search(self._board_page)
        assert policy is not None
        return Answer(self._board_page.encode(), policy=policy[1])

    def _page(self, template: str, status: int = 200, **told: Any) -> Answer:
        text = self._templates.get_template(template).render(told)
        return Answer(text.encode(), status=status, policy=self._policy)

    def _mailto(self, subject: str, address: str = "") -> str:
        name, _, domain = (address or self._shown.address).rpartition("@")
        return f"mailto:{quote(name)}@{domain}?subject={quote(subject)}"


def _forms(board: Board) -> list[str]:
    return [option.name for option in forms_of(board.rules) if option.is_flag]


def _public_board(work: UnitOfWork, number: int) -> Board:
    """Return a board. Raises NotFoundError, for one that is not public with its bare result."""
    board = work.boards.find(number)
    if board is None or not board.is_readable or board.from_record:
        raise NotFoundError("board", number=number)
    if public_boards(work, [board]):
        return board
    raise NotFoundError(
        "hidden",
        number=number,
        title=board.rules.info.title,
        seats=len(board.seats),
        result=board.status == BoardStatus.FINISHED,
        winners=board.winners or (),
        ply=board.ply,
    )
