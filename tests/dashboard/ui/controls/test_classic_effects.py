"""Each classic effect is there in the runs that its link opens, with the figures that its sentence has."""

from __future__ import annotations

from functools import cache
from urllib.parse import parse_qs

import numpy as np
import pytest

import memviz
from memviz import Run
from memviz.core.text.wording import counted, dollars
from memviz.dashboard.charts.cost.curve import framed
from memviz.dashboard.charts.cost.setting_cost import Unit, View
from memviz.dashboard.charts.setting_run import SettingRun
from memviz.dashboard.ui.compare.dollars import costed
from memviz.dashboard.ui.controls.classic_effects import EFFECTS, Effect
from memviz.dashboard.ui.controls.links import open_link
from memviz.dashboard.ui.controls.pickers import ModelChoice
from memviz.dashboard.ui.controls.replaying import run_key
from memviz.dashboard.ui.controls.study import CompareState
from memviz.engine.recall_tokens import recalled_tokens
from memviz.metrics.requests.traffic import traffic
from memviz.metrics.retention.retention import Knowledge, Retention, retention
from memviz.metrics.summaries.request_sizes import request_sizes
from memviz.storage.workspace import Workspace
from memviz.transcripts.samples import sample
from memviz.tuning.pricing_assumptions import PricingAssumptions


def effect(title: str) -> Effect:
    (found,) = [one for one in EFFECTS if title in one.title]
    return found


@cache
def workspace() -> Workspace:
    return Workspace(":memory:")


@cache
def runs(one: Effect) -> list[Run]:
    """The runs that the pages show of it, recorded summaries where there are any."""
    state, found = one.state, []
    for setting in state.settings:
        key = run_key(workspace(), state, setting, ModelChoice(recorded_first=True))
        found.append(workspace().run(key, workspace().free_summarizer(key)))
    return found


def known(one: Effect, setting: int = 0) -> Retention:
    return retention(runs(one)[setting], sample(one.conversation).probes)


def usd(one: Effect, pause_seconds: float) -> list[float]:
    prices = PricingAssumptions.of(pause_seconds=pause_seconds)
    return [prices.cost(traffic(run)).total_usd or 0 for run in runs(one)]


def fact(one: Effect, answer: str) -> int:
    (found,) = [
        number
        for number, probe in enumerate(sample(one.conversation).probes)
        if answer in probe.answers
    ]
    return found


def requests_of(one: Effect, turn: int, setting: int = 0) -> list[int]:
    return [
        number
        for number, record in enumerate(runs(one)[setting].requests)
        if record.turn == turn
    ]


def test_a_full_buffer_only_grows() -> None:
    one = effect("only grows")
    totals = runs(one)[0].columns.totals
    assert (np.diff(totals) > 0).all()
    assert (
        f"{totals[0]:,} tokens at turn 1, {totals[-1]:,} at turn {len(totals)}"
        in one.sentence
    )


def test_a_sliding_window_forgets_the_allergy() -> None:
    one = effect("forgets the allergy")
    number = fact(one, "cashews and pistachios")
    states = known(one).states[:, number]
    assert dict(one.parts)["fact"] == str(number)
    (said,) = sample(one.conversation).probes[number].evidence
    assert runs(one)[0].log.turn_number(said) == 3
    assert [state > Knowledge.LOST for state in states[2:9]] == [True] * 6 + [False]
    assert one.turn == 9
    assert (known(one, 1).states[2:, number] == Knowledge.VERBATIM).all()


def test_the_sawtooth_of_a_summary() -> None:
    one = effect("sawtooth")
    run = runs(one)[0]
    sizes = [request_sizes(compaction, run) for compaction in run.compactions]
    assert one.sentence.startswith(f"{len(sizes)} times")
    assert all(size.after_tokens < size.before_tokens for size in sizes)
    assert run.request_turn(run.compactions[0]) == one.turn == 9
    assert (
        f"from {sizes[0].before_tokens:,} to {sizes[0].after_tokens:,} tokens"
        in one.sentence
    )
    assert run.strategy.fill(run.compactions[0].before).limit == 16  # type: ignore[union-attr]
    assert all(compaction.recorded for compaction in run.compactions)


def test_a_fact_dies_when_its_summary_is_summarized() -> None:
    one = effect("dies")
    number, run = fact(one, "Ottoline"), runs(one)[0]
    states = known(one).states[:, number]
    first = next(at for at, state in enumerate(states) if state == Knowledge.SUMMARY)
    lost = next(at for at, state in enumerate(states) if state == Knowledge.LOST)
    assert run.requests[first].turn == 18
    assert (states[first:lost] == Knowledge.SUMMARY).all()
    record = run.requests[lost]
    assert (record.turn, record.call) == (one.turn, one.call) == (35, 2)
    (compaction,) = record.compactions
    assert (compaction.version, compaction.replaces, compaction.recorded) == (
        12,
        11,
        True,
    )
    assert dict(one.parts)["version"] == str(run.number_of(compaction))
    assert "Ottoline" in run.summaries[10].text
    assert "Ottoline" not in run.summaries[11].text


def test_recall_brings_a_fact_back_at_a_price() -> None:
    one, without = effect("Recall"), effect("dies")
    number = fact(one, "Ottoline")
    for at in requests_of(one, one.turn):
        record = runs(one)[0].requests[at]
        more = record.total_tokens - runs(without)[0].requests[at].total_tokens
        assert more == recalled_tokens(record)
        assert f"{more:,} tokens more" in one.sentence
        assert known(without).states[at, number] == Knowledge.LOST
        assert known(one).states[at, number] == Knowledge.RECALLED
    assert all(compaction.recorded for compaction in runs(one)[0].compactions)


