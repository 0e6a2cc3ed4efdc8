"""Pure functions that parse the bytes of an incoming mail, and find what its author wrote."""
