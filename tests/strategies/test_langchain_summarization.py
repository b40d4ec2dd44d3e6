"""LangChain's own SummarizationMiddleware inside memviz."""

from __future__ import annotations

import subprocess
import sys
from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import memviz
from memviz import Fate, Message, ModelError, ScriptedModel, ToolCall
from memviz.core.errors import MissingLibraryError
from memviz.strategies import library
from tests.strategies.conversations import COUNTERS, answered
from tests.strategies.libraries import summarization_settings
from tests.strategies.libraries.conversations import conversations
from tests.strategies.libraries.summarization_settings import (
    ENDS,
    Setting,
    summaries,
    with_input,
)

pytest.importorskip("langchain.agents.middleware")

from tests.strategies.libraries.langchain_runner import summarized_requests
from tests.tables import for_each


def strategy(**parameters: Any) -> memviz.Strategy:
    defaults = {"trigger_tokens": 0, "trigger_messages": 3, "keep_messages": 1}
    return memviz.strategy("langchain_summarization", **defaults | parameters)


def talk(*contents: str) -> list[Message]:
    return [
        Message("assistant" if n % 2 else "user", text)
        for n, text in enumerate(contents)
    ]


@given(
    messages=conversations(),
    setting=summarization_settings.settings(),
    counter=st.sampled_from(COUNTERS),
    ends=st.lists(st.sampled_from(ENDS), min_size=1, max_size=4),
)
def test_requests_and_prompts_are_those_of_an_agent(
    messages: list[Message], setting: Setting, counter: str, ends: list[str]
) -> None:
    assume(any(message.role == "user" for message in messages))
    messages = answered(messages)
    count, script = memviz.counter(counter), summaries(ends)
    theirs = summarized_requests(
        messages, lambda _: next(script), count, through_model=True, **setting.theirs
    )
    model = ScriptedModel(summaries(ends))
    rule = memviz.strategy("langchain_summarization", **setting.ours)
    run = memviz.replay(messages, rule, model=model, counter=counter)
    for record, sent, kept in zip(
        run.requests, theirs.requests, theirs.kept, strict=True
    ):
        assert list(record.context.messages) == with_input(
            messages, sent, kept, record.memory.length
        )
    assert [list(request) for request in model.requests] == [
        reading.messages for reading in theirs.readings
    ]


@given(messages=conversations(), setting=summarization_settings.settings())
def test_the_threshold_summary_is_the_same_rule(
    messages: list[Message], setting: Setting
) -> None:
    assume(any(message.role == "user" for message in messages))
    requests = []
    for id in ("langchain_summarization", "threshold_summary"):
        rule = memviz.strategy(id, **setting.ours)
        run = memviz.replay(
            messages, rule, model=ScriptedModel(summaries(["."])), counter="chars4"
        )
        requests.append([list(record.context.messages) for record in run.requests])
    assert requests[0] == requests[1]


def test_what_reached_the_summarizer_is_a_compaction_with_langchains_whole_prompt() -> (
    None
):
    calls = (ToolCall("1", "look_up", '{"q":  "<rain>"}'),)
    messages = [
        Message("user", "a"),
        Message("assistant", "", tool_calls=calls),
        Message("tool", "r", tool_call_id="1"),
    ]
    messages += [Message("assistant", "b"), Message("user", "c")]
    model = ScriptedModel([" one\n"])
    run = memviz.replay(
        answered(messages), strategy(trigger_messages=5), model=model, counter="chars4"
    )
    (compaction,) = run.compactions
    assert compaction.summary == "Here is a summary of the conversation to date:\n\none"
    assert (compaction.error, compaction.calls, list(compaction.summarized)) == (
        None,
        1,
        [0, 1, 2, 3],
    )
    assert "Context Extraction Assistant" in compaction.prompt
    assert (
        '<tool_call id="1" name="look_up">{"q": "&lt;rain&gt;"}</tool_call>'
        in compaction.prompt
    )
    assert [block.kind for block in run.requests[-1].context.blocks] == [
        "summary",
        "input",
    ]
    assert run.requests[-1].context.messages[0].role == "user"


@for_each("answer", ["", " \n", ModelError("no connection")])
def test_a_failed_summarizer_is_asked_once_and_in_a_later_turn(
    answer: str | Exception,
) -> None:
    """LangChain alone would ask three times with pauses of seconds, or go on with an empty summary."""
    model = ScriptedModel([answer, "two", "three"])
    messages = talk("a", "b", "c", "d", "e", "f", "g", "h", "i")
    run = memviz.replay(answered(messages), strategy(), model=model, counter="chars4")
    assert [(c.turn, bool(c.error)) for c in run.compactions] == [
        (2, True),
        (4, False),
        (5, False),
    ]
    assert len(model.requests) == 3
    assert [m.content for m in run.requests[2].context.messages] == [
        "a",
        "b",
        "c",
        "d",
        "e",
    ]


