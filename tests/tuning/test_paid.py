"""What the summaries of a sweep will cost, and the summarizer that is paid for them."""

from __future__ import annotations

from pathlib import Path
from threading import Thread
from time import monotonic, sleep

import pytest

import memviz
from memviz import Message, ParameterError
from memviz.core.model_errors import BudgetSpentError
from memviz.dashboard.words.estimates import estimate_words
from memviz.models.budget import Budget
from memviz.models.recordings.recorder import Notes
from memviz.transcripts.samples import sample
from memviz.tuning.paid import estimate_sweep, make_paid_summarizer
from tests.models.openai_server import openai_server, slow, text
from tests.tuning.random_sweeps import cell, priced_at, sweep_of


def test_the_estimate_is_what_the_offline_summaries_took() -> None:
    found = memviz.sweep(
        sample("trip"),
        {"window": {"window_size": 4}, "summary": {"buffer_size": [2, 8]}},
    )
    told = estimate_sweep(found, "openai/gpt-5-nano")
    rows = memviz.sweep(
        sample("trip"),
        {"summary": {"buffer_size": [2, 8]}},
        summarizer_model="openai/gpt-5-nano",
    ).frame()
    assert told.part("summary").calls == told.calls == rows["summarizations"].sum() > 2
    assert (
        told.part("summary").input_tokens + told.part("summary").output_tokens
        == rows["summarizer_tokens"].sum()
    )
    assert told.usd == pytest.approx(rows["summarizer_usd"].sum())


def test_the_estimate_in_words() -> None:
    sweep = sweep_of([cell(0, [100], summarizer=12345), cell(1, [100])])
    by_hand = estimate_sweep(sweep, "made-up", priced_at(2, 10))
    assert (
        estimate_words(by_hand)
        == "1 summary: about 12,300 tokens in and 7 out, about $0.025 at the prices given."
    )
    assert estimate_words(estimate_sweep(sweep, "made-up")).endswith(
        "The price of made-up is unknown."
    )
    assert estimate_sweep(sweep, "made-up").usd is None


def test_a_model_whose_price_nobody_knows_is_refused() -> None:
    with pytest.raises(ParameterError, match="price"):
        make_paid_summarizer("openai/nothing-such", Budget(1), None)
    assert (
        make_paid_summarizer(
            "openai/nothing-such", Budget(1), None, usd_per_million=(1, 2)
        ).name
        == "openai/nothing-such"
    )


def test_it_asks_once_remembers_the_answer_and_keeps_to_the_budget(
    tmp_path: Path,
) -> None:
    with openai_server() as server:
        server.otherwise = text("Short.")
        budget, notes = Budget(0.01), Notes()
        writer = make_paid_summarizer(
            "openai/gpt-5-mini",
            budget,
            tmp_path,
            notes=notes,
            api_key="sk-test-0123456789abcdef",
            api_base=server.api_base,
        )
        for _ in range(3):
            assert writer.summarize([Message("user", "Sum up.")]).text == "Short."
        assert (len(server.requests), budget.calls) == (1, 1)
        for number in range(3):
            writer.summarize([Message("user", f"Sum up number {number}.")])
        with pytest.raises(BudgetSpentError):
            writer.summarize([Message("user", "Sum up the last one.")])
        assert budget.spent_usd == pytest.approx(4 * 0.00045)
        assert {one.reply.text for one in notes.replies} == {"Short."}


def test_a_budget_that_is_closed_ends_what_a_silent_server_keeps_waiting() -> None:
    with openai_server() as server:
        server.otherwise = slow(45)
        budget = Budget(1)
        writer = make_paid_summarizer(
            "openai/gpt-5-mini",
            budget,
            None,
            api_key="sk-test",
            api_base=server.api_base,
        )

        def close() -> None:
            while not server.requests:
                sleep(0.01)
            budget.close()

        Thread(target=close, daemon=True).start()
        started = monotonic()
        with pytest.raises(BudgetSpentError):
            writer.summarize([Message("user", "Sum up.")])
        assert monotonic() - started < 10  # the import of litellm included
        assert budget.calls == 1
        assert 0 < budget.uncertain_usd == budget.spent_usd < 0.1, (
            "it may cost something after all"
        )
