"""The life of one message under every setting: bars over the turns."""

from __future__ import annotations

import memviz
from memviz import Recall
from memviz.charts.memory_map.message_life import message_life
from memviz.charts.palette import STEP_COLORS
from memviz.charts.requests.tokens_per_turn import SettingRun
from memviz.context import Fate
from memviz.metrics.memory_map.fate_map import fate_map
from memviz.metrics.memory_map.steps import code_of
from tests.charts.runs import MARKUP, run_of
from tests.engine.probes import Digest, small, talk


def three_settings() -> list[SettingRun]:
    runs = [
        memviz.replay(talk(6), small(id), model=Digest(), counter="chars4", recalls={4: Recall(messages=[0])})
        for id in ("buffer", "window", "summary")
    ]
    return [SettingRun(run, run.strategy.label, n) for n, run in enumerate(runs)]


def test_bars_are_the_spans_of_each_setting() -> None:
    settings = three_settings()
    (bars,) = message_life(settings, 0, 4, 6).data
    spans = [(place, span) for place, setting in enumerate(settings) for span in fate_map(setting.run).life(0)]
    assert list(bars.y) == [place for place, _ in spans]
    assert list(bars.base) == [span.first_turn - 0.5 for _, span in spans]
    assert [base + long for base, long in zip(bars.base, bars.x, strict=True)] == [s.last_turn + 0.5 for _, s in spans]
    assert list(bars.marker.color) == [STEP_COLORS[code_of(span.fate, span.generation)] for _, span in spans]
    assert {span.fate for _, span in spans} == {Fate.VERBATIM, Fate.DROPPED, Fate.RECALLED, Fate.SUMMARIZED}


def test_every_bar_says_what_it_is() -> None:
    (bars,) = message_life(three_settings(), 0, 4, 6).data
    assert "turns 1 to 6: <b>word for word</b>" in bars.hovertext
    assert "turn 4: <b>recalled</b>" in bars.hovertext
    assert "turn 5: <b>replaced by a summary</b>, summarized 4 times" in bars.hovertext


def test_every_setting_has_its_name_and_the_turn_is_marked() -> None:
    layout = message_life([*three_settings(), SettingRun(run_of("buffer"), MARKUP, 3)], 2, 5, 6).layout
    assert [note.y for note in layout.annotations] == [-0.25, 0.75, 1.75, 2.75]
    assert layout.annotations[1].text.endswith("</span> Sliding window · 3 messages")
    assert "<script>" not in layout.annotations[3].text
    assert (layout.shapes[0].x0, layout.shapes[0].x1) == (5, 5)
    assert layout.xaxis.range == (0.5, 6.5)


def test_a_message_that_no_request_could_send_has_no_bar() -> None:
    assert message_life(three_settings(), 11, 1, 6).data == ()
    assert message_life(three_settings(), 99, 1, 6).data == ()
