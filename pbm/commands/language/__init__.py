"""How a command is declared: a class whose fields are its syntax and whose docstring is its help.

`declare` has the base class, `fields` the kinds of fields, `words`, `numbers`, `days` and
`opponents` the types of arguments, which are the only parsers of arguments. `context` is what a
command sees while it runs.
"""
