"""How mail programs sort a mailbox into threads: by references, as most do, and as Gmail does.

The first is the algorithm that Jamie Zawinski described in "message threading", which Netscape
had, and Thunderbird, Evolution and the IMAP extension THREAD=REFERENCES have from there. The
second is Gmail's: a mail joins a conversation if the subject is the same *and* a Message-ID is
shared.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from email.message import Message

from pbm.mail.reading.inbound import clean_subject


@dataclass(frozen=True)
class Kept:
    """A mail in somebody's mailbox, sent or received, as far as threads go by it."""

    id: str
    subject: str
    references: tuple[str, ...] = ()
    in_reply_to: str = ""
    ours: bool = False
    board: str = ""

    @property
    def line(self) -> tuple[str, ...]:
        """What it refers to, oldest first; `In-Reply-To` counts where nothing else is."""
        return self.references or ((self.in_reply_to,) if self.in_reply_to else ())


def kept(message: Message, *, ours: bool) -> Kept:
    """What a mail program sees of a mail."""
    return Kept(
        str(message["Message-ID"]),
        str(message["Subject"]),
        tuple(str(message["References"] or "").split()),
        str(message["In-Reply-To"] or "").strip(),
        ours,
        str(message["X-PBM-Board"] or ""),
    )


@dataclass(eq=False)
class _Container:
    mail: Kept | None = None
    parent: "_Container | None" = None
    children: "list[_Container]" = field(default_factory=list)

    def holds(self, other: "_Container") -> bool:
        """Is the other one this, or below it?"""
        while other is not self and other.parent is not None:
            other = other.parent
        return other is self

    def takes(self, child: "_Container") -> None:
        if child.parent is not None:
            child.parent.children.remove(child)
        child.parent = self
        self.children.append(child)

    def mails(self) -> Iterable[Kept]:
        waiting = [self]
        while waiting:
            container = waiting.pop()
            if container.mail is not None:
                yield container.mail
            waiting += container.children


def by_references(mails: Sequence[Kept], *, by_subject: bool = False) -> list[list[Kept]]:
    """The threads of a mailbox by references; `by_subject` joins those of one subject, too.

    Steps 1 to 4 of the description, and step 5, which many programs leave out.
    """
    table: dict[str, _Container] = {}
    for mail in mails:
        container = table.setdefault(mail.id, _Container())
        container.mail = mail
        above: _Container | None = None
        for reference in mail.line:  # 1 B
            below = table.setdefault(reference, _Container())
            if above is not None and below.parent is None and not below.holds(above):
                above.takes(below)
            above = below
        if above is not None and not container.holds(above):  # 1 C
            above.takes(container)
    roots = [container for container in table.values() if container.parent is None]  # 2
    threads = [list(root.mails()) for root in roots]
    threads = [thread for thread in threads if thread]  # 4
    return (
        _joined(threads, lambda thread: clean_subject(thread[0].subject)) if by_subject else threads
    )


def _joined(threads: list[list[Kept]], key: Callable[[list[Kept]], str]) -> list[list[Kept]]:
    found: dict[str, list[Kept]] = {}
    for thread in threads:
        found.setdefault(key(thread), []).extend(thread)
    return list(found.values())


def by_subject_and_reference(mails: Sequence[Kept]) -> list[list[Kept]]:
    """The conversations of a mailbox as Gmail makes them, in the order in which mails come.

    That it begins a new one after a hundred mails is left out.
    """
    conversations: list[tuple[str, set[str], list[Kept]]] = []
    for mail in mails:
        subject = clean_subject(mail.subject)
        named = {mail.id, *mail.references, *((mail.in_reply_to,) if mail.in_reply_to else ())}
        for known, ids, conversation in conversations:
            if known == subject and ids & named:
                ids |= named
                conversation.append(mail)
                break
        else:
            conversations.append((subject, named, [mail]))
    return [conversation for _, _, conversation in conversations]
