"""Days of the calendar as people write them: `24.12. - 3.1.`, `Dec 24 to 31`, `tomorrow 10d`."""

import re
from dataclasses import dataclass
from datetime import date, timedelta

from pbm.commands.language.words import ArgumentKind, cut_short, lowered, misread
from pbm.play.clocks.terms import parse_duration

_A_LEAP_YEAR = 2000
_LONGEST = 366
_YEARS = 9  # searched, enough to include a 29th of February
_BEGUN = timedelta(days=60)  # how long ago a first day without a year may be
_MONTHS = "jan feb mar apr may jun jul aug sep oct nov dec".split()
_WEEKDAYS = "mon tue wed thu fri sat sun".split()
_WORDS = {"today": timedelta(), "now": timedelta(), "tomorrow": timedelta(days=1)}

_D, _YEAR = r"(?P<d>\d{1,2})", r"(?P<y>(?:20)?\d{2})"
_MONTH = (
    r"(?P<month>jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|"
    r"sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)\b\.?"
)
_WEEKDAY = (
    r"(?P<weekday>mon(?:day)?|tue(?:s(?:day)?)?|wed(?:nesday)?|thu(?:rs?(?:day)?)?|fri(?:day)?|"
    r"sat(?:urday)?|sun(?:day)?)\b"
)
_NTH = r"(?:st|nd|rd|th|\.)?"
_FORMS = tuple(
    re.compile(form, re.ASCII)
    for form in (
        r"(?P<y>20\d{2})([-/.])(?P<m>\d{1,2})\2(?P<d>\d{1,2})(?!\d)",
        rf"{_D}\. ?(?P<m>\d{{1,2}})(?:\.(?P<y>\d{{2}}| ?20\d{{2}})(?![\d.])|\.|(?![\d.]))",
        rf"(?P<one>\d{{1,2}})/(?P<other>\d{{1,2}})(?:/{_YEAR})?(?!\d)",
        rf"{_D}{_NTH} ?(?:of )?{_MONTH}(?:,? (?P<y>20\d{{2}})(?!\d))?",
        rf"{_MONTH} ?{_D}(?!\d)(?:st|nd|rd|th)?(?:,? (?P<y>20\d{{2}})(?!\d))?",
        r"(?P<word>today|now|tomorrow)\b",
        r"(?P<span>(?:(?:\d{1,4}|an?) ?(?:d|days?|w|wks?|weeks?|months?)\b(?:,? and|,)? ?)+)",
        _WEEKDAY,
        rf"{_D}{_NTH}(?!\d)",
    )
)
_BEFORE_A_DATE = re.compile(rf"{_WEEKDAY}[.,]? (?=\d|{_MONTH})", re.ASCII)
_BETWEEN = re.compile(
    r"(?:from|to|until|till?|through|thru|and|for|on|the|between|including|bis|von|vom|ab)\b|[-,.]",
    re.ASCII,
)
_UNTIL = frozenset(("to", "until", "till", "til", "through", "thru", "bis"))


@dataclass(frozen=True)
class _Dated:
    day: int
    month: int | None = None
    year: int | None = None

    def since(self, earliest: date) -> date:
        """Return the date. If it has no year, it is the first one from `earliest` on."""
        if self.year is not None:
            return date(self.year, self.month or 1, self.day)
        return next(
            day
            for year in range(earliest.year, earliest.year + _YEARS)
            if (day := _day(year, self.month or 1, self.day)) and day >= earliest
        )


@dataclass(frozen=True)
class _Weekday:
    number: int  # 0 is Monday

    def since(self, earliest: date) -> date:
        return earliest + timedelta(days=(self.number - earliest.weekday()) % 7)


_First = _Dated | _Weekday | timedelta  # from today
_Item = _First | int  # a number of days, including the first


