"""Recognises plain sentences, with word lists in many languages.

`yes_and_no` reads the answer to a question, `everyday` the answer to a welcome, `intentions` a wish
or question to the server. All are pure. The word lists are in `languages/`.
"""
