"""Turns events into mails in the outbox.

`announce` mails each board to its readers, and one answer to the sender. `kept_news` keeps or
delays mails, `mail_writer` writes outbox rows.
"""
