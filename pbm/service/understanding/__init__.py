"""Finds out what a mail means: `withheld_text` removes secrets, `interpret` reads the script."""
