"""A pbm that is one step of the schema ahead of this one."""

import shutil
from pathlib import Path

import pytest

from pbm.resources import resource_path
from pbm.store import migrate

NEWER = "9000"
_STEP = '''
"""A table more"""

import sqlalchemy as sa
from alembic import op

revision = "{newer}"
down_revision = "{before}"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table("added_later", sa.Column("id", sa.Integer(), primary_key=True))


def downgrade() -> None:
    op.drop_table("added_later")
'''


def become_newer(folder: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """From now on the program needs a version that no database has yet; return the one before."""
    before = migrate.newest_version()
    copy = folder / "newer-migrations"
    shutil.copytree(resource_path("migrations"), copy)
    step = _STEP.lstrip().format(newer=NEWER, before=before)
    (copy / "versions" / f"{NEWER}_a_table_more.py").write_text(step, encoding="utf-8")
    monkeypatch.setattr(migrate, "resource_path", lambda _: copy)
    return before
