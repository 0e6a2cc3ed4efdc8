"""pbm: a play-by-mail game server. Start reading at `pbm.service.turns.inbox_worker`."""

__version__ = "0.3.0"  # of the release to come, or this one (docs/releasing.md)
