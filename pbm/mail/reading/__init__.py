"""Pure functions that parse incoming mail, from bytes to an envelope with the own words."""
