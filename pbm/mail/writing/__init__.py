"""Outgoing mail: pure functions that make its bytes of a template and frozen parameters."""
