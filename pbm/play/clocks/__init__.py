"""How much time a player has: durations as people write them, and the days that count."""
