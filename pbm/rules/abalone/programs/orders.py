"""The arguments of `position`, `go` and `setoption`."""

from collections.abc import Sequence

from pbm.rules.abalone.engine.roots import DEEPEST, MOST_LINES
from pbm.rules.abalone.layouts import BOARDS, LAYOUT, start
from pbm.rules.abalone.notation import parse_move
from pbm.rules.abalone.position import AbalonePosition, parse_state
from pbm.rules.contract import Budget, RulesError

MOST = {"nodes": 10**15, "movetime": 10**9, "depth": DEEPEST}
"""The largest number after each word of `go`; `movetime` is in milliseconds."""

OPTIONS = {"MultiPV": (1, 1, MOST_LINES), "Seed": (0, 0, 2**32 - 1)}
"""The options: default, least and greatest value."""

_STATE_WORDS = 4


class OrderError(ValueError):
    """An invalid line; the text is a sentence."""


def read_position(words: Sequence[str]) -> list[AbalonePosition]:
    """The named position and those after each move. Raises OrderError."""
    kind, *rest = words or ("",)
    set_up, moves = list(rest), []
    if "moves" in rest:
        at = rest.index("moves")
        set_up, moves = rest[:at], rest[at + 1 :]
    try:
        positions = [_set_up(kind, set_up)]
        for move in moves:
            positions.append(positions[-1].play(parse_move(move, positions[-1])).position)
    except RulesError as error:
        raise OrderError(f"{error}") from error
    return positions


def _set_up(kind: str, words: Sequence[str]) -> AbalonePosition:
    if kind == "state" and len(words) == _STATE_WORDS:
        return parse_state(" ".join(words))
    if kind == "start":
        return _start(words)
    raise OrderError("a position is: state LINE [moves ...], or: start [BOARD] [moves ...]")


def _start(words: Sequence[str]) -> AbalonePosition:
    """A start by a board's name, a number of players, `teams` and `pillar`, in any order."""
    board, players = None, None
    for word in words:
        if word.isascii() and word.isdecimal() and len(word) == 1:
            players = int(word)
        elif word not in ("teams", "pillar"):
            board = LAYOUT.find(word)
            if board is None:
                raise OrderError(f"no board is called {word}; there are {', '.join(BOARDS)}")
    return start(board, players, teams="teams" in words, pillar="pillar" in words)


def read_go(words: Sequence[str]) -> Budget | None:
    """The limits of a search, None for one until `stop`. Raises OrderError."""
    numbers: dict[str, int] = {}
    rest = list(words)
    while rest:
        word = rest.pop(0)
        if word in MOST:
            numbers[word] = _number(word, rest.pop(0) if rest else "", 1, MOST[word])
        elif word != "infinite":
            raise OrderError(f"after go there may be {', '.join(MOST)} or infinite, not {word}")
    if "infinite" in words or not numbers:
        return None
    milliseconds = numbers.get("movetime")
    return Budget(
        numbers.get("nodes", MOST["nodes"]),
        milliseconds / 1000 if milliseconds else None,
        numbers.get("depth"),
    )


def read_option(words: Sequence[str]) -> tuple[str, int]:
    """An option and its new value: `name NAME value NUMBER`. Raises OrderError."""
    by_name = {name.lower(): name for name in OPTIONS}
    match words:
        case ["name", name, "value", number] if name.lower() in by_name:
            name = by_name[name.lower()]
            _, least, most = OPTIONS[name]
            return name, _number(name, number, least, most)
    raise OrderError(f"setoption needs: name NAME value NUMBER; a name is {', '.join(OPTIONS)}")


def _number(name: str, text: str, least: int, most: int) -> int:
    if not (text.isascii() and text.isdecimal() and len(text) <= len(str(most))):
        raise OrderError(f"{name} needs a whole number from {least} to {most}")
    number = int(text)
    if not least <= number <= most:
        raise OrderError(f"{name} is from {least} to {most}")
    return number
