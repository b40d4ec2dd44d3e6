"""What Compare in dollars says in sentences, and its table."""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import date

import numpy as np
import pytest

import memviz
from memviz.dashboard.charts.cost.setting_cost import SettingCost
from memviz.dashboard.charts.palette import SettingRun
from memviz.dashboard.ui.compare.cheapest import describe_cheapest
from memviz.dashboard.ui.compare.costs_table import tabulate_costs
from memviz.dashboard.ui.compare.dollars import price_settings
from memviz.dashboard.ui.compare.dollars_explained import (
    explain_cache,
    explain_empty_cache,
    window_tokens,
    window_words,
)
from memviz.dashboard.ui.compare.dollars_in_total import shares_words
from memviz.dashboard.words.health import health_warnings
from memviz.dashboard.words.prices import cache_in_words, prices_in_words, prices_of
from memviz.metrics.cost.pricing import Pricing, find_pricing, make_unpriced
from memviz.models.cache_rules import CacheRules
from memviz.models.prices import TokenRates
from memviz.transcripts.samples import bundled
from memviz.tuning.pricing_assumptions import PricingAssumptions
from tests.dashboard.charts.costs import CHEAP, DEAR, RULES, cost_line
from tests.dashboard.charts.loops import loop
from tests.dashboard.charts.runs import run_of
from tests.tables import for_each
from tests.tool_loops import loops

TERMS = PricingAssumptions(DEAR, CHEAP, RULES)


def flat(turns: int, tokens: int, **options: object) -> SettingCost:
    """So many requests that have nothing in common."""
    return cost_line(
        [(turn, tokens, 0, 10) for turn in range(1, turns + 1)], (), **options
    )  # type: ignore[arg-type]


class TestPrices:
    def test_with_their_source(self) -> None:
        assert prices_in_words(DEAR) == (
            "dear, USD per million tokens: input 3, read from the cache 0.3, written to it 3.75, output 15. "
            "Source: entered by hand."
        )
        listed = find_pricing("openai/gpt-5-mini")
        assert listed is not None
        assert prices_in_words(listed).endswith(f"Source: {listed.source}.")
        assert "litellm" in listed.source

    def test_of_writing_are_those_of_input_where_there_are_none(self) -> None:
        assert (
            "read from the cache 1 (as input), written to it 1 (as input), output 2"
            in prices_in_words(CHEAP)
        )

    def test_of_long_requests(self) -> None:
        long = TokenRates(
            input_usd_per_token=6e-6,
            output_usd_per_token=2e-5,
            cache_read_usd_per_token=None,
            cache_write_usd_per_token=None,
            above_input_tokens=200_000,
        )
        words = prices_in_words(
            Pricing("long", (DEAR.plain, long), "a list"), reads_a_cache=False
        )
        assert words == (
            "long, USD per million tokens: input 3, output 15; in requests of more than 200,000 input tokens input 6, "
            "output 20. Source: a list."
        )

    def test_that_are_unknown_say_so(self) -> None:
        assert prices_in_words(make_unpriced("nobody/knows")).endswith(
            "what it costs is unknown."
        )
        assert "output unknown" in prices_in_words(
            make_unpriced("x").by_hand(input_usd_per_million=1)
        )

    def test_of_the_summarizer_stand_apart_where_it_is_another_model(self) -> None:
        assert len(list(prices_of(TERMS))) == 2
        assert len(list(prices_of(PricingAssumptions(DEAR, DEAR, RULES)))) == 1

    def test_rules_of_the_cache(self) -> None:
        rules = CacheRules(
            min_tokens=1024,
            step_tokens=128,
            lifetime_seconds=300,
            source="A page",
            as_of=date(2026, 1, 2),
        )
        assert cache_in_words(rules) == (
            "Prompt cache: reuses what two requests begin with, from 1,024 tokens on, in steps of 128; kept for 5 min "
            "without use. Source: A page, as of 2026-01-02."
        )
        assert "no lifetime is known" in cache_in_words(CacheRules(min_tokens=64))
        assert "none is counted" in cache_in_words(None)

    def test_window_of_the_model_whose_prices_count(self) -> None:
        assert (
            window_tokens(PricingAssumptions.of("anthropic/claude-sonnet-4-5"))
            == 200_000
        )
        assert (
            window_tokens(TERMS)
            is window_tokens(PricingAssumptions(None, None))
            is None
        )


