"""Totals of a run, by hand and against adding up everything again."""

from __future__ import annotations

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import memviz
from memviz import Message, ModelError, Reply, Run, ScriptedModel, Strategy, Usage
from memviz.dashboard.words.requests import limit_rule, limit_words, over_limit_words
from memviz.metrics.requests.token_use import TokenUse, count_token_use, find_limit
from tests.engine.probes import REPRESENTATIVES, small, talk
from tests.metrics.random_probes import runs
from tests.strategies.conversations import conversations, outcomes, summarizer
from tests.tables import for_each
from tests.tool_loops import loops

COUNTED = {
    "token_buffer": ("messages", {"history", "input"}),
    "summary_buffer": ("messages not yet summarized", {"history", "input"}),
    "chat_summary_buffer": ("summary and messages", {"summary", "history", "input"}),
    "fifo_facts": ("messages word for word", {"history", "input"}),
    "memory_blocks": ("messages", {"history", "input"}),
    "observations": ("messages not yet summarized", {"history", "input"}),
}
# Tokens as chars4 counts them: 10, 20, 10, 20, 1, 20.
ROLES = ("user", "assistant") * 3
MESSAGES = [
    Message(role, "x" * 4 * size)
    for role, size in zip(ROLES, (10, 20, 10, 20, 1, 20), strict=True)
]


@for_each("id", REPRESENTATIVES)
def test_a_strategy_with_a_token_limit_says_what_it_counts(id: str) -> None:
    limit = find_limit(small(id))
    assert (limit and (limit.counts, set(limit.parts))) == COUNTED.get(id)
    assert bool(limit_rule(small(id))) is (id in COUNTED)


@for_each(
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
)
def test_the_rule_of_a_limit_says_what_happens_past_it(
    strategy: Strategy, rule: str
) -> None:
    assert limit_rule(strategy) == rule


