"""pbm: a play-by-mail game server. Start reading at `pbm.service.turns.inbox_worker`."""

__version__ = "0.3.0"  # the only place to change it (docs/releasing.md)
