"""Locks and second looks, each broken in turn; tests must notice."""
