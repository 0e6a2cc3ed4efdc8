"""Names that no new player may take: they mean something else, or somebody else.

Who has such a handle already keeps it.
"""

from collections.abc import Callable

from pbm.commands.everyday import ANSWERS
from pbm.commands.opponents import AGAINST, JOINING
from pbm.commands.words import KEPT_FREE, cut_short, is_handle
from pbm.errors import Refusal
from pbm.play.game_words import is_game, mentions_place

# Words of the language, and what it may come to mean.
_LANGUAGE = (
    KEPT_FREE
    | JOINING
    | AGAINST
    | frozenset("active all confirm me multiple next operator pbm".split())
    | frozenset("finished inactive mine over playing waiting".split())
)
# Mailboxes with a meaning (RFC 2142), and others that every site has.
_MAILBOXES = frozenset(
    "abuse noc security postmaster hostmaster usenet news webmaster www uucp ftp info marketing"
    " sales support mailerdaemon maildaemon noreply donotreply dontreply reply bounce bounces"
    " listserv majordomo mailman owner request root admin administrator billing contact feedback"
    " helpdesk hello team office mail mailer email dmarc dkim spam nospam".split()
)
# Who might be taken for the server, or for somebody who speaks for it.
_STAFF = frozenset(
    "admin administrator sysadmin sysop sysops operator operators superuser root moderator"
    " moderators mod mods staff official referee arbiter umpire gamemaster master system"
    " server daemon service bot robot computer pbm playbymail postmaster hostmaster webmaster"
    " support security helpdesk abuse owner management noreply mailerdaemon".split()
)
# Nobody in particular, and what programs write where there is nobody.
_NOBODY = frozenset(
    "nobody noone none nil null void nan undefined unknown unnamed anonymous anon empty blank"
    " default test true false anybody anyone everybody everyone somebody someone nothing anything"
    " everything self you they user users username handle name nickname userid winner loser seat"
    " board game games undo console localhost deleted removed former suspended".split()
)
_NO_NAMES = _LANGUAGE | _MAILBOXES | _STAFF | _NOBODY
_JOINTS = str.maketrans("", "", "-_")
_DIGITS = "0123456789"


def refuse_reserved(handle: str, is_command: Callable[[str], object]) -> None:
    """Raise Refusal for a handle that would read as something or somebody else."""
    if not is_handle(handle):
        raise Refusal("bad-handle", handle=cut_short(handle))
    if handle in _LANGUAGE or is_command(handle) or mentions_place(handle):
        raise Refusal("reserved-handle", handle=handle)
    plain = handle.translate(_JOINTS)
    poses = plain.rstrip(_DIGITS) in _STAFF or is_game(plain.rstrip(_DIGITS))  # operator2
    if poses or plain in _NO_NAMES or is_game(plain) or plain in ANSWERS:
        raise Refusal("kept-handle", handle=handle)
