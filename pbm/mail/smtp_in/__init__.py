"""SMTP and LMTP as a server: what other programs may say to us, and what they hear.

A conversation knows no database. It hands recipients and mails in, and turns what comes of that
into one reply: 250 only after the commit.
"""
