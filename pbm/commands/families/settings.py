"""Commands for a player's settings."""

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict, dataclass
from datetime import timedelta
from functools import cache, partial
from operator import eq, ne, not_
from pathlib import Path
from typing import Any
from zoneinfo import available_timezones

from pbm.clock import local_time
from pbm.commands.language.arguments import Span
from pbm.commands.language.context import Context
from pbm.commands.language.declare import Command, Danger, operand
from pbm.commands.language.words import JoinedWords, OneOf, Word, cut_short, lowered
from pbm.errors import Refusal
from pbm.events import Answered, Event
from pbm.nearest import nearest
from pbm.play.begin import boards_with_robots
from pbm.play.clocks.terms import LONGEST, write_duration
from pbm.play.clocks.vacations import keep_zone
from pbm.play.clocks.waits import check_time_left, look_again
from pbm.play.digests import DAILY, HOURLY, OFF, arrange_digests
from pbm.play.limits import MOST_WITH_ROBOTS

_MOST_ZONES = 3  # of one city
_OF_THE_CALENDAR = ("weekend", "timezone")
_MOST_GAMES = 999
_DAY = timedelta(days=1)
_NO_LIMIT = ("none", "off", "no", "0")
_HOW_OFTEN = {
    **dict.fromkeys(("on", "day", "everyday"), DAILY),
    **dict.fromkeys(("no", "never", "none"), OFF),
    "hour": HOURLY,
}
_REMINDERS = {
    **dict.fromkeys(("on", "usual", "every"), "all"),
    **dict.fromkeys(("off", "few", "none", "no"), "last"),
}
_HOUR = re.compile(r"([0-9]{1,2})(?:[:.]?([0-9]{2}))?[ ]?(h|am|pm|)", re.ASCII)
_MOST_LANGUAGES = 6
_FILE = Path(__file__).parents[1] / "languages" / "spoken.txt"
_BETWEEN_LANGUAGES = re.compile(r"[\s,;/+&]+")
_NO_LANGUAGE = ("none", "off", "-")
_SWITCH = ("on", "off")


@dataclass(frozen=True)
class _Setting:
    choices: tuple[str, ...] = ()  # empty if they are not fixed words
    spelt: tuple[str, ...] = ()  # other words for it
    # Whether a value protects its player less than another, so that it is confirmed alone.
    is_weak: Callable[[Any], bool] | None = None


_SETTINGS: Mapping[str, _Setting] = {
    "picture": _Setting(_SWITCH, ("pictures",)),
    "subject": _Setting(("plain", "classic")),
    "mails": _Setting(("all", "turn", "digest"), ("mail",), partial(ne, "all")),
    "strict": _Setting(_SWITCH, is_weak=not_),
    "weekend": _Setting(_SWITCH, ("weekends",), not_),
    "digest": _Setting((DAILY, HOURLY, OFF), ("digests",), partial(ne, OFF)),
    "challenges": _Setting(("on", "off", "ask"), is_weak=partial(ne, "ask")),
    "timezone": _Setting(spelt=("zone", "tz")),
    "languages": _Setting(spelt=("language",)),
    "limit": _Setting(is_weak=not_),
    "broadcasts": _Setting(_SWITCH, ("broadcast",), not_),
    "receipts": _Setting(_SWITCH, ("receipt",), not_),
    "confirm": _Setting(_SWITCH, ("confirmation", "confirmations"), not_),
    "reminders": _Setting(spelt=("reminder",), is_weak=partial(ne, "all")),
    "public": _Setting(_SWITCH, is_weak=bool),
    "talk": _Setting(("private", "public"), is_weak=partial(eq, "public")),
}
_WEAK = {name: item.is_weak for name, item in _SETTINGS.items() if item.is_weak}
_SPELLINGS = {word: name for name, item in _SETTINGS.items() for word in item.spelt}
# Words that need no `set` in front.
SWITCHES = frozenset(
    word
    for name, item in _SETTINGS.items()
    if name == "digest" or item.choices == _SWITCH
    for word in (name, *item.spelt)
)


