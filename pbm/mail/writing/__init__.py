"""Outgoing mail: pure functions that make its bytes from a template and frozen parameters."""
