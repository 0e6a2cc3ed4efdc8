"""Composition root: builds a server from the settings; `pbm serve` runs it."""
