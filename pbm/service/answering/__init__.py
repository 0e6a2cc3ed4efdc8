"""Answers to our questions, and mails from unknown addresses.

`answers` handles an answer to a question, `newcomers` a mail from an unknown address.
"""
