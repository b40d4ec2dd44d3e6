"""Each classic effect is there in the runs that its link opens, with the figures of its sentence: most are claims of
the file, the others are held here."""

from __future__ import annotations

from functools import cache
from urllib.parse import parse_qs

import numpy as np
import pytest

import memviz
from memviz.core.text.wording import dollars
from memviz.dashboard.charts.cost.curve import frame_of
from memviz.dashboard.charts.cost.setting_cost import Unit, View
from memviz.dashboard.charts.palette import SettingRun
from memviz.dashboard.lessons.claims import (
    find_unclaimed_numbers,
    judge_claims,
    problems,
)
from memviz.dashboard.lessons.lesson import Lesson, Step, Text
from memviz.dashboard.lessons.library import classic_effects
from memviz.dashboard.lessons.playing import PlayedStudy, play_study
from memviz.dashboard.ui.compare.dollars import price_settings
from memviz.dashboard.ui.controls.effects import is_shown_by, query_of_effect
from memviz.dashboard.ui.controls.links import open_link
from memviz.dashboard.ui.controls.study import CompareState
from memviz.engine.recall_tokens import count_recalled_tokens
from memviz.metrics.requests.traffic import count_traffic
from memviz.metrics.retention.knowledge import Knowledge
from memviz.metrics.retention.retention import retention
from memviz.metrics.summaries.events import count_request_sizes
from memviz.storage.workspace import Workspace
from memviz.transcripts.samples import sample
from memviz.tuning.pricing_assumptions import PricingAssumptions
from tests.tables import for_each

EFFECTS = classic_effects()
WHOLE = Lesson("classic-effects", Text("Ten classic effects"), EFFECTS)
NAMED = for_each("one", EFFECTS)


def effect(title: str) -> Step:
    (found,) = [one for one in EFFECTS if title in one.title.en]
    return found


@cache
def workspace() -> Workspace:
    return Workspace(":memory:")


@cache
def played(title: str) -> PlayedStudy:
    """The runs that the pages show of it, recorded summaries where there are any."""
    return play_study(effect(title).view.study, workspace())


def test_every_claim_holds() -> None:
    results = list(judge_claims(WHOLE, workspace()))
    assert [result.sentence for result in results if not result.held] == []
    assert {result.step for result in results} == set(range(1, 11))
    assert list(problems(WHOLE, workspace())) == []


def test_every_other_number_of_a_sentence_is_held_below() -> None:
    assert list(find_unclaimed_numbers(WHOLE, workspace())) == [
        (5, "its text says 226, which no claim holds."),
        (8, "its text says 87, which no claim holds."),
        (9, "its text says 13,253 and 11, which no claim holds."),
    ]


def test_a_full_buffer_only_grows() -> None:
    totals = played("only grows").runs[0].columns.totals
    assert (np.diff(totals) > 0).all()
    assert len(totals) == 46


def test_a_sliding_window_forgets_the_allergy_and_the_buffer_never_does() -> None:
    found = played("forgets the allergy")
    number = found.fact("cashews and pistachios")
    assert effect("forgets the allergy").view.highlight.fact == number
    windowed, whole = (
        retention(run, found.probes).states[:, number] for run in found.runs
    )
    assert [state > Knowledge.LOST for state in windowed[2:9]] == [True] * 6 + [False]
    assert (whole[2:] == Knowledge.VERBATIM).all()


def test_the_request_falls_at_every_tooth_of_the_saw() -> None:
    (run,) = played("sawtooth").runs
    sizes = [count_request_sizes(compaction, run) for compaction in run.compactions]
    assert len(sizes) == 9
    assert all(size.after_tokens < size.before_tokens for size in sizes)
    assert run.strategy.fill(run.compactions[0].before).limit == 16  # type: ignore[union-attr]
    assert all(compaction.recorded for compaction in run.compactions)


def test_a_fact_dies_when_its_summary_is_summarized() -> None:
    found = played("dies")
    (run,) = found.runs
    states = retention(run, found.probes).states[:, found.fact("Ottoline")]
    first = next(at for at, state in enumerate(states) if state == Knowledge.SUMMARY)
    lost = next(at for at, state in enumerate(states) if state == Knowledge.LOST)
    assert (states[first:lost] == Knowledge.SUMMARY).all()
    (compaction,) = run.requests[lost].compactions
    assert (compaction.version, compaction.replaces) == (12, 11)
    assert compaction.recorded
    shown = dict(effect("dies").view.link)
    assert shown["version"] == str(run.number_of(compaction))
    assert "Ottoline" in run.summaries[10].text
    assert "Ottoline" not in run.summaries[11].text


