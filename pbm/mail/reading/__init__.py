"""Parsing of incoming mail: from bytes to an envelope with the sender's own words.

All code here is pure, and its work is bounded by `limits` for any mail. It separates a person's
words from quoted, signed, hidden and automatic text.
"""