def test_a_cold_cache_changes_who_is_cheapest() -> None:
    one = effect("cold cache")
    assert dict(one.parts)["pause"] == "60.0"
    cold, warm = usd(one, 600), usd(one, 60)
    uncached = [
        PricingAssumptions.of(pause_seconds=60).cost(traffic(run)).uncached_total_usd
        or 0
        for run in runs(one)
    ]
    assert cold == pytest.approx(uncached), "what the dotted lines are"
    assert cold[0] > 2 * cold[1]
    costs = costed(
        [SettingRun(run, run.label, number) for number, run in enumerate(runs(one))],
        PricingAssumptions.of(pause_seconds=60),
    )
    assert framed(costs, View.SO_FAR, Unit.USD, uncached=True).above == (), (
        "the dotted line is in the picture"
    )
    assert warm[0] < warm[1]
    assert [f"{amount:.2g}" for amount in (*cold, *warm)] == [
        "0.1",
        "0.039",
        "0.033",
        "0.039",
    ]
    assert "the full buffer costs $0.033 and the window $0.039." in one.sentence
    assert one.sentence.endswith("$0.10 and $0.039.")


def test_summaries_cost_more_than_they_save() -> None:
    one = effect("more than they save")
    run = runs(one)[0]
    fired = [number for number, _ in run.requests.compactions()]
    since = len(run.requests) - fired[0]
    assert f"before {len(fired)} of {counted(since, 'turn')}" in one.sentence
    assert any(warning.kind == "thrash" for warning in memviz.health_warnings(run))
    summarizing, whole = usd(one, 60)
    assert summarizing > 1.5 * whole
    assert f"costs {dollars(round(summarizing, 3))} in all" in one.sentence
    assert f"everything costs {dollars(round(whole, 3))}." in one.sentence


def test_tool_results_eat_the_window() -> None:
    one = effect("Tool results")
    whole, cleared = runs(one)
    said = [(message.role, whole.counter(message.content)) for message in whole.log]
    share = sum(tokens for role, tokens in said if role == "tool") / sum(
        tokens for _, tokens in said
    )
    assert one.sentence.startswith(f"{share:.0%} ")
    last = [int(run.columns.totals[-1]) for run in (cleared, whole)]
    assert f"leave {last[0]:,} tokens of a last request of {last[1]:,}" in one.sentence
    first = next(number for number, _ in cleared.requests.compactions())
    assert (cleared.requests[first].turn, cleared.requests[first].call) == (
        one.turn,
        one.call,
    )
    assert cleared.compactions[0].kind == "cleared"


def test_chinese_text_takes_other_tokens() -> None:
    one = effect("Chinese")
    estimated, summarized = runs(one)
    counted_right = memviz.replay(sample("chinese"), memviz.strategy("buffer"))
    right = memviz.replay(
        sample("chinese"), summarized.strategy, model="recording:chinese"
    )
    last = [int(run.columns.totals[-1]) for run in (estimated, counted_right)]
    assert (
        f"{last[0]:,} tokens here where the tokenizer counts {last[1]:,}"
        in one.sentence
    )
    assert (
        f"{len(summarized.compactions)} times in place of {len(right.compactions)}"
        in one.sentence
    )


def test_a_list_of_facts_keeps_what_a_summary_loses() -> None:
    one = effect("list of facts")
    kept = [int(known(one, setting).retained[-1].sum()) for setting in range(3)]
    facts = len(sample("support").probes)
    assert kept[0] == facts
    assert (
        f"all {facts} facts, the running summary {kept[1]} of them and the sliding window {kept[2]}"
        in one.sentence
    )
    assert runs(one)[0].requests[-1].turn == one.turn


def test_every_summary_that_a_model_writes_has_a_length() -> None:
    """But the list of facts, which grows by lines of its own and has none."""
    strategies = [setting.build() for one in EFFECTS for setting in one.state.settings]
    words = [
        strategy.summary_words
        for strategy in strategies
        if hasattr(strategy, "summary_words")
    ]
    assert words
    assert set(words) == {120}


def test_there_are_ten_that_no_view_confuses() -> None:
    assert len(EFFECTS) == 10
    assert len({(one.page, one.view, one.query) for one in EFFECTS}) == 10
    for one in EFFECTS:
        assert [
            other
            for other in EFFECTS
            if other.page == one.page
            and other.view == one.view
            and other.is_shown_by(one.state)
        ] == [one]


@pytest.mark.parametrize("one", EFFECTS, ids=lambda one: one.title)
def test_its_link_opens_what_it_compares(one: Effect) -> None:
    state = CompareState()
    turn, problems = open_link(state, parse_qs(one.query))
    assert (turn, problems) == (one.turn, [])
    assert one.is_shown_by(state)
    assert state.looked_at == one.look


@pytest.mark.parametrize("one", EFFECTS, ids=lambda one: one.title)
def test_its_words_are_short_and_its_figures_stand_where_somebody_may_check_them(
    one: Effect,
) -> None:
    assert len(one.title) <= 45
    assert len(one.sentence) <= 160
    assert one.sentence.endswith(".")
    assert not one.title.endswith(".")
