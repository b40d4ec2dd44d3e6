"""Lines that start with a date and a time, as chat apps on phones write them."""

import re
from collections.abc import Iterator, Sequence
from datetime import datetime
from itertools import islice
from typing import NamedTuple

from memviz.transcripts.decoding import normalize_line_ends, pair_with_texts

MARKS = "\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff"  # which way to write; the apps put them before names and texts
_DATE = r"(?P<date>\d{1,4}[./-]\d{1,2}[./-]\d{1,4})"
_TIME = r"(?P<time>\d{1,2}[:.]\d{2}(?:[:.]\d{2})?)(?:\s?(?P<half>[AaPp])\.?\s?[Mm]\.?)?"
_STAMP = rf"[{MARKS}]*(?P<bracket>\[)?{_DATE},?[ \u00a0\u202f]+{_TIME}"
_LINE = re.compile(
    rf"^{_STAMP}(?(bracket)\]|[ \u00a0]-)[ \u00a0](?P<said>[^\n]*)$", re.MULTILINE
)
_SPEAKER = re.compile(
    rf"[{MARKS}]*(?P<name>[^:\n]{{1,80}}?)[{MARKS}]*:(?:[ \u00a0]|(?=\n)|$)(?P<text>.*)",
    re.DOTALL,
)
ENOUGH_LINES = 2
Order = str
"""The order of the parts of a date: "ymd", "dmy" or "mdy"; empty if it is unknown."""


class StampedLine(NamedTuple):
    """A message of a chat log: who said what, with the digits of its time. No speaker: the app itself says it."""

    speaker: str
    text: str
    date: tuple[int, int, int]
    clock: tuple[int, int, int]
    start: int

    def time(self, order: Order) -> str:
        """The time as ISO text; empty where it is not known, or there is no such time."""
        try:
            parts = dict(zip(order, self.date, strict=True))
            year = parts["y"] + 2000 if parts["y"] < 100 else parts["y"]
            return datetime(year, parts["m"], parts["d"], *self.clock).isoformat()
        except ValueError:
            return ""


def is_stamped(text: str) -> bool:
    """Return whether a text starts with a stamped line, has another, and somebody speaks in one of them."""
    lines = _LINE.finditer(text)
    first = next(lines, None)
    if first is None or text[: first.start()].strip():
        return False
    others = list(islice(lines, 200))
    return len(others) + 1 >= ENOUGH_LINES and any(
        _SPEAKER.match(line["said"]) for line in (first, *others)
    )


def read_stamped_lines(text: str) -> Iterator[StampedLine]:
    """The messages of a chat log; lines without a stamp belong to the message before them."""
    text = normalize_line_ends(text)
    for line, below in pair_with_texts(list(_LINE.finditer(text)), text):
        said = (line["said"] + below).rstrip()
        speaker_match = _SPEAKER.match(said)
        speaker = ""
        # Else the app mentions a name in quotation marks.
        if speaker_match and speaker_match["name"].count('"') % 2 == 0:
            speaker = speaker_match["name"].strip()
            said = speaker_match["text"]
        date = _read_date(line["date"])
        clock = _read_clock(line["time"], line["half"])
        yield StampedLine(speaker, said, date, clock, line.start())


def date_order(messages: Sequence[StampedLine]) -> Order:
    """The order of year, month and day in which every date exists and none is before the one above it.

    Empty if several orders fit, because a wrong guess would be worse than no times.
    """
    dates = list(dict.fromkeys(message.date for message in messages))
    orders = [order for order in ("ymd", "dmy", "mdy") if _fits(order, messages, dates)]
    return orders[0] if len(orders) == 1 else ""


def _fits(
    order: Order, messages: Sequence[StampedLine], dates: Sequence[tuple[int, int, int]]
) -> bool:
    if any((date[0] > 31) != (order == "ymd") for date in dates):
        return False
    times = [message.time(order) for message in messages]
    days = [time[:10] for time in times]
    return all(times) and days == sorted(days)


def _read_date(text: str) -> tuple[int, int, int]:
    first, second, third = (int(part) for part in re.split(r"[./-]", text))
    return first, second, third


def _read_clock(text: str, half: str | None) -> tuple[int, int, int]:
    hour, minute, second = (*(int(part) for part in re.split("[:.]", text)), 0)[:3]
    if half:
        hour = hour % 12 + (12 if half in "Pp" else 0)
    return hour, minute, second
