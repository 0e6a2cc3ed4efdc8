"""`docs/privacy.md` tells of each table what erasure and export do to a player's rows.

After a wanted change run `REGOLD=1 make test ARGS=tests/store/test_privacy_page.py`.
"""

import os
from collections.abc import Iterator
from pathlib import Path

from pbm.store.schema import metadata
from pbm.store.schema.personal import (
    BlankColumns,
    DeleteRows,
    ExportedBy,
    ExportRows,
    KeepRows,
    Personal,
    mark_of,
)

PAGE = Path(__file__).parents[2] / "docs" / "privacy.md"
OPENING, CLOSING = "<!-- tables -->\n", "<!-- /tables -->"


def erased(mark: Personal) -> str:
    match mark.erasure:
        case KeepRows():
            return f"kept: {mark.erasure}"
        case BlankColumns(values):
            return f"kept, but for {', '.join(f'`{name}`' for name in sorted(values))}"
        case DeleteRows(only) if only:
            return "deleted where " + " and ".join(f"`{key}` is {it}" for key, it in only.items())
        case DeleteRows():
            return "deleted"
        case _:
            return f"`{mark.erasure}` erases or ends them"


def exported(mark: Personal) -> str:
    if isinstance(mark.export, ExportRows | ExportedBy):
        return f"`{mark.export.key}`"
    return f"no: {mark.export}"


def rows() -> Iterator[str]:
    yield "| table | after `delete` | in `export me` |"
    yield "| --- | --- | --- |"
    for table in sorted(metadata.tables.values(), key=lambda it: it.name):
        if mark := mark_of(table):
            yield f"| `{table.name}` | {erased(mark)} | {exported(mark)} |"


def test_the_page_has_a_row_for_each_table_with_personal_data() -> None:
    text = PAGE.read_text(encoding="utf-8")
    before, _, rest = text.partition(OPENING)
    lines = "\n".join(rows())
    whole = f"{before}{OPENING}{lines}\n{CLOSING}{rest.partition(CLOSING)[2]}"
    if os.environ.get("REGOLD"):
        PAGE.write_text(whole, encoding="utf-8")
    assert PAGE.read_text(encoding="utf-8") == whole
