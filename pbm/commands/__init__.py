"""The language: each command is one class, and that class is its only declaration."""
