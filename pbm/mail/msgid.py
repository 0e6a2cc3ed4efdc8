"""Message-IDs, parsed strictly: only well-formed ones are ever stored or sent back."""

import re

# RFC 5322 section 3.6.4 without the obsolete forms: dot-atom "@" (dot-atom / no-fold-literal).
# Where an encoded word could begin (RFC 2047), some programs would decode it.
_ID = re.compile(
    r"<(?![^\s<>]{0,401}=\?)[A-Za-z0-9!#$%&'*+/=?^_`{|}~.-]{1,200}"
    r"@(?:[A-Za-z0-9!#$%&'*+/=?^_`{|}~.-]{1,200}|\[[A-Za-z0-9.:_-]{1,100}\])>",
    re.ASCII,
)


def is_message_id(text: str) -> bool:
    """Whether the text is one Message-ID, brackets included, and nothing else."""
    return _ID.fullmatch(text) is not None


def parse_message_ids(text: str, most: int) -> tuple[str, ...]:
    """The first `most` Message-IDs in `text`, brackets included, without duplicates.

    Whatever lies between them is passed over, as mailers leave comments and broken ids there.
    """
    found: dict[str, None] = {}
    for match in _ID.finditer(text):
        if len(found) >= most:
            break
        found[match.group()] = None
    return tuple(found)


def short_name(message_id: str) -> str:
    """The first eight letters of the random part of one of our Message-IDs: 3f9a01c2 of
    <g12.p17.3f9a01c2d4e5f607@games.example>."""
    return message_id.partition("@")[0].rpartition(".")[2][:8]


def newest_references(in_reply_to: list[str], references: list[str], most: int) -> tuple[str, ...]:
    """The ids that a mail replies to, newest first: `In-Reply-To`, then `References` reversed."""
    everything = 10_000
    answered = parse_message_ids(" ".join(in_reply_to), most)
    thread = parse_message_ids(" ".join(references), everything)
    return tuple(dict.fromkeys((*answered, *reversed(thread))))[:most]
