"""Frozen dataclasses that the queries of the store return."""
