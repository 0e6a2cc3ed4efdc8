"""The post: renders and sends the outbox, and handles bounces.

A mail is retried with the same bytes until it is accepted, refused, or too old.
"""
