"""Timers, for work due at a moment: `jobs` claims timers, the other modules have their handlers."""
