"""Public pages: what they show, what they never show, and what a reader may ask."""

import http.client
import re
import socket
from collections.abc import Iterator
from contextlib import closing, suppress
from html import escape
from ipaddress import ip_network
from pathlib import Path
from threading import Event
from types import SimpleNamespace
from typing import cast
from xml.etree import ElementTree

import axe_core_python
import pytest
from sqlalchemy import event, func, update
from structlog.testing import capture_logs

from pbm.app.public_pages import if_free, pages_of
from pbm.config import Settings, settings_from_here
from pbm.errors import OperatorError
from pbm.events import Commented
from pbm.events.kept import kinds
from pbm.store.db import Database
from pbm.store.schema.games import boards
from pbm.store.schema.people import players
from pbm.web.export import export_pages
from pbm.web.pages import Answer, Pages
from pbm.web.rates import Rates, asking
from pbm.web.serving import WebServer
from tests.browser import Browser
from tests.e2e.ports import free_port
from tests.polling import PATIENCE, until
from tests.sqlite_tables import make_tables
from tests.table import SERVER, Table
from tests.web.scene import ENDED, MARK, MARKUP, PRIVATE, PUBLIC, SAID, SECRET, SHY, Scene, made

LOOPBACK = [ip_network("127.0.0.0/8")]
AXE = Path(axe_core_python.__file__).with_name("axe.min.js").read_text(encoding="utf-8")


@pytest.fixture(scope="module", params=["sqlite", "postgresql"])
def scene(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Scene]:
    """One server for all tests of a database: they only read."""
    if request.param == "sqlite":
        url = f"sqlite:///{tmp_path_factory.mktemp('web') / 'pbm.sqlite3'}"
        make_tables(url)
        with made(url) as scene:
            yield scene
    else:
        with request.getfixturevalue("postgres_tables").lent() as url, made(url) as scene:
            yield scene


def asked(
    scene: Scene, path: str, method: str = "GET", **headers: str
) -> tuple[http.client.HTTPResponse, bytes]:
    connection = http.client.HTTPConnection("127.0.0.1", scene.server.port, timeout=20)
    connection.request(method, path, headers={k.replace("_", "-"): v for k, v in headers.items()})
    response = connection.getresponse()
    body = response.read()
    connection.close()
    return response, body


def test_games_stand_where_they_belong(scene: Scene) -> None:
    running, ended = scene.text("/boards/running"), scene.text("/boards/ended")
    assert f'href="/board/{PUBLIC}"' in running
    assert "1 move, bob to move" in running
    assert f'href="/board/{ENDED}"' in ended
    assert "carol won" in ended
    assert {*re.findall(r"/board/(\d+)", running + ended)} == {str(PUBLIC), str(ENDED), str(MARKUP)}
    board = scene.text(f"/board/{ENDED}")
    assert "carol won after 1 move." in board
    assert 'href="/board.html#1..' in board
    assert "<span>c3,d3</span>" in board
    assert "Board 1" in scene.text("/player/alice")
    assert "resigned" in board
    assert "join%20" in scene.text("/seeks")
    assert "3 players" in scene.text("/seeks")


def test_no_page_tells_a_secret(scene: Scene) -> None:
    (told,) = scene.table.rows("plans")
    assert scene.table.rows("notes")
    assert "c4,d4" in str(told)
    assert scene.tags
    unseen = [it.pattern for it in scene.pages._routes if not any(map(it.fullmatch, scene.paths))]
    assert unseen == []
    with capture_logs() as logged:
        texts = {path: scene.text(path) for path in scene.paths}
    assert logged == []
    for path, text in texts.items():
        if path.startswith(("/board.html", "/player/emil", "/help/")):
            continue  # without anything of the database; and a player who has a private board
        assert [word for word in (*SECRET, *scene.tags) if word in text] == [], path
    assert "emil" in scene.text("/player/emil")
    assert f"/board/{PRIVATE}" not in scene.text("/player/emil") + scene.text("/player/alice")


def test_talk_is_shown_only_if_all_want_that(scene: Scene) -> None:
    said = escape(SAID)
    assert f"{said} (an address)" in scene.text(f"/board/{PUBLIC}")
    assert [path for path in scene.paths if "openword" in scene.text(path)] == [f"/board/{PUBLIC}"]

    def bob(talk: str) -> None:
        with scene.table.database.transaction() as work:
            player = work.players.by_handle("bob")
            assert player
            work.players.change_settings(player.id, talk=talk)

    bob("private")
    try:
        assert "openword" not in scene.text(f"/board/{PUBLIC}")
    finally:
        bob("public")


