"""Telling: events become mails in the outbox. The lowest layer of the service.

`announce.announce_boards` writes one mail to each reader of each board that events are about, and
`answer.announce_answer` the one answer to the sender. Within that, `kept_news` leaves news to a
digest and delays mails for a robot or an unreachable reader, and `mail_writer` adds subject,
thread, reply address and kind. `digests` writes digests.
"""
