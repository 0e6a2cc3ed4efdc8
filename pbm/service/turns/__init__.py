"""Turns: each handles one mail of the inbox in one transaction, and writes its mails.

Start with `inbox_worker.py`, then `handle_mail.py`.
"""
