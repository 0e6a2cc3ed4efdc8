"""Names of mails in logs, replies and `pbm-admin`, as inbox and outbox number theirs separately."""


def incoming(number: int) -> str:
    """The name of a mail of the inbox, such as `i12`."""
    return f"i{number}"


def outgoing(number: int) -> str:
    """The name of a mail in the outbox, such as `o12`."""
    return f"o{number}"
