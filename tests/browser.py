"""Debian's Chromium without a window, driven by its DevTools protocol over a pair of pipes.

It makes no use of a network: a page comes from a file, or from the text of a module. What a page
asks for is kept in `Page.requests`.
"""

import base64
import json
import os
import select
import shutil
import subprocess
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, cast

from tests.polling import PATIENCE, until

_FLAGS = (
    *("--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"),
    *("--disable-background-networking", "--disable-component-update", "--disable-sync"),
    *("--disable-dev-shm-usage", "--hide-scrollbars", "--remote-debugging-pipe"),
)
_KEYS = {
    "Tab": ("Tab", 9),
    "Enter": ("Enter", 13),
    "Escape": ("Escape", 27),
    " ": ("Space", 32),
    "PageUp": ("PageUp", 33),
    "PageDown": ("PageDown", 34),
    "ArrowLeft": ("ArrowLeft", 37),
    "ArrowUp": ("ArrowUp", 38),
    "ArrowRight": ("ArrowRight", 39),
    "ArrowDown": ("ArrowDown", 40),
}
Point = tuple[float, float]


class PageError(AssertionError):
    """What a script threw, or what the browser refused."""


class Browser:
    """A running browser. Its pages share nothing with each other."""

    def __init__(self, process: subprocess.Popen[bytes], write: int, read: int) -> None:
        self._process, self._write, self._read = process, write, read
        self._rest, self._number = b"", 0
        self._pages: dict[str, Page] = {}

    def page(self, width: int = 1200, height: int = 900, *, phone: bool = False) -> "Page":
        """A new page of its own kind: empty, without cookies, as large as told."""
        context = self.call("Target.createBrowserContext")["browserContextId"]
        target = self.call("Target.createTarget", url="about:blank", browserContextId=context)
        session = self.call("Target.attachToTarget", targetId=target["targetId"], flatten=True)
        page = Page(self, session["sessionId"], context)
        self._pages[page.session] = page
        for domain in ("Page", "Runtime", "Network", "Log"):
            page.call(f"{domain}.enable")
        size = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": phone}
        page.call("Emulation.setDeviceMetricsOverride", **size)
        if phone:
            page.call("Emulation.setTouchEmulationEnabled", enabled=True)
        return page

    def call(self, method: str, session: str = "", **params: Any) -> dict[str, Any]:
        """Call a method of the protocol and return its result. Raises PageError."""
        self._number += 1
        asked = {"id": self._number, "method": method, "params": params}
        told = json.dumps({**asked, "sessionId": session} if session else asked).encode()
        done = 0
        while done < len(told):
            done += os.write(self._write, told[done:])
        os.write(self._write, b"\0")
        while True:
            answer = self._next()
            if answer.get("id") == self._number:
                if "error" in answer:
                    raise PageError(f"{method}: {answer['error']['message']}")
                return cast(dict[str, Any], answer["result"])
            if page := self._pages.get(answer.get("sessionId", "")):
                page.hear(answer["method"], answer["params"])

    def _next(self) -> dict[str, Any]:
        pieces = [self._rest]
        while b"\0" not in pieces[-1]:
            assert select.select([self._read], [], [], PATIENCE)[0], "the browser says nothing"
            pieces.append(os.read(self._read, 1 << 20))
            assert pieces[-1], "the browser has ended"
        message, _, self._rest = b"".join(pieces).partition(b"\0")
        return cast(dict[str, Any], json.loads(message))

    def close(self) -> None:
        self.call("Browser.close")
        self._process.wait(PATIENCE)


