"""Answers to our questions, and mails of people who do not play here yet.

`answers` is the entry for a question's answer, `strangers` for a mail of an unknown address.
"""