def test_recall_brings_a_fact_back_at_a_price() -> None:
    (run,) = played("Recall").runs
    (without,) = played("dies").runs
    numbers = [at for at, record in enumerate(run.requests) if record.turn == 40]
    for number in numbers:
        record = run.requests[number]
        more = record.total_tokens - without.requests[number].total_tokens
        assert more == count_recalled_tokens(record)
        assert f"{more:,} tokens more" in effect("Recall").text.en
    assert all(compaction.recorded for compaction in run.compactions)


def usd(title: str, pause_seconds: float) -> list[float]:
    prices = PricingAssumptions.of(pause_seconds=pause_seconds)
    return [
        prices.cost(count_traffic(run)).total_usd or 0 for run in played(title).runs
    ]


def test_a_cold_cache_changes_who_is_cheapest() -> None:
    runs = played("cold cache").runs
    cold, warm = usd("cold cache", 600), usd("cold cache", 60)
    prices = PricingAssumptions.of(pause_seconds=60)
    uncached = [prices.cost(count_traffic(run)).uncached_total_usd or 0 for run in runs]
    assert cold == pytest.approx(uncached), "what the dotted lines are"
    settings = [SettingRun(run, run.label, at) for at, run in enumerate(runs)]
    costs = price_settings(settings, prices)
    assert frame_of(costs, View.SO_FAR, Unit.USD, uncached=True).above == (), (
        "the dotted line is in the picture"
    )
    said = [f"{amount:.2g}" for amount in (*cold, *warm)]
    assert said == ["0.1", "0.039", "0.033", "0.039"]


def test_summaries_cost_more_than_they_save() -> None:
    run = played("more than they save").runs[0]
    fired = [number for number, _ in run.requests.compactions()]
    assert (len(fired), len(run.requests) - fired[0]) == (11, 12)
    assert any(warning.kind == "thrash" for warning in memviz.health_warnings(run))
    sentence = effect("more than they save").text.en
    for amount in usd("more than they save", 60):
        assert dollars(round(amount, 3)) in sentence


def test_tool_results_are_most_of_what_was_said() -> None:
    whole, cleared = played("Tool results").runs
    said = [(message.role, whole.counter(message.content)) for message in whole.log]
    of_tools = sum(tokens for role, tokens in said if role == "tool")
    share = of_tools / sum(tokens for _, tokens in said)
    assert effect("Tool results").text.en.startswith(f"{share:.0%} ")
    assert cleared.compactions[0].kind == "cleared"


def test_chinese_text_takes_other_tokens() -> None:
    run = played("Chinese").runs[1]
    right = memviz.replay(sample("chinese"), run.strategy, model="recording:chinese")
    whole = memviz.replay(sample("chinese"), memviz.strategy("buffer"))
    sentence = effect("Chinese").text.en
    assert f"the tokenizer counts {int(whole.columns.totals[-1]):,}" in sentence
    assert f"3 times in place of {len(right.compactions)}." in sentence


def test_a_list_of_facts_keeps_all_that_there_are() -> None:
    found = played("list of facts")
    assert len(found.probes) == 20
    assert found.runs[0].requests[-1].turn == effect("list of facts").view.turn


def test_every_summary_that_a_model_writes_has_a_length() -> None:
    """But the list of facts, which grows by lines of its own and has none."""
    settings = [setting for one in EFFECTS for setting in one.view.study.settings]
    words = [one.summary_words for one in settings if hasattr(one, "summary_words")]
    assert words
    assert set(words) == {120}


def compared(one: Step) -> CompareState:
    state = CompareState(settings=[])
    state.show(one.view)
    return state


def test_there_are_ten_that_no_view_confuses() -> None:
    assert len(EFFECTS) == 10
    places = [(one.view.page, one.view.show) for one in EFFECTS]
    assert len({(*place, query_of_effect(one)) for place, one in zip(places, EFFECTS, strict=True)}) == 10  # fmt: skip
    for one, place in zip(EFFECTS, places, strict=True):
        view = compared(one).view()
        shown = [other for other in EFFECTS if is_shown_by(other.view, view)]
        assert [other for other in shown if (other.view.page, other.view.show) == place] == [one]  # fmt: skip


@NAMED
def test_its_link_opens_what_it_compares(one: Step) -> None:
    state = CompareState()
    view, problems = open_link(state, parse_qs(query_of_effect(one)))
    assert (view.turn, view.call, problems) == (one.view.turn, one.view.call, [])
    assert is_shown_by(one.view, state.view())
    assert state.looked_at == one.view.highlight.setting


@NAMED
def test_its_words_are_short_and_its_figures_stand_where_somebody_may_check_them(
    one: Step,
) -> None:
    assert len(one.title.en) <= 45
    assert len(one.text.en) <= 160
    assert one.text.en.endswith(".")
    assert not one.title.en.endswith(".")
