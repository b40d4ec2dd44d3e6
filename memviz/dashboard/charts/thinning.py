"""No more points than a screen can show: of many turns the lowest and the highest, so that no peak is lost.

A picture has about 1,500 columns. A trace of more points is cut into as many bins as half of them, and each bin keeps
its smallest and its largest point; these are points of the trace, so their tooltips stay true. What goes together
stays together: stacked areas and bars keep the same turns, chosen by their sum.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Generic, NamedTuple, TypeVar, overload

import numpy as np
from numpy.typing import NDArray

from memviz.core.translation import language_now, use_language

MAX_POINTS = 1_500
"""More in one trace cannot be told apart on a screen, and make a page of several megabytes."""
BINS = MAX_POINTS // 2
MOST_KINDS = 64
"""The most symbols that are kept apart."""
T = TypeVar("T")
V = TypeVar("V")
Trace = dict[str, Any]
Places = NDArray[np.intp]
Floats = NDArray[np.float64]


@dataclass(eq=False)
class Drawn(Sequence[V], Generic[T, V]):
    """The value of each of the items on a picture, made only for those that are drawn, and once: traces are kept with
    their run and drawn again beside others."""

    _items: Sequence[T]
    _make: Callable[[T], V]
    _made: dict[int, V] = field(default_factory=dict, init=False)

    def __len__(self) -> int:
        return len(self._items)

    @overload
    def __getitem__(self, place: int) -> V: ...
    @overload
    def __getitem__(self, place: slice) -> list[V]: ...
    def __getitem__(self, place: int | slice) -> V | list[V]:
        if isinstance(place, slice):
            return [self[number] for number in range(*place.indices(len(self)))]
        if place not in self._made:
            self._made[place] = self._make(self._items[place])
        return self._made[place]


class Texts(Drawn[T, str]):
    """The words of each of ``items``."""


class Thinned(NamedTuple):
    """The traces of a picture."""

    traces: list[Trace]
    turns_per_bin: int
    """The number of turns that one column of the picture stands for; 1 where every point is drawn."""


class _Window(NamedTuple):
    """The part of the x axis that is shown."""

    low: float
    high: float

    def places_in(self, x: Floats) -> Places:
        """The places of the points that are shown."""
        return np.flatnonzero((x >= self.low) & (x <= self.high))

    def bins_of(self, x: Floats) -> NDArray[np.int64]:
        """Return the bin of each point, from 0."""
        width = max(self.high - self.low, 1e-9)
        bins = (x - self.low) / width * BINS
        return np.minimum(bins, BINS - 1).astype(np.int64)


def thin_out(
    traces: Sequence[Mapping[str, Any]], window: Sequence[float] | None = None
) -> Thinned:
    """Return ``traces`` over turns with at most :data:`MAX_POINTS` points each. ``window`` is the part of the x axis
    that is shown: points outside are left out of a trace that has too many."""
    # Thousands of tooltips are written, for a reader whose language is asked for once.
    with use_language(language_now()):
        return _thin_out(traces, window)


def _thin_out(
    traces: Sequence[Mapping[str, Any]], window: Sequence[float] | None
) -> Thinned:
    thinned = [dict(trace) for trace in traces]
    turns = 1
    for group in _groups(thinned):
        first = thinned[group[0]]
        x = np.array(first["x"], dtype=float)
        ends = (np.nanmin(x), np.nanmax(x)) if window is None else window
        visible = _Window(float(ends[0]), float(ends[1]))
        places = _places_to_draw(x, [thinned[number] for number in group], visible)
        if places is None:
            continue
        # Points that are only out of sight are no reason to say that a column stands for several turns.
        if len(places) < len(visible.places_in(x)):
            turns = max(turns, round((visible.high - visible.low) / BINS))
        for number in group:
            thinned[number] = _cut(thinned[number], len(x), places)
    # Only now, for the points that are left: a tooltip takes longer to write than a point to draw.
    for trace in thinned:
        for name, value in trace.items():
            if isinstance(value, Drawn):
                trace[name] = list(value)
    return Thinned(thinned, turns)


def _groups(traces: Sequence[Trace]) -> Iterable[list[int]]:
    """Return the numbers of traces with too many points; of those that are stacked, all together."""
    groups: dict[tuple[Any, ...], list[int]] = {}
    for number, trace in enumerate(traces):
        x = trace.get("x")
        kind = trace.get("type")
        is_bar = kind == "bar" and "orientation" not in trace
        if x is None or len(x) <= MAX_POINTS or not (is_bar or kind == "scatter"):
            continue
        if "maxdisplayed" in trace.get("marker", {}):
            # Plotly draws few of its points by itself, and the others are there to be pointed at.
            continue
        stack = trace.get("stackgroup") or ("bars" if is_bar else number)
        key = (stack, trace.get("yaxis"), len(x))
        groups.setdefault(key, []).append(number)
    return groups.values()


def _places_to_draw(
    x: Floats, group: Sequence[Trace], visible: _Window
) -> Places | None:
    """Return the places of the points that are drawn; ``None`` where all are."""
    heights = [np.array(trace["y"], dtype=float) for trace in group]
    y = np.sum(heights, axis=0)
    if np.isnan(x).any():
        return _longest_strokes(x, y, visible)
    places_inside = visible.places_in(x)
    if not len(places_inside):
        return np.arange(0)
    if len(places_inside) <= MAX_POINTS:
        # With a neighbour at both sides, to which the line goes on out of sight.
        first = max(0, places_inside[0] - 1)
        return np.arange(first, min(places_inside[-1] + 2, len(x)))
    # One key for each bin and kind of point, from which the lowest and the highest are taken.
    kinds = _kinds(group[0], len(x))
    keys = visible.bins_of(x[places_inside]) * MOST_KINDS + kinds[places_inside]
    lowest, highest = _ends(keys, np.nan_to_num(y[places_inside], nan=-np.inf))
    if group[0]["type"] == "bar":
        # A low bar beside a high one could not be seen.
        ends = highest
    else:
        # The first and the last point are where the line begins and ends.
        ends = np.r_[lowest, highest, 0, len(places_inside) - 1]
    return np.asarray(places_inside[np.unique(ends)])


def _longest_strokes(x: Floats, y: Floats, visible: _Window) -> Places | None:
    """Return the places of the longest stroke of every bin, in a trace of strokes: each is two points and a gap.
    ``None`` for a trace with other gaps, which is drawn whole."""
    begins = x[::3]
    are_strokes = len(x) % 3 == 0 and np.isnan(x[2::3]).all()
    if not are_strokes or np.isnan(begins).any():
        return None
    strokes = visible.places_in(begins)
    if len(strokes) > BINS:
        lengths = np.abs(y[1::3] - y[::3])
        _shortest, longest = _ends(visible.bins_of(begins[strokes]), lengths[strokes])
        strokes = strokes[np.sort(longest)]
    # Stroke 2 is the points 6, 7 and 8.
    return np.asarray((3 * strokes[:, None] + np.arange(3)).ravel())


def _kinds(trace: Trace, size: int) -> NDArray[np.int64]:
    """Return a number for each point's symbol: a failure must not hide behind what did not fail."""
    symbols = trace.get("marker", {}).get("symbol")
    if not isinstance(symbols, list | tuple) or len(symbols) != size:
        return np.zeros(size, np.int64)
    numbers = np.unique(symbols, return_inverse=True)[1]
    return numbers.astype(np.int64) % MOST_KINDS


