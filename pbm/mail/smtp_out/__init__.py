"""Mail on its way out: to a smarthost over SMTP, or into Maildirs.

A transport takes bytes and says what became of them: sent, to be tried again, or refused.
"""
