"""Frozen dataclasses that the store's queries return."""
