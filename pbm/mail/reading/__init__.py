"""Mail that comes: from bytes to an envelope with a sender's own words.

Everything here is pure and bounded: it does no more work than `limits` allows, whoever wrote the
mail. What is quoted, signed, hidden or automatic is told apart from what a person says.
"""