def test_a_private_game_is_a_result_without_names(scene: Scene) -> None:
    told = scene.text(f"/board/{PRIVATE}")
    assert "only its players see it" in told
    assert "Seat 2 won after 1 move." in told
    assert scene.pages.answer(f"/board/{PRIVATE}").status == 404
    assert "won" not in scene.text(f"/board/{SHY}")


def test_a_damaged_board_is_left_out_and_breaks_no_page(scene: Scene) -> None:
    def turns(one: str, other: str) -> None:
        change = update(boards).where(boards.c.id == PUBLIC)
        with scene.table.database.engine.begin() as connection:
            connection.execute(change.values(state=func.replace(boards.c.state, one, other)))

    turns("/", "!")
    try:
        for path in ("/", "/boards/running", "/player/alice"):
            assert f'"/board/{PUBLIC}"' not in scene.text(path)
        assert asked(scene, f"/board/{PUBLIC}")[0].status == 404
    finally:
        turns("!", "/")
    assert f'"/board/{PUBLIC}"' in scene.text("/")


def test_markup_is_text(scene: Scene) -> None:
    pages = ("/", "/boards/running", f"/board/{MARKUP}", "/player/carol")
    for path in (*pages, "/seeks", "/feed.atom", f"/board/{MARKUP}/feed.atom"):
        assert "&lt;i title=" in scene.text(path), path
    for path in scene.paths:
        assert path.endswith(".txt") or all(it not in scene.text(path) for it in (MARK, SAID)), path


def test_feeds_tell_what_happens(scene: Scene) -> None:
    for path, words in (
        ("/feed.atom", ["carol won after 1 move.", "The game has begun."]),
        ("/player/alice/feed.atom", [f"/board/{PUBLIC}/begun", f"/board/{ENDED}/ended"]),
        (f"/board/{ENDED}/feed.atom", ["alice resigned.", "carol won.", "alice played c3,d3 (#1)"]),
    ):
        answer = scene.pages.answer(path)
        assert answer.kind.startswith("application/atom+xml")
        feed = ElementTree.fromstring(answer.body)
        entries = feed.findall("{http://www.w3.org/2005/Atom}entry")
        names = [entry.findtext("{http://www.w3.org/2005/Atom}id") for entry in entries]
        assert len(names) == len({*names}) > 1
        assert [word for word in words if word not in answer.body.decode()] == [], path
    for path in ("/player/dora", f"/board/{SHY}", f"/board/{PRIVATE}"):
        assert scene.pages.answer(f"{path}/feed.atom").status == 404


@pytest.mark.parametrize("scene", ["sqlite"], indirect=True)
def test_each_public_event_has_a_sentence(scene: Scene) -> None:
    template = scene.pages._templates.get_template("board.atom")
    shared = {"name": "", "page": "/board/1", "handles": {}, "seats": ("a", "b")}
    for name, kind in kinds().items():
        if kind.for_watchers and kind is not Commented:
            event = SimpleNamespace(player=1, by=2, move="a1,b2", ply=1, how="", places=(1, 1))
            entry = {"kind": name, "event": event, "number": 1, "at": ""}
            assert "There is news" not in template.render(entries=[entry], **shared), name


@pytest.mark.parametrize("scene", ["sqlite"], indirect=True)
def test_the_pages_can_be_files(scene: Scene, tmp_path: Path) -> None:
    count = export_pages(scene.pages, tmp_path / "site")
    files = {str(it.relative_to(tmp_path / "site")): it for it in tmp_path.rglob("*.*")}
    assert len(files) == count
    linked = {f"board/{ENDED}/json.txt", f"board/{ENDED}/feed.atom", "player/bob/index.html"}
    assert {"index.html", "board.html", "feed.atom", "help/move/index.html", *linked} <= {*files}
    assert f"board/{PRIVATE}/index.html" not in files
    assert files["index.html"].read_text() == scene.text("/")
    with pytest.raises(OperatorError, match="is not empty"):
        export_pages(scene.pages, tmp_path / "site")


