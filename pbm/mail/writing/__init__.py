"""Outgoing mail: from a template and its frozen parameters to bytes.

All code here is pure: the same parameters make the same bytes at every try. Pictures of boards are
drawn here, too.
"""
