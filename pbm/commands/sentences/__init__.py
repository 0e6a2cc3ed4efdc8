"""What people write in plain sentences, as word lists of many languages know it.

`yes_and_no` reads the answer to a question, `everyday` the answer to a welcome, `intentions` what
somebody wants from the server. All are pure. The word lists are in `languages/`.
"""
