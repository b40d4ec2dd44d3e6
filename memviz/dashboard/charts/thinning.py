"""No more points than a screen can show: of many turns the lowest and the highest, so that no peak is lost.

A picture has about 1,500 columns. A trace of more points is cut into as many bins as half of them, and each bin keeps
its smallest and its largest point; these are points of the trace, so their tooltips stay true. What goes together
stays together: stacked areas and bars keep the same turns, chosen by their sum.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Generic, NamedTuple, TypeVar, overload

import numpy as np
from numpy.typing import NDArray

MAX_POINTS = 1_500
"""More in one trace cannot be told apart on a screen, and make a page of several megabytes."""
BINS = MAX_POINTS // 2
T = TypeVar("T")
Trace = dict[str, Any]
Places = NDArray[np.intp]
Floats = NDArray[np.float64]


class Texts(Sequence[str], Generic[T]):
    """The words of each of ``items``, written only for those that are drawn, and once: traces are kept with their run
    and drawn again beside others."""

    def __init__(self, items: Sequence[T], words: Callable[[T], str]) -> None:
        self._items, self._words = items, words
        self._written: dict[int, str] = {}

    def __len__(self) -> int:
        return len(self._items)

    @overload
    def __getitem__(self, place: int) -> str: ...
    @overload
    def __getitem__(self, place: slice) -> list[str]: ...
    def __getitem__(self, place: int | slice) -> str | list[str]:
        if isinstance(place, slice):
            return [self[number] for number in range(*place.indices(len(self)))]
        if place not in self._written:
            self._written[place] = self._words(self._items[place])
        return self._written[place]


class Thinned(NamedTuple):
    """The traces, and how many turns one column of the picture stands for; 1 where every point is drawn."""

    traces: list[Trace]
    turns_per_bin: int


def thinned(
    traces: Sequence[Mapping[str, Any]], window: Sequence[float] | None = None
) -> Thinned:
    """``traces`` over turns with at most :data:`MAX_POINTS` points each. ``window`` is the part of the x axis that is
    shown: points outside are left out of a trace that has too many."""
    drawn = [dict(trace) for trace in traces]
    turns = 1
    for group in _groups(drawn):
        first = drawn[group[0]]
        x = np.array(first["x"], dtype=float)
        low, high = (np.nanmin(x), np.nanmax(x)) if window is None else window
        kept = _kept(
            first, x, [drawn[place] for place in group], float(low), float(high)
        )
        if kept is None:
            continue
        if len(kept) < np.count_nonzero((x >= low) & (x <= high)):
            turns = max(turns, round((high - low) / BINS))
        for place in group:
            drawn[place] = _cut(drawn[place], len(x), kept)
    return Thinned(
        [{name: _written(value) for name, value in trace.items()} for trace in drawn],
        turns,
    )


def _groups(traces: Sequence[Trace]) -> Iterator[list[int]]:
    """The numbers of traces with too many points; of those that are stacked, all together."""
    stacks: dict[tuple[Any, ...], list[int]] = {}
    for number, trace in enumerate(traces):
        x = trace.get("x")
        is_along_turns = trace.get("type") == "scatter" or (
            trace.get("type") == "bar" and "orientation" not in trace
        )
        if (
            x is None
            or not is_along_turns
            or len(x) <= MAX_POINTS
            or "maxdisplayed" in trace.get("marker", {})
        ):
            continue
        stack = trace.get("stackgroup") or (
            "bars" if trace["type"] == "bar" else number
        )
        stacks.setdefault((stack, trace.get("yaxis"), len(x)), []).append(number)
    yield from stacks.values()


def _kept(
    first: Trace, x: Floats, group: Sequence[Trace], low: float, high: float
) -> Places | None:
    """The places of the points that are drawn; ``None`` where all are."""
    is_bar, y = (
        first["type"] == "bar",
        np.sum([np.array(trace["y"], dtype=float) for trace in group], axis=0),
    )
    if np.isnan(x).any():
        return _kept_strokes(x, y, low, high)
    inside = np.flatnonzero((x >= low) & (x <= high))
    if len(inside) <= MAX_POINTS:
        bounds = (max(0, inside[0] - 1), inside[-1] + 2) if len(inside) else (0, 0)
        return np.arange(bounds[0], min(bounds[1], len(x)))
    keys = _bins(x[inside], low, high) * 64 + _kinds(first, len(x))[inside]
    least, most = _ends(keys, np.nan_to_num(y[inside], nan=-np.inf))
    ends = most if is_bar else np.r_[least, most, 0, len(inside) - 1]
    return np.asarray(inside[np.unique(ends)])


def _kept_strokes(x: Floats, y: Floats, low: float, high: float) -> Places | None:
    """Of lines from one point to another, each followed by a gap, the longest of every bin."""
    if len(x) % 3 or not np.isnan(x[2::3]).all() or np.isnan(x[::3]).any():
        return None
    inside = np.flatnonzero((x[::3] >= low) & (x[::3] <= high))
    if len(inside) > BINS:
        _, most = _ends(
            _bins(x[::3][inside], low, high), np.abs(y[1::3] - y[::3])[inside]
        )
        inside = inside[np.sort(most)]
    return np.asarray((3 * inside[:, None] + np.arange(3)).ravel())


def _bins(x: Floats, low: float, high: float) -> NDArray[np.int64]:
    return np.minimum((x - low) / max(high - low, 1e-9) * BINS, BINS - 1).astype(
        np.int64
    )


def _kinds(trace: Trace, size: int) -> NDArray[np.int64]:
    """A number for each point's symbol: a failure must not hide behind what did not fail."""
    symbols = trace.get("marker", {}).get("symbol")
    if not isinstance(symbols, list | tuple) or len(symbols) != size:
        return np.zeros(size, np.int64)
    return np.unique(symbols, return_inverse=True)[1].astype(np.int64) % 64


def _ends(keys: NDArray[np.int64], y: Floats) -> tuple[Places, Places]:
    """The places of the smallest and of the largest ``y`` of every key; the first of several that are alike."""
    rising, falling = np.lexsort((y, keys)), np.lexsort((-y, keys))
    starts = np.flatnonzero(np.r_[True, np.diff(keys[rising]) > 0])
    return rising[starts], falling[starts]


def _cut(trace: Trace, size: int, kept: Places) -> Trace:
    found = {name: _picked(value, size, kept) for name, value in trace.items()}
    if "marker" in found:
        found["marker"] = {
            name: _picked(value, size, kept) for name, value in trace["marker"].items()
        }
    if trace["type"] == "bar" and isinstance(trace.get("width"), float | int):
        found["width"] = trace["width"] * max(
            1.0, size / max(1, len(kept))
        )  # a bar stands for its neighbours
    return found


def _picked(value: Any, size: int, kept: Places) -> Any:
    if isinstance(value, np.ndarray):
        return value[kept] if len(value) == size else value
    if isinstance(value, Texts | list | tuple) and len(value) == size:
        return [value[place] for place in kept.tolist()]
    return value


def _written(value: Any) -> Any:
    return list(value) if isinstance(value, Texts) else value
