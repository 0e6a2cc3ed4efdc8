"""Players' accounts: signing up, handles, addresses, and passwords.

An address counts once the person who reads its mail has said so.
"""
