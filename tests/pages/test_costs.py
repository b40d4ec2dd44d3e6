"""Costs: dollars of each setting over the turns, at prices that the visitor chooses or enters."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

import memviz
from memviz.core.text.wording import dollars
from memviz.dashboard.ui.compare.dollars import (
    PRICES_KEY,
    TURNS_KEY,
    WINDOW_KEY,
)
from memviz.metrics.cost.cost import Cost
from memviz.metrics.requests.traffic import count_traffic
from memviz.models.cache_rules import CacheRules
from memviz.storage.store import Store
from memviz.tuning.pricing_assumptions import PricingAssumptions
from tests.pages.comparing import FIRST, replayed
from tests.pages.driving import (
    click,
    figures,
    labelled,
    metric,
    numbers,
    open_page,
    page_of,
    sentences,
)

pytestmark = pytest.mark.one_library

BUFFER, WINDOW, SUMMARY = FIRST
CLAUDE = "anthropic/claude-sonnet-4-5"
OF_MODEL = "Prices of the chat model"
LISTED = PricingAssumptions.of()


def costs_on(terms: PricingAssumptions = LISTED) -> Mapping[str, Cost]:
    return {
        label: terms.cost(count_traffic(replayed(strategy)))
        for label, strategy in FIRST.items()
    }


@pytest.fixture
def page() -> AppTest:
    return open_page("costs")


def unfolded(session: AppTest) -> AppTest:
    """The page with all its details open."""
    for key in (WINDOW_KEY, TURNS_KEY, PRICES_KEY):
        session.session_state[key] = True
    return session.run()


def lines(session: AppTest) -> dict[str, list[float]]:
    traces = figures(session)[0]["data"]
    return {
        trace["name"]: numbers(trace["y"])
        for trace in traces
        if trace.get("showlegend", True) and trace["mode"] == "lines+markers"
    }


def told(session: AppTest) -> str:
    """All sentences of the page, without escapes."""
    return "\n".join(
        sentences([*session.markdown, *session.caption, *session.info])
    ).replace("\u2060", "")


def shows(session: AppTest, terms: PricingAssumptions) -> bool:
    return all(
        metric(session, label) == dollars(cost.total_usd or 0)
        for label, cost in costs_on(terms).items()
    )


def choose(session: AppTest, label: str, model: str) -> AppTest:
    """Choose a model, or type one that is not listed."""
    box = labelled(session.selectbox, label)
    box.options.append(model)
    box.set_value(model).run()
    return knowing_what_was_typed(session)


def enter(session: AppTest, label: str, usd_per_million: float) -> AppTest:
    """Enter a price by hand."""
    labelled(session.number_input, label).set_value(usd_per_million).run()
    return knowing_what_was_typed(session)


def knowing_what_was_typed(session: AppTest) -> AppTest:
    """AppTest cannot run with a value that is not among the options, a browser can."""
    for box in session.selectbox:
        if box.value not in box.options:
            box.options.append(box.value)
    return session


def save(database: Path, *messages: tuple[str, str]) -> str:
    said = tuple(memviz.Message(role, text) for role, text in messages)
    return Store(database).add_conversation(memviz.Transcript(said, title="Short"))


def opened(conversation: str) -> AppTest:
    return open_page("costs", conversation=conversation)


class TestMainPicture:
    def test_draws_dollars_so_far_of_each_turn_and_without_the_cache(
        self, page: AppTest
    ) -> None:
        drawn = lines(page)
        assert list(drawn) == list(FIRST)
        for label, cost in costs_on().items():
            assert cost.cumulative_usd is not None
            assert drawn[label] == pytest.approx(cost.cumulative_usd.tolist())
        traces = {trace["name"]: trace for trace in figures(page)[0]["data"]}
        thin = numbers(traces[f"{BUFFER} without the cache"]["y"])
        assert thin[-1] == pytest.approx(costs_on()[BUFFER].uncached_total_usd)
        assert not page.error
        assert not page.info

        labelled(page.button_group, "Shown").set_value("Each turn")
        labelled(page.toggle, "Also without cache").set_value(False)
        page.run()
        frame = costs_on()[SUMMARY].frame()
        assert lines(page)[SUMMARY] == pytest.approx(
            (frame["main_usd"] + frame["summarizer_usd"]).tolist()
        )
        names = [trace["name"] for trace in figures(page)[0]["data"]]
        assert not [name for name in names if name.endswith("without the cache")]
        assert "Thin dotted" not in told(page)


class TestNumbers:
    def test_totals_parts_and_details_that_are_made_on_demand(
        self, page: AppTest
    ) -> None:
        costs = costs_on()
        assert shows(page, LISTED)
        change = (costs[WINDOW].total_usd or 0) / (costs[BUFFER].total_usd or 1) - 1
        changes = [one.delta for one in page.metric][:2]
        assert changes == ["baseline", f"{change:+.0%} cost"]
        hits = f"{costs[BUFFER].hit_rate:.0%} of its input read from the cache"
        assert hits in told(page)
        share = (costs[SUMMARY].summarizer_usd or 0) / (costs[SUMMARY].total_usd or 1)
        assert f"{share:.0%} of the cost is the summarizer's" in told(page)

        column, cost = page.table[0].value[SUMMARY], costs[SUMMARY]
        cached = int(cost.cached_tokens.sum())
        read = int(cost.traffic.summarizer_input_tokens.sum())
        assert (
            column["Input, read from the cache (tokens · USD)"]
            == f"{cached:,} · {dollars(cached * 0.025e-6)}"
        )
        assert (
            column["Summarizer, input (tokens · USD)"]
            == f"{read:,} · {dollars(read * 0.25e-6)}"
        )
        assert column["Both (USD)"] == dollars(cost.total_usd or 0)
        assert column["Both, without a cache (USD)"] == dollars(
            cost.uncached_total_usd or 0
        )
        assert page.table[0].value[BUFFER]["Summarizer, input (tokens · USD)"] == "–"

        closed = len(figures(page))
        assert "Source: " not in told(page)
        assert not page.dataframe
        said = told(unfolded(page))
        assert len(figures(page)) == closed + 1
        assert LISTED.main is not None
        assert LISTED.cache is not None
        assert (
            "openai/gpt-5-mini, USD per million tokens: input 0.25, read from the cache 0.025"
            in said
        )
        assert f"Source: {LISTED.main.source}." in said
        assert f"Source: {LISTED.cache.source}, as of {LISTED.cache.as_of}." in said
        table, cost = page.dataframe[0].value, list(costs.values())[-1]
        assert table["Turn"].tolist()[-1] == "all"
        assert (
            table["Read from the cache (tokens)"].tolist()[-1]
            == cost.cached_tokens.sum()
        )
        assert table["Both so far (USD)"].tolist()[-1] == pytest.approx(cost.total_usd)
        assert labelled(page.get("download_button"), "Download as CSV")


class TestTerms:
    def test_prices_by_hand_hold_for_their_model_alone(self, page: AppTest) -> None:
        enter(unfolded(page), "Input", 10.0)
        assert LISTED.main is not None
        by_hand = LISTED.main.by_hand(input_usd_per_million=10)
        assert shows(page, PricingAssumptions(by_hand, by_hand, LISTED.cache))
        assert "entered by hand, the rest: price file of litellm" in told(page)
        choose(page, OF_MODEL, CLAUDE)
        assert shows(page, PricingAssumptions.of(CLAUDE))
        assert not shows(page, LISTED)
        assert "written to it 3.75" in told(page)

    def test_another_model_for_the_summaries_is_kept_when_the_page_is_left(
        self, page: AppTest
    ) -> None:
        choose(page, "Prices of the summarizer", CLAUDE)
        page.switch_page("pages/library.py").run()
        page.switch_page("pages/compare.py").run()
        assert page_of(page) == "costs"
        assert shows(page, PricingAssumptions.of(summarizer=CLAUDE))
        assert (
            f"Summarizer: {CLAUDE}, USD per million tokens: input 3, output 15"
            in told(unfolded(page))
        )
        knowing_what_was_typed(page)
        choose(page, "Prices of the summarizer", "nobody/knows")
        assert metric(page, SUMMARY) == "unknown"
        assert metric(page, BUFFER) == dollars(costs_on()[BUFFER].total_usd or 0)
        assert list(lines(page)) == [BUFFER, WINDOW]

    @pytest.mark.slow
    def test_a_long_pause_empties_the_cache(self, page: AppTest) -> None:
        labelled(page.selectbox, "Pause between turns").set_value(300).run()
        assert shows(page, PricingAssumptions.of(pause_seconds=300))
        assert "After a pause of 5 min the prompt cache is empty" in told(page)
        labelled(page.get("button_group"), "Shown").set_value("The cache").run()
        assert "the cache lives 5 min, and the user pauses 5 min" in told(page)

    def test_rules_of_the_cache_by_hand_and_none(self, page: AppTest) -> None:
        labelled(page.button_group, "Prompt cache").set_value("By hand").run()
        labelled(page.number_input, "Smallest prefix").set_value(100).run()
        rules = CacheRules(min_tokens=100, step_tokens=128, lifetime_seconds=300)
        assert shows(page, PricingAssumptions(LISTED.main, LISTED.summarizer, rules))
        labelled(page.button_group, "Prompt cache").set_value("None")
        unfolded(page)
        assert shows(page, PricingAssumptions(LISTED.main, LISTED.summarizer, None))
        assert "No prompt cache is counted" in told(page)
        assert "read from the cache" not in told(page)
        assert not [row for row in page.table[0].value.index if "cache" in row]


def test_a_model_without_a_price_shows_tokens_until_one_is_entered(
    page: AppTest,
) -> None:
    choose(unfolded(page), OF_MODEL, "nobody/knows")
    assert [one.value for one in page.metric] == ["unknown"] * 3
    assert "Unknown: input price and output price of nobody/knows." in told(page)
    assert "$0.00" not in str(page.table[0].value)
    sent = costs_on()[BUFFER].traffic
    assert lines(page)[BUFFER][-1] == sent.input_tokens.sum() + sent.output_tokens.sum()
    assert "nobody/knows takes in one request is unknown" in told(page)
    enter(page, "Input", 1.0)
    assert "Unknown: output price of nobody/knows." in told(page)
    enter(page, "Output", 2.0)
    assert not page.info
    assert metric(page, BUFFER) == dollars(
        (sent.input_tokens.sum() + 2 * sent.output_tokens.sum()) / 1e6
    )


class TestSentences:
    def test_a_window_is_explained(self) -> None:
        page = open_page("costs", shown="The cache")
        assert f"{WINDOW}: the oldest messages drop out" in told(page)
        (picture,) = figures(page)
        held = [
            trace
            for trace in picture["data"]
            if trace.get("opacity") and trace.get("yaxis") == "y2"
        ]
        assert numbers(held[0]["y"])[-1] == 0
        unfolded(page)
        assert "openai/gpt-5-mini takes 272,000 tokens" in told(page)
        assert f"{BUFFER} passes 272,000 tokens after " in told(page)

    def test_a_conversation_below_the_smallest_prefix(self, database: Path) -> None:
        said = (
            ("user", "Hello"),
            ("assistant", "Hello."),
            ("user", "Bye"),
            ("assistant", "Bye."),
        )
        page = open_page("costs", conversation=save(database, *said), shown="The cache")
        assert (
            "this cache works from 1,024 tokens on, and the largest request has "
            in told(page)
        )
        labelled(page.get("button_group"), "Shown").set_value("Total so far")
        unfolded(page)
        layouts = [chart["layout"] for chart in figures(page)]
        titles = [layout.get("title", {}).get("text") for layout in layouts]
        assert "Tokens of each request" in titles
        changes = [one.delta for one in page.metric]
        assert changes == ["baseline", "same cost", "same cost"]

    def test_a_conversation_in_which_nobody_asked(self, database: Path) -> None:
        session = opened(save(database, ("assistant", "Hello?")))
        assert "no message of a user" in told(session)
        assert not session.metric


def test_a_free_run_costs_what_its_own_replies_take(database: Path) -> None:
    said = (
        ("user", "My dog is called Rex."),
        ("assistant", "Noted, at length."),
        ("user", "What is my dog called?"),
    )
    session = open_page("costs", conversation=save(database, *said), replies="free-run")
    assert not session.metric, "nobody has answered yet"
    click(session, "Answer with recorded, else")
    session.session_state[TURNS_KEY] = True
    table = session.run().dataframe[0].value
    recorded = memviz.replay([memviz.Message(*one) for one in said], FIRST[BUFFER])
    assert recorded.pending is not None, "the conversation ends without a reply"
    turns = table["Turn"].tolist()
    assert turns == ["1", "2", "all"], "the free run answers its last message, too"
    assert len(count_traffic(recorded).output_tokens) == 1
    assert all(tokens > 0 for tokens in table["Output (tokens)"])
    assert all(one.value.startswith("$0.0") for one in session.metric)