def test_the_system_prompt_is_named_where_it_counts_too() -> None:
    limit = find_limit(
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
    limit = find_limit(run.strategy)
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


def run_of(
    *answers: str | Reply | ModelError, id: str = "summary", **options: object
) -> Run:
    """Under ``summary``, messages 1-2 are summarized for turn 2 and 3-4 for turn 3."""
    return memviz.replay(
        MESSAGES, small(id), model=ScriptedModel(answers), counter="chars4", **options
    )  # type: ignore[arg-type]


def test_full_buffer_by_hand() -> None:
    use = count_token_use(run_of(id="buffer", system_prompt="Be brief"))
    first, second, third = (
        2 + 10 + 11,
        2 + 10 + 20 + 10 + 19,
        2 + 10 + 20 + 10 + 20 + 1 + 27,
    )
    assert use == TokenUse(
        requests=3,
        sent_tokens=first + second + third,
        peak_tokens=90,
        peak_turn=3,
        reply_tokens=60,
        summarizations=0,
        failed_summarizations=0,
        summarizer_prompt_tokens=0,
        summarizer_output_tokens=0,
        summarizer_cost_usd=0,
        over_budget_requests=0,
    )
    assert use.mean_tokens == 58.0
    assert (use.summarizer_calls, use.summarizer_tokens, use.all_tokens) == (0, 0, 174)


def test_what_was_cleared_is_counted() -> None:
    """Of 3 x 4 results the newest stays; the rule says at each request what was cleared so far."""
    run = memviz.replay(
        loops(3, 4),
        memviz.strategy("clear_tool_results", trigger_tokens=0, keep_results=1),
    )
    use = count_token_use(run)
    assert use.reductions == sum(one.kind == "cleared" for one in run.compactions) > 1
    assert use.reduced_messages == sum(
        message.content == "[cleared]" for message in run.requests[-1].context.messages
    )
    assert use.reduced_messages > 1


def test_a_summary_and_a_failure_by_hand() -> None:
    use = count_token_use(
        run_of(Reply("s" * 8, usage=Usage(100, 7), cost_usd=0.5), ModelError("down"))
    )
    summary = (len("Summary of earlier conversation: ") + 8) // 4
    first, second, third = 10 + 7, summary + 10 + 11, summary + 10 + 20 + 1 + 19
    assert (use.sent_tokens, use.peak_tokens, use.peak_turn) == (
        first + second + third,
        60,
        3,
    )
    assert (use.summarizations, use.failed_summarizations, use.summarizer_calls) == (
        1,
        1,
        2,
    )
    assert (
        use.summarizer_prompt_tokens,
        use.summarizer_output_tokens,
        use.summarizer_cost_usd,
    ) == (100, 7, 0.5)
    assert (use.summarizer_tokens, use.all_tokens) == (
        107,
        first + second + third + 107,
    )


def test_the_first_of_equal_peaks_counts() -> None:
    run = memviz.replay(
        talk(4), memviz.strategy("window", window_size=1), counter=lambda _: 1
    )
    use = count_token_use(run)
    assert (use.peak_tokens, use.peak_turn, use.mean_tokens) == (1 + 7, 1, 8.0)


@for_each(
    ("costs", "total"),
    [((0.5, 0.25), 0.75), ((0.5, None), None), ((None, None), None), ((0.0, 0.0), 0.0)],
)
def test_a_cost_is_known_only_if_every_part_is(
    costs: tuple[float | None, ...], total: float | None
) -> None:
    assert (
        count_token_use(
            run_of(*(Reply("s", cost_usd=cost) for cost in costs))
        ).summarizer_cost_usd
        == total
    )


def test_what_is_dropped_without_a_summarizer_is_no_summarization() -> None:
    run = memviz.replay(
        MESSAGES, small("chat_summary_buffer"), model=None, counter="chars4"
    )
    assert run.compactions
    assert count_token_use(run).summarizer_calls == 0


def test_requests_over_their_budget_are_counted() -> None:
    run = memviz.replay(
        MESSAGES, memviz.strategy("token_buffer", max_tokens=9), counter="chars4"
    )
    assert count_token_use(run).over_budget_requests == 2


def test_a_chat_that_has_not_begun_uses_nothing() -> None:
    use = count_token_use(
        memviz.Chat(memviz.strategy("summary"), model=ScriptedModel([])).run
    )
    assert (
        use.requests,
        use.sent_tokens,
        use.mean_tokens,
        use.peak_tokens,
        use.peak_turn,
    ) == (0, 0, 0.0, 0, 0)


@given(messages=conversations(), plan=outcomes)
@for_each("id", REPRESENTATIVES)
def test_totals_are_sums_over_what_was_really_sent(
    id: str, messages: list[Message], plan: list[str]
) -> None:
    model, count = summarizer(plan), memviz.counter("chars4")
    run = memviz.replay(messages, small(id), model=model, counter=count)
    assume(run.requests)
    use, frame = count_token_use(run), run.frame()
    assert use.requests == len(frame)
    assert use.sent_tokens == frame["total_tokens"].sum()
    assert (use.peak_tokens, use.mean_tokens) == (
        frame["total_tokens"].max(),
        pytest.approx(frame["total_tokens"].mean()),
    )
    assert use.peak_turn == frame["turn"][frame["total_tokens"].idxmax()]
    assert use.reply_tokens == frame["reply_tokens"].sum()
    assert use.summarizer_calls == len(model.requests) - sum(
        one.asked for one in run.foreseen
    )
    assert use.summarizations == len(run.summaries)
    asked = [compaction for compaction in run.compactions if compaction.asked]
    written = [
        compaction.summary or "" for compaction in asked if compaction.error is None
    ]
    answered = [
        request
        for request, c in zip(model.requests[: len(asked)], asked, strict=True)
        if c.error is None
    ]
    assert use.summarizer_prompt_tokens == sum(
        sum(count(m.content) + 4 for m in request) + 3 for request in answered
    )
    if id not in (
        "fifo_facts",
        "observations",
        "facts_store",
        "fact_graph",
        "memory_blocks",
    ):  # which keeps of an answer the facts alone
        assert use.summarizer_output_tokens == sum(map(count, written))
    assert use.over_budget_requests == frame["flags"].str.contains("over_budget").sum()
    assert small(id).writes_notes or not use.summarizer_calls
