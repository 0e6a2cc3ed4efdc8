"""Incoming mail up to the 250 reply: recipient checks, limits, and the inbox row.

A refusal is a sentence for people. An accepted mail is committed first.
"""
