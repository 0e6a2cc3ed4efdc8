"""Mail that goes: from a template and its frozen parameters to bytes.

Everything here is pure: the same parameters make the same bytes, at every try. The picture of a
board is drawn here, too.
"""
