"""Handling of mails: `inbox_worker.py` claims mails of the inbox, `handle_mail.py` handles one."""
