"""Turns events into mails in the outbox.

`announce` mails the boards of events to their readers, and the one answer to the sender;
`kept_news` keeps or delays mails, `mail_writer` writes outbox rows.
"""