@dataclass(frozen=True)
class Days:
    """A first and a last day, as typed."""

    begin: _First
    end: _Item

    def on(self, today: date) -> tuple[date, date]:
        """Return the first and the last date.

        A date without a year, such as `24.12.`, is the first such date from 60 days ago on.
        Weekdays and words such as `tomorrow` count from `today`.
        """
        if isinstance(self.begin, timedelta):
            first = today + self.begin
        else:
            earliest = today - _BEGUN if isinstance(self.begin, _Dated) else today
            first = self.begin.since(earliest)
        match self.end:
            case timedelta():
                return first, today + self.end
            case int(days):
                return first, first + timedelta(days=days - 1)
            case _:
                return first, self.end.since(first)


class DaysKind(ArgumentKind):
    shown = "days"
    rest = True

    def parse(self, text: str) -> Days:
        text = lowered(text)
        if text.isascii() and text.isdigit() and int(text) <= _LONGEST:
            text += " days"  # a bare number, as no vacation is a single date
        items, begins_now = _items(text)
        if begins_now or (len(items) == 1 and isinstance(items[0], int)):
            items.insert(0, timedelta())
        if len(items) < 2:
            raise misread("missing", word="last day" if items else "first day")
        begin, end, *more = _with_months(items)
        if more or isinstance(begin, int):
            raise misread("day", word=cut_short(text))
        return Days(begin, end)


def _items(text: str) -> tuple[list[_Item], bool]:
    """Return the days in a text, and whether the text gives only the last day: "until Friday"."""
    items: list[_Item] = []
    between = ""
    begins_now = False
    while text := text.lstrip():
        if found := _BETWEEN.match(text):
            between = found[0]
        elif found := _BEFORE_A_DATE.match(text):
            pass  # the date behind it is enough
        else:
            found = next(filter(None, (form.match(text) for form in _FORMS)), None)
            if found is None:
                raise misread("day", word=cut_short(text.split()[0]))
            begins_now = begins_now or (not items and between in _UNTIL)
            items.append(_read(found))
        text = text[found.end() :]
    return items, begins_now


def _read(found: re.Match[str]) -> _Item:
    """Return the day, or the number of days, that one of `_FORMS` has matched."""
    said = {name: value for name, value in found.groupdict().items() if value}
    if "word" in said:
        return _WORDS[said["word"]]
    if "span" in said:
        text = said["span"].strip(" ,")
        span = parse_duration(re.sub(r"\ban?\b", "1", text))
        if span is None or not span.days:
            raise misread("day", word=cut_short(text))
        return span.days
    if "weekday" in said:
        return _Weekday(_WEEKDAYS.index(said["weekday"][:3]))
    year = int(said["y"]) % 100 + _A_LEAP_YEAR if "y" in said else None
    if "one" in said:
        one, other = int(said["one"]), int(said["other"])
        if one != other and max(one, other) <= len(_MONTHS):
            raise misread("day-two-ways", word=found[0])
        return _dated(found[0], max(one, other), min(one, other), year)
    month = int(said["m"]) if "m" in said else None
    if "month" in said:
        month = _MONTHS.index(said["month"][:3]) + 1
    return _dated(found[0], int(said["d"]), month, year)


def _dated(word: str, day: int, month: int | None, year: int | None) -> _Dated:
    """Return a day. Raises Refusal if there is no such day; `word` is what the refusal quotes."""
    if _day(year or _A_LEAP_YEAR, month or 1, day) is None:
        raise misread("day", word=cut_short(word))
    return _Dated(day, month, year)


def _with_months(items: list[_Item]) -> list[_Item]:
    """Return the days, with missing months copied from another day. Raises Refusal."""
    dated = [item for item in items if isinstance(item, _Dated)]
    named = next((item for item in dated if item.month), None)
    if all(item.month for item in dated):
        return items
    if named is None:
        raise misread("day", word=str(dated[0].day))
    return [
        _dated(str(item.day), item.day, named.month, item.year or named.year)
        if isinstance(item, _Dated)
        else item
        for item in items
    ]


def _day(year: int, month: int, day: int) -> date | None:
    try:
        return date(year, month, day)
    except ValueError:
        return None
