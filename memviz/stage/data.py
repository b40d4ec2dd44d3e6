"""What the stage plays, as JSON: every step of some settings, small enough to lie in a page or a file.

Positions count from 0. Messages before ``base`` are drawn as one block; ``messages`` holds those from there on.

```
{"title", "measure": "tokens" | "dollars" | "memory", "step": "turn" | "request",
 "base": 0, "messages": [[role, tokens, text, turn], ...],
 "settings": [{"label", "index", "author", "rule",
               "messages": null | [...],                            # its own, where a model answered for itself
               "requests": [REQ | null, ...]}],                     # one a step; null: none of its own at this step
 "steps": [[turn, call, calls], ...], "first": 0, "of": 46,         # these are steps first.. of so many
 "facts": [{"answer", "question", "turn"}], "questions": [QUESTION, ...], "at": 0, "chosen": 0,
 "kinds": {kind: noun}, "pieces": {letter: kind}, "colors": {...}}

REQ = {"pieces": [[kind, start, stop, tokens?], ...],               # see memviz/stage/lane.py
       "tokens": 1085, "length": 25, "usd": "$0.0123", "known": "054..",  # one Knowledge code a fact, if changed
       "fates": [[start, stop, code], ...], "sizes": [[position, tokens], ...],     # what changed since the step before
       "limit": [1808, 1500, share?],                               # a whole request that reaches the limit; the limit
       "fill": [18, 20, "messages"],                                # of what the rule counts, how much is held
       "before": [tokens, pieces],                                  # the request without what was done before it
       "pending": true,                                             # nobody has answered it: drawn hollow
       "events": [{"kind", "sentence": [plain, bold, plain, ...], "facts"}]}
QUESTION = {"step", "setting": 2 | null, "text", "choices", "answer", "reason"}    # asked before `step` is shown
```

The request that is open at the end of a conversation is one step more behind all others, if these are shown; it has
no price and knows no facts, for it counts nowhere. Parts of a REQ that are empty are left out. Of facts that are
followed ``memviz/stage/followed.py`` tells more. Besides, who shows the stage may set ``highlight`` (``{"facts": [...],
"messages": [...], "settings": [...]}``), ``measures``, of which the visitor chooses what the lanes say, and
``controls``, the names of the controls that are shown (default: all; see ``MEMVIZ_CONTROLS`` in ``stage.js``).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import pairwise
from typing import Any, Literal, NamedTuple, get_args

import numpy as np
from numpy.typing import NDArray

from memviz.charts.palette import PART_COLORS, PART_TITLES, STEP_COLORS, STEP_TITLES
from memviz.charts.requests.tokens_per_turn import SettingRun
from memviz.engine.records import TurnRecord
from memviz.engine.run import Run
from memviz.memory import Memory
from memviz.metrics.memory_map.fate_map import fate_map, pending_codes
from memviz.metrics.requests.limits import limit_rule
from memviz.metrics.requests.request_axis import RequestAxis, axis_of, request_turns
from memviz.metrics.requests.traffic import traffic
from memviz.metrics.retention.knowledge import Retention
from memviz.metrics.retention.probe_texts import ProbeTexts
from memviz.metrics.retention.retention import retention
from memviz.metrics.summaries.authors import authors_of
from memviz.metrics.summaries.request_sizes import (
    memory_without,
    request_parts,
    sent_without,
)
from memviz.stage.events import KINDS, EventTeller
from memviz.stage.lane import KINDS as PIECES
from memviz.stage.lane import Sizes, lane, message_sizes, sent_sizes
from memviz.text.wording import dollars, listed
from memviz.transcripts.base import Transcript
from memviz.tuning.pricing_assumptions import PricingAssumptions

Measure = Literal["tokens", "dollars", "memory"]
Json = dict[str, Any]
MEASURES: tuple[Measure, ...] = get_args(Measure)
MAX_STEPS, MAX_MESSAGES = 300, 800
"""Of a longer conversation the steps around the one that is looked at are played; earlier messages are one block."""
MAX_FACTS = 24
TEXT_CHARS, ALL_TEXT_CHARS = 160, 40_000
"""Of one message, and of all."""
Codes = NDArray[np.uint8]


def steps_around(step: int, steps: int, most: int = MAX_STEPS) -> range:
    """The part of so many steps that is played around one of them (0-based)."""
    first = max(0, min(step - most // 2, steps - most))
    return range(first, min(steps, first + most))


def stage_data(
    settings: Sequence[SettingRun],
    transcript: Transcript,
    *,
    retentions: Sequence[Retention | None] | None = None,
    assumptions: PricingAssumptions | None = None,
    measure: Measure = "tokens",
    steps: range | None = None,
    at: int | None = None,
    chosen: int | None = None,
    questions: Sequence[Mapping[str, Any]] = (),
) -> Json:
    """What the stage plays of ``settings``, all over one conversation.

    ``retentions``, one a setting, say which facts each request knows (default: of the transcript's own probes).
    ``assumptions`` price the requests. ``steps`` (0-based places of the shared axis) are those that can be played, by
    default all, or of a long conversation :data:`MAX_STEPS` around ``at``, the step it begins with. ``chosen`` is the
    number of the setting whose sentences and facts are shown; by default the first to which anything happens.
    """
    axis = axis_of(setting.run for setting in settings)
    every = int(axis.lasts[-1])
    steps = (
        steps_around(at or 0, every)
        if steps is None
        else range(every)[steps.start : steps.stop]
    )
    texts = dict[int, ProbeTexts]()
    if retentions is None:
        retentions = [_retained(setting.run, transcript, texts) for setting in settings]
    base = _base(settings, axis, steps)
    lanes = [
        _Lane(
            setting,
            axis,
            steps,
            base,
            kept,
            texts.get(id(setting.run.log)),
            assumptions,
        )
        for setting, kept in zip(settings, retentions, strict=True)
    ]
    first = settings[0].run
    shared = _messages(first, base, lanes[0].stop)
    longest, pending = (
        max(lanes, key=lambda one: one.stop),
        [one.pending for one in lanes if one.pending is not None],
    )
    if all(_says_the_same(first, one.run) for one in settings):
        shared = _messages(longest.run, base, longest.stop)
    probes = next((one.probes for one in retentions if one is not None), ())[:MAX_FACTS]
    return {
        "title": transcript.title,
        "measure": measure,
        "step": "turn" if axis.is_by_turn else "request",
        "base": base,
        "messages": shared,
        "settings": [
            one.as_data(
                None if _says_the_same(first, one.run) else base, is_open=bool(pending)
            )
            for one in lanes
        ],
        "steps": [
            *(list(axis.request_at(place + 1)) for place in steps),
            *([one.turn, one.call, one.call] for one in pending[:1]),
        ],
        "first": steps.start,
        "of": every + bool(pending),
        "facts": [
            {
                "answer": probe.answers[0],
                "question": probe.question,
                "turn": _stated(first, probe.evidence),
            }
            for probe in probes
        ],
        "questions": [dict(question) for question in questions],
        "at": at if at in steps else steps.start,
        "chosen": _eventful(lanes) if chosen is None else chosen,
        "kinds": KINDS,
        "pieces": PIECES,
        "colors": {
            "parts": PART_COLORS,
            "fates": list(STEP_COLORS),
            "titles": list(STEP_TITLES),
            "names": PART_TITLES,
        },
    }


def _eventful(lanes: Sequence[_Lane]) -> int:
    return next((number for number, one in enumerate(lanes) if one.run.compactions), 0)


def _retained(
    run: Run, transcript: Transcript, texts: dict[int, ProbeTexts]
) -> Retention | None:
    if not transcript.probes:
        return None
    known = texts.setdefault(id(run.log), ProbeTexts(run.log, transcript.probes))
    return retention(run, transcript.probes, known)


def _stated(run: Run, evidence: Sequence[int]) -> int | None:
    return (
        run.log.turn_number(max(evidence))
        if evidence and max(evidence) < len(run.log)
        else None
    )


def _says_the_same(one: Run, other: Run) -> bool:
    return one.log is other.log or one.log[:] == other.log[:]


def _base(settings: Sequence[SettingRun], axis: RequestAxis, steps: range) -> int:
    """The first message that is drawn by itself."""
    last = 0
    for setting in settings:
        lengths = setting.run.columns.lengths
        number = (
            int(
                np.searchsorted(
                    axis.places(request_turns(setting.run)), steps.stop, side="right"
                )
            )
            - 1
        )
        last = max(last, int(lengths[number]) if number >= 0 else 0)
    return max(0, last - MAX_MESSAGES)


def _messages(run: Run, base: int, stop: int) -> list[list[Any]]:
    chars = min(TEXT_CHARS, ALL_TEXT_CHARS // max(1, stop - base))
    sizes = message_sizes(run.space, len(run.log))
    return [
        [
            run.log[position].role,
            int(sizes[position]),
            _begin(run.log[position].content, chars),
            run.log.turn_number(position),
        ]
        for position in range(base, stop)
    ]


def _begin(text: str, chars: int) -> str:
    text = " ".join(text[: 4 * chars].split())
    return text if len(text) <= chars else f"{text[: chars - 1]}…"


class _Then(NamedTuple):
    """What a request is said against: the one before it."""

    codes: Codes
    sizes: Sizes
    known: str


@dataclass(eq=False)
class _Lane:
    """One setting, step by step."""

    setting: SettingRun
    axis: RequestAxis
    steps: range
    base: int
    retention: Retention | None
    texts: ProbeTexts | None
    assumptions: PricingAssumptions | None

    def __post_init__(self) -> None:
        run = self.run = self.setting.run
        self.whole = message_sizes(run.space, len(run.log))
        self.fates = fate_map(run)
        self.teller = EventTeller(run, self.retention, self.texts)
        self.usd = self._usd()
        places = self.axis.places(request_turns(run)) - 1
        self.numbers = np.flatnonzero(
            (places >= self.steps.start) & (places < self.steps.stop)
        ).tolist()
        self.at = [int(places[number]) - self.steps.start for number in self.numbers]
        if (
            self.at and self.at[0] > 0 and self.numbers[0] > 0
        ):  # what was sent last before the first step
            self.numbers.insert(0, self.numbers[0] - 1)
            self.at.insert(0, 0)
        is_last = self.steps.stop == int(self.axis.lasts[-1])
        self.pending = run.pending if is_last else None
        self.stop = max(
            (int(run.columns.lengths[number]) for number in self.numbers[-1:]),
            default=self.base,
        )
        if self.pending is not None:
            self.stop = self.pending.memory.length

    def as_data(self, own: int | None, *, is_open: bool) -> Json:
        requests: list[Json | None] = [None] * len(self.steps)
        before: _Then | None = None
        for at, number in zip(self.at, self.numbers, strict=True):
            requests[at], before = self._request(number, before)
        if is_open:
            requests.append(
                None if self.pending is None else self._pending(self.pending, before)
            )
        run = self.run
        return {
            "label": self.setting.label,
            "index": self.setting.index,
            "author": listed(sorted(author.value for author in authors_of(run)))
            if authors_of(run)
            else None,
            "rule": limit_rule(run.strategy),
            "requests": requests,
            "messages": None if own is None else _messages(run, self.base, self.stop),
        }

    def _request(self, number: int, before: _Then | None) -> tuple[Json, _Then]:
        record = self.run.requests[number]
        codes, sizes = (
            self._codes(number),
            sent_sizes(record.memory, record.parts, self.whole),
        )
        then = self._codes(number - 1) if number else None
        events, known = self.teller.events(number, codes, then), self._known(number)
        found = self._sent(record, codes, sizes, before) | {
            "usd": None if self.usd is None else dollars(float(self.usd[number])),
            "known": "" if before is not None and before.known == known else known,
            "before": self._before(number) if record.compactions else None,
            "events": events,
        }
        return _without_empty(found), _Then(codes, sizes, known)

    def _pending(self, record: TurnRecord, before: _Then | None) -> Json:
        codes, sizes = (
            pending_codes(self.run),
            sent_sizes(record.memory, record.parts, self.whole),
        )
        return _without_empty(
            self._sent(record, codes, sizes, before) | {"pending": True}
        )

    def _sent(
        self, record: TurnRecord, codes: Codes, sizes: Sizes, before: _Then | None
    ) -> Json:
        """What a request sends, and how full that is."""
        strategy = self.run.strategy_at(record.turn)
        limit, fill = strategy.budget_tokens, strategy.fill(record.memory)
        uncounted = record.total_tokens - strategy.counted_tokens(record.tokens)
        return {
            "pieces": lane(
                record.memory, record.parts, record.tokens, sizes, self.base
            ),
            "tokens": record.total_tokens,
            "length": record.memory.length,
            "fates": changes(
                codes, None if before is None else before.codes, self.base
            ),
            "sizes": _resized(
                sizes,
                self.whole if before is None else before.sizes,
                self.whole,
                self.base,
            ),
            "limit": None
            if limit is None
            else [
                int(uncounted + limit),
                limit,
                *filter(None, [strategy.budget_share]),
            ],
            "fill": None if fill is None else [fill.held, fill.limit, fill.unit],
        }

    def _before(self, number: int) -> list[Any]:
        """The request without the first of the compactions that changed it, and so without any."""
        first = self.run.requests[number].compactions[0]
        memory: Memory = memory_without(first, self.run, number)
        parts = sent_without(first, self.run, number)
        tokens, _, besides = request_parts(first, self.run)
        sizes = sent_sizes(memory, parts, self.whole)
        return [
            sum(tokens.values()) + besides,
            lane(memory, parts, dict(tokens), sizes, self.base),
        ]

    def _codes(self, number: int) -> Codes:
        """What a request does with every message so far."""
        codes = np.zeros(int(self.run.columns.lengths[number]), np.uint8)
        _, starts, stops, found = self.fates.stretches.of(number)
        for start, stop, code in zip(
            starts.tolist(), stops.tolist(), found.tolist(), strict=True
        ):
            codes[start:stop] = code
        return codes

    def _known(self, number: int) -> str:
        if self.retention is None:
            return ""
        return "".join(
            str(state) for state in self.retention.states[number, :MAX_FACTS].tolist()
        )

    def _usd(self) -> NDArray[np.float64] | None:
        if self.assumptions is None:
            return None
        return self.assumptions.cost(
            self.run.once(traffic, partial(traffic, self.run))
        ).so_far_usd


def _without_empty(found: Json) -> Json:
    return {name: value for name, value in found.items() if value not in (None, "", [])}


def changes(codes: Codes, before: Codes | None, base: int) -> list[list[int]]:
    """``[start, stop, code]`` of the messages from ``base`` on whose code is another one than ``before``."""
    then = np.zeros(len(codes), np.int64)
    if before is not None:
        then[: len(before)] = before[: len(codes)]
    differs = codes != then
    differs[:base] = False
    edges = np.flatnonzero(
        np.diff(np.r_[-2, np.where(differs, codes.astype(np.int64), -1), -2])
    ).tolist()
    return [
        [start, stop, int(codes[start])]
        for start, stop in pairwise(edges)
        if differs[start]
    ]


def _resized(sizes: Sizes, before: Sizes, whole: Sizes, base: int) -> list[list[int]]:
    then = whole[: len(sizes)].copy()
    then[: len(before)] = before[: len(sizes)]
    return [
        [int(at), int(sizes[at])] for at in np.flatnonzero(sizes != then) if at >= base
    ]
