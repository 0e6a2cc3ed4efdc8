"""Running: writers, heartbeats, and checks of clock and disks.

No module here knows what a mail says.
"""
