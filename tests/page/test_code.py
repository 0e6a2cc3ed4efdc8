"""The QR code of the page's own link, read by a program that is not ours."""

import subprocess
from collections.abc import Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

import pytest

from tests.browser import Browser
from tests.page.visitor import FILE, PAGE_URL, Visitor, fragment_of
from tests.polling import until
from tests.table import Table


class Quiet(SimpleHTTPRequestHandler):
    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture
def url() -> Iterator[str]:
    """Where a web server has the page."""
    handler = partial(Quiet, directory=FILE.parent)
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/{FILE.name}"
        server.shutdown()


def read(picture: Path) -> str:
    command = ("zbarimg", "--quiet", "--raw", "-Sdisable", "-Sqrcode.enable", str(picture))
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    return done.stdout.removesuffix("\n")


def test_a_phone_reads_the_link_from_the_screen(
    embedded: Table, browser: Browser, url: str, tmp_path: Path
) -> None:
    embedded.has(page_url=PAGE_URL)
    alice, bob = embedded.joins("alice"), embedded.joins("bob")
    alice.says("challenge bob")
    page = browser.page(375, 700)
    for person, scheme in ((alice, "light"), (bob, "dark")):
        page.prefers(prefers_color_scheme=scheme)
        link = fragment_of(person.newest)
        visitor = Visitor(page, person).opens(link, at=url)
        page.run("document.querySelector('#code summary').click()")
        until(lambda: page.run("document.querySelector('#qr path').hasAttribute('d')"), "the code")
        page.picture(tmp_path / "page.png")
        assert read(tmp_path / "page.png") == f"{url}{link}"
    assert not visitor.opens().is_shown("code")  # no phone has our file
    assert page.complaints == []
    page.close()


@pytest.mark.parametrize("length", [20, 400, 1000, 1500])
def test_codes_of_all_sizes_are_read(browser: Browser, tmp_path: Path, length: int) -> None:
    page = browser.page(900, 900)
    page.open(FILE.as_uri())
    text = f"https://games.example/board.html#1..{'aZ0-_9' * length}"[:length]
    page.run(
        """(text) => {
          const code = modules.lean_qr.generate(text);
          const canvas = document.createElement("canvas");
          code.toCanvas(canvas, { off: [255, 255, 255, 255] });
          canvas.style = "position: fixed; inset: 0; image-rendering: pixelated";
          canvas.style.width = `${4 * canvas.width}px`;
          document.body.replaceChildren(canvas);
        }""",
        text,
    )
    page.picture(tmp_path / "page.png")
    assert read(tmp_path / "page.png") == text
    page.close()
