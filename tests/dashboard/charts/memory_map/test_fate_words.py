"""The life of one message under every setting: bars over the turns."""

from __future__ import annotations

import memviz
from memviz import Recall
from memviz.core.context import Fate
from memviz.dashboard.charts.memory_map.fate_words import map_finding
from memviz.dashboard.charts.memory_map.message_life import (
    LINE_PIXELS,
    life_finding,
    message_life,
)
from memviz.dashboard.charts.palette import STEP_COLORS, SettingRun
from memviz.metrics.memory_map.fate_map import build_fate_map
from memviz.metrics.memory_map.stretches import encode_fate
from tests.dashboard.charts.runs import MARKUP, run_of
from tests.engine.probes import Digest, small, talk


def three_settings() -> list[SettingRun]:
    runs = [
        memviz.replay(
            talk(6),
            small(id),
            model=Digest(),
            counter="chars4",
            recalls={4: Recall(messages=[0])},
        )
        for id in ("buffer", "window", "summary")
    ]
    return [SettingRun(run, run.strategy.label, n) for n, run in enumerate(runs)]


def test_bars_are_the_spans_of_each_setting() -> None:
    settings = three_settings()
    (bars,) = message_life(settings, 0, 6).data
    spans = [
        (place, span)
        for place, setting in enumerate(settings)
        for span in build_fate_map(setting.run).life(0)
    ]
    assert list(bars.y) == [place for place, _ in spans]
    assert list(bars.base) == [span.first_turn - 0.5 for _, span in spans]
    assert [base + long for base, long in zip(bars.base, bars.x, strict=True)] == [
        s.last_turn + 0.5 for _, s in spans
    ]
    assert list(bars.marker.color) == [
        STEP_COLORS[encode_fate(span.fate, span.generation)] for _, span in spans
    ]
    assert {span.fate for _, span in spans} == {
        Fate.VERBATIM,
        Fate.DROPPED,
        Fate.RECALLED,
        Fate.SUMMARIZED,
    }


def test_every_bar_says_what_it_is() -> None:
    (bars,) = message_life(three_settings(), 0, 6).data
    assert "turns 1 to 6: <b>word for word</b>" in bars.hovertext
    assert "turn 4: <b>recalled</b>" in bars.hovertext
    assert "turn 5: <b>replaced by a summary</b>, summarized 4 times" in bars.hovertext


def test_every_setting_has_its_name() -> None:
    layout = message_life(
        [*three_settings(), SettingRun(run_of("buffer"), MARKUP, 3)], 2, 6
    ).layout
    assert [note.y for note in layout.annotations] == [-0.25, 0.75, 1.75, 2.75]
    assert layout.annotations[1].text.endswith("</span> Sliding window · 3 messages")
    assert "<script>" not in layout.annotations[3].text
    assert layout.xaxis.range == (0.5, 6.5)


def test_a_message_that_no_request_could_send_has_no_bar() -> None:
    assert message_life(three_settings(), 11, 6).data == ()
    assert message_life(three_settings(), 99, 6).data == ()


def test_a_name_of_two_lines_has_room_above_its_bar() -> None:
    short, run = three_settings(), run_of("buffer")
    long = [
        *short[:2],
        SettingRun(run, "a setting with a name of very many words " * 2, 2),
    ]
    plain, tall = message_life(short, 2, 6).layout, message_life(long, 2, 6).layout
    assert tall.annotations[2].text.count("<br>") == 1
    assert tall.height - plain.height == 3 * LINE_PIXELS


def test_findings_say_what_became_of_messages_at_the_last_request() -> None:
    settings = three_settings()
    assert life_finding(settings, 0) == (
        f"Message 1 at the last request: {settings[0].label} word for word, {settings[1].label} dropped and "
        f"{settings[2].label} replaced by a summary."
    )
    assert life_finding(settings, 99) == "Message 100 at the last request: never sent."
    assert (
        map_finding(settings[0])
        == "Of 11 messages, the last request under Full buffer has 11 word for word."
    )
