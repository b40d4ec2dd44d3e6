"""A summary that is longer than was asked for says so, and only such a one."""

from __future__ import annotations

import memviz
from memviz.core.text.words import ask_for_length, count_words
from memviz.dashboard.words.asked_length import broken_length_words, broken_lengths_of
from memviz.dashboard.words.compactions import compaction_words
from memviz.metrics.summaries.events import count_sent_summary_tokens
from memviz.models.scripted import ScriptedModel
from memviz.transcripts.samples import sample


def recorded(words: int) -> memviz.Run:
    asked = memviz.strategy("summary_buffer", max_token_limit=1500, summary_words=words)
    return memviz.replay(sample("trip"), asked, model="recording:trip")


def test_a_summary_that_breaks_its_length_says_by_how_much() -> None:
    run = recorded(120)
    told = {one.version: broken_length_words(one) for one in run.compactions}
    counts = {one.version: count_words(one.summary or "") for one in run.compactions}
    assert any(told.values())
    for version, count in counts.items():
        assert told[version] == (
            f"asked for 120 words, got {count}" if count > 120 else ""
        )
    broken = [version for version, words in told.items() if words and version]
    assert broken_lengths_of(run.compactions, broken) == [
        told[version] for version in broken
    ]
    (first,) = (one for one in run.compactions if one.version == broken[0])
    assert compaction_words(first, run).sentence.endswith(
        f"tokens. The summary is kept as written: {told[broken[0]]}."
    )


def test_without_a_length_nothing_is_said() -> None:
    assert not any(broken_length_words(one) for one in recorded(0).compactions)


def test_where_characters_are_asked_for_they_are_named() -> None:
    said = [
        memviz.Message(role, text)
        for text in ("一", "二", "三")
        for role in ("user", "assistant")
    ]
    asked = memviz.strategy("summary", buffer_size=2, summary_words=3)
    run = memviz.replay(said, asked, model=ScriptedModel(["茶很好喝吗"] * 9))
    assert {broken_length_words(one) for one in run.compactions} == {
        "asked for 3 words, got 5 characters"
    }
    assert "个字" in ask_for_length("请写摘要", 3)


def test_a_summary_has_one_size_everywhere() -> None:
    run = recorded(0)
    record = run.turns[43]
    assert count_sent_summary_tokens(record) == run.compactions[-1].summary_tokens
    assert record.tokens["summary"] > count_sent_summary_tokens(record), (
        "its heading is the request's"
    )
