"""Handling of faults: masked errors, notices to the operator, the crash marker, the watchdog."""
