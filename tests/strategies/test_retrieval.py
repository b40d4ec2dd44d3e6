"""What a question brings back, on conversations small enough to count by hand, and against a slow reference."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import memviz
from memviz import Fate, Log, Message
from memviz.core import small_embedding
from memviz.core.errors import MissingLibraryError
from memviz.core.memory import Memory
from memviz.core.model_errors import MissingVectorsError
from memviz.core.text.words import count_content_words
from memviz.core.vectors import vectors_from
from memviz.strategies.retrieval import Retrieval
from tests.strategies.conversations import conversations
from tests.strategies.looked_up import (
    FILLER,
    embed_by_letters,
    slow_nearness,
    slow_scores,
    turns,
)


def replay(messages: list[Message], **parameters: Any) -> memviz.Run:
    return memviz.replay(
        messages, memviz.strategy("retrieval", **parameters), counter="chars4"
    )


def sent_at_last(run: memviz.Run) -> list[str]:
    return [message.content for message in run.requests[-1].context.messages]


def test_what_holds_the_words_of_the_question_is_brought_back_before_it() -> None:
    talk = turns(
        "My passport is in the blue drawer.", *FILLER, "Where are the passports?"
    )
    run = replay(talk, top_k=1, newest_messages=2, neighbours=0)
    assert sent_at_last(run) == [
        "Noted.",
        "My passport is in the blue drawer.",
        "Where are the passports?",
    ]
    fates = run.fates()[-1].tolist()
    assert fates[0] == Fate.RECALLED
    assert set(fates[1:-3]) == {Fate.DROPPED}


def test_neighbours_come_along_in_the_order_of_the_conversation() -> None:
    talk = turns(
        "We fly on Monday.", "The hotel is the Aurora.", *FILLER, "Which hotel?"
    )
    run = replay(talk, top_k=1, newest_messages=1, neighbours=1)
    assert sent_at_last(run) == [
        "Noted.",
        "The hotel is the Aurora.",
        "Noted.",
        "Which hotel?",
    ]


def test_a_request_sees_only_what_was_said_before_it() -> None:
    early = turns("The code is 7731.", *FILLER, "What is the code?")
    later = [*early, *turns("The code is 9000.", "The code is 9000 indeed.")]
    first = [
        list(r.context.messages) for r in replay(early, newest_messages=2).requests
    ]
    again = [
        list(r.context.messages) for r in replay(later, newest_messages=2).requests
    ]
    assert again[: len(first)] == first


def test_the_budget_stops_at_the_first_find_that_does_not_fit() -> None:
    long = "The hotel " + "with a view " * 40
    talk = turns("The hotel, the hotel is the Aurora.", long, *FILLER, "The hotel?")
    whole = replay(talk, top_k=2, newest_messages=1, neighbours=0)
    some = replay(talk, top_k=2, newest_messages=1, neighbours=0, picked_tokens=20)
    assert (len(sent_at_last(whole)), len(sent_at_last(some))) == (3, 2)


def test_with_a_half_life_the_newer_of_two_alike_comes_first_by_far() -> None:
    talk = turns(
        "Rain in Lisbon, rain and rain.", *FILLER, "Rain in Porto.", *FILLER, "Rain?"
    )
    first = {"top_k": 1, "newest_messages": 1, "neighbours": 0}
    assert "Lisbon" in sent_at_last(replay(talk, **first))[0]
    assert "Porto" in sent_at_last(replay(talk, **first, half_life_messages=6))[0]


def test_chinese_is_found_by_pairs_of_characters() -> None:
    talk = turns("我的护照在蓝色抽屉里。", *FILLER, "护照在哪里？")
    assert sent_at_last(replay(talk, top_k=1, newest_messages=1, neighbours=0))[
        0
    ].startswith("我的护照")


def test_results_of_tools_are_not_brought_back_without_their_calls() -> None:
    call = {"id": "a", "function": {"name": "look_up", "arguments": "{}"}}
    talk = [
        Message("user", "Weather?"),
        Message("assistant", "weather", tool_calls=(call,)),
        Message("tool", "weather weather", tool_call_id="a"),
        *turns(*FILLER, "weather?")[1:],
    ]
    run = replay(talk, newest_messages=1)
    assert not any(record.flags for record in run.requests)
    assert "weather weather" not in sent_at_last(run)


def test_nothing_is_brought_back_between_a_call_and_its_result() -> None:
    call = {"id": "a", "function": {"name": "look_up", "arguments": "{}"}}
    talk = [
        *turns("The passport is blue.", *FILLER, "The passport?")[:-1],
        Message("assistant", "", tool_calls=(call,)),
        Message("tool", "result", tool_call_id="a"),
        Message("assistant", "Blue."),
    ]
    run = replay(talk, top_k=2, newest_messages=2, query_messages=3, neighbours=0)
    asked, in_loop = run.requests[-2:]
    assert 0 in asked.parts.recalled
    assert not in_loop.parts.recalled


def test_who_spoke_is_looked_up_too() -> None:
    talk = [
        Message("user", "I paint.", name="Caroline"),
        Message("assistant", "I paint.", name="Melanie"),
        *turns(*FILLER, "What did Caroline paint?"),
    ]
    run = replay(talk, top_k=1, newest_messages=1, neighbours=0)
    assert run.requests[-1].parts.recalled == (0,)


@given(messages=conversations(), newest=st.integers(1, 4), top=st.integers(1, 4))
def test_finds_what_the_slow_reference_finds(
    messages: list[Message], newest: int, top: int
) -> None:
    run = replay(messages, top_k=top, newest_messages=newest, neighbours=0)
    strategy = run.strategy
    assert isinstance(strategy, Retrieval)
    for record in run.requests:
        memory: Memory = record.memory
        start = strategy.newest_start(memory)
        query = (
            "\n".join(
                m.content
                for m in messages[memory.before_input : memory.length]
                if m.role == "user"
            )
            if memory.length - memory.before_input
            else ""
        )
        first = memory.history_start
        expected = slow_scores(messages, query, first, start)
        found = {one.position: one.score for one in strategy.found(memory)}
        if strategy.words(memory) == frozenset(count_content_words(query)):
            assert found == pytest.approx(expected)
        best = sorted(found, key=lambda p: (found[p], p), reverse=True)[:top]
        assert [one.position for one in strategy.picks(memory)] == best


def test_log_shares_one_index() -> None:
    log = Log(turns("One.", "Two."))
    assert log.word_index() is log.word_index()


def test_says_why_a_message_is_brought_back_or_not() -> None:
    talk = turns(
        "We fly to Lisbon on Monday.",
        "Lisbon and its trams.",
        "Nothing.",
        *FILLER,
        "When do we fly to Lisbon?",
    )
    run = replay(talk, top_k=1, newest_messages=1)
    strategy, memory = run.strategy, run.requests[-1].memory
    assert strategy.why_sent(memory, 0).startswith(
        "number 1 of 2 that hold words of the question (fly and lisbon), score "
    )
    assert strategy.why_sent(memory, 1) == "beside message 1, which was found"
    assert strategy.why_sent(memory, 2).startswith("number 2 of 2")
    assert strategy.why_sent(memory, 4) == "holds no word of the question"
    assert strategy.why_sent(memory, memory.length - 1) == ""


@given(
    messages=conversations(),
    turns_back=st.lists(st.integers(1, 12), min_size=1, max_size=3),
)
def test_what_somebody_recalls_joins_what_is_found_and_changes_nothing_else(
    messages: list[Message], turns_back: list[int]
) -> None:
    strategy = memviz.strategy("retrieval", top_k=2, newest_messages=2, neighbours=0)
    plain = memviz.replay(messages, strategy, counter="chars4")
    if not plain.turns:
        return
    last = plain.turns[-1].turn
    recalls = {last: memviz.Recall(turns=turns_back)}
    run = memviz.replay(messages, strategy, counter="chars4", recalls=recalls)
    for record, without in zip(run.requests, plain.requests, strict=True):
        if record.turn != last:
            assert record.context.messages == without.context.messages
            continue
        recalled = set(record.recalled.indices) if record.recalled else set()
        newest = {p for piece in without.parts.messages for p in piece.positions}
        found = set(without.parts.recalled)
        assert list(record.parts.recalled) == sorted((found | recalled) - newest)
        assert record.parts.messages == without.parts.messages


def test_a_recall_in_a_chat_is_gone_with_the_next_turn() -> None:
    chat = memviz.Chat(
        memviz.strategy("retrieval", top_k=1, newest_messages=1),
        model=memviz.ScriptedModel(["Fine."] * 9),
    )
    for text in ("My key is under the mat.", *FILLER):
        chat.send(text)
    chat.recall(turns=[1])
    held = [one.content for one in chat.send("And now?").context.messages]
    assert "My key is under the mat." in held
    after = [one.content for one in chat.send("And now?").context.messages]
    assert "My key is under the mat." not in after


@pytest.fixture
def by_letters(monkeypatch: pytest.MonkeyPatch) -> None:
    """A stand-in for the small embedding."""
    monkeypatch.setattr(small_embedding, "embed", embed_by_letters)


@pytest.mark.usefixtures("by_letters")
def test_by_an_embedding_alone_what_shares_no_word_is_brought_back() -> None:
    talk = turns("zzzz qqqq zzzz", *FILLER, "Do qqzz, qzqz?")
    asked = {"top_k": 1, "newest_messages": 1, "neighbours": 0}
    assert replay(talk, **asked).requests[-1].parts.recalled == ()
    run = replay(talk, **asked, embedding_percent=100)
    assert run.requests[-1].parts.recalled == (0,)


@pytest.mark.usefixtures("by_letters")
def test_a_share_of_an_embedding_decides_between_a_word_and_its_meaning() -> None:
    long = "a tide of quite other words, none of which was asked for"
    talk = turns("face diet", *FILLER, long, *FILLER, "cafe tide")
    asked = {"top_k": 1, "newest_messages": 1, "neighbours": 0}
    found = {
        percent: replay(talk, **asked, embedding_percent=percent)
        for percent in (0, 30, 100)
    }
    recalled = {
        percent: run.requests[-1].parts.recalled[0] for percent, run in found.items()
    }
    assert recalled == {0: 14, 30: 14, 100: 0}


@pytest.mark.usefixtures("by_letters")
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    messages=conversations(),
    percent=st.integers(1, 100),
    half_life=st.sampled_from([0, 3]),
)
def test_sums_what_the_slow_references_score(
    messages: list[Message], percent: int, half_life: int
) -> None:
    run = replay(
        messages,
        newest_messages=1,
        embedding_percent=percent,
        half_life_messages=half_life,
    )
    strategy = run.strategy
    assert isinstance(strategy, Retrieval)
    for record in run.requests:
        memory: Memory = record.memory
        query = strategy.question(memory)
        searched = (memory.history_start, strategy.newest_start(memory))
        words = slow_scores(messages, query, *searched)
        near = slow_nearness(messages, query, *searched)
        expected = {}
        for position in sorted({*words, *near}):
            of_words = words.get(position, 0) / max(words.values(), default=1)
            nearness = near.get(position, 0) / max(near.values(), default=1)
            score = (1 - percent / 100) * of_words + percent / 100 * nearness
            if half_life:
                score *= 0.5 ** ((memory.length - position) / half_life)
            if score:
                expected[position] = score
        found = {one.position: one.score for one in strategy.found(memory)}
        assert found == pytest.approx(expected, rel=1e-5)


@pytest.mark.usefixtures("by_letters")
def test_says_which_scorer_gave_which_score() -> None:
    talk = turns("Lisbon!", "Lisbon and its trams.", *FILLER, "Lisbon?")
    asked = {"top_k": 1, "newest_messages": 1, "neighbours": 0}
    both = replay(talk, **asked, embedding_percent=30)
    memory = both.requests[-1].memory
    counted = "(counted here by wordllama l2_supercat, 256 dimensions)"
    near = slow_nearness(talk, "Lisbon?", 0, memory.length - 1)
    nearest = max(near.values())
    bm25 = slow_scores(talk, "Lisbon?", 0, memory.length - 1)
    score = 0.7 * bm25[2] / bm25[0] + 0.3 * near[2] / nearest
    assert both.strategy.why_sent(memory, 2) == (
        f"number 2 of {len(near)}, score {score:.2f}: 70% words, {bm25[2]:.1f} of at most {bm25[0]:.1f} (lisbon); "
        f"30% small embedding, {near[2]:.2f} of at most {nearest:.2f} {counted}"
    )
    assert "% words" not in both.strategy.why_sent(memory, 4)
    alone = replay(talk, **asked, embedding_percent=100)
    assert alone.strategy.why_sent(memory, 0).endswith(
        f": 100% small embedding, {near[0]:.2f} of at most {nearest:.2f} {counted}"
    )


@pytest.mark.usefixtures("by_letters")
def test_says_what_is_missing_where_a_run_of_elsewhere_is_looked_at(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    run = replay(turns("Lisbon!", *FILLER, "Lisbon?"), embedding_percent=30)

    def embed(text: str) -> None:
        raise MissingLibraryError("Install it.")

    monkeypatch.setattr(small_embedding, "embed", embed)
    memory = run.requests[-1].memory
    assert run.strategy.why_sent(memory, 0) == "Install it."


def test_an_embedding_model_is_asked_once_for_each_text_and_read_without_it_later() -> (
    None
):
    asked: list[str] = []

    def source(model: str, texts: Sequence[str]) -> list[np.ndarray]:
        asked.extend(texts)
        return [embed_by_letters(text) for text in texts]

    log = Log(turns("zzzz qqqq zzzz", *FILLER, "Do qqzz, qzqz?"))
    chosen = memviz.strategy(
        "retrieval",
        top_k=1,
        newest_messages=1,
        neighbours=0,
        embedding_percent=100,
        embedding_model="openai/some",
    )
    with vectors_from(source):
        run = memviz.replay(log, chosen)
    assert run.requests[-1].parts.recalled == (0,)
    assert len(asked) == len(set(asked)) == len({message.content for message in log})
    assert chosen.why_sent(run.requests[-1].memory, 0).endswith(
        "(by openai/some, 256 dimensions)"
    )
    # Beside it nobody is asked, and the run is the same.
    again = memviz.replay(log, chosen)
    assert again.requests[-1].parts == run.requests[-1].parts
    assert chosen.label.endswith("embedding model openai/some")
    assert "embedding_model='openai/some'" in chosen.code_label
    assert not chosen.reason_not_to_run()


def test_says_what_is_missing_where_nobody_asked_for_the_vectors() -> None:
    asked = {"embedding_percent": 30, "embedding_model": "openai/some"}
    talk = turns("Lisbon!", *FILLER, "Lisbon?")
    with pytest.raises(MissingVectorsError, match="openai/some was not asked"):
        replay(talk, **asked)
    run = replay(talk)
    looked = memviz.strategy("retrieval", **asked)
    memory = run.requests[-1].memory
    assert looked.why_sent(memory, 0).startswith("openai/some was not asked")
