"""One summarization has one turn, one reason and one size: what every page, chart, report and command says of it."""

from __future__ import annotations

import csv
import re
from html import unescape
from io import StringIO

import plotly.graph_objects as go
import pytest
from rich.console import Console

import memviz
from memviz import Recall, Run
from memviz.cli.tables import print_run
from memviz.dashboard.charts.memory_map.fate_map import draw_fate_map
from memviz.dashboard.charts.palette import SettingRun
from memviz.dashboard.charts.requests.tokens_per_turn import tokens_per_turn
from memviz.dashboard.charts.retention.curve import retention_curve
from memviz.dashboard.charts.retention.life_lines import draw_life_lines
from memviz.dashboard.charts.retention.result import Measure, RetentionResult
from memviz.dashboard.charts.summaries.timeline import summary_timeline
from memviz.dashboard.reporting.report import html_report
from memviz.dashboard.reporting.run_tables import compactions_csv
from memviz.dashboard.ui.facts.summaries.numbers import versions_table
from memviz.dashboard.ui.facts.summaries.version import event_label
from memviz.dashboard.ui.facts.summaries.version_facts import facts_html
from memviz.dashboard.ui.facts.version_card import badge_label
from memviz.dashboard.words.compactions import compaction_words
from memviz.metrics.memory_map.fate_grid import View
from memviz.metrics.requests.traffic import count_traffic
from memviz.metrics.retention.life_lines import life_lines, list_fact_losses
from memviz.metrics.retention.probe_texts import ProbeTexts
from memviz.metrics.retention.retention import retention
from memviz.metrics.summaries.events import list_compaction_events
from memviz.metrics.summaries.evolution import compare_versions
from memviz.transcripts.samples import sample

SETTINGS = {
    "summary_buffer": {"max_token_limit": 1500},
    "summary": {"buffer_size": 6},
    "chat_summary_buffer": {"token_limit": 1500},
    "recent_only": {"recent_rounds": 2},
    "summary_only": {},
}
PLACE = re.compile(
    r"(before the request of turn|after turn) (\d+)(?:, after message (\d+))?"
)
SIZES = re.compile(r"([\d,]+) → ([\d,]+) tokens")
Told = tuple[str, ...]


@pytest.fixture(params=SETTINGS, scope="module")
def run(request: pytest.FixtureRequest) -> Run:
    trip, id = sample("trip"), str(request.param)
    recalls = {
        44: Recall(turns=[1])
    }  # a request that holds more than its strategy would send
    return memviz.replay(trip, memviz.strategy(id, **SETTINGS[id]), recalls=recalls)


def told(text: str) -> Told:
    """The place and the sizes of the first event that ``text`` tells of."""
    flat = " ".join(unescape(re.sub(r"<[^>]*>", " ", text)).split())
    place, sizes = PLACE.search(flat), SIZES.search(flat)
    assert place, flat
    assert sizes, flat
    return (*(part or "" for part in place.groups()), *sizes.groups())


def expected(run: Run) -> list[Told]:
    """By the records alone: the request that a compaction stands with, and its tokens."""
    found = []
    for record in run.turns:
        for compaction in record.compactions:
            place = (
                "before the request of turn",
                str(record.turn),
                str(compaction.after_message + 1),
            )
            found.append(
                (
                    *place,
                    *SIZES.search(compaction_words(compaction, run).result).groups(),
                )
            )  # type: ignore[union-attr]
        if record.compactions:
            assert found[-1][-1] == f"{record.total_tokens:,}", (
                "the size after is that of the request which was sent"
            )
    for compaction in run.compactions[len(found) :]:
        sizes = SIZES.search(compaction_words(compaction, run).result)
        found.append(
            (
                "after turn",
                str(run.turns[-1].turn),
                str(compaction.after_message + 1),
                *sizes.groups(),
            )
        )  # type: ignore[union-attr]
    return found


def tooltips(figure: go.Figure) -> list[str]:
    """Of the marks of summarizations."""
    return [
        text
        for trace in figure.data
        if trace.type == "scatter" and trace.mode == "markers"
        for text in trace.text or ()
        if "Summarized message" in text
    ]


def test_charts_say_the_same_of_every_summarization(run: Run) -> None:
    setting, probes = SettingRun(run, "a setting", 0), sample("trip").probes
    texts = ProbeTexts(run.log, probes)
    kept = retention(run, probes, texts)
    lives = life_lines(run, kept, texts)
    result = RetentionResult(
        setting, kept, lives, list_fact_losses(run, kept, lives, texts)
    )
    whole, every = View(range(1, 47), range(len(run.log))), expected(run)
    within = [event for event in every if event[0] != "after turn"]
    for name, figure, wanted in (
        ("tokens", tokens_per_turn([setting]), every),
        ("memory map", draw_fate_map(setting, whole), every),
        (
            "facts",
            draw_life_lines(result, lives),
            within,
        ),  # drawn up to the last request
        ("summaries", summary_timeline(run), every),
    ):
        assert [told(text) for text in tooltips(figure)] == wanted, name
    with_facts = [
        told(text)
        for text in tooltips(retention_curve([result], None, Measure.RETAINED))
    ]
    assert with_facts  # of those before the first fact was stated there is no mark
    assert with_facts == [event for event in every if event in with_facts]


def test_tables_reports_and_commands_say_the_same(run: Run) -> None:
    every = expected(run)
    out = StringIO()
    print_run(Console(file=out, width=1000), run)
    assert [
        told(line)
        for line in out.getvalue().splitlines()
        if line.startswith("Summarized")
    ] == every
    rows = list(csv.DictReader(StringIO(compactions_csv(run))))
    assert [
        (
            "before the request of turn" if row["request_turn"] else "after turn",
            row["request_turn"] or str(run.turns[-1].turn),
            row["after_message"],
            f"{int(row['request_before_tokens']):,}",
            f"{int(row['request_after_tokens']):,}",
        )
        for row in rows
    ] == every
    assert [
        told(facts_html(run, event, None)) for event in list_compaction_events(run)
    ] == every
    report = html_report([run], sample("trip"))
    texts = report.partition('class="versions"')[2].partition("</section>")[0]
    assert PLACE.findall(texts)[::-1] == [(*event[:2], "") for event in every]


def test_numbers_by_turn_are_at_the_same_turns(run: Run) -> None:
    every = expected(run)
    by_turn = [int(turn) for _, turn, *_ in every]
    assert count_traffic(run).summarizer_turns.tolist() == by_turn
    rows = run.frame()
    in_frame = [
        turn
        for turn, count in zip(rows["turn"], rows["compactions"], strict=True)
        for _ in range(count)
    ]
    assert in_frame == [int(turn) for place, turn, *_ in every if place != "after turn"]
    labels = [
        event_label(run, event).partition(" · ")[2]
        for event in list_compaction_events(run)
    ]
    in_short = [
        f"turn {turn}" if "before" in place else f"after turn {turn}"
        for place, turn, *_ in every
    ]
    assert labels == in_short
    assert [
        badge_label(run, compaction).partition(" · ")[2]
        for compaction in run.compactions
    ] == in_short
    rows = versions_table(run, compare_versions(run))
    versions = [
        words
        for words, one in zip(in_short, run.compactions, strict=True)
        if one.written is not None
    ]
    turns = [row["Turn"] for row in rows]
    assert ["turn " * turn.isdigit() + turn for turn in turns] == versions
