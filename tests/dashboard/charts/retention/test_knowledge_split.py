"""Where the facts stood, stacked: as many as there are, in the colours of their fates."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import memviz
from memviz import Message
from memviz.dashboard.charts.retention import result
from memviz.dashboard.charts.retention.knowledge_split import knowledge_split
from memviz.dashboard.charts.retention.result import (
    KNOWLEDGE_COLORS,
    KNOWLEDGE_TITLES,
    SHOWN,
)
from memviz.dashboard.charts.thinning import MAX_POINTS
from memviz.metrics.retention.retention import retention
from tests.dashboard.charts.facts import FACTS, run_with_facts
from tests.dashboard.charts.runs import places_of
from tests.engine.probes import REPRESENTATIVES
from tests.metrics.random_probes import probed_runs


@pytest.mark.slow
@pytest.mark.parametrize("id", REPRESENTATIVES)
@given(data=st.data())
def test_areas_add_up_to_the_facts_stated_so_far(id: str, data: st.DataObject) -> None:
    run, probes = data.draw(probed_runs(id))
    found = retention(run, probes)
    *areas, sentences = knowledge_split(found).data
    total = np.zeros(len(run.requests), int)
    for area in areas:
        state = next(state for state in SHOWN if KNOWLEDGE_TITLES[state] == area.name)
        assert area.fillcolor == KNOWLEDGE_COLORS[state]
        assert area.y[1:-1].tolist() == (found.states == state).sum(axis=1).tolist()
        assert (area.y[0], area.y[-1]) == (area.y[1], area.y[-2])
        places = places_of(run)
        assert (area.x[0], area.x[-1]) == (places[0] - 0.5, places[-1] + 0.5)
        assert area.y.any()
        total += area.y[1:-1]
    assert total.tolist() == found.born.sum(axis=1).tolist() == sentences.y.tolist()


def test_each_turn_says_its_numbers() -> None:
    *_, sentences = knowledge_split(retention(run_with_facts(), FACTS)).data
    assert (
        sentences.text[3]
        == "turn 4: 2 of 3 facts known: 0 word for word, 2 in the summary; 1 lost"
    )


def test_words_are_written_for_the_points_that_are_drawn_alone(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    said = [Message("user", "Odete"), Message("assistant", "Yes.")] * 2_000
    run = memviz.replay(said, memviz.strategy("window"), counter="chars4")
    probes = (memviz.Probe("?", ("Odete",), (0,), "name"),)
    written = []
    real = result.share_of
    monkeypatch.setattr(
        result,
        "share_of",
        lambda *told: written.append(told) or real(*told),
    )
    *_, sentences = knowledge_split(retention(run, probes)).data
    assert len(written) == len(sentences.text) <= MAX_POINTS + 2 < len(run.requests)
    assert sentences.text[-1].startswith("turn 2,000:")


def test_one_turn_has_an_area_as_wide_as_a_turn() -> None:
    run = memviz.replay(
        [Message("user", "Odete"), Message("assistant", "Yes.")],
        memviz.strategy("buffer"),
        counter="chars4",
    )
    area, _ = knowledge_split(
        retention(run, [memviz.Probe("?", ("Odete",), (0,), "name")])
    ).data
    assert area.x.tolist() == [0.5, 1, 1.5]
    assert area.y.tolist() == [1, 1, 1]


def test_before_any_fact_there_is_a_sentence_too() -> None:
    *_, sentences = knowledge_split(retention(run_with_facts(), FACTS[:1])).data
    assert sentences.text[0] == "turn 1: no fact was stated yet"
