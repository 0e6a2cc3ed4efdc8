"""Search jobs for robots' moves, hints and analyses, computed in worker processes.

`jobs` leases and finishes them by `handlers`.
"""
