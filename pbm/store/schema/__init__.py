"""The tables; importing this package registers all of them in `metadata`."""

from pbm.store.schema import asking, games, mails, people, rating, running
from pbm.store.schema import asking as seeking
from pbm.store.schema import asking as talk
from pbm.store.schema import running as thinking
from pbm.store.schema.columns import metadata

__all__ = [
    "asking",
    "games",
    "mails",
    "metadata",
    "people",
    "rating",
    "running",
    "seeking",
    "talk",
    "thinking",
]
