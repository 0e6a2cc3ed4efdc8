"""pbm: a play-by-mail game server. Start reading at `pbm.service.turns.turn`."""

__version__ = "0.3.0"  # the one place that names it (docs/releasing.md)
