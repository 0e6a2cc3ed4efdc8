"""Players' accounts: handles that may be given, and passwords that an upgrade cleared."""
