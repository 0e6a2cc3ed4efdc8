"""Outgoing mail: to a smarthost over SMTP, or into Maildirs."""
