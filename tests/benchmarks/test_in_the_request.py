"""The record of what a small model used of its requests: they are made again from the recipe, and the marks from the
answers; no model is asked."""

from __future__ import annotations

import json

from benchmarks import in_the_request as benchmark
from benchmarks.small_model import fingerprint
from memviz.metrics.answer_scores import contains_answer
from memviz.transcripts.samples import sample

RECORD = json.loads(benchmark.RECORD.read_text(encoding="utf-8"))
ANSWERS = RECORD["answers"]
PROBES = sample(benchmark.CONVERSATION).probes


def test_every_fact_was_asked_for_without_the_rule_and_with_it() -> None:
    asked = [(one["rule"], one["fact"]) for one in ANSWERS]
    everything = [(rule, n) for rule in (False, True) for n in range(len(PROBES))]
    assert asked == everything


def test_each_request_is_made_again_from_the_recipe() -> None:
    assert RECORD["rule"] == benchmark.RULE
    for one in ANSWERS:
        probe = PROBES[one["fact"]]
        messages = benchmark.request(probe, RECORD["rule"] if one["rule"] else "")
        assert fingerprint(messages) == one["request"]
        assert one["in_request"] is benchmark.holds(messages, probe)
        assert (benchmark.RULE in messages[0].content) is one["rule"]


def test_each_mark_follows_from_the_answer() -> None:
    for one in ANSWERS:
        probe = PROBES[one["fact"]]
        assert one["right"] is contains_answer(one["reply"], probe.answers)
        assert one["sentences"] == benchmark.sentences_of(one["reply"])
        assert one["large_reply"] == benchmark.answered_by_large_model(probe).reply
        assert one["large_right"] is contains_answer(one["large_reply"], probe.answers)
