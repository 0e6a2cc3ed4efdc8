"""Turns: one mail of the inbox obeyed whole, in one transaction, and its mails written down.

Start with `turn.py`. Who speaks, what the mail asks for, what comes of it and who hears of that
follow from there.
"""
