"""The tables; importing this package registers all of them in `metadata`."""
# ruff: noqa: F401

from pbm.store.schema import asking, games, happened, mails, people, plans, running
from pbm.store.schema.columns import metadata as metadata
