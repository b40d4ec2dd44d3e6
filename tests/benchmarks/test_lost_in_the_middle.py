"""The record of sentences hidden in texts: its requests are made again from the recipe, and its marks from the
answers; no model is asked."""

from __future__ import annotations

import json

from benchmarks import lost_in_the_middle as benchmark
from benchmarks.small_model import fingerprint
from memviz.metrics.answer_scores import contains_answer

RECORD = json.loads(benchmark.RECORD.read_text(encoding="utf-8"))
ANSWERS = RECORD["answers"]


def test_every_length_depth_and_wording_was_asked_once() -> None:
    places = [(one["tokens"], one["depth"], one["wording"]) for one in ANSWERS]
    assert sorted(places) == [
        (tokens, depth, wording)
        for tokens in benchmark.LENGTHS_TOKENS
        for depth in benchmark.DEPTHS_PERCENT
        for wording in range(len(benchmark.WORDINGS))
    ]
    assert len(places) == 165


def test_each_request_is_made_again_from_the_recipe() -> None:
    assert RECORD["wordings"] == list(benchmark.WORDINGS)
    assert RECORD["instruction"] == benchmark.INSTRUCTION
    for one in ANSWERS:
        sentences = RECORD["sentences"][str(one["tokens"])]
        wording = RECORD["wordings"][one["wording"]]
        messages = benchmark.request(sentences, one["depth"], wording)
        assert fingerprint(messages) == one["request"]


def test_each_mark_follows_from_the_answer() -> None:
    for one in ANSWERS:
        value = RECORD["wordings"][one["wording"]]["value"]
        assert one["right"] is contains_answer(one["reply"], [value])


def test_requests_have_about_their_length_and_fit_the_window() -> None:
    for one in ANSWERS:
        assert abs(one["request_tokens"] - one["tokens"]) <= 20
        room = benchmark.WINDOW_TOKENS - benchmark.MOST_TOKENS
        assert one["request_tokens"] <= room


def test_a_needle_stands_once_in_its_request_where_it_is_said_to() -> None:
    for wording in benchmark.WORDINGS:
        assert wording["value"] not in " ".join(benchmark.filler())
        for depth in benchmark.DEPTHS_PERCENT:
            text = benchmark.request(100, depth, wording)[1].content
            before, _, _ = text.partition(wording["needle"])
            assert text.count(wording["needle"]) == 1
            assert before.strip() == " ".join(benchmark.filler()[:depth])
