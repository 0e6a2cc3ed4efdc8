"""Who wrote a mail, by its header: one `From` with one address, or nobody."""

import re

from pbm.mail.address import AddressError, parse_address

_LONGEST = 2_000

# What may stand in a quoted name only, and what it would mean elsewhere.
_STRAY = {
    "(": "a comment in parentheses",
    ")": "a comment in parentheses",
    ",": "more than one address",
    ":": "a group or a mail route instead of an address",
    ";": "a group instead of an address",
    "\\": "a stray backslash",
}


# A name in the old manner, `a@b (Name)`, or beside one: with no sign in it by which another program
# could find another address there.
_NAME_IN_COMMENT = re.compile(r"\([^()<>@\\]*\)(?=[ \t]*(?:<|$))")

# A whole quoted string, or one of the signs that count outside of them.
_QUOTED_OR_SIGN = re.compile(r'"(?:[^"\\]|\\.)*"|["(),:;\\<>@]', re.DOTALL)


class AuthorError(ValueError):
    """The header names no author that could be answered; `str()` is a sentence for people."""


def parse_author(fields: list[str]) -> str:
    """The address in the values of all `From` fields of a mail, normalised.

    Programs disagree on the author of a mail with two `From` lines, with groups, routes or
    comments (RFC 5322 sections 3.4, 4.4), and forgers know it: only one bare address, or one
    in angle brackets after a name, is read. The name is ignored, and so is one in a comment at
    the end or before the brackets. Raises AuthorError.
    """
    if not fields:
        raise AuthorError("The mail has no From line.")
    if len(fields) > 1:
        raise AuthorError("The mail has more than one From line.")
    value = fields[0].strip(" \t")
    if len(value) > _LONGEST:
        raise AuthorError("The From line of the mail is too long.")
    if not value.replace("\t", "").isprintable():
        raise AuthorError("The From line of the mail has control characters.")
    address = _address_in(_NAME_IN_COMMENT.sub(" ", value).strip(" \t"))
    if "=?" in address:
        raise AuthorError("The address in the From line is hidden in an encoded word.")
    if address.startswith("@"):
        raise AuthorError("The From line has a mail route instead of an address.")
    try:
        return parse_address(address)
    except AddressError as error:
        raise AuthorError(f"The From line of the mail has no proper address. {error}") from error


def _address_in(value: str) -> str:
    """What stands in angle brackets, or the whole value when there are none."""
    marks = _outside_quotes(value)
    for _, char in marks:
        if char in _STRAY:
            raise AuthorError(f"The From line of the mail has {_STRAY[char]}.")
    signs = "".join(char for _, char in marks)
    if "<" not in signs and ">" not in signs:
        return value
    if signs.count("<") > 1 or signs.startswith("@"):
        raise AuthorError("The From line of the mail has more than one address.")
    if not (signs.startswith("<") and signs.endswith(">") and value.endswith(">")):
        raise AuthorError("The From line of the mail has an address that isn't bracketed rightly.")
    return value[marks[0][0] + 1 : -1]


def _outside_quotes(value: str) -> list[tuple[int, str]]:
    """Every sign that isn't in a quoted string, with its place."""
    found = [(match.start(), match[0]) for match in _QUOTED_OR_SIGN.finditer(value)]
    if any(sign == '"' for _, sign in found):
        raise AuthorError("The From line of the mail has a quotation mark that isn't closed.")
    return [(at, sign) for at, sign in found if sign[0] != '"']