def _changes(name: str, text: str) -> dict[str, Any]:
    """Return the settings that `set NAME TEXT` changes, with their new values. Raises Refusal."""
    match name:
        case "timezone":
            return {name: _zone(text)}
        case "languages":
            return {name: _languages(text)}
        case "limit":
            return {name: _limit(text)}
        case "reminders":
            value = _REMINDERS.get(lowered(text), lowered(text))
            if value not in ("all", "last"):
                value = write_duration(Span(_DAY, LONGEST).read([text]))
            return {name: value}
        case "digest" if (hour := _hour(text)) is not None:
            return {"digest": DAILY, "digest_at": hour}
    choices = _SETTINGS[name].choices
    value = lowered(text)
    if name == "digest":
        value = _HOW_OFTEN.get(value, value)
    if value not in choices:
        told = {"word": cut_short(text), "near": nearest(value, choices)}
        raise Refusal("no-such-setting", name=name, choices=list(choices), **told)
    if name == "mails":
        return {"digest": DAILY} if value == "digest" else {"mails": value, "digest": OFF}
    return {name: value == "on" if choices == _SWITCH else value}


def _weakens(name: str, text: str) -> bool:
    """Return whether `set NAME TEXT` lets others do more, or lets the player see less, or later."""
    try:
        changed = _changes(name, text) if name in _WEAK else {}
    except Refusal:
        return False
    return any(name in _WEAK and _WEAK[name](value) for name, value in changed.items())


def _hour(word: str) -> int | None:
    """Parse a full hour (`18:00`, `18h`, `6pm`); else return None. Raises Refusal for `18:30`."""
    found = _HOUR.fullmatch(lowered(word))
    if found is None:
        return None
    hour, half = int(found[1]), found[3] in ("am", "pm")
    if not half <= hour <= (12 if half else 24):
        return None
    hour = hour % 12 + 12 * (found[3] == "pm") if half else hour % 24
    if found[2] not in (None, "00"):
        raise Refusal("not-a-full-hour", hours=[f"{hour}:00", f"{(hour + 1) % 24}:00"])
    return hour


def _zone(word: str) -> str:
    """Parse a time zone. Raises Refusal, which suggests zones of cities with a similar name."""
    zones = {name.lower(): name for name in available_timezones()}
    asked = lowered(word).replace(" ", "_")
    if asked in zones:
        return zones[asked]
    cities = {low: low.rpartition("/")[2] for low in zones}
    city = asked.rpartition("/")[2]
    near = [city]
    if city not in cities.values():
        near = nearest(city, sorted({other for other in cities.values() if other[:1] == city[:1]}))
    found = sorted(zones[low] for low in zones if cities[low] in near)
    raise Refusal("no-such-zone", word=cut_short(word), near=found[:_MOST_ZONES])


def _limit(word: str) -> int:
    """Parse a number of games, 0 for no limit. Raises Refusal."""
    if lowered(word) in _NO_LIMIT:
        return 0
    if not (word.isascii() and word.isdigit() and 1 <= int(word[:9]) <= _MOST_GAMES):
        raise Refusal("no-such-limit", word=cut_short(word), most=_MOST_GAMES)
    return int(word)


def _languages(text: str) -> str:
    """Parse names of languages into codes; "" for `none`. Raises Refusal.

    >>> _languages("English, deutsch and fr")
    'en,de,fr'
    """
    if text.casefold() in _NO_LANGUAGE:
        return ""
    meant = {name.casefold(): code for code, names in _names().items() for name in (code, *names)}
    words = [word for word in _BETWEEN_LANGUAGES.split(text) if word and word.casefold() != "and"]
    for word in words or [text]:
        if word.casefold() not in meant:
            near = nearest(word, [names[0] for names in _names().values()]) if words else []
            raise Refusal("no-such-language", word=cut_short(word), near=near)
    codes = dict.fromkeys(meant[word.casefold()] for word in words)
    if len(codes) > _MOST_LANGUAGES:
        raise Refusal("too-many-languages", most=_MOST_LANGUAGES)
    return ",".join(codes)


