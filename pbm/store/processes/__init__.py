"""Notification and locks between processes that share a database."""
