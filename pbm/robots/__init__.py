"""Robots: how much each of them looks at, and which of the moves it found it plays."""
