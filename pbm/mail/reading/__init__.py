"""Parsing of incoming mail: from bytes to an envelope with the sender's own words; pure."""
