"""One setting of the stage as JSON, step by step, as :mod:`memviz.dashboard.stage.data` describes it."""

from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from memviz.core.text.wording import dollars, listed
from memviz.dashboard.charts.palette import SettingRun
from memviz.dashboard.stage.events import EventTeller
from memviz.dashboard.stage.lane import (
    Codes,
    Sizes,
    changes,
    lane,
    message_sizes,
    messages_of,
    resized_messages,
    sent_sizes,
)
from memviz.dashboard.words.requests import bracket_words, limit_rule
from memviz.engine.records import TurnRecord
from memviz.metrics.cost.cache_breaks import find_cache_breaks
from memviz.metrics.memory_map.fate_map import build_fate_map, encode_pending_fates
from memviz.metrics.requests.request_axis import RequestAxis, list_request_turns
from memviz.metrics.requests.token_use import Limit, find_limit
from memviz.metrics.requests.traffic import count_traffic
from memviz.metrics.retention.knowledge import Retention
from memviz.metrics.retention.probe_texts import ProbeTexts
from memviz.metrics.summaries.events import (
    assemble_without,
    count_request_parts,
    list_authors,
    rebuild_memory_without,
)
from memviz.metrics.summaries.facts import are_facts
from memviz.tuning.pricing_assumptions import PricingAssumptions

Json = dict[str, Any]
MAX_FACTS = 24
DOLLAR_DIGITS = 9
"""The digits of the cost of a request: a token costs millionths of a dollar."""


class PlayedPart(NamedTuple):
    """The part of a conversation that is played."""

    axis: RequestAxis
    steps: range
    base: int
    """The first message that is drawn by itself."""


class _Contents(NamedTuple):
    """The fate of every message at a request, and the facts that it knows. The JSON of the next request holds what
    differs from it."""

    codes: Codes
    sizes: Sizes
    knowledge: str
    """The code of each fact at this request, see :class:`memviz.metrics.retention.knowledge.Knowledge`: ``"054"``."""


