"""The repositories: each has the queries of one subject, which return values."""
