"""Outgoing mail: pure code from a template and its frozen parameters to bytes."""
