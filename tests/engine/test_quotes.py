"""Facts that were looked up among the notes, wherever a request is taken apart, counted, drawn and kept."""

from __future__ import annotations

import json
from collections.abc import Iterator
from itertools import count

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import memviz
from memviz import Fate, Message, Run, ScriptedModel
from memviz.core.pieces import Line, Quote, from_json, to_json
from memviz.engine.stored import DamagedRecordError
from memviz.metrics.memory_map.fate_map import build_fate_map, list_summary_versions
from memviz.metrics.memory_map.stretches import encode_fate
from memviz.metrics.retention.knowledge import Knowledge
from memviz.metrics.summaries.events import count_sent_summary_tokens
from memviz.transcripts.base import Probe
from tests.strategies.conversations import conversations

ASKED = [
    Message("user", "Which harbour, which lamp?"),
    Message("assistant", "All of them."),
]


def listing() -> Iterator[str]:
    """Facts of every turn, of which the first says that the one before holds no longer."""
    for number in count(1):
        yield (
            f'<fact replaces="{number}">harbour {number}</fact>'
            f"<fact>the lamp of {number}</fact><fact>nothing</fact>"
        )


def store_run(messages: list[Message], top: int, newest: int) -> Run:
    strategy = memviz.strategy("facts_store", top_k=top, newest_messages=newest)
    return memviz.replay(
        messages, strategy, model=ScriptedModel(listing()), counter="chars4"
    )


def test_a_line_with_facts_survives_a_file() -> None:
    line = Line(Message("system", "x"), quotes=(Quote(3, 1, 0.5), Quote(1, 0, 0.25)))
    for one in (line, line._replace(quotes=())):
        assert from_json(to_json(one)) == one


def test_a_run_that_sent_facts_survives_a_file() -> None:
    talk = [
        Message("user", "The harbour has a lamp."),
        Message("assistant", "Noted."),
        *ASKED,
    ]
    run = store_run([*talk, *talk], 2, 1)
    assert any(record.parts.quoted for record in run.requests)
    stored = json.loads(json.dumps(run.to_dict()))
    assert Run.from_dict(stored).to_dict() == run.to_dict()
    stored["requests"][-1]["pieces"][0][3][0][1] = 99
    with pytest.raises(DamagedRecordError, match="it names summary 100"):
        Run.from_dict(stored)


@given(messages=conversations(), top=st.integers(1, 3), newest=st.integers(1, 3))
def test_each_request_is_counted_and_drawn_as_it_is_sent(
    messages: list[Message], top: int, newest: int
) -> None:
    run = store_run([*messages, *ASKED], top, newest)
    drawn = build_fate_map(run)
    fates = run.fates()
    generations = run.generations()
    for number, record in enumerate(run.requests):
        facts = [one for one in record.context.blocks if one.kind == "summary"]
        sizes = [run.counter(m.content) for block in facts for m in block.messages]
        assert record.tokens["summary"] == sum(sizes)
        assert run.columns.tokens["summary"][number] == sum(sizes)
        quoted = record.parts.quoted
        covered = {p for version in quoted for p in run.summaries[version].covers}
        assert [set(block.indices) for block in facts] == ([covered] if quoted else [])
        whole = {p for piece in record.parts.messages for p in piece.positions}
        summarized = np.flatnonzero(fates[number] == Fate.SUMMARIZED).tolist()
        assert set(summarized) == covered - whole
        assert set(np.flatnonzero(generations[number]).tolist()) == covered - whole
        stretches = drawn.stretches.of(number)
        codes = np.zeros(len(run.log), int)
        for start, stop, code in zip(
            stretches.starts, stretches.stops, stretches.codes, strict=True
        ):
            codes[start:stop] = code
        assert codes.tolist() == [encode_fate(Fate(one), 1) for one in fates[number]]
        versions = list_summary_versions(run, number)
        assert set(np.flatnonzero(versions).tolist()) == covered
        assert (count_sent_summary_tokens(record) > 0) == bool(quoted)
    last = run.requests[-1]
    assert last.parts.quoted or not last.memory.summary_count


def test_what_a_fact_says_is_known_from_notes_where_it_is_sent_and_nowhere_else() -> (
    None
):
    said = [Message("user", "One."), Message("assistant", "Two."), *ASKED]
    probes = [
        Probe(question, (answer,), (0,), "detail")
        for question, answer in (("Which harbour?", "harbour 1"), ("What?", "nothing"))
    ]
    found = memviz.retention(store_run(said, 2, 1), probes)
    assert found.states[-1].tolist() == [Knowledge.SUMMARY, Knowledge.LOST]