@dataclass(eq=False)
class SettingSteps:
    """One setting, step by step."""

    setting: SettingRun
    part: PlayedPart
    retention: Retention | None
    texts: ProbeTexts | None
    assumptions: PricingAssumptions | None
    limits: list[Limit] = field(default_factory=list)
    """The limits that settings have at the requests, each once."""
    usd: NDArray[np.float64] | None = None
    """The cost so far at each request, where prices are known."""

    def __post_init__(self) -> None:
        run = self.setting.run
        self.run = run
        self.whole_tokens = message_sizes(run.space, len(run.log))
        self.fates = build_fate_map(run)
        self.teller = EventTeller(run, self.retention, self.texts)
        if self.assumptions is not None:
            self._price(self.assumptions)
        self._take_part()

    def _take_part(self) -> None:
        """Note which requests are played, at which steps of the part, and where their messages stop."""
        run = self.run
        axis, steps, base = self.part
        # Places count from 1, steps from 0.
        step_of_request = axis.places(list_request_turns(run)) - 1
        is_played = (step_of_request >= steps.start) & (step_of_request < steps.stop)
        self.requests = np.flatnonzero(is_played).tolist()
        self.steps = (step_of_request[is_played] - steps.start).tolist()
        if self.steps and self.steps[0] > 0 and self.requests[0] > 0:
            # The part begins with steps of other settings: there this one still shows the request before.
            self.requests.insert(0, self.requests[0] - 1)
            self.steps.insert(0, 0)
        self.stop = base
        if self.requests:
            self.stop = int(run.columns.lengths[self.requests[-1]])
        is_end_played = steps.stop == int(axis.lasts[-1])
        self.pending = run.pending if is_end_played else None
        if self.pending is not None:
            self.stop = self.pending.memory.length

    def _price(self, assumptions: PricingAssumptions) -> None:
        """Note what each request costs, and who broke its cached prefix."""
        self.cost = assumptions.cost(count_traffic(self.run))
        self.usd = self.cost.so_far_usd
        breaks = find_cache_breaks(
            self.run, self.cost, assumptions.cache, assumptions.pause_seconds
        )
        self.breakers = {broken.request: broken.breaker.value for broken in breaks}

    def _input_costs(self, number: int) -> list[float]:
        """Return the tokens that a request read from the cache, what these cost, and
        what the rest of its input costs, in US dollars."""
        fresh_usd, cached_usd, to_cache_usd, _output = self.cost.usd[:, number].tolist()
        cached_tokens = int(self.cost.cached_tokens[number])
        paid_usd = fresh_usd + to_cache_usd
        return [
            cached_tokens,
            round(cached_usd, DOLLAR_DIGITS),
            round(paid_usd, DOLLAR_DIGITS),
        ]

    def as_data(self, *, has_own: bool, is_open: bool) -> Json:
        """Return the setting as JSON. ``has_own``: with messages of its own; ``is_open``: with a last step for requests
        that nobody has answered."""
        requests: list[Json | None] = [None] * len(self.part.steps)
        # Each request says only what is different from the one before it; the first from one that sends nothing.
        before = _Contents(np.zeros(0, np.uint8), self.whole_tokens[:0], "")
        for step, number in zip(self.steps, self.requests, strict=True):
            requests[step], before = self._request(number, before)
        if is_open:
            requests.append(self._pending(before))
        versions = self.run.space.summaries.versions
        authors = sorted(author.value for author in list_authors(self.run))
        own_messages = None
        if has_own:
            own_messages = messages_of(self.run, self.part.base, self.stop)
        return {
            "label": self.setting.label,
            "setting": repr(self.run.strategy),
            "index": self.setting.index,
            "author": listed(authors) if authors else None,
            "rule": limit_rule(self.run.strategy),
            "isOpaque": self.run.space.summaries.has_opaque,
            "isList": bool(versions) and all(map(are_facts, versions)),
            "limits": list(map(_describe_limit, self.limits)),
            "requests": requests,
            "messages": own_messages,
        }

    def _request(self, number: int, before: _Contents) -> tuple[Json, _Contents]:
        record = self.run.requests[number]
        codes = self._codes(number)
        knowledge = ""
        if self.retention is not None:
            states = self.retention.states[number, :MAX_FACTS].tolist()
            knowledge = "".join(map(str, states))
        sizes = sent_sizes(record.memory, record.parts, self.whole_tokens)
        contents = _Contents(codes, sizes, knowledge)
        request = self._request_pieces(record, contents, before)
        if self.usd is not None:
            request["usd"] = dollars(float(self.usd[number]))
            request["paid"] = self._input_costs(number)
            request["broken"] = self.breakers.get(number, "")
        if knowledge != before.knowledge:
            request["known"] = knowledge
        if record.compactions:
            request["before"] = self._before(number)
        codes_before = self._codes(number - 1) if number else None
        request["events"] = self.teller.events(number, codes, codes_before)
        return _drop_empty(request), contents

    def _pending(self, before: _Contents) -> Json | None:
        record = self.pending
        if record is None:
            return None
        sizes = sent_sizes(record.memory, record.parts, self.whole_tokens)
        contents = _Contents(encode_pending_fates(self.run), sizes, "")
        pieces = self._request_pieces(record, contents, before)
        return _drop_empty({**pieces, "pending": True})

    def _request_pieces(
        self, record: TurnRecord, contents: _Contents, before: _Contents
    ) -> Json:
        """Return the pieces that a request sends, and how full that is."""
        strategy = self.run.strategy_at(record.turn)
        base = self.part.base
        memory = record.memory
        request = {
            "pieces": lane(memory, record.parts, record.tokens, contents.sizes, base),
            "tokens": record.total_tokens,
            "length": memory.length,
            "fates": changes(contents.codes, before.codes, base),
            "sizes": resized_messages(
                contents.sizes, before.sizes, self.whole_tokens, base
            ),
        }
        limit = find_limit(strategy)
        if limit is not None:
            if limit not in self.limits:
                self.limits.append(limit)
            counted_tokens = int(strategy.counted_tokens(record.tokens))
            request["limit"] = [self.limits.index(limit), counted_tokens]
        fill = strategy.fill(memory)
        if fill is not None:
            request["fill"] = [fill.held, fill.limit, fill.unit]
        return request

    def _before(self, number: int) -> list[Any]:
        """Return the request as it would be without the compactions before it: its tokens, its pieces, and what the
        limit counts of it."""
        run = self.run
        record = run.requests[number]
        first = record.compactions[0]
        memory = rebuild_memory_without(first, run, number)
        parts = assemble_without(first, run, number)
        by_part, _sizes, other_tokens = count_request_parts(first, run)
        tokens = dict(by_part)
        sizes = sent_sizes(memory, parts, self.whole_tokens)
        pieces = lane(memory, parts, tokens, sizes, self.part.base)
        counted_tokens = int(run.strategy_at(record.turn).counted_tokens(tokens))
        return [sum(tokens.values()) + other_tokens, pieces, counted_tokens]

    def _codes(self, number: int) -> Codes:
        """Return the codes of what a request does with every message so far."""
        codes = np.zeros(int(self.run.columns.lengths[number]), np.uint8)
        stretches = np.stack(self.fates.stretches.of(number), axis=1)
        for _request, start, stop, code in stretches.tolist():
            codes[start:stop] = code
        return codes


def _describe_limit(limit: Limit) -> Json:
    return {
        "tokens": limit.tokens,
        "words": bracket_words(limit),
        "parts": sorted(limit.parts),
    }


def _drop_empty(request: Json) -> Json:
    """Return the parts of a request that say something: 0 and false do."""
    empty: tuple[Any, ...] = (None, "", [])
    return {name: value for name, value in request.items() if value not in empty}
