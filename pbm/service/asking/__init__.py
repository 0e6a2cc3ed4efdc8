"""Questions to people, the commands that wait for an answer, and standing consent.

Each question carries a token that only the asked mailbox sees.
"""
