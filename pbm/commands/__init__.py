"""The command language: from the text of a mail to commands that run.

`registry` parses a line, `script` a whole mail, and `auth` finds its sender. The commands stand in
`families`, declared by means of `language`; `sentences` reads plain words, such as yes and no.
Start with `families/play.py`.
"""
