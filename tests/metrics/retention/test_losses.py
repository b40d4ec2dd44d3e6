"""Every loss of a fact, and which summarization was behind it."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memviz.metrics.retention.knowledge import Knowledge
from memviz.metrics.retention.life_lines import life_lines, list_fact_losses
from memviz.metrics.retention.probe_texts import ProbeTexts
from memviz.metrics.retention.retention import retention
from tests.dashboard.charts.facts import FACTS, kept, run_with_facts
from tests.engine.probes import REPRESENTATIVES
from tests.metrics.random_probes import probed_runs


def test_a_fact_that_comes_back_can_be_lost_to_another_summarization() -> None:
    one = kept(run_with_facts(), FACTS[1:2])
    first, second = one.losses.items()
    assert [first[0], second[0]] == [(0, 5), (0, 7)]
    assert first[1] is not None
    assert second[1] is not None
    assert first[1] < second[1]
    assert one.run.compactions[second[1]].summary == "Nothing."


@pytest.mark.parametrize("id", REPRESENTATIVES)
@given(data=st.data())
def test_they_are_all_losses_and_the_first_is_that_of_the_life(
    id: str, data: st.DataObject
) -> None:
    run, probes = data.draw(probed_runs(id))
    texts = ProbeTexts(run.log, probes)
    found = retention(run, probes, texts)
    lives = life_lines(run, found, texts)
    losses = list_fact_losses(run, found, lives, texts)
    before = [Knowledge.NOT_BORN] * len(probes)
    wanted = set()
    for row, place in enumerate(found.places.tolist()):
        now = found.states[row].tolist()
        wanted |= {
            (n, place)
            for n in range(len(probes))
            if now[n] == Knowledge.LOST != before[n]
        }
        before = now
    assert set(losses) == wanted
    for life in lives:
        lost = next((span for span in life.spans if span.state is Knowledge.LOST), None)
        assert life.lost_turn == (None if lost is None else lost.first_turn)
        if lost is not None:
            assert losses[life.probe, lost.first_place] == life.lost_by
    rows = {place: row for row, place in enumerate(found.places.tolist())}
    for (_, place), number in losses.items():
        if number is not None:
            assert any(
                run.compactions[number] is one
                for one in run.requests[rows[place]].compactions
            )
