"""The fields of mails to many, by which mail programs offer to unsubscribe."""


def list_fields(name: str, domain: str, unsubscribe: str) -> dict[str, str]:
    """Return the fields of RFC 2919 and RFC 2369, section 3.2.

    `unsubscribe` is an address, perhaps with a subject as in a link: `a@b?subject=stop`.
    """
    return {"List-Id": f"<{name}.{domain}>", "List-Unsubscribe": f"<mailto:{unsubscribe}>"}
