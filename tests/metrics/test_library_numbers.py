"""Numbers of a run under a real library, which decides by itself: what each compaction did is read off its requests."""

from __future__ import annotations

import memviz
from memviz.metrics.health.growth import find_unbounded_part
from memviz.metrics.requests.traffic import count_broken_cache_tokens, count_traffic
from memviz.metrics.summaries.events import count_request_sizes
from tests.engine.probes import Digest, talk
from tests.metrics.fake_library import FakeLibrary
from tests.metrics.sent_messages import shared_by_turn


def test_a_compaction_of_a_library_is_compared_with_what_was_sent_before_it() -> None:
    run = memviz.replay(talk(9), FakeLibrary(), model=Digest(), counter="chars4")
    first = run.compactions[0]
    number = run.request_number(first)
    assert number is not None
    before, sent = run.requests[number - 1], run.requests[number]
    added = run.space.sums.between(before.log_length, sent.log_length) + 4 * (
        sent.log_length - before.log_length
    )
    assert count_request_sizes(first, run) == (
        before.total_tokens + added,
        sent.total_tokens,
    )
    assert first.tokens_before > first.tokens_after
    assert count_traffic(run).shared_tokens.tolist() == shared_by_turn(run)
    prefix = (
        before.total_tokens - 3
    )  # all of the request before was cached, but for the primer of the reply
    assert (
        count_broken_cache_tokens(run)[0]
        == prefix - count_traffic(run).shared_tokens[number]
        == prefix
    )
    assert find_unbounded_part(FakeLibrary()) == ""
