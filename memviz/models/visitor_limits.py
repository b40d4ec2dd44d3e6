"""The most that a visitor may use of a server where each has a library: by default, or as whoever starts it says."""

import os
from collections.abc import Mapping
from math import isfinite
from typing import Any, NamedTuple

from memviz.core.errors import AccessError
from memviz.models.environment import read_words

LIMITS = "MEMVIZ_LIMITS"
"""The environment variable with limits, such as "replays=4 usd=0.5"."""
WHOLE_NUMBERS = ("conversations", "megabytes", "replays", "replays_in_all")
MOST_REPLAYS = 12
"""More are never at work for one library."""


class VisitorLimits(NamedTuple):
    """The most that one visitor may use, and all of them together."""

    conversations: int = 200
    """Conversations in a library, the bundled ones among them."""
    megabytes: int = 100
    """Size of a library."""
    replays: int = MOST_REPLAYS
    """Replays that are at work at once."""
    usd: float | None = None
    """US dollars that the models of a visitor may cost, whatever is restarted; ``None`` for any amount."""
    usd_in_all: float | None = None
    """US dollars for all visitors together."""
    replays_in_all: int | None = None
    """Replays and free sweeps of all visitors together that are at work at once; ``None`` for any number."""


def visitor_limits(environment: Mapping[str, str] = os.environ) -> VisitorLimits:
    """Return the limits that the environment names, and for all others the default: "replays=4 usd-in-all=20" are
    ``VisitorLimits(replays=4, usd_in_all=20.0)``. Raises :class:`memviz.core.errors.AccessError` for what is no
    limit."""
    numbers: dict[str, Any] = {}
    for limit in read_words(LIMITS, environment):
        name, _equals, digits = limit.partition("=")
        field = name.replace("-", "_")
        number = _positive_number(digits)
        is_whole = number == int(number)
        if field not in VisitorLimits._fields or not number:
            raise _no_limit(limit)
        if field in WHOLE_NUMBERS and not is_whole:
            raise _no_limit(limit)
        if field == "replays" and number > MOST_REPLAYS:
            raise _no_limit(limit)
        numbers[field] = int(number) if field in WHOLE_NUMBERS else number
    return VisitorLimits()._replace(**numbers)


def _positive_number(digits: str) -> float:
    """Return the number that is written so; 0.0 for what is none above 0."""
    try:
        number = float(digits)
    except ValueError:
        return 0.0
    return number if isfinite(number) and number > 0 else 0.0


def _no_limit(limit: str) -> AccessError:
    return AccessError(
        f"{limit!r} is no limit: give conversations=200, megabytes=100, replays={MOST_REPLAYS} (the most), "
        "replays-in-all=20, usd=1 or usd-in-all=20, each with a number above 0."
    )