def _ends(keys: NDArray[np.int64], y: Floats) -> tuple[Places, Places]:
    """Return the places of the smallest and of the largest ``y`` of every key; the first of several that are alike."""
    # Sorted by key, and within a key by height: each key begins with one of its ends, at the same place in both orders.
    rising = np.lexsort((y, keys))
    falling = np.lexsort((-y, keys))
    starts = np.flatnonzero(np.r_[True, np.diff(keys[rising]) > 0])
    return rising[starts], falling[starts]


def _cut(trace: Trace, size: int, places: Places) -> Trace:
    cut = {name: _pick_places(value, size, places) for name, value in trace.items()}
    if "marker" in trace:
        marker = trace["marker"].items()
        cut["marker"] = {
            name: _pick_places(value, size, places) for name, value in marker
        }
    width = trace.get("width")
    if trace["type"] == "bar" and isinstance(width, float | int):
        # A bar stands for its neighbours.
        cut["width"] = width * max(1.0, size / max(1, len(places)))
    return cut


def _pick_places(value: Any, size: int, places: Places) -> Any:
    if not isinstance(value, np.ndarray | Drawn | list | tuple) or len(value) != size:
        return value
    if isinstance(value, np.ndarray):
        return value[places]
    return [value[place] for place in places.tolist()]
