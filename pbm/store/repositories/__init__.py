"""The repositories: queries that return values, each about one subject, within one transaction."""
