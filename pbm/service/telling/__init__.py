"""Turns events into mails in the outbox.

`announce.announce_boards` mails the boards of events to their readers, `answer.announce_answer` the
one answer to the sender; `kept_news` keeps or delays mails, `mail_writer` writes outbox rows.
"""
