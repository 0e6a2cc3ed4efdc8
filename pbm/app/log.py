"""The log on standard error: a line an event, in the form that the settings name."""

import logging
import re
import sys
from contextlib import suppress
from typing import TextIO, cast

import structlog
from structlog.typing import EventDict, Processor

from pbm.addresses import ADDRESS, digest_of
from pbm.config import Settings
from pbm.mail.site import own_address
from pbm.service.health.metrics import count_line

_FIRST = ("timestamp", "level", "event")


class _LastingStream:
    """A stream that ignores write errors: a closed terminal must not fail a transaction."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream

    def write(self, text: str) -> None:
        with suppress(OSError, ValueError):
            self._stream.write(text)

    def flush(self) -> None:
        with suppress(OSError, ValueError):
            self._stream.flush()


def set_up_log(settings: Settings) -> None:
    least = logging.getLevelNamesMapping()[settings.log_level.upper()]
    structlog.configure(
        processors=processors(settings),
        wrapper_class=structlog.make_filtering_bound_logger(least),
        logger_factory=structlog.WriteLoggerFactory(cast(TextIO, _LastingStream(sys.stderr))),
        cache_logger_on_first_use=True,
    )


def processors(settings: Settings) -> list[Processor]:
    """Return what makes a line of text of an event. Raises OperatorError."""
    own = own_address(settings)

    def shown(found: re.Match[str]) -> str:
        is_own = found[0].lower().startswith((own.plain, own.before_detail))
        return found[0] if is_own else digest_of(found[0])

    def put_digests(_logger: object, _method: str, line: EventDict) -> EventDict:
        for name, value in line.items():
            if isinstance(value, str) and "@" in value and name != "message_id":
                line[name] = ADDRESS.sub(shown, value)
        return line

    return [
        count_line,
        structlog.processors.add_log_level,
        structlog.processors.TimeStamper(fmt="iso", utc=True),
        structlog.processors.format_exc_info,
        *([] if settings.log_addresses == "plain" else [put_digests]),
        lambda _logger, _method, line: {name: line.pop(name) for name in _FIRST} | line,
        structlog.processors.JSONRenderer(ensure_ascii=False, default=str)
        if settings.log_format == "json"
        else structlog.processors.LogfmtRenderer(),
    ]
