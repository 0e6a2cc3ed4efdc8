"""Outgoing mail: pure functions that make the bytes of a mail from a template and parameters."""
