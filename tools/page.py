"""Builds the board page: pbm/page/board.html, one file with its scripts, style and data.

`tools/page.py` writes it; `tools/page.py --check` says whether the written one is current.
"""

import json
import re
import sys
from base64 import b64encode
from hashlib import sha256
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from pbm.play.board_page import page_shape  # noqa: E402
from pbm.rules.contract import PageRules, has  # noqa: E402
from pbm.rules.registry import own_game  # noqa: E402

PAGE = ROOT / "pbm" / "page"
BUILT = PAGE / "board.html"
_IMPORT = re.compile(r'^import (?:\* as (\w+)|\{([^}]*)\}) from "\./(\w+)\.js";\n', re.MULTILINE)
_EXPORT = re.compile(r"^export (?=(?:async )?(?:function\*?|const|class) (\w+))", re.MULTILINE)
_LISTED = re.compile(r"^(.*)export\{((?:\w+ as \w+,?)+)\};$", re.MULTILINE)  # of minified modules
_COMMENT = re.compile(r"^[ \t]*//.*\n|^[ \t]*/\*\*(?:(?!\*/)[\s\S])*\*/\n", re.MULTILINE)


def _bundled(module: Path, done: list[str]) -> str:
    """Return a module and those it imports as one script: each is a function that is called."""
    before, source = "", module.read_text(encoding="utf-8")
    for _, _, name in _IMPORT.findall(source):
        if name not in done:
            done.append(name)
            before += _bundled(_found(name), done)
    source = _IMPORT.sub(lambda it: f"const {it[1] or f'{{{it[2]}}}'} = modules.{it[3]};\n", source)
    names = ", ".join(_EXPORT.findall(source))
    if listed := _LISTED.search(source):
        names = re.sub(r"(\w+) as (\w+)", r"\2: \1", listed[2])
    source = _LISTED.sub(r"\1", source)
    source = _COMMENT.sub("", _EXPORT.sub("", source)).strip()
    return f"{before}modules.{module.stem} = (() => {{\n{source}\nreturn {{ {names} }};\n}})();\n"


def _found(name: str) -> Path:
    own = PAGE / f"{name}.js"
    return own if own.exists() else ROOT / "pbm" / "rules" / name / f"{name}.js"


def _rounded(value: Any) -> Any:
    return json.loads(json.dumps(value), parse_float=lambda it: round(float(it), 4))


def build() -> str:
    script = '"use strict";\nconst modules = {};\n' + _bundled(PAGE / "page.js", [])
    style = (PAGE / "page.css").read_text(encoding="utf-8").strip()
    game = own_game()
    assert has(game, PageRules)
    built = {"shapes": {game.info.name: _rounded(page_shape(game.ground))}, "two": "ox"}
    hashes = {
        kind: b64encode(sha256(text.encode()).digest()).decode()
        for kind, text in (("script", script), ("style", style))
    }
    policy = (
        f"default-src 'none'; script-src 'sha256-{hashes['script']}'; "
        f"style-src 'sha256-{hashes['style']}'; img-src data:; base-uri 'none'; form-action 'none'"
    )
    parts = {
        "policy": f'<meta http-equiv="Content-Security-Policy" content="{policy}">',
        "style": style,
        "built": json.dumps(built, separators=(",", ":")).replace("<", "\\u003c"),
        "script": script,
    }
    page = (PAGE / "page.html").read_text(encoding="utf-8")
    return re.sub(r"\{\{ (\w+) \}\}", lambda found: parts[found[1]], page)


def main() -> None:
    page = build()
    if sys.argv[1:] == ["--check"]:
        if not BUILT.exists() or BUILT.read_text(encoding="utf-8") != page:
            sys.exit(f"{BUILT.relative_to(ROOT)} is not current: run `make page`.")
    else:
        BUILT.write_text(page, encoding="utf-8")


if __name__ == "__main__":
    main()
