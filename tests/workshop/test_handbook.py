"""The handbook's table of settings has all of them, and no others."""

import re
from dataclasses import fields
from pathlib import Path

from pbm.config import Settings

HANDBOOK = Path(__file__).parents[2] / "docs" / "operating.md"


def test_every_setting_is_in_the_table() -> None:
    rows = re.findall(
        r"^\| ((?:`PBM_[A-Z_]+`(?:, )?)+) \|", HANDBOOK.read_text(encoding="utf-8"), re.MULTILINE
    )
    named = [name for row in rows for name in re.findall(r"`(PBM_[A-Z_]+)`", row)]
    assert sorted(named) == sorted(f"PBM_{field.name.upper()}" for field in fields(Settings))
