"""`pbm-engine`: the search for matches between programs."""
