"""The SMTP and LMTP server: one reply for each command, 250 only after the commit."""
