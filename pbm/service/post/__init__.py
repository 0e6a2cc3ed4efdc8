"""The post: the outbox rendered and handed on, and what comes back.

A mail is tried again with the same bytes until it is taken, refused, or too old.
"""
