"""`format=flowed` text (RFC 3676): paragraphs that were broken for the way are joined again."""


def unflow(text: str, delete_space: bool) -> str:
    """Join the soft breaks of `text` and undo its space-stuffing.

    Quoted lines keep their marks, one blank after them. `delete_space` is the parameter
    `DelSp=yes`: the blank of a soft break is no part of the text.
    """
    paragraphs: list[str] = []
    pieces: list[str] = []
    depth = 0
    for line in text.split("\n"):
        line_depth = len(line) - len(line.lstrip(">"))
        content = line[line_depth:].removeprefix(" ")
        if pieces and line_depth != depth:
            paragraphs.append(_paragraph(pieces, depth))
            pieces = []
        depth = line_depth
        is_soft = content.endswith(" ") and content != "-- "
        if content == "-- " and pieces:
            paragraphs.append(_paragraph(pieces, depth))
            pieces = []
        pieces.append(content[:-1] if is_soft and delete_space else content)
        if not is_soft:
            paragraphs.append(_paragraph(pieces, depth))
            pieces = []
    if pieces:
        paragraphs.append(_paragraph(pieces, depth))
    return "\n".join(paragraphs)


def _paragraph(pieces: list[str], depth: int) -> str:
    text = "".join(pieces)
    return ">" * depth + " " + text if depth else text
