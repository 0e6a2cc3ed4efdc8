"""Timers, for work due at a moment: `jobs` claims them, the other modules handle their kinds."""
