"""Opens the compiled core, and lets none be used that does not belong to this very source."""

import ctypes
from pathlib import Path

from pbm.rules.abalone.engine.compiling import digest


class NoCoreError(Exception):
    """The core cannot be used; the text tells the operator why."""


def open_core(library: Path, interface: int) -> ctypes.CDLL:
    """Open a library if it is made of the source that is here, and called as this module does.

    Raises NoCoreError.
    """
    if not library.exists():
        raise NoCoreError(f"{library} is not there")
    try:
        core = ctypes.CDLL(str(library))
        core.pbm_source.restype = ctypes.c_char_p
        made_of, called_by = core.pbm_source().decode(), core.pbm_interface()
    except (OSError, AttributeError) as error:  # AttributeError: it is another library
        raise NoCoreError(f"{library} cannot be used: {error}") from error
    if (made_of, called_by) != (digest(), interface):
        raise NoCoreError(f"{library} was made of another source")
    return core
