"""Points in time as files write them: ISO texts, or seconds and milliseconds since 1970."""

from collections.abc import Iterable
from datetime import UTC, datetime

from memviz.core.messages import TIME

EARLIEST_SECONDS = 631_152_000  # 1990 and 2100: no chat has other dates
LATEST_SECONDS = 4_102_444_800
NANOSECONDS = 1_000_000_000
MAX_CHARS = 40


def moment(value: object) -> datetime | None:
    """Parse a value as a point in time, in UTC; ``None`` if it is something else.

    A text without an offset is taken for UTC. Numbers are seconds, milliseconds, microseconds or nanoseconds since
    1970; their size shows which. Never raises.
    """
    if isinstance(value, str) and len(value) <= MAX_CHARS:
        return _of_text(value.strip())
    if (
        isinstance(value, (int, float))
        and not isinstance(value, bool)
        and 0 < value < LATEST_SECONDS * NANOSECONDS
    ):
        return _of_number(value)
    return None


def first_moment(values: Iterable[object]) -> datetime | None:
    """Return the first of these values that is a point in time, see :func:`moment`."""
    return next(filter(None, map(moment, values)), None)


def with_time(value: object, **texts: str) -> dict[str, str]:
    """Return the ``meta`` of a message that was said at this time,
    :data:`~memviz.core.conversation.TIME` as ISO text, with those of the other
    ``texts`` that are not empty. Without a time that can be read it has none."""
    found = moment(value)
    time = {TIME: found.isoformat()} if found else {}
    return {**time, **{key: text for key, text in texts.items() if text}}


def time_text(value: object) -> str:
    """Return a point in time as ISO text; empty where it cannot be read."""
    return with_time(value).get(TIME, "")


def _of_text(text: str) -> datetime | None:
    try:
        found = datetime.fromisoformat(text)
        return (
            found.replace(tzinfo=UTC) if found.tzinfo is None else found.astimezone(UTC)
        )
    except (ValueError, OverflowError):
        return None


def _of_number(number: float) -> datetime | None:
    for units_per_second in (1, 1_000, 1_000_000, NANOSECONDS):
        if EARLIEST_SECONDS <= number / units_per_second <= LATEST_SECONDS:
            return datetime.fromtimestamp(number / units_per_second, UTC)
    return None
