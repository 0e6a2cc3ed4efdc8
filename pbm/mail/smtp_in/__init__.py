"""The SMTP and LMTP server: conversations with clients.

A conversation does not access the database. It passes recipients and mails on, and turns each
result into one reply: 250 only after the commit.
"""
