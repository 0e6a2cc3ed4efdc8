"""The commands, a file per family. A command declares its syntax and runs; it returns events.

`pbm/commands/registry.py` lists them all; docs/adding-a-command.md tells how to add one.
"""
