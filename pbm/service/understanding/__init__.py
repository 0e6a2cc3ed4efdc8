"""What a mail means, without doing any of it.

`mail_turn` is one mail's turn with its script, `withheld_text` takes secrets out of its words, and
`interpret` returns what its sender means.
"""
