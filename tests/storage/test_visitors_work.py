"""Wordings of summaries and judged answers in the file: two tabs keep theirs, and damage is left aside."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pytest

import memviz
from memviz import Message, StorageError
from memviz.engine.calls import ReplyFacts
from memviz.engine.judging import JudgedAnswer
from memviz.models.base import Usage
from memviz.storage.kept_values import packed
from memviz.storage.store import Store
from memviz.transcripts.base import Transcript
from tests.storage.raw_rows import count_rows, execute

PROBE = memviz.Probe("What is the budget?", ("3,000 euros",), (0,), "number")
ANSWER = JudgedAnswer(
    PROBE,
    0,
    "3,000 euros.",
    "right",
    sent_tokens=9,
    calls=(ReplyFacts("m", Usage(9, 3), 0.1, 0.5),),
)


@pytest.fixture
def store(library: str) -> Iterator[Store]:
    made = Store(library)
    made.add_conversation(Transcript((Message("user", "Hi."),)), "one")
    yield made
    made.close()


def test_each_wording_is_kept_for_itself(store: Store) -> None:
    other_tab = Store(store.path)
    store.keep_wording("one", "key", 1, "First.")
    other_tab.keep_wording("one", "key", 3, "Third.")
    store.keep_wording("one", "key", 1, "First, better.")
    assert other_tab.find_wordings("one")["key"] == {1: "First, better.", 3: "Third."}
    store.remove_wording("one", "key", 3)
    assert other_tab.find_wordings("one")["key"] == {1: "First, better."}
    assert list(store.find_wordings("one")) == ["key"]
    other_tab.close()


def test_an_answer_comes_back_as_it_was(store: Store) -> None:
    second = replace(ANSWER, run=1, reply=None, verdict=None, error="off")
    store.keep_judged_answers("one", "key", {2: [second, ANSWER]})
    assert store.find_judged_answers("one", "key") == [ANSWER, second]


def test_nothing_takes_the_place_of_more(store: Store) -> None:
    failed, unjudged = (
        replace(ANSWER, reply=None, verdict=None, error="off"),
        replace(ANSWER, verdict=None),
    )
    for kept, comes, stays in (
        (failed, unjudged, unjudged),
        (unjudged, failed, unjudged),
        (unjudged, ANSWER, ANSWER),
        (ANSWER, unjudged, ANSWER),
    ):
        key = f"{kept.verdict}{comes.error}{comes.verdict}{kept.error}"
        store.keep_judged_answers("one", key, {0: [kept]})
        store.keep_judged_answers("one", key, {0: [comes]})
        assert store.find_judged_answers("one", key) == [stays]


def test_they_go_with_their_conversation(store: Store) -> None:
    store.keep_wording("one", "key", 1, "Mine.")
    store.keep_judged_answers("one", "key", {0: [ANSWER]})
    rows = store.stored_rows("one")["kept"]
    assert {row["kind"]: row["value"] for row in rows} == {
        "wording": "Mine.",
        "answers": [ANSWER.to_dict()],
    }
    store.delete("one")
    with pytest.raises(StorageError, match="was deleted"):
        store.keep_wording("one", "key", 2, "Too late.")
    store.purge(older_than_days=0)
    assert count_rows(store, "kept") == 0


def test_what_is_damaged_is_left_aside_and_said_by_check(store: Store) -> None:
    store.keep_wording("one", "key", 1, "Mine.")
    store.keep_wording("one", "key", 2, "Also mine.")
    store.keep_judged_answers("one", "key", {0: [ANSWER], 1: [ANSWER]})
    assert not store.check()
    change = "UPDATE kept SET value = :value WHERE kind = :kind AND number = :number"
    execute(store, change, value=b"\0", kind="wording", number=1)
    damaged = packed([ANSWER.to_dict() | {"run": -4}])
    execute(store, change, value=damaged, kind="answers", number=0)
    assert store.find_wordings("one")["key"] == {2: "Also mine."}
    assert store.find_judged_answers("one", "key") == [ANSWER]
    assert any(
        "2 of the wordings of summaries and judged answers are damaged" in problem
        for problem in store.check()
    )
