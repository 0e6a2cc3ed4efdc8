"""Converts parameters that earlier versions stored in the outbox to their current form."""

import re
from typing import Any

from pbm.rules.registry import own_game

_CALLED_NOW = {
    "started": "board-started",
    "declined": "board-declined",
    "unreachable": "player-unreachable",
    "reachable": "player-reachable",
    "came-back": "mail-came-back",
}
# Refusals whose words are now in the "reasons.txt" of the only game of that time.
_SAID_BY_THE_GAME = frozenset("no-pass one-form two-layouts bad-teams".split())
_SAID_NO_MORE = {
    "cannot-be-strict": "This server does not learn what your mail provider says about your mails, "
    "so it cannot ask for that. Answers to our mails prove who you are, as before.",
    "cannot-add": "We cannot ask that address: another player may play from it. If it is yours, "
    "write to us from there.",
}
# Each kind of offer had its own facts; a request for a take-back still has one.
_OFFER = re.compile(
    "(?!takeback-asked)(draw|takeback|pause|resume)-(asked|seconded|refused|withdrawn|lapsed|void)"
)
_PERHAPS_A_NAME = "perhaps-a-name"  # was a refusal; now the player is always asked about a name
_MARKS = ("left", "came", "towards", "off")
_CLAIM = "nothing-to-claim"  # worded by the game after our sentence


def current_params(params: dict[str, Any]) -> dict[str, Any]:
    """Convert a mail's parameters to their current form, with a game's name and title."""
    info = own_game().info  # the only game of the versions that named none
    usual = {"game": info.name, "title": info.title}
    params = _shown({**usual, **params})
    if params.get("lead"):
        params["lead"] = [_fact(item) for item in params["lead"]]
    if params.get("sections"):
        sections = (_section({**usual, **item}) for item in params["sections"])
        params["sections"] = [_with_game(item, usual) for item in sections]
    problem = params.get("problem") or {}
    if problem.get("code") == _PERHAPS_A_NAME:
        params |= {"problem": None, "named": True}
    elif problem:
        params["problem"] = _with_game(problem, usual)
    return params


def _with_game(item: dict[str, Any], usual: dict[str, str]) -> dict[str, Any]:
    """Add the game's name and title in `usual` to a refusal's parameters, if they are missing."""
    return {**item, "params": {**usual, **item["params"]}} if "params" in item else item


def _shown(view: dict[str, Any]) -> dict[str, Any]:
    """Convert the picture in a view to its current form, with a list of moves to be marked."""
    drawing = view.get("picture") if "diagram" in view else None
    if not drawing or "moves" in drawing:
        return view
    stands = {name: value for name, value in drawing.items() if name not in _MARKS}
    moved = {name: drawing[name] for name in _MARKS if name in drawing}
    return {**view, "picture": {**stands, "moves": [moved] if moved else []}}


def _fact(item: dict[str, Any]) -> dict[str, Any]:
    what = item["what"]
    if "operator" in item:  # it had its own field for the operator's act
        return {"what": "operator-acted", "did": what, "why": item["why"]}
    offer = _OFFER.fullmatch(what)
    if offer:
        kind, done = offer.groups()
        return {**item, "what": f"offer-{'made' if done == 'asked' else done}", "kind": kind}
    return {**item, "what": _CALLED_NOW.get(what, what)}


def _section(told: dict[str, Any]) -> dict[str, Any]:
    told = _shown(told)
    if told.get("section") != "refusal":
        return told
    code, params = told["code"], told["params"]
    if code in _SAID_NO_MORE:
        return {**told, "code": "illegal-move", "params": {"text": _SAID_NO_MORE[code]}}
    if code in (*_SAID_BY_THE_GAME, _CLAIM) and "why" not in params:
        said = {**params, "why": {"reason": code, **params}}
        return {**told, "code": _CLAIM if code == _CLAIM else "illegal-move", "params": said}
    if params.get("reason") == "board-name":
        return {**told, "params": {**params, "reason": "no-such-value", "sets_up": True}}
    return told
