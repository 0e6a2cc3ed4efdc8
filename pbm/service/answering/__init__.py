"""Answers to our questions (`answers`), and mails from unknown addresses (`newcomers`)."""
