"""Questions to people: what is asked, what waits for the answer, and the consent that a yes gives.

Each question carries a token that only the asked mailbox sees.
"""
