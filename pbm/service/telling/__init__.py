"""Turns events into mails in the outbox: who gets which mail, and when."""
