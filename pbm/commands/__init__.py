"""The command language: from the text of a mail to commands that run.

- `language`: how a command is declared, its arguments, and the context in which it runs.
- `families`: the commands, a class each, a file per family.
- `sentences`: what people write in plain sentences: yes, no, a name, a request.

`registry` parses one line, `script` a whole mail, and `auth` finds its sender. Start with
`families/play.py`.
"""
