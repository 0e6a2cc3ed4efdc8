"""How a command is declared: a class whose fields are its syntax and whose docstring is its help.

`declare` has the base class, `fields` the kinds of fields. `words`, `numbers`, `days` and
`opponents` hold all parsers of arguments. `context` is the environment of a running command.
"""
