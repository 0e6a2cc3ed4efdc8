"""`obey` decides whether a player's script runs or must be confirmed first; `scripts` runs it."""
