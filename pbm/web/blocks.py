"""The blocks of a help page, which is plain text with broken lines."""


def blocks_of(text: str) -> list[tuple[str, list[str]]]:
    """Return blocks of the kinds `heading`, `list`, `prose` and `rows`, each with its texts.

    The lines of a paragraph or of an item are joined; those of `rows` stay as they are.

    >>> blocks_of("HOW TO\\n\\nOne\\nline.\\n\\n- a\\n- b\\n  c")
    [('heading', ['How to']), ('prose', ['One line.']), ('list', ['a', 'b c'])]
    """
    found: list[tuple[str, list[str]]] = []
    for block in text.strip("\n").split("\n\n"):
        lines = [line for line in block.split("\n") if line.strip()]
        if lines[:1] and lines[0].startswith("- ") and _are_items(lines):
            items = list[str]()
            for line in lines:
                items += [line[2:]] if line.startswith("- ") else [f"{items.pop()} {line.strip()}"]
            found.append(("list", items))
        elif any("  " in line or line[0] in " |+" for line in lines):
            found.append(("rows", [block.strip("\n")]))
        elif len(lines) == 1 and lines[0].isupper():
            found.append(("heading", [lines[0].capitalize()]))
        elif lines:
            found.append(("prose", [" ".join(lines)]))
    return found


def _are_items(lines: list[str]) -> bool:
    return all(line.startswith(("- ", "  ")) and "  " not in line.strip() for line in lines)
