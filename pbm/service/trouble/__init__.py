"""Handling of our own faults: masked errors, notices, crash marker, watchdog.

Every layer above may use it; it uses `telling` only.
"""
