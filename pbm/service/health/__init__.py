"""How the server is: what is red, and what to do about it.

`pbm-admin check` and `status` print it, metrics count it, a timer mails what has become red.
"""
