"""Clocks of players: durations as people write them, and the days that count."""
