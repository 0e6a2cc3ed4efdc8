"""Search jobs, computed outside turns: robots' moves, and what people ask a robot.

`moves`, `hints` and `analyses` have the handlers. `jobs` leases the rows and finishes
them, `worker` is the role's loop, `worker_processes` has the processes that compute.
"""
