"""The fate of every message at every request of a run, as stretches of messages with the same code.

A request treats thousands of messages in a row alike, so a few stretches replace a row of a matrix
[requests x messages]. :class:`~memviz.metrics.memory_map.fate_map.FateMap` counts and draws them. In this module, later
layers are painted over earlier ones: first everything is dropped, then summaries, then messages that are sent.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple, get_args

import numpy as np
from numpy.typing import NDArray

from memviz.core.context import Fate
from memviz.core.forms import FormFate
from memviz.core.pieces import Messages, Notes
from memviz.engine.generations import Generations
from memviz.engine.part_tokens import find_reduced_forms
from memviz.engine.run import Run


class Step(NamedTuple):
    """A kind of cells of the map: a fate, and for summarized messages the least number of summarizations."""

    fate: Fate
    generation: int = 0


STEPS = (
    Step(Fate.NOT_YET),
    Step(Fate.DROPPED),
    Step(Fate.SUMMARIZED, 1),
    Step(Fate.SUMMARIZED, 2),
    Step(Fate.SUMMARIZED, 4),
    Step(Fate.SUMMARIZED, 8),
    Step(Fate.RECALLED),
    Step(Fate.VERBATIM),
    Step(Fate.CLEARED),
    Step(Fate.SHORTENED),
    Step(Fate.OPAQUE),
)
"""The kinds of cells of the map. The code of a cell is its place here, and codes keep their numbers.