@dataclass
class Page:
    """One page, with what was asked for and what went wrong on it."""

    browser: Browser
    session: str
    context: str
    requests: list[str] = field(default_factory=list)
    complaints: list[str] = field(default_factory=list)

    def call(self, method: str, **params: Any) -> dict[str, Any]:
        return self.browser.call(method, self.session, **params)

    def hear(self, method: str, params: Mapping[str, Any]) -> None:
        if method == "Network.requestWillBeSent":
            self.requests.append(params["request"]["url"])
        elif method == "Runtime.exceptionThrown":
            self.complaints.append(json.dumps(params["exceptionDetails"]))
        elif method == "Log.entryAdded":
            self.complaints.append(params["entry"]["text"])

    def run(self, script: str, *given: Any) -> Any:
        """Evaluate an expression; one that is a function is called with what is given."""
        whole = f"({script})({', '.join(map(json.dumps, given))})" if given else script
        done = self.call(
            "Runtime.evaluate",
            expression=whole,
            awaitPromise=True,
            returnByValue=True,
            userGesture=True,
        )
        if told := done.get("exceptionDetails"):
            raise PageError(told.get("exception", {}).get("description") or told["text"])
        return done["result"].get("value")

    def module(self, file: Path) -> str:
        """The URL by which a script here may import a module."""
        return (
            "data:text/javascript;charset=utf-8;base64,"
            + base64.b64encode(file.read_bytes()).decode()
        )

    def open(self, url: str) -> None:
        self.call("Page.navigate", url="about:blank")
        self.call("Page.navigate", url=url)
        until(lambda: self.run("document.readyState") == "complete", url[:80])

    def click(self, at: Point, *, until_at: Point | None = None) -> None:
        """Press the mouse's left button and let go of it, there or where it was dragged to."""
        self._mouse("mouseMoved", at)
        self._mouse("mousePressed", at)
        if until_at:
            self._mouse("mouseMoved", ((at[0] + until_at[0]) / 2, (at[1] + until_at[1]) / 2))
            self._mouse("mouseMoved", until_at)
        self._mouse("mouseReleased", until_at or at)

    def _mouse(self, kind: str, at: Point) -> None:
        held = {"button": "none"} if kind == "mouseMoved" else {"button": "left", "clickCount": 1}
        self.call("Input.dispatchMouseEvent", type=kind, x=at[0], y=at[1], **held)

    def touch(self, at: Point, *, until_at: Point | None = None) -> None:
        """Put a finger down and lift it, there or where it was drawn to."""
        for kind, (x, y) in (("touchStart", at), *([("touchMove", until_at)] if until_at else [])):
            self.call("Input.dispatchTouchEvent", type=kind, touchPoints=[{"x": x, "y": y}])
        self.call("Input.dispatchTouchEvent", type="touchEnd", touchPoints=[])

    def press(self, *keys: str) -> None:
        for key in keys:
            code, number = _KEYS.get(key, (key, ord(key.upper()) if len(key) == 1 else 0))
            text = (
                {"text": {"Enter": "\r"}.get(key, key)}
                if key in ("Enter", " ") or len(key) == 1
                else {}
            )
            told = {"key": key, "code": code, "windowsVirtualKeyCode": number}
            self.call("Input.dispatchKeyEvent", type="keyDown", **told, **text)
            self.call("Input.dispatchKeyEvent", type="keyUp", **told)

    def type(self, text: str) -> None:
        self.call("Input.insertText", text=text)

    def prefers(self, **features: str) -> None:
        """Say what the reader prefers, such as `prefers-color-scheme` (with _ for -)."""
        wanted = [{"name": it.replace("_", "-"), "value": value} for it, value in features.items()]
        self.call("Emulation.setEmulatedMedia", features=wanted)

    def focused(self) -> str:
        """The name of what has the focus, as the accessibility tree tells it."""
        return next((_name(it) for it in reversed(self._spoken()) if _has(it, "focused")), "")

    def heard(self) -> str:
        """What the live region says, as the accessibility tree tells it."""
        nodes = self._spoken()
        status = next(node for node in nodes if node["role"]["value"] == "status")
        inside = {*status["childIds"]}
        return " ".join(_name(node) for node in nodes if node["nodeId"] in inside)

    def _spoken(self) -> list[dict[str, Any]]:
        nodes = self.call("Accessibility.getFullAXTree")["nodes"]
        return [node for node in nodes if not node.get("ignored")]

    def picture(self, file: Path) -> None:
        """Write the whole page as a PNG."""
        shot = self.call("Page.captureScreenshot", captureBeyondViewport=True)
        file.write_bytes(base64.b64decode(shot["data"]))

    def close(self) -> None:
        self.browser.call("Target.disposeBrowserContext", browserContextId=self.context)


def _name(node: Mapping[str, Any]) -> str:
    return str(node.get("name", {}).get("value", ""))


def _has(node: Mapping[str, Any], what: str) -> bool:
    return any(it["name"] == what and it["value"]["value"] for it in node.get("properties", ()))


@contextmanager
def running_browser() -> Iterator[Browser]:
    program = shutil.which("chromium")
    assert program, "Chromium is missing; `make deps` installs it."
    to_browser, from_us = os.pipe()
    to_us, from_browser = os.pipe()
    with TemporaryDirectory(prefix="pbm-chromium-", ignore_cleanup_errors=True) as folder:
        process = subprocess.Popen(
            # The protocol's pipes are descriptors 3 and 4.
            [
                *("bash", "-c", f'exec "$@" 3<&{to_browser} 4>&{from_browser}', "bash"),
                *(program, *_FLAGS, f"--user-data-dir={folder}"),
            ],
            pass_fds=(to_browser, from_browser),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        os.close(to_browser)
        os.close(from_browser)
        browser = Browser(process, from_us, to_us)
        try:
            yield browser
            browser.close()
        finally:
            process.kill()
            process.wait()
            os.close(from_us)
            os.close(to_us)
