"""The tables. All of them are known to `metadata` as soon as this package is imported."""

from pbm.store.schema import asking, games, mails, people, rating, running, seeking, talk
from pbm.store.schema.columns import metadata

__all__ = ["asking", "games", "mails", "metadata", "people", "rating", "running", "seeking", "talk"]
