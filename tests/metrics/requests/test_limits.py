"""What each strategy's limit counts, in words and in tokens: against what its own rule looks at."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

import memviz
from memviz import Strategy
from memviz.dashboard.words.requests import limit_rule, limit_words, over_limit_words
from memviz.metrics.requests.limits import limit_of
from tests.engine.probes import REPRESENTATIVES, small
from tests.metrics.random_probes import runs

COUNTED = {
    "token_buffer": ("messages", {"history", "input"}),
    "summary_buffer": ("messages not yet summarized", {"history", "input"}),
    "chat_summary_buffer": ("summary and messages", {"summary", "history", "input"}),
    "fifo_facts": ("messages word for word", {"history", "input"}),
    "observations": ("messages not yet summarized", {"history", "input"}),
}


@pytest.mark.parametrize("id", REPRESENTATIVES)
def test_a_strategy_with_a_token_limit_says_what_it_counts(id: str) -> None:
    limit = limit_of(small(id))
    assert (limit and (limit.counts, set(limit.parts))) == COUNTED.get(id)
    assert bool(limit_rule(small(id))) is (id in COUNTED)


@pytest.mark.parametrize(
    ("strategy", "rule"),
    [
        (
            memviz.strategy("summary_buffer", max_token_limit=1500),
            "summarizes when messages pass 1,500 tokens",
        ),
        (
            memviz.strategy("chat_summary_buffer", token_limit=900),
            "summarizes when summary and messages pass 900 tokens",
        ),
        (
            memviz.strategy("token_buffer", max_tokens=900),
            "keeps messages to 900 tokens",
        ),
        (
            memviz.strategy("fifo_facts", token_limit=6000),
            "summarizes when messages word for word pass 4,200 tokens (70% of 6,000)",
        ),
    ],
    ids=lambda value: getattr(value, "id", ""),
)
def test_the_rule_of_a_limit_says_what_happens_past_it(
    strategy: Strategy, rule: str
) -> None:
    assert limit_rule(strategy) == rule


def test_the_system_prompt_is_named_where_it_counts_too() -> None:
    limit = limit_of(
        memviz.strategy(
            "chat_summary_buffer", token_limit=900, count_initial_tokens=True
        )
    )
    assert limit is not None
    assert limit_words(limit) == "limit for system prompt, summary and messages 900"
    assert "system" in limit.parts


@pytest.mark.parametrize("id", COUNTED)
@given(data=st.data())
def test_a_request_is_flagged_exactly_when_what_counts_is_over_the_limit(
    id: str, data: st.DataObject
) -> None:
    run = data.draw(runs(id))
    limit = limit_of(run.strategy)
    assert limit is not None
    for record in run.turns:
        counted = run.strategy.counted_tokens(record.tokens)
        assert counted == sum(record.tokens.get(part, 0) for part in limit.parts)
        assert ("over_budget" in record.flags) is (counted > limit.tokens)


def test_a_flag_says_what_is_over_which_limit() -> None:
    said = [memviz.Message("user", "x" * 4000), memviz.Message("assistant", "Long.")]
    run = memviz.replay(
        said, memviz.strategy("token_buffer", max_tokens=250), counter="chars4"
    )
    assert run.turns[0].flags == ("over_budget",)
    assert over_limit_words(run.turns[0], run.strategy) == (
        "Over its limit: 1,000 tokens of messages, 250 allowed. The input is sent all the same."
    )
