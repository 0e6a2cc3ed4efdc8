"""Recognises plain sentences, with word lists in many languages.

`answers` reads the answer to a question or a welcome, `intentions` a wish
or question to the server. All are pure. The word lists are in `languages/`.
"""
