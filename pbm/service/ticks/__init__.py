"""Timers: work due at a moment, without a mail that asks for it.

`jobs` claims due timers and runs the handler of their kind; the other modules are the handlers.
"""
