"""A listener at which idle connections hold all places, and a mail that comes nevertheless."""

import asyncio

from pbm.mail.smtp_in.connection_limits import Caller, ListenerLimits
from tests.mail.wire.talk import Client, Inbox, listening, run, talking_to

ADDRESSES, EACH = 12, 17


def past_idle_connections(raw: bytes) -> bytes:
    """Hand a mail to a listener that idle connections crowd; return what it keeps."""
    kept: list[bytes] = []

    async def keep(_: str, __: tuple[str, ...], mail: bytes, ___: Caller) -> str:
        kept.append(mail)
        return "2.0.0 kept"

    async def scene() -> None:
        limits = ListenerLimits(crowded_seconds=0)
        async with listening(Inbox(), keep=keep, limits=limits, trusted_peers=()) as port:
            idle = [
                Client(*await asyncio.open_connection("127.0.0.1", port, local_addr=(address, 0)))
                for address in (f"127.0.{number}.9" for number in range(ADDRESSES))
                for _ in range(EACH)
            ]
            async with talking_to(port) as client:
                reply = await client.send_mail(raw.replace(b"\r\n.", b"\r\n.."))
                assert reply.startswith("250"), reply
            for each in idle:
                each.leave()

    run(scene)
    return kept[0]