@pytest.mark.parametrize("scene", ["sqlite"], indirect=True)
@pytest.mark.parametrize(
    "path",
    [
        *("/board/0", "/board/99", "/board/9999999999", "/board/-1", "/board/1/", "/board/%31"),
        *("/board/1/pgn.txt", "/board/1/..%2f..", "/../../etc/passwd", "//", "/boards/ended/0"),
        *(
            "/style.css",
            "/help/../../x",
            "/help/none",
            "/standings/chess",
            "/player/A",
            "/x?y=/board/1",
        ),
        *("http://games.example/", "*", "/board/1%00", "/board/١"),
    ],
)
def test_what_is_not_there_is_said_in_a_sentence(scene: Scene, path: str) -> None:
    raw = f"GET {path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n".encode()
    with socket.create_connection(("127.0.0.1", scene.server.port), timeout=20) as client:
        client.sendall(raw)
        said = b"".join(iter(lambda: client.recv(65536), b""))
    status = int(said.split()[1])
    assert status == (400 if not path.isascii() else 404)
    assert b"<p>T" in said


@pytest.mark.parametrize("scene", ["sqlite"], indirect=True)
def test_a_browser_is_told_what_it_may_do(scene: Scene) -> None:
    for path in ("/", f"/board/{PUBLIC}", "/board.html", "/none", f"/board/{PUBLIC}/json.txt"):
        response, body = asked(scene, path)
        policy = response.getheader("Content-Security-Policy") or ""
        assert policy.startswith("default-src 'none'")
        assert "unsafe" not in policy
        assert response.getheader("X-Content-Type-Options") == "nosniff"
        assert response.getheader("Referrer-Policy") == "no-referrer"
        assert response.getheader("Set-Cookie") is None
        assert b" style=" not in body
        if path != "/board.html":
            assert b"<script" not in body
    assert asked(scene, "/robots.txt")[1].startswith(b"User-agent: *")


def test_what_a_browser_has_is_not_sent_again(scene: Scene) -> None:
    first, _ = asked(scene, f"/board/{PUBLIC}")
    tag = first.getheader("ETag") or ""
    again, nothing = asked(scene, f"/board/{PUBLIC}", If_None_Match=tag)
    assert (again.status, nothing, again.getheader("ETag")) == (304, b"", tag)
    head, nothing = asked(scene, f"/board/{PUBLIC}", "HEAD")
    assert (head.status, nothing, head.getheader("ETag")) == (200, b"", tag)
    assert asked(scene, f"/board/{ENDED}", If_None_Match=tag)[0].status == 200


def test_pages_can_only_be_read(scene: Scene) -> None:
    for method in ("POST", "PUT", "DELETE", "OPTIONS", "TRACE"):
        response, _ = asked(scene, "/", method)
        assert (response.status, response.getheader("Allow")) == (405, "GET, HEAD")
    with (
        pytest.raises(Exception, match=r"(?i)readonly|read-only"),
        scene.pages._database.transaction() as work,
    ):
        work.execute(players.update().values(handle="x"))


ROBOTS = "GET /robots.txt HTTP/1.1\r\nHost: x\r\n"
POST = "POST / HTTP/1.1\r\nHost: x\r\n"
NEXT = "GET /none HTTP/1.1\r\nHost: x\r\n\r\n"


