"""Parameters that a version before this one froze, in mails that still wait to be sent."""

from typing import Any

_CALLED_NOW = {
    "started": "board-started",
    "declined": "board-declined",
    "unreachable": "player-unreachable",
    "reachable": "player-reachable",
    "came-back": "mail-came-back",
}


def as_frozen_now(params: dict[str, Any]) -> dict[str, Any]:
    """The parameters of a mail, each fact above a board as it is written down now."""
    if not params.get("lead"):
        return params
    return {**params, "lead": [_fact(item) for item in params["lead"]]}


def _fact(item: dict[str, Any]) -> dict[str, Any]:
    what = item["what"]
    if "operator" in item:  # it said what the operator did in words of its own
        return {"what": "operator-acted", "did": what, "why": item["why"]}
    return {**item, "what": _CALLED_NOW.get(what, what)}