class TestCheapest:
    def test_names_the_pauses_that_it_holds_for(self) -> None:
        few, many = (
            flat(2, 5000, label="few", index=1),
            cost_line([(1, 5000, 0, 9), (2, 6000, 5000, 9)], (), label="all"),
        )
        words = describe_cheapest([many, few], TERMS).sentence.replace("\\", "")
        assert words.startswith("**all** costs least: $")
        assert (
            " with pauses of 1 min, shorter than the 5 min that the prompt cache lives. "
            in words
        )
        assert " With pauses of 5 min or longer it would be **few**, with $" in words
        growing = cost_line([(1, 5000, 0, 9), (2, 20_000, 5000, 9)], (), label="all")
        words = describe_cheapest([growing, few], TERMS).sentence
        assert words.startswith("**few** costs least")
        assert words.endswith(" With pauses of 5 min or longer it does so too.")

    def test_without_a_cache_no_pause_matters(self) -> None:
        words = describe_cheapest(
            [flat(2, 6000), flat(2, 5000, label="few", index=1)],
            replace(TERMS, cache=None),
        ).sentence
        assert words.startswith("**few** costs least: ")
        assert words.endswith("no prompt cache is known that outlasts one.")

    def test_nothing_where_there_is_nothing_to_compare(self) -> None:
        assert (
            describe_cheapest([cost_line()], TERMS).sentence
            == describe_cheapest([cost_line(), cost_line(main=None)], TERMS).sentence
            == ""
        )
        assert (
            describe_cheapest([cost_line(), cost_line(index=1)], TERMS).sentence
            == "All settings cost the same."
        )

    @for_each("name", list(bundled()))
    @for_each("pause_seconds", [60.0, 600.0])
    def test_it_never_contradicts_the_warning_that_requests_grow(
        self, name: str, pause_seconds: float
    ) -> None:
        """The warning says "choose a limit" only for the pauses with which a limit is said to be cheaper, or asks to
        look which setting costs least."""
        strategies = (
            memviz.strategy("buffer"),
            memviz.strategy("window", window_size=10),
        )
        runs = [memviz.replay(bundled()[name], strategy) for strategy in strategies]
        terms = PricingAssumptions.of(pause_seconds=pause_seconds)
        words = describe_cheapest(
            price_settings(
                [SettingRun(r, r.strategy.label, n) for n, r in enumerate(runs)], terms
            ),
            terms,
        ).sentence
        (growth,) = [
            warning for warning in health_warnings(runs[0]) if warning.kind == "growth"
        ]
        assert "Every turn costs more" not in growth.why
        assert growth.remedy.startswith(
            "With pauses of 5 min or longer choose a strategy with a limit"
        )
        limit, full = words.index("**Sliding window"), words.find("**Full buffer")
        long_pauses = words.find("With pauses of 5 min or longer")
        if (
            full >= 0
        ):  # each is cheapest under some pause: the full buffer under the short ones
            assert (full < limit) is (long_pauses >= 0)
        times = [
            float(number)
            for number in re.findall(r"([\d.]+) times as much", growth.why)
        ]
        longer, *shorter = times
        assert longer > 2
        assert all(number < longer for number in shorter)

    def test_shares(self) -> None:
        assert shares_words(cost_line(), has_hits=True).replace("\\", "") == (
            "34% of its input read from the cache, 3% of the cost is the summarizer's"
        )
        assert (
            shares_words(cost_line(main=None), has_hits=False)
            == "summarizer's share unknown"
        )
        assert shares_words(flat(2, 5), has_hits=False) == ""


