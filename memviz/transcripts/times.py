"""Points in time as files write them: ISO texts, dates with slashes, or seconds and milliseconds since 1970."""

import re
from collections.abc import Iterable
from datetime import UTC, datetime

from memviz.core.messages import TIME

EARLIEST_SECONDS = 631_152_000  # 1990 and 2100: no chat has other dates
LATEST_SECONDS = 4_102_444_800
NANOSECONDS = 1_000_000_000
MAX_CHARS = 40
_YEAR_FIRST = re.compile(
    r"(?P<year>\d{4})[/年-](?P<month>\d{1,2})[/月-](?P<day>\d{1,2})日?(?:[T ]*(?P<hour>\d{1,2})(?=:))?"
)
"""The beginning of a time whose parts may have one digit: "2026/1/1 9:05", "2026年1月1日 9:05"."""


def moment(value: object) -> datetime | None:
    """Parse a value as a point in time, in UTC; ``None`` if it is something else.

    A text without an offset is taken for UTC. Numbers are seconds, milliseconds, microseconds or nanoseconds since
    1970; their size shows which. Never raises.
    """
    if isinstance(value, str) and len(value) <= MAX_CHARS:
        return _parse_text(value.strip())
    # A truth value is a number too, of 1 at the most.
    if isinstance(value, int | float) and 1 < value < LATEST_SECONDS * NANOSECONDS:
        return _parse_number(value)
    return None


def parse_first_moment(values: Iterable[object]) -> datetime | None:
    """Return the first of these values that is a point in time, see :func:`moment`."""
    return next(filter(None, map(moment, values)), None)


def meta_with_time(value: object, **texts: str) -> dict[str, str]:
    """Return the ``meta`` of a message that was said at this time,
    :data:`~memviz.core.conversation.TIME` as ISO text, with those of the other
    ``texts`` that are not empty. Without a time that can be read it has none."""
    time = moment(value)
    meta = {TIME: time.isoformat()} if time else {}
    return meta | {key: text for key, text in texts.items() if text}


def time_text(value: object) -> str:
    """Return a point in time as ISO text; empty where it cannot be read."""
    return meta_with_time(value).get(TIME, "")


def _parse_text(text: str) -> datetime | None:
    date = _YEAR_FIRST.match(text)
    if date is not None:
        text = _write_iso_date(date) + text[date.end() :]
    try:
        found = datetime.fromisoformat(text)
        return (
            found.replace(tzinfo=UTC) if found.tzinfo is None else found.astimezone(UTC)
        )
    except (ValueError, OverflowError):
        return None


def _write_iso_date(date: re.Match[str]) -> str:
    """Return a date, and the hour behind it, with two digits a part: "2026/1/1 9" -> "2026-01-01T09"."""
    month = date["month"].zfill(2)
    day = date["day"].zfill(2)
    hour = f"T{date['hour'].zfill(2)}" if date["hour"] else ""
    return f"{date['year']}-{month}-{day}{hour}"


def _parse_number(number: float) -> datetime | None:
    for units_per_second in (1, 1_000, 1_000_000, NANOSECONDS):
        if EARLIEST_SECONDS <= number / units_per_second <= LATEST_SECONDS:
            return datetime.fromtimestamp(number / units_per_second, UTC)
    return None
