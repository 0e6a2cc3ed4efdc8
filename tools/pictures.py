"""Make the pictures of README.md, in docs/pictures: a board's mail on a phone, and the board page.

A server of this checkout plays the game in them, and Debian's Chromium shows it.
"""

import base64
import io
import re
import sys
from email import message_from_bytes
from email.message import EmailMessage
from email.policy import default
from pathlib import Path
from tempfile import TemporaryDirectory

from PIL import Image

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from tests.browser import Browser, Page, running_browser  # noqa: E402
from tests.e2e.ports import free_port  # noqa: E402
from tests.e2e.running import RunningServer  # noqa: E402
from tests.polling import until  # noqa: E402

FOLDER = ROOT / "docs" / "pictures"
MOST_BYTES = 60_000  # of a picture, so that README.md is shown at once
GAME = (
    *("a1-c3,b2", "i9-g7,h8", "a2-c4,b3", "i7-g5,h6", "b5-d5,c5", "i5-g5,h5", "a5-b6,b5"),
    *("i6-h5,h5", "b4-d4,c4", "h7-f5,g6", "a4,b4", "h9-h8,h8", "a3-c5,b4", "h6-f4,g5"),
    *("b3-d5,c4", "h4-h5,h5", "b1-b2,b2", "i8-h8,h8", "b5-c6,c6", "g8,f8", "d7,e7", "f8,f7"),
    *("b2,c2", "h7-f7,g7", "b4-d6,c5", "g4-e4,f4"),
)
COLOURS = 64
CHOSEN = "e7-e5,e6"
PHONE, DESK = (375, 667), (1000, 700)


def main() -> None:
    FOLDER.mkdir(exist_ok=True)
    with TemporaryDirectory(prefix="pbm-pictures-") as name, running_browser() as browser:
        folder, web = Path(name), f"127.0.0.1:{free_port()}"
        url = f"http://{web}/board.html"
        with RunningServer(folder, {"PBM_WEB_LISTEN": web, "PBM_WEB_URL": url}) as server:
            html = _played(server)
            _mail_on_a_phone(browser, html, folder / "mail.html")
            _board_page(browser, re.findall(rf'href="({re.escape(url)}#[^"]*)', html)[0])
    for file in sorted(FOLDER.glob("*.png")):
        size = file.stat().st_size
        print(f"{file.relative_to(ROOT)}: {size:,} bytes")
        if size > MOST_BYTES:
            sys.exit(f"A picture has {MOST_BYTES:,} bytes at most.")


def _mail_on_a_phone(browser: Browser, html: str, file: Path) -> None:
    file.write_text(html, encoding="utf-8")
    page = browser.page(*PHONE, phone=True)
    page.open(file.as_uri())
    _taken(page, "mail")


def _board_page(browser: Browser, link: str) -> None:
    page = browser.page(*DESK)
    page.prefers(**{"prefers-reduced-motion": "reduce"})
    page.open(link)
    page.run("document.getElementById('move').focus()")
    page.type(CHOSEN)
    _taken(page, "board")


def _taken(page: Page, name: str) -> None:
    shot = page.call("Page.captureScreenshot", format="png")
    image = Image.open(io.BytesIO(base64.b64decode(shot["data"]))).convert("RGB")
    few = image.quantize(COLOURS, dither=Image.Dither.NONE)
    few.save(FOLDER / f"{name}.png", optimize=True)
    page.close()


def _played(server: RunningServer) -> str:
    """Play the game by mail, and return the HTML part of the mail with its last board."""

    def send(handle: str, *words: str) -> None:
        done = server.admin("send", "--as", f"{handle}@example.org", *words)
        assert done.returncode == 0, done.stdout + done.stderr

    def received(handle: str, told: str) -> EmailMessage | None:
        files = (server.folder / "var" / "maildir").glob(f"{handle}*/new/*")
        mails = (message_from_bytes(it.read_bytes(), policy=default) for it in files)
        return next((it for it in mails if told in _part(it, "plain")), None)

    for handle in ("alice", "bob"):
        send(handle, "--new", f"signup {handle}")
        send(handle, "yes")
    send("alice", "challenge bob")
    mail: EmailMessage | None = None
    for number, move in enumerate(GAME):
        mover, other = ("alice", "bob") if number % 2 == 0 else ("bob", "alice")
        send(mover, move)
        mail = until(lambda o=other, m=f"{mover} played {move}": received(o, m), move)
    assert mail
    html = _part(mail, "html")
    for part in mail.walk():
        if name := part.get("Content-ID"):
            data = base64.b64encode(part.get_content()).decode()
            html = html.replace(
                f"cid:{name[1:-1]}", f"data:{part.get_content_type()};base64,{data}"
            )
    return html


def _part(mail: EmailMessage, kind: str) -> str:
    part = mail.get_body((kind,))
    return str(part.get_content()) if part else ""


if __name__ == "__main__":
    main()