class TestCache:
    @for_each(
        ("tokens", "cache", "pause_seconds", "words"),
        [
            (
                999,
                RULES,
                60,
                "works from 1,000 tokens on, and the largest request has 999",
            ),
            (1500, RULES, 60, "no two requests begin with the same 1,000 tokens"),
            (1500, RULES, 300, "the cache lives 5 min, and the user pauses 5 min"),
            (
                1500,
                CacheRules(min_tokens=10),
                60,
                "the cache lives for an unknown time",
            ),
            (1500, None, 60, "No prompt cache is counted"),
        ],
    )
    def test_why_nothing_is_cached(
        self, tokens: int, cache: CacheRules | None, pause_seconds: float, words: str
    ) -> None:
        one = flat(3, tokens, cache=cache, pause_seconds=pause_seconds)
        assert words in explain_empty_cache(
            [one], PricingAssumptions(DEAR, DEAR, cache, pause_seconds)
        )

    def test_something_is(self) -> None:
        assert explain_empty_cache([flat(2, 9), cost_line()], TERMS) == ""

    def test_settings_that_slide_are_explained_together_with_their_numbers(
        self,
    ) -> None:
        first = [(1, 1500, 0, 5), (2, 2500, 1500, 5)]
        slides = [
            cost_line(
                [*first, *((turn, 2500, shared, 5) for turn in range(3, 12))],
                (),
                label=label,
            )
            for label, shared in (("ten", 40), ("twenty", 70))
        ]
        said = list(explain_cache(slides, RULES))
        assert said[1].startswith("ten and twenty: the oldest messages drop out")
        assert (
            "no more than the first 70 tokens are the same as before; the cache needs 1,000."
            in said[1]
        )
        assert said[2].endswith(
            "because writing to it costs more than reading saves: ten and twenty."
        )
        assert len(said) == 3

    def test_settings_with_requests_too_short_for_it(self) -> None:
        short = cost_line(
            [(1, 1500, 0, 5), *((turn, 900, 50, 5) for turn in range(2, 6))],
            (),
            label="short",
        )
        assert (
            "short: most requests are shorter than the 1,000 tokens that the cache needs."
            in explain_cache([short], RULES)
        )

    def test_one_that_mostly_hits_after_all_is_not(self) -> None:
        rows = [
            (1, 9000, 0, 5),
            *((turn, 9000, 3000 - turn, 5) for turn in range(2, 9)),
        ]
        one = cost_line(rows, (), main=CHEAP)
        assert one.cost.hit_rate < 0.5
        assert len(list(explain_cache([one], RULES))) == 1

    def test_one_that_hits_is_not(self) -> None:
        assert (
            len(
                list(
                    explain_cache(
                        [cost_line([(1, 2000, 0, 5), (2, 2100, 2000, 5)], ())], RULES
                    )
                )
            )
            == 1
        )

    def test_a_strategy_that_summarizes(self) -> None:
        one = cost_line([(1, 2000, 0, 5), (2, 2100, 2000, 5)])
        summarizes = one._replace(setting=SettingRun(run_of("summary"), "summary", 0))
        assert any(
            "A new summary changes the beginning" in sentence
            for sentence in explain_cache([summarizes], RULES)
        )
        adds = one._replace(
            setting=SettingRun(run_of("summary_only"), "adds to a list", 0)
        )
        assert not any(
            "A new summary" in sentence for sentence in explain_cache([adds], RULES)
        )

    def test_a_strategy_that_clears(self) -> None:
        run = memviz.replay(
            loops(3, 4),
            memviz.strategy("clear_tool_results", trigger_tokens=0, keep_results=1),
        )
        clears = cost_line([(1, 2000, 0, 5), (2, 2100, 2000, 5)])._replace(
            setting=SettingRun(run, "clears", 0)
        )
        said = [*explain_cache([clears], RULES)]
        assert any("Clearing changes earlier messages" in sentence for sentence in said)
        assert not any("A new summary" in sentence for sentence in said)


