"""The search for good moves: alpha-beta on sets of cells, in plain Python and in C.

`searching` is the interface. `plain` and `core.c` are twins: for the same root, weights and limits
they find the same moves, scores and lines, and search the same number of nodes.
"""
