"""Where the prompt cache broke, against requests that are built and compared word for word."""

from __future__ import annotations

from typing import Any

from hypothesis import given

import memviz
from memviz import Message
from memviz.metrics.cost.cache_breaks import Breaker, CacheBreak, find_cache_breaks
from memviz.metrics.cost.cost import price_traffic
from memviz.metrics.requests.traffic import count_traffic
from memviz.models.cache_rules import CacheRules
from tests.engine.probes import REPRESENTATIVES, small, talk
from tests.strategies.conversations import conversations, outcomes, summarizer
from tests.tables import for_each

ANY_PREFIX = CacheRules(min_tokens=1, lifetime_seconds=300)


def breaks_of(
    run: memviz.Run,
    cache: CacheRules | None = ANY_PREFIX,
    pause_seconds: float = 60.0,
) -> list[CacheBreak]:
    costs = price_traffic(
        count_traffic(run), None, None, cache=cache, pause_seconds=pause_seconds
    )
    return find_cache_breaks(run, costs, cache, pause_seconds)


def replayed(id: str, turns: int = 12, **parameters: Any) -> memviz.Run:
    script = [f"Summary {number}." for number in range(99)]
    return memviz.replay(
        talk(turns),
        memviz.strategy(id, **parameters),
        model=memviz.ScriptedModel(script),
        counter="chars4",
    )


@given(messages=conversations(), plan=outcomes)
@for_each("id", REPRESENTATIVES)
def test_a_request_breaks_exactly_where_it_does_not_begin_with_the_one_before(
    id: str, messages: list[Message], plan: list[str]
) -> None:
    run = memviz.replay(messages, small(id), model=summarizer(plan), counter="chars4")
    sent = [list(record.context.messages) for record in run.requests]
    differs = [
        number
        for number in range(1, len(sent))
        if sent[number][: len(sent[number - 1])] != sent[number - 1]
    ]
    found = [each.request for each in breaks_of(run)]
    assert set(found) <= set(differs)
    # Where a differing request begins with as many tokens, nothing was lost.
    assert all(number in found or _same_size(run, number) for number in differs)


def _same_size(run: memviz.Run, number: int) -> bool:
    shared = int(count_traffic(run).shared_tokens[number])
    return shared >= run.requests[number - 1].total_tokens - 3


def test_a_buffer_that_only_grows_breaks_nowhere() -> None:
    assert breaks_of(replayed("buffer")) == []


def test_a_window_breaks_it_from_its_first_move_on() -> None:
    run = replayed("window", window_size=4)
    breaks = breaks_of(run)
    assert {each.breaker for each in breaks} == {Breaker.WINDOW}
    numbers = [each.request for each in breaks]
    assert numbers == list(range(numbers[0], len(run.requests)))


def test_a_summary_breaks_it_where_it_was_written() -> None:
    run = replayed("summary", buffer_size=2)
    breaks = breaks_of(run)
    changed = [number for number, _ in run.requests.compactions() if number]
    assert [each.request for each in breaks] == changed
    assert {each.breaker for each in breaks} == {Breaker.SUMMARY}
    first = breaks[0]
    before = run.requests[first.request - 1].total_tokens - 3
    shared = int(count_traffic(run).shared_tokens[first.request])
    assert first.lost_tokens == before - shared > 0


def test_a_recall_breaks_it_without_any_of_these() -> None:
    run = memviz.replay(
        talk(6),
        memviz.strategy("window", window_size=2),
        counter="chars4",
        recalls={6: memviz.Recall(turns=[1])},
        system_prompt="Be brief.",
    )
    assert breaks_of(run)[-1].breaker in (Breaker.OTHER, Breaker.WINDOW)
    whole = memviz.replay(
        talk(6),
        memviz.strategy("buffer"),
        counter="chars4",
        recalls={6: memviz.Recall(turns=[1])},
    )
    assert {each.breaker for each in breaks_of(whole)} <= {Breaker.OTHER}


def test_a_pause_longer_than_the_cache_lives_breaks_every_turn() -> None:
    run = replayed("buffer")
    breaks = breaks_of(run, pause_seconds=301)
    assert [each.request for each in breaks] == list(range(1, len(run.requests)))
    assert {each.breaker for each in breaks} == {Breaker.PAUSE}


def test_without_a_cache_or_below_its_smallest_prefix_nothing_breaks() -> None:
    run = replayed("window", window_size=4)
    assert breaks_of(run, None) == []
    assert breaks_of(run, CacheRules(min_tokens=10**6, lifetime_seconds=300)) == []
