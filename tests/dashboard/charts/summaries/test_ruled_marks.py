"""What a rule cleared, shortened or dropped without a summarizer, as marks with their reason, sizes and what it cost
the prompt cache."""

from __future__ import annotations

import json

import memviz
from memviz import Message, ModelError, Probe, Run, ScriptedModel
from memviz.core.memory import Memory
from memviz.core.messages import ToolCall
from memviz.dashboard.charts.memory_map.fate_map import draw_fate_map
from memviz.dashboard.charts.memory_map.fate_words import map_finding
from memviz.dashboard.charts.palette import PART_COLORS, SettingRun
from memviz.dashboard.charts.requests.tables import tokens_finding, tokens_table
from memviz.dashboard.charts.requests.tokens_per_turn import tokens_per_turn
from memviz.dashboard.charts.retention.curve import summarization_marks
from memviz.dashboard.charts.retention.life_lines import draw_life_lines
from memviz.dashboard.charts.retention.result import Measure
from memviz.dashboard.charts.summaries.marks import (
    compaction_tooltip,
    marks_of,
    request_mark,
)
from memviz.dashboard.charts.summaries.timeline import summary_timeline
from memviz.dashboard.ui.facts.lives.story import story
from memviz.dashboard.ui.facts.version_card import badge_label
from memviz.dashboard.words.compactions import compaction_words
from memviz.metrics.memory_map.fate_grid import View
from memviz.metrics.requests.request_axis import make_axis
from memviz.metrics.requests.traffic import count_broken_cache_tokens
from memviz.metrics.summaries.events import count_request_sizes
from memviz.strategies.base import Effect, Move
from tests.dashboard.charts.facts import kept
from tests.reducing import CLEARED, Clearing, HeadAndTail

BROWN = PART_COLORS["tools"]


def tool_talk(turns: int = 6) -> list[Message]:
    said = []
    for n in range(turns):
        said += [
            Message("user", f"Question {n}"),
            Message(
                "assistant",
                "",
                tool_calls=(ToolCall(f"c{n}", "look_up", json.dumps({"n": n})),),
            ),
            Message("tool", f"result {n} " * 20, tool_call_id=f"c{n}"),
            Message("assistant", f"Answer {n}."),
        ]
    return said


def cleared() -> SettingRun:
    return SettingRun(
        memviz.replay(tool_talk(), Clearing(), counter="chars4"), "Clearing", 0
    )


def test_clears_have_marks_of_their_own_where_they_changed_a_request() -> None:
    setting = cleared()
    (marks,) = [
        trace
        for trace in tokens_per_turn([setting]).data
        if trace.name == "Clearing summarizations"
    ]
    assert len(marks.x) == len(setting.run.compactions) > 1
    assert set(marks.marker.symbol) == {"circle"}
    assert set(marks.marker.color) == {BROWN}
    assert list(marks.y) == [
        record.total_tokens for record in setting.run.requests if record.compactions
    ]


def test_their_tooltip_says_why_in_numbers_what_it_saved_and_what_it_cost_the_prompt_cache() -> (
    None
):
    run = cleared().run
    first = run.compactions[0]
    said = compaction_tooltip("Clearing", first, run)
    assert "<b>Cleared tool results among messages 1 to " in said
    assert f"messages not yet cleared: {first.reason.replace('>', '&gt;')}" in said
    before, after = count_request_sizes(first, run)
    assert after < before
    assert f"The request: {before:,} → {after:,} tokens" in said
    broken = count_broken_cache_tokens(run)[0]
    assert broken > 0
    assert f"It broke {broken:,} tokens of the prompt cache" in said


def test_charts_of_facts_mark_them_and_call_a_loss_by_them_what_it_was() -> None:
    run = cleared().run
    fact = Probe("What was the first result?", ("result 0",), (2,), "single fact")
    one = kept(run, (fact,))
    (number,) = one.losses.values()
    assert number is not None
    assert run.compactions[number].kind == "cleared"
    drawn = draw_life_lines(one, one.lives, event=number)
    ring = next(trace for trace in drawn.data if trace.name == "chosen")
    assert (ring.marker.symbol, ring.marker.color) == ("circle-open", BROWN)
    strip, lost = (
        next(trace for trace in drawn.data if trace.name == name)
        for name in ("summarizations", "lost")
    )
    assert set(strip.marker.symbol) == {"circle"}
    assert {*strip.marker.color, *lost.marker.color} == {BROWN}
    assert "left out by the clearing of messages 1 to " in lost.text[0]
    assert drawn.layout.yaxis.ticktext[0] == "<i>changed</i>"
    (marks,) = summarization_marks(one, 0, Measure.RETAINED, make_axis([run]))
    assert set(marks["marker"]["symbol"]) == {"circle"}
    assert "the clearing of messages 1 to " in " ".join(story(one, one.lives[0]))
    assert badge_label(run, run.compactions[number]).startswith("● Cleared · turn ")


