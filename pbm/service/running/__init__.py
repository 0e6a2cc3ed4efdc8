"""What a process of the server needs while it runs: loops, writers, heartbeats.

Nothing here knows what a mail says.
"""