class TestWindow:
    def test_far_away_it_is_told_with_a_projection(self) -> None:
        one = cost_line([(turn, 100 * turn, 0, 5) for turn in range(1, 11)], ())
        said = list(window_words([one], 50_000, "a/model"))
        assert said[0].endswith("The largest request here has 1,000, 2.0% of that.")
        assert "a/model takes 50,000 tokens" in said[0]
        assert said[1] == (
            "a setting passes 50,000 tokens after 491 more requests, at turn 501, if they go on growing as the last 10 "
            "did."
        )

    def test_the_warning_that_requests_grow_foretells_the_same(self) -> None:
        for talk in (loop([1, 4, 2, 5]), loop([1] * 12)):
            run = memviz.replay(talk, memviz.strategy("buffer"), counter="chars4")
            (warning,) = [
                one for one in health_warnings(run, TERMS) if one.kind == "growth"
            ]
            (line,) = price_settings([SettingRun(run, "Full", 0)], TERMS)
            *_, said = window_words([line], 272_000, "a/model")
            assert warning.numbers.endswith(
                said.removeprefix("Full passes 272,000 tokens ")
            )
            assert (" more requests, at turn " in said) is not run.has_calls

    def test_a_share_too_small_to_tell_is_not_told_as_none(self) -> None:
        (said,) = window_words([cost_line([(1, 7, 0, 5)], ())], 272_000, "a/model")
        assert said.endswith("has 7, less than 0.1% of that.")

    def test_a_request_that_is_too_large_is_told_and_not_projected(self) -> None:
        one = cost_line([(turn, 100 * turn, 0, 5) for turn in range(1, 11)], ())
        (said,) = window_words([one], 850, "a/model")
        assert said.startswith("a setting: from turn 9 on")

    def test_only_what_nothing_shortens_is_drawn_on(self) -> None:
        one = cost_line([(turn, 100 * turn, 0, 5) for turn in range(1, 11)], ())
        window = one._replace(setting=SettingRun(run_of("window"), "window", 0))
        assert list(window_words([window], 2500, "a/model")) == []


class TestTable:
    def test_ends_with_totals(self) -> None:
        one = cost_line()
        table = tabulate_costs(one)
        assert table["turn"].tolist() == ["1", "2", "3", "all"]
        total = table.iloc[-1]
        assert total["input_tokens"] == 4400
        assert total["summarizer_input_tokens"] == 400
        assert total["main_usd"] == pytest.approx(one.cost.main_usd)
        assert total["cumulative_usd"] == pytest.approx(one.cost.total_usd)
        assert total["uncached_cumulative_usd"] == pytest.approx(
            one.cost.uncached_total_usd
        )
        assert table["input_tokens"].dtype == np.int64

    def test_unknown_is_empty_and_never_zero(self) -> None:
        table = tabulate_costs(cost_line(main=None))
        assert table["main_usd"].isna().all()
        assert table["cumulative_usd"].isna().all()
        assert table["summarizer_usd"].notna().all()


def test_tokens_of_a_run_are_counted_once_whatever_the_prices() -> None:
    setting = SettingRun(run_of("buffer"), "a", 0)
    first, again = (
        price_settings([setting], TERMS),
        price_settings([setting], PricingAssumptions(CHEAP, CHEAP)),
    )
    assert first[0].cost.traffic is again[0].cost.traffic
    assert first[0].cost.total_usd != again[0].cost.total_usd
    (other,) = price_settings([SettingRun(run_of("buffer"), "a", 0)], TERMS)
    assert other.cost.traffic is not first[0].cost.traffic, (
        "another run of the same content is another run"
    )
