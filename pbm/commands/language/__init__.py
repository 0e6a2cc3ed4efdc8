"""How a command is declared: its base class, fields and argument types, and its context."""