def test_what_it_replaces_by_fixed_words_is_left_out() -> None:
    """Nobody is asked; what "one" summarized is not sent any more either, and the next summary stands for neither."""
    long = Message("assistant", "x" * 100)
    messages = [*talk("a", "b", "c"), long, *talk("d", "e", "f")]
    model = ScriptedModel(["one", "two"])
    run = memviz.replay(
        answered(messages),
        strategy(summarizer_reads_tokens=20),
        model=model,
        counter="chars4",
    )
    assert [(c.kind, c.reason, list(c.summarized)) for c in run.compactions] == [
        ("summarized", "3 messages ≥ 3", [0, 1]),
        ("evicted", "the library left them out", [2, 3]),
        ("summarized", "4 messages ≥ 3", [4, 5]),
    ]
    sent = [
        [m.content.rpartition("\n")[2] for m in record.context.messages]
        for record in run.requests
    ]
    assert sent == [
        ["a"],
        ["one", "c"],
        ["Previous conversation was too long to summarize.", "d"],
        ["two", "f"],
    ]
    assert (
        run.compactions[1].tokens_before - run.compactions[1].tokens_after
        == 12 + 1 + 25 - 24
    )
    assert [Fate(code).name for code in run.fates()[2, :5]] == [
        *["DROPPED"] * 4,
        "VERBATIM",
    ]
    assert [Fate(code).name for code in run.fates()[3, :5]] == [
        *["DROPPED"] * 4,
        "SUMMARIZED",
    ]


def test_the_offline_model_reads_langchains_prompt() -> None:
    messages = [
        *talk(
            "My budget is 900 dollars & I leave on May 3.",
            "Noted: Lisbon < Porto.",
            "And the hotel?",
        )
    ]
    messages += [*talk("", "It costs 80 dollars a night.", "Book it.")[1:]]
    run = memviz.replay(answered(messages), strategy(), counter="chars4")
    assert run.compactions[0].summary.endswith(
        "\n\nMy budget is 900 dollars & I leave on May 3."
    )
    assert all(
        "SESSION INTENT" not in version.text and "<message" not in version.text
        for version in run.summaries
    )
    assert "Here is a summary" not in run.summaries[1].text.partition("\n\n")[2]


def test_arguments_that_are_no_json_and_calls_without_result_do_no_harm() -> None:
    calls = (
        ToolCall("1", "look_up", "not json"),
        ToolCall("1", "look_up", "[1]"),
        ToolCall("", "book", "{}"),
    )
    messages = [
        Message("user", "a"),
        Message("assistant", "", tool_calls=calls),
        Message("user", "b"),
    ]
    model = ScriptedModel(["one"])
    run = memviz.replay(
        answered(messages), strategy(keep_messages=2), model=model, counter="chars4"
    )
    assert list(run.requests[-1].context.messages[1:]) == messages[1:]


def test_a_chat_that_is_resumed_goes_on_the_same() -> None:
    def chat(replies: int, answers: list[str]) -> dict[str, Any]:
        return {
            "model": ScriptedModel(["yes"] * replies),
            "summarizer": ScriptedModel(answers),
        }

    whole = memviz.Chat(
        strategy(), counter="chars4", **chat(6, ["one", "two", "three", "four", "five"])
    )
    for n in range(6):
        whole.send(f"user {n}")
    part = memviz.Chat(strategy(), counter="chars4", **chat(3, ["one", "two"]))
    for n in range(3):
        part.send(f"user {n}")
    stored = memviz.Run.from_dict(part.run.to_dict())
    again = memviz.Chat.resume(stored, **chat(3, ["three", "four", "five"]))
    for n in range(3, 6):
        again.send(f"user {n}")
    assert [r.context.messages for r in again.run.requests] == [
        r.context.messages for r in whole.run.requests
    ]


def test_nothing_is_told_to_langsmith(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its tracing sends every prompt away where the environment says so."""
    from langsmith import utils
    from langsmith.run_trees import RunTree

    told: list[object] = []
    monkeypatch.setenv("LANGSMITH_TRACING", "true")
    monkeypatch.setenv("LANGSMITH_ENDPOINT", "http://127.0.0.1:9")
    monkeypatch.setenv("LANGSMITH_API_KEY", "none")
    utils.get_env_var.cache_clear()
    monkeypatch.setattr(RunTree, "post", lambda self, **_: told.append(self))
    try:
        run = memviz.replay(
            talk("a", "b", "c", "d"),
            strategy(),
            model=ScriptedModel(["one"]),
            counter="chars4",
        )
    finally:
        utils.get_env_var.cache_clear()
    assert len(run.compactions) == 1
    assert told == []


def test_where_langchain_is_missing_it_says_what_to_install(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(library, "_is_installed", lambda module, second: False)
    assert strategy().reason_not_to_run().endswith("pip install langchain'.")
    with pytest.raises(MissingLibraryError, match="pip install langchain"):
        memviz.replay(talk("a"), strategy())


def test_memviz_starts_without_langchain() -> None:
    script = (
        "import sys, memviz; memviz.strategy('langchain_summarization'); "
        "print([name for name in sys.modules if name.startswith(('langchain', 'langgraph', 'langsmith'))])"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "[]"