def names_of(codes: str) -> tuple[str, ...]:
    """Return the English names of languages.

    >>> names_of("en,de")
    ('English', 'German')
    """
    return tuple(_names()[code][0] for code in codes.split(",") if code in _names())


@cache
def _names() -> dict[str, tuple[str, ...]]:
    """Return the names of each language by its code, the English name first."""
    lines = _FILE.read_text(encoding="utf-8").splitlines()
    found = (line.split() for line in lines if line and not line.startswith("#"))
    return {code: tuple(names) for code, *names in found}


class ShowSettings(Command, group="account"):
    """Say how we write to you, and what you can change about it."""

    words = ("settings",)
    reads_only = True

    def run(self, context: Context) -> Iterator[Event]:
        yield _settings(context)


class Set(Command, group="account"):
    """Change how we write to you."""

    words = ("set",)
    examples = ("set picture off", "set mails turn", "set digest daily")

    name: str = operand(OneOf(*_SETTINGS, shown="setting", **_SPELLINGS))
    value: str = operand(JoinedWords())

    def _read(self, words: list[str]) -> None:
        super()._read(words)
        if self.value and _weakens(self.name, self.value):
            self.danger = Danger.UNPROVEN

    def run(self, context: Context) -> Iterator[Event]:
        work, before = context.work, context.player
        changed = _changes(self.name, self.value)
        if self.name == "strict":  # without DMARC results the provider cannot vouch
            changed["strict_by_provider"] = context.can_be_strict or not changed["strict"]
        if self.name == "timezone":
            keep_zone(work, before.id, context.turn.arrived)
        work.players.change_settings(before.id, **changed)
        if changed.get("public") is False:
            work.watchings.end_following(before.id)
        if self.name in _OF_THE_CALENDAR:
            check_time_left(work, before.id, context.turn.arrived)
            look_again(work, before.id, context.now)
        arrange_digests(work, before, context.player.settings, context.now)
        yield _settings(context, changed=self.name)


class SetChallenges(Set, group="lobby"):
    """Say whether others may challenge you: `on`, `ask` or `off`."""

    words = ("challenges",)
    examples = ("challenges ask", "challenges off", "challenges on")

    name = "challenges"
    value: str = operand(OneOf(*_SETTINGS["challenges"].choices))


class SetLimit(Set, group="lobby"):
    """Take no challenge while you have this many games in progress that others began."""

    words = ("limit",)
    examples = ("limit 5", "limit none", "limit")

    name = "limit"
    value: str = operand(Word("n"), optional=True)

    def run(self, context: Context) -> Iterator[Event]:
        yield from super().run(context) if self.value else [_settings(context)]


def set_challenges(context: Context, value: str) -> Answered:
    context.work.players.change_settings(context.player_id, challenges=value)
    return _settings(context, changed="challenges")


def _settings(context: Context, changed: str = "") -> Answered:
    player, settings = context.player, context.player.settings
    shown = {
        name: ("on" if value else "off") if isinstance(value, bool) else value
        for name, value in asdict(settings).items()
    }
    told = {
        "now": local_time(context.now, settings.timezone),
        "changed": changed,
        **shown,
        "languages": ", ".join(names_of(settings.languages)) or "none",
        "limit": settings.limit or "none",
        "blocked": list(context.work.blocks.handles_of(player.id)),
    }
    if changed in ("", "limit"):
        told |= {"with_robots": boards_with_robots(context.work, player)}
        told |= {"most_with_robots": MOST_WITH_ROBOTS}
    return Answered("settings", told)
