"""Which way the times in a column run, in whatever way its cells write them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime
from itertools import pairwise, product
from typing import Literal

Direction = Literal["forward", "backward", "mixed"]
_DATES = (
    "%Y/%m/%d", "%Y.%m.%d", "%d/%m/%Y", "%m/%d/%Y", "%d.%m.%Y", "%d-%m-%Y", "%m-%d-%Y", "%d/%m/%y", "%m/%d/%y",
    "%d.%m.%y", "%B %d, %Y", "%b %d, %Y", "%d %B %Y", "%d %b %Y", "%a, %d %b %Y", "%a %b %d %Y",
)  # fmt: skip
_CLOCKS = ("%H:%M", "%H:%M:%S", "%I:%M %p", "%I:%M:%S %p")
_FORMATS = (
    *_CLOCKS,
    *_DATES,
    *(
        f"{date}{gap}{clock}"
        for date, gap, clock in product(_DATES, (" ", ", "), _CLOCKS)
    ),
)
_ZONES = (" UTC", " GMT", " +0000", "Z")


def direction(times: Iterable[float | datetime]) -> Direction:
    """Which way numbers or times run; "forward" where they all are the same."""
    steps = {next > one for one, next in pairwise(times) if next != one}  # type: ignore[operator]  # all of one type
    return "mixed" if len(steps) > 1 else "backward" if steps == {False} else "forward"


def written_direction(cells: Sequence[str]) -> Direction:
    """Which way the times run that these cells write out, other than in ISO; "mixed" where that is not sure.

    A date such as 5/8/23 is of two days. Both ways of reading it have to run in the same direction.
    """
    bare = [_bare(cell) for cell in cells]
    fitting = [format for format in _FORMATS if bare and _parsed(bare[0], format)]
    found: set[Direction] = set()
    for format in fitting:
        times = [time for cell in bare if (time := _parsed(cell, format)) is not None]
        if len(times) == len(bare):
            found.add(direction(times))
    return found.pop() if len(found) == 1 else "mixed"


def _bare(cell: str) -> str:
    return next(
        (
            cell.strip().removesuffix(zone)
            for zone in _ZONES
            if cell.strip().endswith(zone)
        ),
        cell.strip(),
    )


def _parsed(cell: str, format: str) -> datetime | None:
    try:
        return datetime.strptime(cell, format)
    except ValueError:
        return None
