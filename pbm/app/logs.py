"""Logging to standard error."""

import logging
import sys
from contextlib import suppress
from typing import TextIO, cast

import structlog


class _LastingStream:
    """Stream that ignores write errors, so that no turn fails when the terminal is closed."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream

    def write(self, text: str) -> None:
        with suppress(OSError, ValueError):
            self._stream.write(text)

    def flush(self) -> None:
        with suppress(OSError, ValueError):
            self._stream.flush()


def set_up_logging() -> None:
    """Log to standard error, one line for each event."""
    structlog.configure(
        processors=[
            structlog.processors.add_log_level,
            structlog.processors.TimeStamper(fmt="iso", utc=True),
            structlog.processors.format_exc_info,
            structlog.processors.LogfmtRenderer(key_order=["timestamp", "level", "event"]),
        ],
        wrapper_class=structlog.make_filtering_bound_logger(logging.INFO),
        logger_factory=structlog.WriteLoggerFactory(cast(TextIO, _LastingStream(sys.stderr))),
        cache_logger_on_first_use=True,
    )
