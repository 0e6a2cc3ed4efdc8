"""Mail that comes in, up to the 250: whose it is, whether it is taken, and its row.

What is refused here is refused in a sentence for people. What is taken is committed first.
"""
