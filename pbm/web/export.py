"""The public pages as files, for a web server that needs no pbm behind it."""

import re
from pathlib import Path

from pbm.errors import OperatorError
from pbm.files import trouble
from pbm.web.pages import Pages

_LINK = re.compile(r'href="(/[^"#]*)')
_FIRST = ("/", "/board.html", "/robots.txt")


def export_pages(pages: Pages, folder: Path) -> int:
    """Write all pages to which links lead from the first one; return how many.

    Raises OperatorError if the folder has something in it: what is not public any more would stay.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
        if any(folder.iterdir()):
            raise OperatorError(
                f"{folder} is not empty. Name a new folder, and put it in the place of the old "
                "one when it is written, so that no page stays that is not public any more."
            )
        return _written(pages, folder)
    except OSError as error:
        raise OperatorError(f"The pages cannot be written: {trouble(folder, error)}") from error


def _written(pages: Pages, folder: Path) -> int:
    known, waiting, count = set(_FIRST), list(_FIRST), 0
    while waiting:
        path = waiting.pop()
        answer = pages.answer(path)
        if answer.status != 200:  # such as a rematch of a private board
            continue
        file = folder / path[1:] / ("" if "." in path else "index.html")
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(answer.body)
        count += 1
        if path != "/board.html":
            found = {it for it in _LINK.findall(answer.body.decode()) if it not in known}
            known |= found
            waiting += found
    return count
