"""Outgoing mail: to a smarthost over SMTP, or into Maildirs.

A transport delivers bytes and returns a result: sent, deferred, or failed.
"""
