"""Columns of a list: they stand in the same places in every line, and every time."""

_CUT = "..."


def cell(text: object, width: int) -> str:
    """A text that fills a column, cut where it is too long for it.

    >>> cell("bob", 5), cell("alexander", 7)
    ('bob  ', 'alex...')
    """
    shown = str(text)
    if len(shown) > width:
        shown = f"{shown[: width - len(_CUT)]}{_CUT}"
    return shown.ljust(width)