Summarized messages have a step for one summarization, for 2-3, for 4-7, and for 8 or more. From *dropped* to *word for
word*, a higher code means that more of the message is sent.
"""


_CODES = {step.fate: code for code, step in enumerate(STEPS)}


def encode_fate(fate: Fate, generation: int = 0) -> int:
    """Return the code (the place in :data:`STEPS`) of a fate; ``generation`` counts the summarizations."""
    if fate is not Fate.SUMMARIZED:
        return _CODES[fate]
    return max(
        code
        for code, step in enumerate(STEPS)
        if step.fate is Fate.SUMMARIZED and step.generation <= generation
    )


RECALLED_CODE = encode_fate(Fate.RECALLED)


SUMMARIZED_STEPS = tuple(
    step.generation for step in STEPS if step.fate is Fate.SUMMARIZED
)
_VERBATIM = encode_fate(Fate.VERBATIM)
_DROPPED = encode_fate(Fate.DROPPED)
_OPAQUE = encode_fate(Fate.OPAQUE)
_ONCE = encode_fate(Fate.SUMMARIZED, 1)
_OF_FORMS = {fate: encode_fate(Fate[fate.upper()]) for fate in get_args(FormFate)}
Painted = tuple[int, int, int]
"""A stretch: the log position of its first message, the position behind its last one, and their code."""


class Stretches(NamedTuple):
    """Stretches of messages with the same code: arrays with one entry a stretch, ordered by request and by message.

    A message that no stretch of a request holds was not said yet.
    """

    requests: NDArray[np.int32]
    """The number of the request (0-based)."""
    starts: NDArray[np.int32]
    """The log position of the first message."""
    stops: NDArray[np.int32]
    """The log position behind the last message."""
    codes: NDArray[np.uint8]
    """The code of the messages, a place in :data:`STEPS`."""

    def pick(self, selection: NDArray[np.bool_] | slice) -> Stretches:
        """Return the stretches that a mask or a slice selects."""
        requests, starts, stops, codes = self
        return Stretches(
            requests[selection], starts[selection], stops[selection], codes[selection]
        )

    def of(self, request: int) -> Stretches:
        """Return the stretches of one request."""
        first, stop = np.searchsorted(self.requests, (request, request + 1))
        return self.pick(slice(int(first), int(stop)))

    def within(self, positions: range) -> Stretches:
        """Return the parts of the stretches that lie in a range of log positions."""
        begins_before = self.starts < positions.stop
        inside = self.pick(begins_before & (self.stops > positions.start))
        return inside._replace(
            starts=np.maximum(inside.starts, positions.start),
            stops=np.minimum(inside.stops, positions.stop),
        )


def build_stretches(run: Run, generations: Generations) -> Stretches:
    """Return the stretches of all requests of ``run``."""
    by_version = _paint_versions(run, generations)
    # Four numbers a stretch in one flat array: tuples would take far more memory.
    rows = array("i")
    system_stop = run.space.system_stop
    for number, sent in enumerate(list_sent_by_request(run)):
        painted: Iterable[Painted] = _paint_plain(sent, system_stop)
        if not painted:
            painted = paint_layers(_list_layers(run, sent, by_version))
        for stretch in painted:
            rows.append(number)
            rows.extend(stretch)
    requests, starts, stops, codes = np.array(rows, np.int32).reshape(-1, 4).T
    return Stretches(requests, starts, stops, codes.astype(np.uint8))


class _Sent(NamedTuple):
    """The parts of one request that hold messages of the log, or stand for them."""

    length: int
    """The number of messages that the log had."""
    notes: Sequence[Notes]
    messages: Sequence[Messages]
    recalled: Sequence[int] = ()
    exchange: range = range(0)
    quoted: Sequence[int] = ()


def list_sent_by_request(run: Run) -> Iterator[_Sent]:
    """Yield the parts of each request in order. They are read from the columns of the run, without making records."""
    columns = run.columns
    bounds = (
        columns.lengths,
        columns.summary_starts,
        columns.summary_stops,
        columns.starts,
        columns.stops,
    )
    rows = np.stack(bounds, axis=1).tolist()
    for number, (length, first, last, start, stop) in enumerate(rows):
        if start >= 0:
            notes = (Notes(first, last),) if first < last else ()
            yield _Sent(length, notes, (Messages(start, stop),))
        else:
            parts = columns.others[number]
            yield _Sent(
                length,
                parts.notes,
                parts.messages,
                parts.recalled,
                parts.exchange,
                parts.quoted,
            )


def _paint_plain(request: _Sent, system_stop: int) -> list[Painted]:
    """Return the stretches of a request that is one range of messages and nothing else, as nearly all are; empty for
    another one."""
    is_more = request.notes or request.recalled or request.exchange or request.quoted
    if is_more or len(request.messages) != 1:
        return []
    start, stop, form = request.messages[0]
    if form is not None or not start < stop or stop < system_stop:
        return []
    stretches = []
    if start > system_stop:
        stretches = [(0, system_stop, _VERBATIM)] if system_stop else []
        stretches += [(system_stop, start, _DROPPED), (start, stop, _VERBATIM)]
    else:
        stretches = [(0, stop, _VERBATIM)]
    if stop < request.length:
        stretches.append((stop, request.length, _DROPPED))
    return stretches


def _list_layers(
    run: Run, request: _Sent, by_version: dict[int, list[Painted]]
) -> Iterator[Painted]:
    """Yield the messages that a request treats alike, each layer over those before it: a message that was summarized
    and is sent as well counts as sent, as in :meth:`memviz.engine.run.Run.fates_at`."""
    yield 0, request.length, _DROPPED
    yield from _list_note_layers(run, request.notes, by_version)
    for version in request.quoted:
        covers = run.space.summaries.versions[version].covers
        yield covers.start, covers.stop, _ONCE
    for piece in request.messages:
        yield piece.start, piece.stop, _VERBATIM
        for position, form in find_reduced_forms(run.space, piece).items():
            yield position, position + 1, _OF_FORMS[form.fate]
    for position in request.recalled:
        yield position, position + 1, RECALLED_CODE
    yield request.exchange.start, request.exchange.stop, _VERBATIM
    yield 0, run.space.system_stop, _VERBATIM


def _list_note_layers(
    run: Run, notes: Sequence[Notes], by_version: dict[int, list[Painted]]
) -> Iterator[Painted]:
    """Yield the messages that the notes of a request stand for.

    Where several notes stand for a message, the one counts that was rewritten most often.
    """
    summaries = run.space.summaries
    repeated: list[Painted] = []
    for block in notes:
        for covered in summaries.covered(block.start, block.stop):
            yield covered.start, covered.stop, _ONCE
        if len(block.versions) == 1:
            repeated += by_version[block.start]
    # Codes rise with the number of summarizations, and the layer that is yielded last is on top.
    if len(notes) > 1:
        repeated.sort(key=lambda stretch: stretch[2])
    yield from repeated
    for block in notes:
        for covered in summaries.opaque(block.start, block.stop):
            yield covered.start, covered.stop, _OPAQUE


def _paint_versions(run: Run, generations: Generations) -> dict[int, list[Painted]]:
    """Return for each version the messages that it covers and that were summarized more than once, with their codes.

    The other messages that it covers were summarized once. Versions that no request sends alone are left out.
    """
    versions = run.space.summaries.versions
    if not versions:
        return {}
    alone = set[int]()
    for sent in list_sent_by_request(run):
        alone.update(block.start for block in sent.notes if len(block.versions) == 1)
    by_version = {}
    # Versions with messages between that were not summarized: these are counted message by message.
    with_gaps = []
    for version in alone:
        steps = generations.stretches(version, SUMMARIZED_STEPS)
        if steps is None:
            with_gaps.append(version)
        else:
            by_version[version] = _paint_steps(versions[version].covers, steps)
    length = max((versions[version].covers.stop for version in with_gaps), default=0)
    for version, row in generations.rows(with_gaps, range(length)):
        by_version[version] = _paint_steps(versions[version].covers, _group_steps(row))
    return by_version


def _paint_steps(covers: range, steps: Sequence[Painted]) -> list[Painted]:
    painted_steps = []
    for start, stop, step in steps:
        first = max(start, covers.start)
        last = min(stop, covers.stop)
        if step > 1 and first < last:
            painted_steps.append((first, last, encode_fate(Fate.SUMMARIZED, step)))
    return painted_steps


def _group_steps(row: NDArray[np.uint16]) -> list[Painted]:
    """Return the stretches of messages that reach the same step, from their numbers of summarizations.

    1, 1, 5 gives the first two messages with step 1, and the third with step 4.
    """
    reached = np.searchsorted(SUMMARIZED_STEPS, row, "right")
    edges = np.flatnonzero(np.r_[True, reached[1:] != reached[:-1], True]).tolist()
    return [
        (start, stop, SUMMARIZED_STEPS[reached[start] - 1])
        for start, stop in pairwise(edges)
        if reached[start]
    ]


def paint_layers(layers: Iterator[Painted]) -> Iterator[Painted]:
    """Yield the stretches that are visible when each layer is painted over those before it.

    (0, 9, 1), (3, 5, 2) gives (0, 3, 1), (3, 5, 2), (5, 9, 1). Neighbours with the same code become one stretch.
    """
    visible = [layer for layer in layers if layer[0] < layer[1]]
    # Between two neighbouring edges nothing changes, so one code stands for all messages there.
    edges = sorted({edge for start, stop, _ in visible for edge in (start, stop)})
    places = {edge: place for place, edge in enumerate(edges)}
    codes = [0] * len(edges)
    for start, stop, code in visible:
        first = places[start]
        last = places[stop]
        codes[first:last] = [code] * (last - first)
    begin = 0
    current = 0
    for edge, code in zip(edges, codes, strict=True):
        if code != current:
            if current:
                yield begin, edge, current
            begin = edge
            current = code
