"""The command language: from the text of a mail to commands that run.

- `language`: how a command is declared, its arguments, and what it sees while it runs.
- `families`: the commands, a file per family. Each is one class.
- `sentences`: what people write in plain sentences: yes, no, a name, a wish.

`registry` reads one line, `script` a whole mail, and `auth` tells who sent it. Start with
`families/play.py`.
"""
