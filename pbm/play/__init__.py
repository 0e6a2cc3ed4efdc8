"""Actions on a board, each carried out with all its consequences in the given transaction."""
