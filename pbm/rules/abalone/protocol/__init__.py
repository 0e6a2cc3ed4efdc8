"""`pbm-rules`: the rules and the search for other programs, line by line."""
