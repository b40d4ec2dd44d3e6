"""chat_summary_buffer against the library it is named after, step by step.

Both get the same messages, the same token counts and the same summaries; after every request both
must hold the same messages verbatim and have sent the same ones to the summarizer. One difference is
wanted: an input that is over the limit alone is swallowed by the library and sent besides by memviz.
"""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

import memviz
from memviz import Message, ScriptedModel

pytest.importorskip("llama_index.core")

from tests.strategies.libraries.summary_scripts import (
    ScriptedLLM,
    conversation,
    requests_of_the_library,
    roles,
    sizes,
    summaries,
    summary_sizes,
    words,
)


def compare(
    messages: list[Message],
    limit: int,
    script: list[int],
    system_prompt: str | None,
    summarizer: bool,
) -> None:
    strategy = memviz.strategy(
        "chat_summary_buffer",
        token_limit=limit,
        count_initial_tokens=system_prompt is not None,
    )
    model = ScriptedModel(summaries(script)) if summarizer else None
    run = memviz.replay(
        messages, strategy, model=model, counter=words, system_prompt=system_prompt
    )
    llm = ScriptedLLM(summaries(script)) if summarizer else None
    asked = [record.memory.length for record in run.requests]
    prompt_tokens = None if system_prompt is None else words(system_prompt)
    expected = requests_of_the_library(messages, asked, llm, limit, prompt_tokens)
    for record, peer in zip(run.requests, expected, strict=True):
        blocks = [b for b in record.context.blocks if b.kind != "system"]
        sent = [(m.role, m.content) for block in blocks for m in block.messages]
        asked_for = [
            (m.role, m.content)
            for block in blocks
            if block.kind == "input"
            for m in block.messages
        ]
        # Of an input over the limit, and of results that it would send without their call, the library sends the
        # summary alone; memviz sends them besides, whole.
        assert (
            sent
            == [message for message in peer if message not in asked_for] + asked_for
        ), f"request {record.turn}"
        left_out = [role for role, content in asked_for if (role, content) not in peer]
        assert "over_budget" in record.flags or set(left_out) <= {"tool"}
    if model is not None and llm is not None:
        assert_same_summarized(run, model, llm)


def assert_same_summarized(
    run: memviz.Run, model: ScriptedModel, llm: ScriptedLLM
) -> None:
    assert len(model.requests) == len(llm.requests)
    for compaction, mine, peers in zip(
        run.compactions, model.requests, llm.requests, strict=True
    ):
        assert (
            [m.role for m in mine]
            == [m.role.value for m in peers]
            == ["system", "user"]
        )
        transcript = (
            str(peers[1].content)
            .removeprefix('"Transcript so far: ')
            .removesuffix('"\n\n')
        )
        entries = transcript.removesuffix("\n\n").split("\n\n")
        assert without_calls(mine[1].content) == entries
        texts = [entry.partition(": ")[2] for entry in entries]
        new = texts[1:] if compaction.replaces else texts
        assert new == [run.log[i].content for i in compaction.summarized]


def without_calls(prompt: str) -> list[str]:
    """The entries of memviz without the calls that it names behind a text; the library leaves those out."""
    return [entry.split(" [calls ")[0] for entry in prompt.split("\n\n")[1:]]


@given(roles=roles, sizes=sizes, script=summary_sizes, limit=st.integers(1, 60))
def test_same_messages_kept_and_same_messages_summarized(
    roles: list[str], sizes: list[int], script: list[int], limit: int
) -> None:
    compare(conversation(roles, sizes), limit, script, None, summarizer=True)


@given(roles=roles, sizes=sizes, script=summary_sizes, limit=st.integers(4, 60))
def test_with_the_system_prompt_counted(
    roles: list[str], sizes: list[int], script: list[int], limit: int
) -> None:
    compare(
        conversation(roles, sizes), limit, script, "Always be kind.", summarizer=True
    )


@given(roles=roles, sizes=sizes, limit=st.integers(1, 60))
def test_without_a_summarizer(roles: list[str], sizes: list[int], limit: int) -> None:
    compare(conversation(roles, sizes), limit, [1], None, summarizer=False)


@given(sizes=sizes, script=summary_sizes, limit=st.integers(10, 60))
def test_orderly_conversations(sizes: list[int], script: list[int], limit: int) -> None:
    compare(
        conversation(["user", "assistant"] * 20, sizes),
        limit,
        script,
        None,
        summarizer=True,
    )


def test_a_system_prompt_over_the_limit_is_refused_by_both() -> None:
    messages = [Message("user", "Hello")]
    strategy = memviz.strategy(
        "chat_summary_buffer", token_limit=2, count_initial_tokens=True
    )
    with pytest.raises(memviz.MemvizError):
        memviz.replay(
            messages,
            strategy,
            model=None,
            counter=words,
            system_prompt="Always be kind.",
        )
    with pytest.raises(ValueError, match="exceeds"):
        requests_of_the_library(messages, [1], None, 2, 3)
