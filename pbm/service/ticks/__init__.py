"""What is done at a moment, without any mail that asks for it: a module for each kind of it.

`machine` claims what is due, `registry` says what is done then.
"""