@pytest.mark.parametrize("scene", ["sqlite"], indirect=True)
@pytest.mark.parametrize(
    ("raw", "statuses"),
    [
        ("\x16\x03\x01 hello\r\n\r\n", [400]),
        ("GET / HTTP/1.1\r\nX: " + "y" * 20_000, [400]),
        ("GET /\r\n", [400]),
        ("GET / HTTP/1.1\r\n\r\n", [400]),
        ("GET / HTTP/1.1\r\nHost : x\r\n\r\n", [400]),
        ("GET /\xff HTTP/1.1\r\nHost: x\r\n\r\n", [400]),
        ("GET /robots.txt HT", [400]),
        ("GET /robots.txt HTTP/1.0\r\n\r\n" + NEXT, [200]),
        ("CONNECT x:443 HTTP/1.1\r\nHost: x\r\n\r\n" + NEXT, [405, 404]),
        (f"{ROBOTS}\r\n" * 3 + NEXT, [200, 200, 200, 404]),
        (f"{ROBOTS}X-Forwarded-For: <script>, 1.2.3.4.5\r\n\r\n", [200]),
        # A body, which ends where somebody else may not think it ends.
        (f"{ROBOTS}Content-Length: {len(NEXT)}\r\n\r\n{NEXT}{NEXT}", [200]),
        (f"{POST}Content-Length: 0\r\n\r\n{NEXT}", [405]),
        (f"{POST}Content-Length: 6\r\nContent-Length: 5\r\n\r\nabcdef", [400]),
        (f"{POST}Content-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n{NEXT}", [405]),
        (f"{POST}Transfer-Encoding: xchunked\r\n\r\n{NEXT}", [400]),
        (f"{ROBOTS}Transfer-Encoding: chunked\r\n\r\nzz\r\n{NEXT}", [400]),
    ],
)
def test_what_no_browser_sends(scene: Scene, raw: str, statuses: list[int]) -> None:
    with socket.create_connection(("127.0.0.1", scene.server.port), timeout=20) as client:
        client.sendall(raw.encode("latin-1"))
        client.shutdown(socket.SHUT_WR)
        said = b""
        with suppress(ConnectionResetError):  # as the rest was not read
            while more := client.recv(65536):
                said += more
    assert [int(it) for it in re.findall(rb"HTTP/1\.1 (\d+) ", said)] == statuses


@pytest.mark.parametrize("scene", ["sqlite"], indirect=True)
def test_one_network_cannot_ask_for_everything(scene: Scene) -> None:
    for _ in range(130):
        last, _ = asked(scene, "/robots.txt", X_Forwarded_For="203.0.113.9")
        if last.status == 429:
            break
    assert (last.status, last.getheader("Retry-After")) == (429, "30")
    assert asked(scene, "/robots.txt", X_Forwarded_For="203.0.113.77, 127.0.0.1")[0].status == 429
    assert asked(scene, "/robots.txt", X_Forwarded_For="198.51.100.9")[0].status == 200
    assert asked(scene, "/robots.txt")[0].status == 200


def test_rates_are_bounded() -> None:
    now = [0.0]
    rates = Rates(lambda: now[0])
    network = ip_network("192.0.2.0/24")
    assert [rates.take(network) for _ in range(121)] == [True] * 120 + [False]
    now[0] = 1.0
    assert [rates.take(network) for _ in range(5)] == [True] * 4 + [False]
    for number in range(10_010):
        rates.take(ip_network((number << 8, 24)))
    assert len(rates) == 10_000


@pytest.mark.parametrize(
    ("peer", "forwarded", "network"),
    [
        ("203.0.113.9", "192.0.2.1", "203.0.113.0/24"),  # who is not trusted names nobody
        ("127.0.0.1", "192.0.2.1", "192.0.2.0/24"),
        ("127.0.0.1", "198.51.100.1, 192.0.2.1", "192.0.2.0/24"),
        ("127.0.0.1", "2001:db8:1:2::1", "2001:db8:1::/56"),
        ("127.0.0.1", "::ffff:192.0.2.1", "192.0.2.0/24"),
        ("fe80::1%eth0", "", "fe80::/56"),
        ("127.0.0.1", "", None),
        ("127.0.0.1", "nobody", None),
    ],
)
def test_who_asks(peer: str, forwarded: str, network: str | None) -> None:
    found = asking(peer, forwarded, LOOPBACK)
    assert (str(found) if found else None) == network


def test_statements_do_not_grow_with_boards(table: Table, database_url: str) -> None:
    table.joins("alice")
    table.joins("bob")
    table.begins("alice", "bob")
    with table.database.transaction() as work:
        for player in work.players.reading(1):
            work.players.change_settings(player.id, talk="public")
    said: list[str] = []
    paths = (
        "/",
        "/feed.atom",
        "/boards/running",
        "/boards/ended",
        "/standings",
        "/seeks",
        "/player/alice",
    )
    with closing(Database(database_url, reads_only=True)) as database:
        pages = pages_of(Settings(address=SERVER), database)
        event.listen(database.engine, "before_cursor_execute", lambda *it: said.append(it[2]))

        def counted() -> dict[str, int]:
            counts = {}
            for path in (*paths, "/board/1", "/board/1/json.txt", "/board/1/feed.atom"):
                said.clear()
                assert pages.answer(path).status == 200
                counts[path] = len(said)
            return counts

        before = counted()
        table.begins("alice", "bob", times=60)
        assert counted() == before
        assert max(before.values()) <= 20, before
        listed = pages.answer("/boards/running").body.decode()
        older = re.search(r'href="(/boards/running/\d+)"', listed)
        assert older
        assert listed.count('href="/board/') == 50
        assert 'href="/board/1"' in pages.answer(older[1]).body.decode()


