"""The commands, a file per family, listed in `registry.py`; see docs/adding-a-command.md."""
