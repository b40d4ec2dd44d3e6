"""What is stored comes back equal, in every shape that it can have."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

import memviz
from memviz import Message, Recall, StorageError, Strategy, ToolCall
from memviz.storage.store import Store
from memviz.transcripts.base import Probe, Transcript
from tests.same_runs import contents
from tests.storage.stored_runs import stored_runs
from tests.strategies.conversations import RUN_HERE, conversations, outcomes, summarizer

TALK = (
    Message("user", "Where is the Budget?"),
    Message("assistant", "In Lisbon: 100%."),
)
texts = st.text() | st.sampled_from(
    ["", "\x00", "a\x00b", "naïve 搬家 🙂", "\ufeff\u202e", "'; DROP TABLE message; --"]
)
json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | texts,
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(texts, inner, max_size=3)
    ),
    max_leaves=5,
)
messages = st.builds(
    Message,
    role=st.sampled_from(["system", "user", "assistant", "tool"]),
    content=texts,
    name=st.none() | texts,
    tool_calls=st.lists(st.builds(ToolCall, texts, texts, texts), max_size=2).map(
        tuple
    ),
    tool_call_id=st.none() | texts,
    meta=st.none() | st.dictionaries(texts, json_values, max_size=3),
)
probes = st.builds(
    Probe,
    texts,
    st.tuples(texts),
    st.tuples(st.integers(0, 9), st.integers(0, 9)),
    st.just("number"),
    st.tuples(texts),
)
transcripts = st.builds(
    Transcript,
    messages=st.lists(messages, max_size=6).map(tuple),
    title=texts,
    format=texts,
    probes=st.lists(probes, max_size=2).map(tuple),
    warnings=st.lists(texts, max_size=2).map(tuple),
    system_prompt=st.none() | texts,
    description=texts,
    language=texts,
)


@pytest.fixture(scope="module")
def store(shared_library: str) -> Iterator[Store]:
    store = Store(shared_library)
    yield store
    store.close()


@given(transcripts)
def test_a_conversation_comes_back_equal(store: Store, transcript: Transcript) -> None:
    id = store.add_conversation(transcript)
    assert store.conversation(id) == transcript
    entry = store.entry(id)
    assert (entry.message_count, entry.probe_count) == (
        len(transcript.messages),
        len(transcript.probes),
    )


def test_halves_of_surrogate_pairs_are_replaced_instead_of_failing(
    store: Store,
) -> None:
    id = store.add_conversation(
        Transcript(
            (Message("user", "x", name="\ud800", meta={"k": "\udfff"}),),
            title="t\ud800",
        )
    )
    back = store.conversation(id)
    assert (back.title, back.messages[0].name, back.messages[0].meta) == (
        "t\ufffd",
        "\ufffd",
        {"k": "\udfff"},
    )
    assert "t\ufffd" in [entry.title for entry in store.conversations("\ud800")]


@st.composite
def any_strategy(draw: st.DrawFn) -> Strategy:
    cls = draw(st.sampled_from([memviz.strategies()[id] for id in RUN_HERE]))
    values = {
        p.name: draw(st.sampled_from([1, 2, 7, 30]))
        for p in cls.parameters()
        if p.is_number and not p.maximum
    }
    return cls(
        **{
            name: max(value, cls.model_fields[name].metadata[0].ge)
            for name, value in values.items()
        }
    )


@given(conversations(), any_strategy(), outcomes, st.sampled_from([None, "Be brief."]))
def test_every_strategy_s_run_comes_back_equal(
    store: Store,
    log: list[Message],
    strategy: Strategy,
    plan: list[str],
    prompt: str | None,
) -> None:
    recalls = {2: Recall(messages=[0, 99])}
    run = memviz.replay(
        log,
        strategy,
        model=summarizer(plan),
        counter="chars4",
        system_prompt=prompt,
        recalls=recalls,
    )
    id = store.add_conversation(Transcript(tuple(log)))
    store.save_run(id, run, key="k")
    assert contents(store.find_run(id, "k")) == contents(run)
    assert contents(store.find_run(id, "k", run.log)) == contents(run)
    assert store.find_run(id, "other") is None
    assert store.chat_run(id) is None


def test_a_run_is_kept_once_under_its_key(store: Store) -> None:
    id = store.add_conversation(Transcript(TALK))
    run = memviz.replay(TALK, memviz.strategy("buffer"), counter="chars4")
    again = memviz.replay(
        TALK, memviz.strategy("window", window_size=1), counter="chars4"
    )
    store.save_run(id, run, "a")
    store.save_run(id, again, "a")
    assert contents(store.find_run(id, "a")) == contents(run)
    store.save_run(id, again, "b", summarizer="offline")
    assert [
        (e.kind, e.key, e.strategy_id, e.parameters, e.request_count)
        for e in stored_runs(store, id)
    ] == [
        ("replay", "a", "buffer", {}, 1),
        ("replay", "b", "window", {"window_size": 1}, 1),
    ]


def test_a_run_over_other_messages_is_refused(store: Store) -> None:
    id = store.add_conversation(Transcript(TALK))
    for other in (
        [*TALK, Message("user", "More?")],
        [TALK[0], Message("assistant", "No.")],
    ):
        with pytest.raises(StorageError, match="Reload"):
            store.save_run(
                id,
                memviz.replay(other, memviz.strategy("buffer"), counter="chars4"),
                "k",
            )
    assert stored_runs(store, id) == []


def test_a_run_under_a_counter_that_cannot_be_found_again_is_refused(
    store: Store,
) -> None:
    id = store.add_conversation(Transcript(TALK))
    with pytest.raises(StorageError, match="chars4"):
        store.save_run(
            id, memviz.replay(TALK, memviz.strategy("buffer"), counter=len), "k"
        )


def test_of_many_replays_the_newest_and_the_paid_ones_are_kept(
    monkeypatch: pytest.MonkeyPatch, library: str
) -> None:
    monkeypatch.setattr("memviz.storage.runs.MAX_REPLAYS", 3)
    store, other = Store(library), Transcript(TALK, title="Another")
    id, untouched = (
        store.add_conversation(Transcript(TALK)),
        store.add_conversation(other),
    )
    run = memviz.replay(TALK, memviz.strategy("buffer"))
    store.save_run(untouched, run, "0")
    store.save_run(id, run, "paid", summarizer="openai/gpt-5-mini")
    for key in range(5):
        store.save_run(id, run, str(key))
    assert [entry.key for entry in stored_runs(store, id)] == ["paid", "2", "3", "4"]
    assert [entry.key for entry in stored_runs(store, untouched)] == ["0"]
    assert store.find_run(id, "1") is None
    assert contents(store.find_run(id, "4")) == contents(run)
    store.close()
