"""An aiosmtpd server whose handler does nothing: what everything else is compared with."""

import asyncio
import sys
from typing import Any

from aiosmtpd.smtp import SMTP


class Nothing:
    """Takes every mail, and forgets it."""

    async def handle_DATA(self, server: Any, session: Any, envelope: Any) -> str:  # noqa: ARG002
        """Say yes."""
        return "250 2.0.0 kept"


async def serve(port: int) -> None:
    """Run it for ever."""
    loop = asyncio.get_running_loop()
    server = await loop.create_server(
        lambda: SMTP(Nothing(), hostname="nothing", enable_SMTPUTF8=False), "127.0.0.1", port
    )
    print("ready", flush=True)
    await server.serve_forever()


if __name__ == "__main__":
    asyncio.run(serve(int(sys.argv[1])))
