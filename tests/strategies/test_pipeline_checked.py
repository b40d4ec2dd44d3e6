"""A summary that is checked: the summarizer is asked once more, and both calls are counted."""

from __future__ import annotations

from typing import Any

import pytest

import memviz
from memviz import Message, ScriptedModel
from memviz.engine.memory_config import read_memory_config, strategy_of
from memviz.metrics.cost.bounds import bound_summaries
from memviz.metrics.requests.traffic import count_traffic
from memviz.strategies.prompts import CHECKING_INSTRUCTION
from memviz.transcripts.samples import sample
from tests.strategies.slow_pipeline import contents, said

TALK = [message for number in range(4) for message in said(number)]
CHECKED = "summarize and check at 4 messages, keep 2 messages"
PLAIN = "summarize at 4 messages, keep 2 messages"


def replay(steps: str, *answers: Any, talk: list[Message] = TALK[:6]) -> memviz.Run:
    strategy = memviz.strategy("pipeline", steps=steps)
    model = ScriptedModel(answers)
    return memviz.replay(talk, strategy, model=model, counter="chars4")


def test_the_second_answer_is_the_summary() -> None:
    run = replay(CHECKED, "first", "first and more")
    (made,) = run.compactions
    assert made.summary == "first and more"
    assert made.calls == 2
    assert [draft.text for draft in made.discarded] == ["first"]
    assert "first and more" in contents(run)[0]


def test_it_is_asked_beside_the_messages_and_its_first_answer() -> None:
    (plain,) = replay(PLAIN, "first").compactions
    (made,) = replay(CHECKED, "first", "second").compactions
    expected = [plain.prompt, "Your summary: first", CHECKING_INSTRUCTION]
    assert made.prompt == "\n\n".join(expected)


def test_the_tokens_and_dollars_of_both_calls_are_counted() -> None:
    counter = memviz.counter("chars4")
    (plain,) = replay(PLAIN, "first").compactions
    run = replay(CHECKED, "first", "second, longer")
    (made,) = run.compactions
    overhead = plain.prompt_tokens - counter(plain.prompt)
    both = plain.prompt_tokens + counter(made.prompt) + overhead
    assert made.prompt_tokens == both
    assert made.output_tokens == counter("first") + counter("second, longer")
    sent = count_traffic(run)
    assert sent.summarizer_input_tokens.tolist() == [both]
    paid = memviz.Reply("a", cost_usd=0.25), memviz.Reply("b", cost_usd=0.5)
    assert replay(CHECKED, *paid).compactions[0].total_cost_usd == 0.75


def test_a_bound_of_what_a_model_would_cost_has_both_calls() -> None:
    plain, checked = (replay(steps, "one", "two") for steps in (PLAIN, CHECKED))
    one, both = (bound_summaries([r], "openai/gpt-4o", 100) for r in (plain, checked))
    assert one.usd is not None
    assert both.usd is not None
    assert both.usd > 2 * one.usd


def test_where_either_call_fails_nothing_changes() -> None:
    error = memviz.ModelError("no")
    for answers, calls in (((error,), 1), (("first", error), 2)):
        run = replay(CHECKED, *answers)
        (made,) = run.compactions
        assert made.error == "no"
        assert made.calls == calls
        assert not made.changes_memory
        assert len(run.summaries) == 0


def test_it_is_read_again_from_its_file() -> None:
    run = replay(CHECKED, "first", "second")
    again = memviz.Run.from_dict(run.to_dict())
    assert again.compactions == run.compactions
    assert again.compactions[0].prompt == run.compactions[0].prompt


def test_a_user_reviews_the_checked_summary() -> None:
    chat = memviz.Chat(
        memviz.strategy("pipeline", steps=CHECKED),
        model=ScriptedModel(["yes"] * 9),
        summarizer=ScriptedModel(["first", "second"]),
    )
    chat.review = True
    for number in range(2):
        chat.send(f"question {number}")
    with pytest.raises(memviz.ReviewError):
        chat.send("question 2")
    assert chat.propose().text == "second"
    chat.accept()
    (made,) = chat.run.compactions
    assert (made.summary, made.calls, made.is_checked) == ("second", 2, True)


def test_gemini_cli_checks_its_summaries() -> None:
    model = ScriptedModel(["first", "second"])
    strategy = memviz.strategy("gemini_cli", window_tokens=100)
    run = memviz.replay(TALK[:6], strategy, model=model, counter="chars4")
    assert [one.summary for one in run.compactions if one.calls] == ["second"]
    assert "second" in contents(run)[0]


def test_gemini_cli_stands_in_memory_yaml_with_a_window_of_its_own() -> None:
    text = b"memory:\n  strategy: gemini_cli\n  parameters:\n    window_tokens: 9000\n"
    found = strategy_of(read_memory_config(text, "memory.yaml"))
    assert found == memviz.strategy("gemini_cli", window_tokens=9000)
    wrong = text.replace(b"9000", b"-1")
    with pytest.raises(memviz.ConfigError, match="window_tokens"):
        read_memory_config(wrong, "memory.yaml")


def test_a_sweep_of_gemini_cli_counts_both_calls() -> None:
    transcript = sample("trip")
    found = memviz.sweep([transcript], {"gemini_cli": {"window_tokens": [4000]}})
    (cell,) = found.cells.values()
    plain = memviz.replay(
        transcript.messages,
        memviz.strategy(
            "pipeline",
            window_tokens=4000,
            steps=str(cell.strategy.model_dump()["steps"]).replace(" and check", ""),
        ),
    )
    once = count_traffic(plain).summarizer_input_tokens
    assert len(once) == cell.summarizations
    assert (cell.traffic.summarizer_input_tokens > 2 * once).all()
