"""Dealing with our own faults: masking of errors, notices about them, crash marker, watchdog.

Every room above may use it; it uses `telling` only.
"""
