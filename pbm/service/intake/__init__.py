"""Incoming mail up to the 250 reply: recipient checks, limits, and the committed inbox row."""
