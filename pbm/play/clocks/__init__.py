"""Clocks of players: durations as people write them, days off, deadlines."""
