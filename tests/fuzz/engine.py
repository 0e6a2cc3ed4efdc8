"""One target under atheris: `python -m tests.fuzz.engine NAME`, and what libFuzzer takes.

Only this module needs atheris, which `make fuzz` installs.
"""

import sys

import atheris

from tests.fuzz import targets


def main() -> None:
    """Hand the process over to libFuzzer, which ends it."""
    name, *flags = sys.argv[1:]
    with atheris.instrument_imports(include=["pbm"]):
        target = targets.load(name)
    # libFuzzer starts itself again to merge, by a command line that it makes of the first argument.
    again = f"{sys.executable} -m tests.fuzz.engine {name}"
    atheris.Setup([again, *flags], target.check)
    atheris.Fuzz()


if __name__ == "__main__":
    main()
