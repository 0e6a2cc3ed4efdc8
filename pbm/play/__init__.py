"""Actions on a board: start, move, leave, agree, take back, end.

Each call carries out one action with all its consequences, in the given transaction, and returns
the events. `pbm/commands` parses the requests; `pbm/store` saves the results.
"""