def test_a_legend_names_only_the_marks_that_occur() -> None:
    summarized = memviz.replay(
        tool_talk(), memviz.strategy("summary", buffer_size=3), counter="chars4"
    )
    assert [
        (mark.character, mark.name) for mark in marks_of(cleared().run.compactions)
    ] == [
        ("●", "Tool results cleared"),
    ]
    both = marks_of([*cleared().run.compactions, *summarized.compactions])
    assert [mark.name for mark in both] == ["A summarization", "Tool results cleared"]
    assert not marks_of([])


def test_the_map_marks_and_counts_them() -> None:
    setting = cleared()
    run = setting.run
    figure = draw_fate_map(
        setting, View(range(1, len(run.requests) + 1), range(len(run.log)))
    )
    (marks,) = [trace for trace in figure.data if trace.name == "summarizations"]
    assert set(marks.marker.symbol) == {"circle"}
    assert any(trace.name == "Sent as a placeholder" for trace in figure.data)
    assert "4 sent as a placeholder" in map_finding(setting)


def test_tables_and_findings_say_it_in_words() -> None:
    setting = cleared()
    assert any(
        "(tool results cleared)" in cell for cell in tokens_table([setting])["Clearing"]
    )
    assert "Clearing had tool results cleared " in tokens_finding([setting])


def test_a_timeline_without_summaries_shows_the_requests_after_each_change() -> None:
    run = cleared().run
    figure = summary_timeline(run)
    (marks,) = [
        trace
        for trace in figure.data
        if trace.name == "tool results cleared" and trace.type == "scatter"
    ]
    changed = [record.total_tokens for record in run.requests if record.compactions]
    assert list(marks.y) == changed
    assert {note.text for note in figure.layout.annotations} == {
        "<b>Tokens of the first request after each change</b>",
        "<b>Messages that each change is about</b>",
    }
    (bars,) = [trace for trace in figure.data if trace.type == "bar"]
    assert list(bars.base) == [
        compaction.summarized.start for compaction in run.compactions
    ]


class Wavering(Clearing):
    """Takes every other clearing back."""

    def plan(self, memory: Memory) -> tuple[Effect, ...]:
        mark = memory.mark(CLEARED)
        if mark > memory.history_start and memory.turn % 2:
            return (
                Move(
                    CLEARED,
                    memory.history_start,
                    "cleared",
                    "too little",
                    range(memory.history_start, mark),
                ),
            )
        return super().plan(memory)


def test_a_rule_that_sends_messages_whole_again_says_so() -> None:
    run = _replayed(tool_talk(), Wavering())
    back = next(one for one in run.compactions if one.reason == "too little")
    assert (
        compaction_words(back, run).what
        == f"Sent messages 1 to {back.summarized.stop} whole again"
    )
    assert all(
        compaction_words(one, run).what.startswith("Cleared tool results among")
        for one in run.compactions
        if one.reason != "too little"
    )


def test_one_message_is_named_as_one() -> None:
    said = [*tool_talk(1), *tool_talk(1)]
    run = _replayed(
        said, memviz.strategy("clear_tool_results", trigger_tokens=1, keep_results=1)
    )
    assert (
        compaction_words(run.compactions[0], run).what
        == "Cleared tool results: message 3"
    )


def _replayed(said: list[Message], strategy: memviz.Strategy) -> Run:
    return memviz.replay(said, strategy, counter="chars4")


def test_messages_that_a_failure_policy_drops_are_marked_and_those_without_a_summarizer_are_not() -> (
    None
):
    failing = ScriptedModel([ModelError("down")] * 9)
    run = memviz.replay(tool_talk(), HeadAndTail(), model=failing, counter="chars4")
    failed, evicted = run.compactions[:2]
    looks = [request_mark(failed), request_mark(evicted)]
    assert [look.symbol for look in looks if look] == ["x", "triangle-down-open"]
    assert (
        "The rule leaves out the messages all the same"
        in compaction_words(failed, run).result
    )
    without = memviz.replay(
        tool_talk(),
        memviz.strategy("chat_summary_buffer", token_limit=60),
        model=None,
        counter="chars4",
    )
    assert any(compaction.dropped for compaction in without.compactions)
    assert not any(map(request_mark, without.compactions))
