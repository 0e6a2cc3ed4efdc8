"""The repositories: each has the queries about one subject, and returns rows as dataclasses."""
