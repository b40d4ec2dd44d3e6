"""Tune: a grid of settings, what each costs and keeps, which one to take, and exporting it to code."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from functools import cache
from pathlib import Path

import pytest
import yaml
from streamlit.testing.v1 import AppTest

import memviz
from benchmarks.synthetic.generator import generate
from memviz.code_export import targets
from memviz.dashboard.ui.tune import extent, run
from memviz.engine.memory_config import strategy_of
from memviz.storage.store import Store
from memviz.strategies.presets import presets
from memviz.transcripts.samples import sample
from memviz.tuning.best_of_each import answer_for_strategy, find_best_of_each
from memviz.tuning.cluster import Cluster
from memviz.tuning.constraints import Constraints
from memviz.tuning.grid import list_first_strategies, suggest_values
from memviz.tuning.grounds import OFFLINE_SUMMARIES
from memviz.tuning.pricing_assumptions import PricingAssumptions
from tests.pages.driving import (
    click,
    figures,
    finished,
    labelled,
    metric,
    open_page,
    page_of,
    sentences,
    token_lines,
)
from tests.pages.markup import ALL, PIECES, markdown_sources
from tests.pages.tuning import open_sweep, points, strategies_tried, told

LARGEST = {"tokens": 13_352, "messages": 92, "turns": 46}


pytestmark = pytest.mark.one_library
"""The cells of each sweep lie in it, and are measured once for all tests of this module."""


def opened(conversation: str, *ids: str) -> AppTest:
    """The page once its sweep of these strategies over this conversation is through."""
    return open_sweep(*ids, over=json.dumps([conversation]))


@cache
def expected() -> memviz.Sweep:
    return measured(list_first_strategies())


def measured(ids: Iterable[str], share: float = 0.9) -> memviz.Sweep:
    """The sweep of what is suggested for these strategies, and of the next value
    wherever the best one lies at the edge of those that were tried."""
    grid = {id: suggest_values(id, largest=LARGEST) for id in ids}
    price = PricingAssumptions.of("openai/gpt-5-mini")
    while True:
        sweep = memviz.sweep(sample("trip"), grid, assumptions=price)
        added = 0
        for best in find_best_of_each(sweep, Constraints(share)):
            if best.edge is not None:
                values = grid[best.setting.id]
                name = best.edge.parameter
                values[name] = (*values[name], best.edge.value)
                added += 1
        if not added:
            return sweep


@pytest.mark.slow
def test_the_answer_is_there_without_a_click_and_follows_what_is_asked_for(
    database: Path,
) -> None:
    page = finished(open_page("tune"))
    best = expected().best(0.9)
    assert best.setting is not None
    assert best.headline in told(page)
    assert best.reasons[1] in told(page)
    assert best.grounds.sentence in told(page)
    assert OFFLINE_SUMMARIES in told(page)
    assert points(page) == set(range(len(expected().settings)))
    assert metric(page, "Facts kept") == f"{best.row['retention']:.0%}"

    kept = Store(database).find_cells([])
    prices = labelled(page.selectbox, "Prices of the chat model")
    # Models leave the list on the day that their provider retires them.
    other = next(name for name in prices.options if name.startswith("anthropic/"))
    prices.set_value(other)
    finished(page.run())
    priced = expected().priced(PricingAssumptions.of(other))
    assert priced.best(0.9).reasons[0].split(" keeps ")[1] in told(page)
    assert Store(database).find_cells([]) == kept, "nothing is measured anew"

    labelled(page.select_slider, "Keep at least").set_value(0.5)
    labelled(page.select_slider, "Largest request").set_value(2000)
    finished(page.run())
    cheaper = priced.best(0.5, 2000)
    assert cheaper.setting not in (None, best.setting)
    assert cheaper.headline in told(page)

    labelled(page.select_slider, "Keep at least").set_value(1.0)
    labelled(page.select_slider, "Largest request").set_value(1000)
    finished(page.run())
    none = priced.best(1.0, 1000)
    assert none.setting is None
    assert none.reasons[0] in told(page)
    assert none.nearest.label in [head.value.replace("\\", "") for head in page.header]


def test_numbers_that_are_typed_in_are_tried_and_wrong_ones_said() -> None:
    page = open_sweep("window")
    labelled(page.multiselect, "Window size").set_value(["4", "10", "33"])
    finished(page.run())
    sizes = labelled(page.multiselect, "Window size").value
    assert set(sizes) >= {"4", "10", "33"}
    assert len(points(page)) == len(sizes)
    assert f"{len(sizes)} settings" in told(page)
    labelled(page.multiselect, "Window size").set_value(["4", "0", "many"])
    page.run()
    wrong = "\n".join(sentences(page.error))
    assert "1 or more" in wrong
    assert "many" in wrong
    assert len(points(page)) == 1
    strategies_tried(page).set_value([])
    page.run()
    assert "Choose a strategy to try" in told(page)
    labelled(page.multiselect, "Conversations").set_value([])
    page.run()
    assert "Choose a conversation" in told(page)


@pytest.mark.slow
def test_the_next_value_is_tried_where_the_best_lies_at_the_edge() -> None:
    page = open_sweep("buffer", "summary", share="0.95")
    sizes = labelled(page.multiselect, "Buffer size")
    assert "40" in sizes.value
    assert "Running summary · 40 messages" in "".join(
        page.table[0].value["Setting"]
    ).replace("\\", "")
    assert (
        "because the best value lay at the edge: Running summary · 40 messages"
        in told(page).replace("\\", "")
    )
    fewer = [size for size in sizes.value if int(size) <= 20]
    sizes.set_value(fewer)
    finished(page.run())
    assert labelled(page.multiselect, "Buffer size").value == fewer, (
        "what the visitor takes away stays away"
    )
    assert "lay at the edge" not in told(page)


@pytest.mark.slow
def test_one_strategy_answers_which_value_to_take() -> None:
    page = open_sweep("buffer", "token_buffer", strategy="token_buffer")
    sweep = measured(("buffer", "token_buffer"))
    answer = answer_for_strategy(sweep, "token_buffer", Constraints(0.9))
    assert answer is not None
    assert answer.headline in told(page)
    assert " ".join(answer.sentences) in told(page)
    kept, cost = figures(page)
    assert [len(one["data"]) > 0 for one in (kept, cost)] == [True, True], (
        "facts and cost, side by side"
    )
    curve = kept
    assert curve["layout"]["xaxis"]["title"][
        "text"
    ] == "Max tokens (tokens)".removesuffix(" (tokens)")
    assert page.header[0].value.replace("\\", "") == answer.best.setting.label
    strategies_tried(page).set_value(["buffer", "window"])
    finished(page.run())
    assert labelled(page.selectbox, "Which strategy?").value == "All", (
        "what is no longer tried is no choice"
    )


@pytest.mark.slow
@pytest.mark.one_library(False)
def test_few_facts_recommend_nothing_and_lead_to_the_facts(database: Path) -> None:
    said = (
        "My door code is 48213.",
        "Noted.",
        "What else?",
        "Nothing.",
        "So is it 48213?",
        "48213, yes.",
    )
    messages = [
        memviz.Message(role, text)
        for role, text in zip(("user", "assistant") * 3, said, strict=True)
    ]
    id = Store(database).add_conversation(memviz.Transcript(tuple(messages), title=ALL))
    page = opened(id, "buffer", "window")
    for source in markdown_sources(page):
        assert not any(piece in source for piece in PIECES), "a title is text"
    assert re.search(r"On (this 1 fact|these \d facts), .+ does best\.", told(page))
    assert re.search(
        r"Measured on \d guessed facts?; check (it|them) or add yours\.", told(page)
    )
    click(page, "Open the facts")
    assert page_of(page) == "retention"
    assert labelled(page.selectbox, "Conversation").value == id


@pytest.mark.slow
def test_several_conversations_count_together() -> None:
    samples = ["sample-trip", "sample-support"]
    page = open_sweep("buffer", "window", over=json.dumps(samples))
    assert "over 2 conversations" in told(page)
    grid = {"buffer": {}, "window": suggest_values("window", largest={"messages": 168})}
    both = memviz.sweep([sample("trip"), sample("support")], grid)
    labelled(page.button_group, "Conversation that counts").set_value("worst")
    finished(page.run())
    assert both.best(0.9, over="worst").reasons[0].split(" keeps ")[1] in told(page)


@pytest.mark.slow
@pytest.mark.one_library(False)
def test_a_large_sweep_says_how_long_it_takes_and_begins_when_asked_or_made_smaller(
    database: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(extent, "AT_ONCE_MESSAGES", 1_000)
    id = Store(database).add_conversation(generate(12, seed=1))
    page = open_page("tune", over=json.dumps([id]))
    assert "as measured here, so it begins when you say so" in told(page)
    assert not page.metric
    at_first = strategies_tried(page).value
    strategies_tried(page).set_value(["buffer", "window"])
    finished(page.run())
    assert "begins when you say so" not in told(page)
    strategies_tried(page).set_value(at_first).run()
    click(page, "Only what fits into 30 s")
    finished(page)
    assert "as fit into 30 s" in told(page)
    assert page.metric


@pytest.mark.slow
@pytest.mark.one_library(False)
def test_a_conversation_without_facts_compares_cost_and_size(database: Path) -> None:
    said = (memviz.Message("user", "Hello."), memviz.Message("assistant", "Hi."))
    id = Store(database).add_conversation(memviz.Transcript(said, title="Short"))
    page = opened(id, "buffer", "window")
    assert "There was no fact to measure on; add yours." in told(page)
    assert "By cost and size alone" in told(page)


@pytest.mark.one_library(False)
def test_a_conversation_without_a_request_is_a_sentence(database: Path) -> None:
    id = Store(database).add_conversation(
        memviz.Transcript((memviz.Message("assistant", "Hi."),), title="Short")
    )
    page = opened(id, "buffer")
    assert "none of them is the user's" in told(page)


@pytest.mark.slow
def test_what_a_provider_refuses_is_left_out_unless_asked_for() -> None:
    page = opened("sample-support", "window")
    assert "left out, for they send requests that a provider refuses" in told(page)
    labelled(page.toggle, "Settings whose requests a provider refuses").set_value(
        True
    ).run()
    assert "left out, for" not in told(page)


@pytest.mark.slow
def test_the_setting_is_exported_to_code_and_opened_beside_the_full_buffer(
    tmp_path: Path,
) -> None:
    page = open_sweep("summary_buffer")
    label = page.header[0].value.replace("\\", "").replace("\u2060", "")
    assert label.startswith("Summary buffer · ")
    file = tmp_path / "memory.yaml"
    file.write_text(page.code[0].value)
    assert yaml.safe_load(file.read_text())["memory"]["strategy"] == "summary_buffer"
    assert strategy_of(memviz.load_memory_config(file)).label == label
    id, target = next((id, one) for id, one in targets().items() if one.install)
    labelled(page.button_group, "For").set_value(id).run()
    tokens = page.header[0].value.rpartition("=")[2]
    assert re.search(f"{tokens[:-3]}[_,]?{tokens[-3:]}", page.code[-1].value)
    assert page.code[-1].language == target.language
    assert page.code[0].value == target.install
    click(page, "Open in Compare")
    assert page_of(page) == "compare"
    assert [*token_lines(page)] == ["Full buffer", label]


@pytest.mark.slow
def test_a_library_without_such_a_memory_is_said() -> None:
    page = open_sweep("head_and_tail", target="llamaindex")
    said = "\n".join(sentences(page.info)).replace("\\", "")
    assert "no code for LlamaIndex" in said
    assert not page.code


def test_what_a_program_does_is_one_more_setting_scaled_to_the_conversation() -> None:
    session = open_page(
        "tune", **{"try": '["buffer"]', "programs": '["openai_agents"]'}
    )
    shown = told(finished(session))
    # The time is known once a setting was measured, which on a busy machine is before the page is drawn again.
    tried = r"2 settings of 2 strategies are tried(, which takes about [^\n]+? here)?\."
    assert re.search(tried, shown)
    assert "OpenAI Agents, trimmed results" in str(figures(session)[0]["data"])


def test_whole_families_and_a_time_are_chosen_with_one_control(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    page = open_sweep("window")
    families = labelled(page.button_group, "Whole families")
    assert families.value == []
    families.set_value(["Word for word"])
    finished(page.run())
    assert {"buffer", "window", "token_buffer"} <= {*strategies_tried(page).value}
    assert "summary" not in strategies_tried(page).value
    assert "are tried, which takes about" in told(page.run())
    labelled(page.selectbox, "Time").set_value(10)
    finished(page.run())
    assert "as fit into 10 s." in told(page)
    labelled(page.selectbox, "Time").set_value(0)
    monkeypatch.setattr(run, "AT_ONCE_SECONDS", 0.0)
    labelled(page.button_group, "Whole families").set_value(["What programs do"])
    page.run()
    assert strategies_tried(page).value == []
    assert f"{len(presets())} settings of" in told(page)
    click(page, "Stop")


def test_the_map_is_over_any_two_parameters_and_tries_their_values() -> None:
    limits = {"summary_buffer.max_token_limit": '["500", "1000"]'}
    page = open_sweep("summary_buffer", strategy="summary_buffer", **limits)
    assert labelled(page.selectbox, "Across").value == "max_token_limit"
    assert labelled(page.selectbox, "Up").value == "summary_words"
    (more,) = (one for one in page.button if re.match("Try .* words.* too", one.label))
    more.click()
    finished(page.run())
    title = figures(page)[-1]["layout"]["title"]["text"]
    assert "facts kept" in title
    words = ["0", "60", "100", "150", "240"]
    assert figures(page)[-1]["layout"]["yaxis"]["ticktext"] == words
    labelled(page.selectbox, "Across").set_value("summary_words")
    labelled(page.selectbox, "Measure").set_value("mean_tokens")
    finished(page.run())
    assert labelled(page.selectbox, "Up").value == "max_token_limit"
    assert "tokens a request" in figures(page)[-1]["layout"]["title"]["text"]
    assert figures(page)[-1]["layout"]["xaxis"]["ticktext"] == words


def test_the_map_of_a_pipeline_is_that_of_one_program() -> None:
    page = open_sweep("pipeline", strategy="pipeline")
    labelled(page.multiselect, "What programs do").set_value(
        ["gemini_cli", "opencode", "librechat"]
    )
    finished(page.run())
    assert not page.exception
    assert len(figures(page)[-1]["layout"]["xaxis"]["ticktext"]) == 6


def test_numbers_in_the_steps_of_a_pipeline_are_tried_and_lie_on_a_map() -> None:
    page = open_sweep("pipeline")
    for label, values in (
        ("Window tokens", ["4000", "8000"]),
        ("Step 1: at N% of the window", ["40"]),
        ("Step 2: keep N messages", ["5", "10"]),
    ):
        labelled(page.multiselect, label).set_value(values)
    page = finished(page.run())
    assert not page.error
    assert points(page) >= {0, 1, 2, 3}  # and what lies beyond the best of them
    page = labelled(page.selectbox, "Which strategy?").select("pipeline").run()
    across = labelled(page.selectbox, "Across")
    assert "Step 2: keep N messages" in across.options
    across.select("step 2 keep N messages").run()
    drawn = figures(page)[-1]["layout"]
    assert drawn["xaxis"]["title"]["text"] == "Step 2: keep N messages"
    assert list(drawn["xaxis"]["ticktext"]) == ["5", "10"]
    wrong = labelled(page.multiselect, "Step 1: at N% of the window")
    wrong.set_value(["140"]).run()
    assert "steps" in sentences(page.error)[0]


@pytest.mark.one_library(False)
def test_a_cluster_that_is_gone_is_said_and_the_server_measures(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    gone = Cluster("tcp://127.0.0.1:9")
    gone.lose()
    monkeypatch.setattr("memviz.dashboard.ui.tune.desk.server_cluster", lambda: gone)
    page = open_sweep("buffer")
    assert "is measured on the server itself" in told(page)
    assert "127.0.0.1" not in told(page)
    assert points(page)
