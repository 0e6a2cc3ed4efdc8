"""Processes: database writers, threads, heartbeats, and checks of clock and disks."""
