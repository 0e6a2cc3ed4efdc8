"""Robots' search jobs: `jobs` leases, `worker_processes` computes, `handlers` acts on results."""
