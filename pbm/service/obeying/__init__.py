"""Obeying a script: one savepoint per command, and refusals caught in one place.

`obey` decides whether a script runs or its player is asked first, `scripts` runs it.
"""
