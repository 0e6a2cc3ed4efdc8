"""The SMTP and LMTP server: a mail gets the reply 250 only after the commit to the database."""