@pytest.mark.parametrize("scene", ["sqlite"], indirect=True)
def test_a_port_that_is_taken_is_told(scene: Scene) -> None:
    server = WebServer(scene.pages, [])
    with (
        pytest.raises(OperatorError, match="PBM_WEB_LISTEN=127"),
        server.running("127.0.0.1", scene.server.port),
    ):
        pass


SHOWN = ("/", f"/board/{PUBLIC}", "/seeks")
SHOWN_BESIDES = (
    *("/boards/running", "/boards/ended", "/player/alice", "/standings", "/help", "/help/move"),
    *("/none", f"/board/{PRIVATE}"),
)


@pytest.mark.parametrize("scene", ["sqlite"], indirect=True)
@pytest.mark.parametrize(
    "paths", [SHOWN, pytest.param(SHOWN_BESIDES, marks=pytest.mark.thorough)], ids=["some", "all"]
)
def test_axe_finds_nothing_serious(scene: Scene, browser: Browser, paths: tuple[str, ...]) -> None:
    page = browser.page(375, 800)
    page.call("Page.setBypassCSP", enabled=True)  # for axe itself
    for number, path in enumerate(paths):
        page.prefers(**{"prefers-color-scheme": ("light", "dark")[number % 2]})
        page.open(f"http://127.0.0.1:{scene.server.port}{path}")
        page.run(AXE + ";0")
        found = page.run("axe.run().then((done) => done.violations)")
        grave = [it for it in found if it["impact"] in ("serious", "critical")]
        assert [(it["id"], [node["html"] for node in it["nodes"]]) for it in grave] == [], path
        assert page.run("document.documentElement.scrollWidth") <= 375, path
    page.close()


@pytest.mark.parametrize("scene", ["sqlite"], indirect=True)
def test_the_game_can_be_stepped_through(scene: Scene, browser: Browser) -> None:
    page = browser.page()
    page.open(f"http://127.0.0.1:{scene.server.port}/board/{ENDED}")
    page.run("document.querySelector('a.primary').click()")
    until(lambda: page.run("document.getElementById('step')?.textContent") == "#1 alice c3,d3", "")
    page.run("document.getElementById('first').click()")
    assert page.run("document.getElementById('step').textContent") == "after #0"
    assert page.run(
        "document.getElementById('send').hidden || document.getElementById('answer').hidden"
    )
    assert page.complaints == []
    page.close()


class _Slow:
    """Pages of which one hangs until it is let go."""

    def __init__(self) -> None:
        self.hangs, self.let_go = Event(), Event()

    def answer(self, _: str) -> Answer:
        self.hangs.set()
        self.let_go.wait(PATIENCE)
        return Answer(b"")


def test_a_page_that_hangs_holds_up_no_stop() -> None:
    slow = _Slow()
    server = WebServer(cast("Pages", slow), [])
    with server.running("127.0.0.1", 0):
        client = socket.create_connection(("127.0.0.1", server.port), timeout=20)
        client.sendall(b"GET / HTTP/1.1\r\nHost: x\r\n\r\n")
        assert slow.hangs.wait(PATIENCE)
    assert not slow.let_go.is_set()
    assert client.recv(1) == b""
    client.close()
    slow.let_go.set()


def test_pages_are_shown_if_their_port_is_free(monkeypatch: pytest.MonkeyPatch) -> None:
    free = f"127.0.0.1:{free_port()}"
    with socket.create_server(("127.0.0.1", 0)) as other:
        taken = f"127.0.0.1:{other.getsockname()[1]}"
        assert if_free(Settings(web_listen=taken)) == Settings()
    assert if_free(Settings(web_listen=free)).web_listen == free
    monkeypatch.setenv("PBM_WEB_LISTEN", "")
    assert settings_from_here(PBM_WEB_LISTEN=free).web_listen == ""
    monkeypatch.delenv("PBM_WEB_LISTEN")
    assert settings_from_here(PBM_WEB_LISTEN=free).web_listen == free
