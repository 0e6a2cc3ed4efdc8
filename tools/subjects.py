#!/usr/bin/env python3
"""Checks the subjects of the commits since BASE, such as `store: skip locked rows`.

A subject has 72 characters at most: the part of the system in lower case, a colon, and a verb in
the imperative. A shallow clone that lacks BASE has later commits only, so all of them are checked.
Without git, or in a repository of another history, the check says so and passes.
"""

import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
BASE = "eebaa01d182b16cb449c1fd739474ec261e00f11"
LONGEST = 72
FORM = re.compile(r"[a-z][a-z0-9_, /-]*: (?P<verb>[a-z][^\s:]*)( .*)?")
OTHER_FORM_OF_VERB = re.compile(r".+(?:ed|ing|[^s]s)")
ENDS_LIKE_ONE = frozenset("alias bias bring embed exceed feed focus need ping seed speed".split())
NO_VERB = frozenset("a an and as at by for from if in more no not of on the to when with".split())


class CannotTellError(Exception):
    """The commits since BASE cannot be told; its text says why."""


def git(*words: str) -> subprocess.CompletedProcess[str]:
    """Run a git command in this checkout; raises FileNotFoundError without git."""
    command = ["git", "-C", str(ROOT), *words]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def subjects(base: str) -> list[str]:
    """Subjects of the commits since `base`, or of a shallow clone; raises CannotTellError."""
    try:
        top = git("rev-parse", "--show-toplevel")
    except FileNotFoundError:
        raise CannotTellError("git is not installed") from None
    if top.returncode or Path(top.stdout.strip()).resolve() != ROOT:
        raise CannotTellError("this is no checkout of git")
    if git("merge-base", "--is-ancestor", base, "HEAD").returncode == 0:
        since = f"{base}..HEAD"
    elif git("rev-parse", "--is-shallow-repository").stdout.strip() == "true":
        since = "HEAD"
    else:
        raise CannotTellError(f"this history has no commit {base[:8]}")
    return git("log", "--no-merges", "--format=%s", since).stdout.splitlines()


def fault(subject: str) -> str | None:
    """Reason why a subject is refused, or None."""
    form = FORM.fullmatch(subject)
    if len(subject) > LONGEST:
        return f"{len(subject)} characters, {LONGEST} at most"
    if form is None:
        return "write it as `part: verb what`, the part in lower case"
    verb = form["verb"]
    if verb in NO_VERB or (verb not in ENDS_LIKE_ONE and OTHER_FORM_OF_VERB.fullmatch(verb)):
        return f"begin with a verb in the imperative instead of `{verb}`"
    return None


def main(base: str = BASE) -> None:
    """Print what is wrong, and exit with 1 if anything is."""
    try:
        found = subjects(base)
    except CannotTellError as problem:
        print(f"Commit subjects are not checked: {problem}.")
        return
    faults = [f"{subject!r}: {why}" for subject in found if (why := fault(subject))]
    if faults:
        sys.exit("Commit subjects (CONTRIBUTING.md):\n" + "\n".join(faults))
    print(f"Commit subjects: {len(found)} checked.")


if __name__ == "__main__":
    main(*sys.argv[1:])
