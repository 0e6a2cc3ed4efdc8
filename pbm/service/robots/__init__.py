"""Search jobs for robots' moves, hints and analyses, computed in worker processes.

`jobs` leases and finishes them, with the handlers in `moves` and `analyses`.
"""
