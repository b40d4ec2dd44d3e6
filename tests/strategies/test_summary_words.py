"""How long a summary may be: the last sentence of the prompt says it, wherever a model writes the summary."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import memviz
from memviz.core.text.words import count_words
from memviz.strategies.library import LibraryStrategy
from memviz.transcripts.samples import sample
from tests.tables import for_each

SMALL: dict[str, dict[str, Any]] = {
    "recent_only": {},
    "summary": {"buffer_size": 8},
    "summary_buffer": {"max_token_limit": 1500},
    "chat_summary_buffer": {"token_limit": 4000},
    "summary_only": {},
    "threshold_summary": {},
    "langchain_summarization": {},
    "pipeline": {"window_tokens": 6000},
    "hand_off": {},
    "working_memory": {},
    "summary_tree": {},
}
ASKED = "Write it in at most 120 words."


def told(id: str, **parameters: Any) -> list[str]:
    """What each summarizer was told to do, without what it was given to read."""
    if id == "langchain_summarization":
        pytest.importorskip("langchain")
    run = memviz.replay(
        sample("trip"), memviz.strategy(id, **SMALL[id], **parameters), model=Short()
    )
    prompts = [compaction.prompt for compaction in run.compactions if compaction.asked]
    assert prompts
    return prompts


class Short(memviz.ScriptedModel):
    """Always writes the same, so that prompts differ in nothing but what the strategy put there."""

    def __init__(self) -> None:
        super().__init__(["Aoife plans a trip."] * 100)


def test_every_strategy_whose_summary_a_model_writes_has_it() -> None:
    has = {
        id
        for id, cls in memviz.strategies().items()
        if cls.has_parameter("summary_words")
    }
    writes = {id for id, cls in memviz.strategies().items() if cls().writes_notes} - {
        "clear_tool_results"
    }
    lists = {
        "fifo_facts",
        "facts_store",
        "fact_graph",
        "observations",
        "memory_blocks",
    }  # a list of facts is no summary, and blocks have a size of their own
    prompts_of_libraries = {
        id
        for id, cls in memviz.strategies().items()
        if issubclass(cls, LibraryStrategy)
    }
    assert has == set(SMALL)
    assert has == writes - lists - (prompts_of_libraries - {"langchain_summarization"})


@for_each("id", SMALL)
def test_0_says_nothing_and_above_it_the_instruction_ends_with_the_length(
    id: str,
) -> None:
    without, asked = told(id), told(id, summary_words=120)
    assert "120 words" not in "".join(without)
    assert len(asked) == len(without)
    for before, after in zip(without, asked, strict=True):
        assert after.count(ASKED) == 1
        assert " ".join(after.replace(ASKED, "").split()) == " ".join(before.split())


@for_each("id", ["chat_summary_buffer", "threshold_summary"])
def test_it_ends_a_prompt_of_ones_own_in_its_language(id: str) -> None:
    setting = memviz.strategy(id, summarize_prompt="请用中文总结。", summary_words=90)
    assert setting.instruction == "请用中文总结。摘要不超过90个字。"


@for_each("value", [-1, 2001])
def test_it_is_from_0_to_2000(value: int) -> None:
    with pytest.raises(memviz.ParameterError, match="summary_words"):
        memviz.strategy("summary", summary_words=value)


@given(
    words=st.integers(5, 300),
    name=st.sampled_from(["trip", "chinese", "support"]),
    id=st.sampled_from(["summary", "summary_only"]),
)
def test_the_stand_in_keeps_to_it(words: int, name: str, id: str) -> None:
    turns = [
        message
        for message in sample(name).messages
        if message.role in ("user", "assistant")
    ][:40]
    run = memviz.replay(turns, memviz.strategy(id, **SMALL[id], summary_words=words))
    assert run.summaries
    assert all(count_words(version.text) <= words for version in run.summaries)
