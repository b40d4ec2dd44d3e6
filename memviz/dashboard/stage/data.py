"""The data of the stage as JSON: every step of some settings, small enough to lie in a page or a file.

Positions count from 0. Messages before ``base`` are drawn as one block; ``messages`` holds those from there on.

```
{"title", "measure": "tokens" | "dollars" | "memory", "step": "turn" | "request",
 "base": 0, "messages": [[role, tokens, text, turn], ...],
 "settings": [{"label", "setting": the same in every language, "index", "author", "rule",
               "isOpaque", "isList": its notes are lists of facts,
               "limits": [{"tokens": 1500, "words": "limit 1,500 of messages", "parts": ["history", "input"]}],
               "messages": null | [...],                            # its own, where a model answered for itself
               "requests": [REQ | null, ...]}],                     # one a step; null: none of its own at this step
 "steps": [[turn, call, calls], ...], "first": 0, "of": 46,         # these are steps first.. of so many
 "facts": [{"answer", "question", "turn"}], "questions": [QUESTION, ...], "at": 0, "chosen": 0,
 "kinds": {kind: noun}, "pieces": {letter: kind}, "colors": {...},
 "words": {English: translation}}                               # of the stage's own texts; none in English

REQ = {"pieces": [[kind, start, stop, tokens?], ...],               # see memviz/dashboard/stage/lane.py
       "tokens": 1085, "length": 25, "usd": "$0.0123", "known": "054..",  # one Knowledge code a fact, if changed
       "fates": [[start, stop, code], ...], "sizes": [[position, tokens], ...],     # what changed since the step before
       "limit": [0, 1085],                                          # which of the setting's limits, and what it counts
       "paid": [cached tokens, usd of these, usd of the others],    # of the request itself, without its reply
       "broken": "summary",                                         # who broke the cached prefix, if anybody did
       "fill": [18, 20, "messages"],                                # of what the rule counts, how much is held
       "before": [tokens, pieces, counted],                         # the request without what was done before it, and
                                                                    # what the limit counts of that
       "pending": true,                                             # nobody has answered it: drawn hollow
       "events": [{"kind", "sentence": [plain, bold, plain, ...], "facts"}]}
QUESTION = {"step", "setting": 2 | null, "text", "choices", "answer", "reason"}    # asked before `step` is shown
```

The request that is open at the end of a conversation is one step more behind all
others, if these are shown; it has no price and knows no facts, for it counts nowhere.
Parts of a REQ that are empty are left out. Of facts that are followed
``memviz/dashboard/lessons/staging.py`` tells more. Besides, who shows the stage may set
``highlight`` (``{"facts": [...], "messages": [...], "settings": [...]}``),
``measures``, of which the visitor chooses what the lanes say, and ``controls``, the
names of the controls that are shown (default: all; see ``MEMVIZ_CONTROLS`` in
``stage.js``).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Literal, NamedTuple, get_args

import numpy as np
from numpy.typing import NDArray

from memviz.core.memory import Memory
from memviz.core.text.wording import dollars, listed
from memviz.core.translation import _
from memviz.dashboard.charts.palette import SettingRun
from memviz.dashboard.stage.events import KINDS, EventTeller
from memviz.dashboard.stage.lane import KINDS as PIECES
from memviz.dashboard.stage.lane import (
    Codes,
    Sizes,
    changes,
    colors,
    lane,
    message_sizes,
    messages_of,
    own_words,
    resized,
    sent_sizes,
)
from memviz.dashboard.words import bundled_words
from memviz.dashboard.words.requests import bracket_words, limit_rule
from memviz.engine.records import TurnRecord
from memviz.engine.run import Run
from memviz.metrics.cost.cache_breaks import cache_breaks
from memviz.metrics.memory_map.fate_map import fate_map, pending_codes
from memviz.metrics.requests.request_axis import RequestAxis, axis_of, request_turns
from memviz.metrics.requests.token_use import Limit, limit_of
from memviz.metrics.requests.traffic import traffic
from memviz.metrics.retention.knowledge import Retention
from memviz.metrics.retention.probe_texts import ProbeTexts
from memviz.metrics.retention.retention import retention
from memviz.metrics.summaries.events import (
    authors_of,
    memory_without,
    request_parts,
    sent_without,
)
from memviz.metrics.summaries.facts import are_facts
from memviz.transcripts.base import Transcript
from memviz.tuning.pricing_assumptions import PricingAssumptions

Measure = Literal["tokens", "dollars", "memory"]
Json = dict[str, Any]
MEASURES: tuple[Measure, ...] = get_args(Measure)
MAX_STEPS = 300
MAX_MESSAGES = 800
"""Of a longer conversation the steps around the one that is looked at are played; earlier messages are one block."""
MAX_FACTS = 24
DOLLAR_DIGITS = 9
"""Of the cost of a request: a token costs millionths of a dollar."""


def steps_around(step: int, steps: int) -> range:
    """Return the part of so many steps that is played around one of them (0-based)."""
    first = max(0, min(step - MAX_STEPS // 2, steps - MAX_STEPS))
    return range(first, min(steps, first + MAX_STEPS))


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
    """Return what the stage plays of ``settings``, all over one conversation.

    ``retentions``, one a setting, say which facts each request knows (default: of the transcript's own probes).
    ``assumptions`` price the requests. ``steps`` (0-based places of the shared axis) are those that can be played, by
    default all, or of a long conversation :data:`MAX_STEPS` around ``at``, the step it begins with. ``chosen`` is the
    number of the setting whose sentences and facts are shown; by default the first to which anything happens.
    """
    axis = axis_of(setting.run for setting in settings)
    every = range(int(axis.lasts[-1]))
    if steps is None:
        steps = steps_around(at or 0, len(every))
    else:
        steps = every[steps.start : steps.stop]
    texts: dict[int, ProbeTexts] = {}
    if retentions is None:
        retentions = retentions_of(settings, transcript, texts)
    part = _Part(axis, steps, _base(settings, axis, steps))
    lanes = []
    for setting, known in zip(settings, retentions, strict=True):
        own_texts = texts.get(id(setting.run.log))
        lanes.append(_Lane(setting, part, known, own_texts, assumptions))

    # All that say the same share the messages of the longest; the others have their own.
    first = lanes[0]
    others = [not _says_the_same(first.run, one.run) for one in lanes]
    shared = first if any(others) else max(lanes, key=lambda one: one.stop)
    pending = [one.pending for one in lanes if one.pending is not None]
    rows = []
    for one, has_own in zip(lanes, others, strict=True):
        rows.append(one.as_data(has_own=has_own, is_open=bool(pending)))
    played = [list(axis.request_at(place + 1)) for place in steps]
    if pending:
        played.append([pending[0].turn, pending[0].call, pending[0].call])
    if chosen is None:
        has_events = [bool(one.run.compactions) for one in lanes]
        chosen = has_events.index(True) if any(has_events) else 0
    return {
        "title": bundled_words(transcript.title),
        "measure": measure,
        "step": "turn" if axis.is_by_turn else "request",
        "base": part.base,
        "messages": messages_of(shared.run, part.base, shared.stop),
        "settings": rows,
        "steps": played,
        "first": steps.start,
        "of": len(every) + bool(pending),
        "facts": _facts(first.run, retentions),
        "questions": [dict(question) for question in questions],
        "at": at if at in steps else steps.start,
        "chosen": chosen,
        "kinds": {kind: _(noun) for kind, noun in KINDS.items()},
        "pieces": PIECES,
        "colors": colors(),
        **own_words(),
    }


def retentions_of(
    settings: Sequence[SettingRun], transcript: Transcript, texts: dict[int, ProbeTexts]
) -> list[Retention | None]:
    """Return what each setting retains of the transcript's own facts; ``None`` where it has none. Into ``texts`` goes
    what was looked up in each log, by its identity."""
    if not transcript.probes:
        return [None] * len(settings)
    found: list[Retention | None] = []
    for setting in settings:
        log = setting.run.log
        if id(log) not in texts:
            texts[id(log)] = ProbeTexts(log, transcript.probes)
        found.append(retention(setting.run, transcript.probes, texts[id(log)]))
    return found


def _facts(run: Run, retentions: Sequence[Retention | None]) -> list[Json]:
    known = next((one for one in retentions if one is not None), None)
    facts = []
    for probe in known.probes[:MAX_FACTS] if known is not None else ():
        stated = max(probe.evidence, default=len(run.log))
        turn = run.log.turn_number(stated) if stated < len(run.log) else None
        fact = {"answer": probe.answers[0], "question": probe.question, "turn": turn}
        facts.append(fact)
    return facts


def _says_the_same(one: Run, other: Run) -> bool:
    return one.log is other.log or one.log[:] == other.log[:]


def _base(settings: Sequence[SettingRun], axis: RequestAxis, steps: range) -> int:
    """Return the first message that is drawn by itself."""
    longest = 0
    for setting in settings:
        places = axis.places(request_turns(setting.run))
        shown = int(np.searchsorted(places, steps.stop, side="right"))
        if shown:
            longest = max(longest, int(setting.run.columns.lengths[shown - 1]))
    return max(0, longest - MAX_MESSAGES)


class _Part(NamedTuple):
    """The part of a conversation that is played."""

    axis: RequestAxis
    steps: range
    base: int
    """The first message that is drawn by itself."""


class _Sent(NamedTuple):
    """The fate of every message at a request, and the facts that it knows; the next one is said against it."""

    codes: Codes
    sizes: Sizes
    known: str


@dataclass(eq=False)
class _Lane:
    """One setting, step by step."""

    setting: SettingRun
    part: _Part
    retention: Retention | None
    texts: ProbeTexts | None
    assumptions: PricingAssumptions | None

    def __post_init__(self) -> None:
        run = self.run = self.setting.run
        self.whole = message_sizes(run.space, len(run.log))
        self.fates = fate_map(run)
        self.teller = EventTeller(run, self.retention, self.texts)
        self.limits: list[Limit] = []
        self.usd: NDArray[np.float64] | None = None
        if self.assumptions is not None:
            self._price(self.assumptions)
        axis, steps, base = self.part
        places = axis.places(request_turns(run)) - 1
        is_shown = (places >= steps.start) & (places < steps.stop)
        self.numbers = np.flatnonzero(is_shown).tolist()
        self.at = (places[is_shown] - steps.start).tolist()
        if self.at and self.at[0] > 0 and self.numbers[0] > 0:
            # What was sent last before the first step.
            self.numbers.insert(0, self.numbers[0] - 1)
            self.at.insert(0, 0)
        self.stop = base
        if self.numbers:
            self.stop = int(run.columns.lengths[self.numbers[-1]])
        is_end_shown = steps.stop == int(axis.lasts[-1])
        self.pending = run.pending if is_end_shown else None
        if self.pending is not None:
            self.stop = self.pending.memory.length

    def _price(self, assumptions: PricingAssumptions) -> None:
        """Note what each request costs, and who broke its cached prefix."""
        sent = self.run.once(traffic, partial(traffic, self.run))
        self.cost = assumptions.cost(sent)
        self.usd = self.cost.so_far_usd
        breaks = cache_breaks(
            self.run, self.cost, assumptions.cache, assumptions.pause_seconds
        )
        self.breakers = {one.request: one.breaker.value for one in breaks}

    def _paid(self, number: int) -> list[float]:
        """Return the tokens that a request read from the cache, what these cost, and
        what the rest of its input costs, in US dollars."""
        fresh, cached, written, _output = self.cost.usd[:, number].tolist()
        tokens = int(self.cost.cached_tokens[number])
        return [
            tokens,
            round(cached, DOLLAR_DIGITS),
            round(fresh + written, DOLLAR_DIGITS),
        ]

    def as_data(self, *, has_own: bool, is_open: bool) -> Json:
        """The setting as JSON. ``has_own``: with messages of its own; ``is_open``: with a last step for requests that
        nobody has answered."""
        requests: list[Json | None] = [None] * len(self.part.steps)
        before = _Sent(np.zeros(0, np.uint8), self.whole[:0], "")
        for at, number in zip(self.at, self.numbers, strict=True):
            requests[at], before = self._request(number, before)
        if is_open:
            requests.append(self._pending(before))
        versions = self.run.space.summaries.versions
        authors = sorted(author.value for author in authors_of(self.run))
        own = messages_of(self.run, self.part.base, self.stop) if has_own else None
        return {
            "label": self.setting.label,
            "setting": repr(self.run.strategy),
            "index": self.setting.index,
            "author": listed(authors) if authors else None,
            "rule": limit_rule(self.run.strategy),
            "isOpaque": self.run.space.summaries.has_opaque,
            "isList": bool(versions) and all(map(are_facts, versions)),
            "limits": [
                {
                    "tokens": limit.tokens,
                    "words": bracket_words(limit),
                    "parts": sorted(limit.parts),
                }
                for limit in self.limits
            ],
            "requests": requests,
            "messages": own,
        }

    def _request(self, number: int, before: _Sent) -> tuple[Json, _Sent]:
        record = self.run.requests[number]
        codes = self._codes(number)
        known = ""
        if self.retention is not None:
            states = self.retention.states[number, :MAX_FACTS].tolist()
            known = "".join(map(str, states))
        sent = _Sent(codes, sent_sizes(record.memory, record.parts, self.whole), known)
        found = self._sent(record, sent, before)
        if self.usd is not None:
            found["usd"] = dollars(float(self.usd[number]))
            found["paid"] = self._paid(number)
            found["broken"] = self.breakers.get(number, "")
        if known != before.known:
            found["known"] = known
        if record.compactions:
            found["before"] = self._before(number)
        then = self._codes(number - 1) if number else None
        found["events"] = self.teller.events(number, codes, then)
        return _without_empty(found), sent

    def _pending(self, before: _Sent) -> Json | None:
        record = self.pending
        if record is None:
            return None
        sizes = sent_sizes(record.memory, record.parts, self.whole)
        sent = _Sent(pending_codes(self.run), sizes, "")
        return _without_empty({**self._sent(record, sent, before), "pending": True})

    def _sent(self, record: TurnRecord, sent: _Sent, before: _Sent) -> Json:
        """Return the pieces that a request sends, and how full that is."""
        strategy = self.run.strategy_at(record.turn)
        base = self.part.base
        memory = record.memory
        found: Json = {
            "pieces": lane(memory, record.parts, record.tokens, sent.sizes, base),
            "tokens": record.total_tokens,
            "length": memory.length,
            "fates": changes(sent.codes, before.codes, base),
            "sizes": resized(sent.sizes, before.sizes, self.whole, base),
        }
        limit = limit_of(strategy)
        if limit is not None:
            if limit not in self.limits:
                self.limits.append(limit)
            counted_tokens = int(strategy.counted_tokens(record.tokens))
            found["limit"] = [self.limits.index(limit), counted_tokens]
        fill = strategy.fill(memory)
        if fill is not None:
            found["fill"] = [fill.held, fill.limit, fill.unit]
        return found

    def _before(self, number: int) -> list[Any]:
        """The request without the first of the compactions that changed it, and so without any."""
        first = self.run.requests[number].compactions[0]
        memory: Memory = memory_without(first, self.run, number)
        parts = sent_without(first, self.run, number)
        tokens, _sizes, besides = request_parts(first, self.run)
        sizes = sent_sizes(memory, parts, self.whole)
        pieces = lane(memory, parts, dict(tokens), sizes, self.part.base)
        strategy = self.run.strategy_at(self.run.requests[number].turn)
        counted_tokens = int(strategy.counted_tokens(dict(tokens)))
        return [sum(tokens.values()) + besides, pieces, counted_tokens]

    def _codes(self, number: int) -> Codes:
        """Return the codes of what a request does with every message so far."""
        codes = np.zeros(int(self.run.columns.lengths[number]), np.uint8)
        _codes, starts, stops, found = self.fates.stretches.of(number)
        stretches = zip(starts.tolist(), stops.tolist(), found.tolist(), strict=True)
        for start, stop, code in stretches:
            codes[start:stop] = code
        return codes


def _without_empty(found: Json) -> Json:
    return {name: value for name, value in found.items() if value not in (None, "", [])}
