"""Blocks that are rewritten and an archive that is searched, counted by hand, and against a slow reference."""

from __future__ import annotations

from hypothesis import example, given
from hypothesis import strategies as st

import memviz
from memviz import Fate, Message, ScriptedModel
from memviz.models.offline import OfflineModel
from memviz.strategies.memory_blocks import blocks_in
from tests.strategies.comparison import compare
from tests.strategies.conversations import (
    COUNTERS,
    answered,
    conversation_of,
    conversations,
    orderly_roles,
    outcomes,
)
from tests.strategies.looked_up import FILLER, turns
from tests.tables import for_each

TALK = turns("I am Ana.", "The key is red.", *FILLER, "Which colour has the key?")
BOTH = "<human>\n{}\n</human>\n<persona>\n{}\n</persona>"


def test_blocks_stand_first_and_what_is_found_before_the_question() -> None:
    model = ScriptedModel([BOTH.format("Ana.", "Brief.")] * 9)
    strategy = memviz.strategy("memory_blocks", newest_tokens=20, top_k=1)
    run = memviz.replay(answered(TALK[:-1]), strategy, model=model, counter="chars4")
    record = run.requests[-1]
    assert [one.content for one in record.context.messages] == [
        f"<memory_blocks>\n{BOTH.format('Ana.', 'Brief.')}\n</memory_blocks>",
        "Noted.",
        "Remark 4 on nothing.",
        "Noted.",
        "Remark 5 on nothing.",
        "Noted.",
        "The key is red.",
        "Which colour has the key?",
    ]
    fates = run.fates()[-1].tolist()
    assert fates[:4] == [
        Fate.SUMMARIZED,
        Fate.SUMMARIZED,
        Fate.RECALLED,
        Fate.SUMMARIZED,
    ]
    assert [c.reason for c in run.compactions] == ["24 tokens > 20", "23 tokens > 20"]
    assert strategy.why_sent(record.memory, 2) == (
        "number 1 of 1 that hold words of the question (key), score 1.9"
    )
    assert strategy.why_sent(record.memory, 0) == "holds no word of the question"
    assert strategy.why_sent(record.memory, len(TALK) - 3) == ""


def test_who_rewrites_reads_the_size_the_blocks_before_and_the_messages() -> None:
    model = ScriptedModel([BOTH.format("Ana.", "Brief.")] * 9)
    strategy = memviz.strategy("memory_blocks", newest_tokens=20, block_characters=77)
    run = memviz.replay(TALK, strategy, model=model, counter="chars4")
    first, second = (one.prompt for one in run.compactions[:2])
    assert "in at most 77 characters" in first
    assert "Previous summary" not in first
    assert f"Previous summary: {BOTH.format('Ana.', 'Brief.')}\nuser: Remark" in second


@for_each(
    ("answer", "human", "persona"),
    [
        ("<persona>Be brief.</persona>", "Ana.", "Be brief."),
        ("<human>\n</human>", "", "Kind."),
        (BOTH.format("0123456789 and more", "Kind."), "0123456789", "Kind."),
        ("Ana has a dog.", "Ana has a", "Kind."),
    ],
)
def test_a_block_that_is_missing_stays_and_a_long_one_is_cut(
    answer: str, human: str, persona: str
) -> None:
    model = ScriptedModel([BOTH.format("Ana.", "Kind."), *[answer] * 9])
    strategy = memviz.strategy("memory_blocks", newest_tokens=20, block_characters=10)
    run = memviz.replay(TALK, strategy, model=model, counter="chars4")
    assert blocks_in(run.summaries[-1].text) == {"human": human, "persona": persona}


def test_while_the_summarizer_fails_all_that_it_has_not_read_is_sent() -> None:
    failing = ScriptedModel([memviz.ModelError("no")] * 99)
    strategy = memviz.strategy("memory_blocks", newest_tokens=10)
    run = memviz.replay(TALK, strategy, model=failing, counter="chars4")
    assert run.requests[-1].context.messages[0].content == "I am Ana."


def test_the_built_in_model_keeps_rules_in_persona() -> None:
    talk = turns(
        "My office is in Turin, at 12 Via Roma.",
        "Please never call before 9:00.",
        *FILLER,
    )
    strategy = memviz.strategy("memory_blocks", newest_tokens=40)
    run = memviz.replay(talk, strategy, model=OfflineModel(), counter="chars4")
    blocks = blocks_in(run.summaries[-1].text)
    assert "Turin" in blocks["human"]
    assert blocks["persona"] == "- Please never call before 9:00."


@given(
    messages=conversations(),
    newest=st.integers(1, 60),
    characters=st.integers(1, 60),
    top=st.integers(0, 3),
    plan=outcomes,
    counter=st.sampled_from(COUNTERS),
)
# Two messages hold words that are equally rare, each other ones: the newer is found.
@example(
    messages=conversation_of(orderly_roles(b"\x03\x00\x02\x00"), b"\x06"),
    newest=1,
    characters=1,
    top=1,
    plan=["good"],
    counter="chars4",
)
def test_agrees_with_the_reference(
    messages: list[Message],
    newest: int,
    characters: int,
    top: int,
    plan: list[str],
    counter: str,
) -> None:
    parameters = {
        "newest_tokens": newest,
        "block_characters": characters,
        "top_k": top,
    }
    compare("memory_blocks", parameters, messages, plan, counter, "Be kind.")
