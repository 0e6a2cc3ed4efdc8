"""What can happen to a board: it is started, moved on, left, agreed on, taken back, ended.

Each call does it with all its consequences, in the transaction that it is given, and returns the
events. In which words it is asked for is `pbm/commands`; `pbm/store` writes down what it is given.
"""
