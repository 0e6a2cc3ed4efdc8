"""The tables; importing this package registers all of them in `metadata`."""

from pbm.store.schema import asking, games, happened, mails, people, plans, running, watching
from pbm.store.schema.columns import metadata

__all__ = [
    "asking",
    "games",
    "happened",
    "mails",
    "metadata",
    "people",
    "plans",
    "running",
    "watching",
]
