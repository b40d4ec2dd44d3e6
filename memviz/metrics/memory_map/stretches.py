"""The treatment of the log by every request of a run, as stretches of messages with the same code.

A request does the same with thousands of messages in a row, so a handful of stretches say what a row of a matrix
[requests x messages] would. They grow with the number of requests alone.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterator, Sequence
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
    """A fate, and for summarized messages from how many summarizations on."""

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
"""The kinds of cells of the map; a cell's code is its place here, and codes keep their numbers. A step of generations
ends where the next begins: once, 2-3, 4-7, 8 or more times summarized. From *dropped* to *word for word* it holds: the
more of a message is sent, the higher its code."""


_CODES = {step.fate: code for code, step in enumerate(STEPS)}


def code_of(fate: Fate, generation: int = 0) -> int:
    """Return the place in :data:`STEPS` of a fate."""
    if fate is not Fate.SUMMARIZED:
        return _CODES[fate]
    return max(
        code
        for code, step in enumerate(STEPS)
        if step.fate is Fate.SUMMARIZED and step.generation <= generation
    )


RECALLED_CODE = code_of(Fate.RECALLED)


SUMMARIZED_STEPS = tuple(
    step.generation for step in STEPS if step.fate is Fate.SUMMARIZED
)
_VERBATIM = code_of(Fate.VERBATIM)
_DROPPED = code_of(Fate.DROPPED)
_OPAQUE = code_of(Fate.OPAQUE)
_ONCE = code_of(Fate.SUMMARIZED, 1)
_OF_FORMS = {fate: code_of(Fate[fate.upper()]) for fate in get_args(FormFate)}
Painted = tuple[int, int, int]
"""Messages ``[start, stop)`` and their code."""


class Stretches(NamedTuple):
    """Stretches of messages with the same code, one entry a stretch in each array, in the order of requests and of
    messages. What no stretch holds is not there yet."""

    requests: NDArray[np.int32]
    """The number of the request (0-based)."""
    starts: NDArray[np.int32]
    """The log position of the first message."""
    stops: NDArray[np.int32]
    """The log position behind the last message."""
    codes: NDArray[np.uint8]
    """The place in :data:`STEPS` of what became of these messages."""

    def picked(self, selection: NDArray[np.bool_] | slice) -> Stretches:
        """Return the stretches that a mask or a slice selects."""
        requests, starts, stops, codes = self
        return Stretches(
            requests[selection], starts[selection], stops[selection], codes[selection]
        )

    def of(self, request: int) -> Stretches:
        """Return the stretches of one request."""
        first, stop = np.searchsorted(self.requests, (request, request + 1))
        return self.picked(slice(int(first), int(stop)))

    def within(self, positions: range) -> Stretches:
        """Return the parts of them that lie in ``positions``."""
        begins_before = self.starts < positions.stop
        inside = self.picked(begins_before & (self.stops > positions.start))
        return inside._replace(
            starts=np.maximum(inside.starts, positions.start),
            stops=np.minimum(inside.stops, positions.stop),
        )


def stretches(run: Run, generations: Generations) -> Stretches:
    """Return the stretches of all requests of ``run``."""
    by_version = _paint_versions(run, generations)
    # Four numbers a stretch in one flat array: a tuple for each would take far more memory.
    rows = array("i")
    system_stop = run.space.system_stop
    for number, sent in enumerate(sent_by_request(run)):
        plain_stretches = _paint_plain(sent, system_stop)
        for stretch in plain_stretches or painted(_list_layers(run, sent, by_version)):
            rows.append(number)
            rows.extend(stretch)
    requests, starts, stops, codes = np.array(rows, np.int32).reshape(-1, 4).T
    return Stretches(requests, starts, stops, codes.astype(np.uint8))


class _Sent(NamedTuple):
    """The treatment of the first ``length`` messages of the log by one request."""

    length: int
    notes: Sequence[Notes]
    messages: Sequence[Messages]
    recalled: Sequence[int] = ()
    exchange: range = range(0)
    quoted: Sequence[int] = ()


def sent_by_request(run: Run) -> Iterator[_Sent]:
    """Yield what each request sends, in order. Records need not be made for it."""
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
    """Yield what the notes of a request stand for. Where several do, the one counts that was written over most
    often."""
    summaries = run.space.summaries
    repeated: list[Painted] = []
    for block in notes:
        for covered in summaries.covered(block.start, block.stop):
            yield covered.start, covered.stop, _ONCE
        if len(block.versions) == 1:
            repeated += by_version[block.start]
    # Codes rise with the number of summarizations, and what is yielded last lies on top.
    if len(notes) > 1:
        repeated.sort(key=lambda stretch: stretch[2])
    yield from repeated
    for block in notes:
        for covered in summaries.opaque(block.start, block.stop):
            yield covered.start, covered.stop, _OPAQUE


def _paint_versions(run: Run, generations: Generations) -> dict[int, list[Painted]]:
    """Return by version the messages that it covers and that were summarized more than once, with their codes; the
    rest of what it covers was summarized once. Versions that no request sent alone are left out."""
    versions = run.space.summaries.versions
    if not versions:
        return {}
    alone = set[int]()
    for sent in sent_by_request(run):
        alone.update(block.start for block in sent.notes if len(block.versions) == 1)
    by_version = {}
    # Where messages between two others were not summarized, how often is looked up message by message.
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
            painted_steps.append((first, last, code_of(Fate.SUMMARIZED, step)))
    return painted_steps


def _group_steps(row: NDArray[np.uint16]) -> list[Painted]:
    """Return the stretches of a row [messages] of numbers of summarizations that reach the same step: of 1, 1, 5 the
    first two as step 1, the third as step 4."""
    reached = np.searchsorted(SUMMARIZED_STEPS, row, "right")
    edges = np.flatnonzero(np.r_[True, reached[1:] != reached[:-1], True]).tolist()
    return [
        (start, stop, SUMMARIZED_STEPS[reached[start] - 1])
        for start, stop in pairwise(edges)
        if reached[start]
    ]


def painted(layers: Iterator[Painted]) -> Iterator[Painted]:
    """Yield the stretches that are seen where each layer lies over those before it; stretches that touch have other
    codes."""
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
