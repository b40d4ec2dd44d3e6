"""What a conversation costs: by hand, by rules that always hold, and for the sixty turns everybody compares."""

from __future__ import annotations

from time import process_time
from typing import ClassVar

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import memviz
from memviz import Message, ScriptedModel
from memviz.core.memory import Memory
from memviz.core.pieces import Messages, Piece, notes
from memviz.core.summaries import SummaryVersion
from memviz.metrics.cost.cost import Cost, price_together, price_traffic
from memviz.metrics.cost.pricing import Pricing, find_pricing, make_unpriced
from memviz.metrics.requests.traffic import Traffic, count_traffic
from memviz.models.cache_rules import CacheRules
from memviz.models.prices import TokenRates, price
from memviz.strategies.base import Effect, Strategy, Trigger, Write
from tests.engine.probes import REPRESENTATIVES, Digest, small, talk
from tests.metrics.cost.priced_traffic import USUAL, traffic_of
from tests.metrics.sent_messages import content_alone
from tests.tables import for_each

MILLION = 1_000_000
RULES = CacheRules(min_tokens=1024, lifetime_seconds=300)


def cost_of(
    found: Traffic, cache: CacheRules | None = RULES, pause_seconds: float = 0.0
) -> Cost:
    return price_traffic(found, USUAL, USUAL, cache=cache, pause_seconds=pause_seconds)


class TestSixtyTurns:
    """Sixty turns: 60-token questions, 240-token replies, a 400-token system prompt, and no overhead.

    A word is a token. The common beginning of a request and the one before is read from the cache if it has at
    least 1,024 tokens; a request of at least 1,024 writes the rest; shorter ones pay the plain price; no pause is too
    long. A summary has 150 tokens; its call has 250 more in than the messages summarized, and 150 out, at the
    same prices, never cached. The window sends the newest 21 messages. Both summary buffers act before the
    request once their history (input included, summary not) is over 3,000 tokens, and drop whole messages from the
    front until it has at most 3,000 or 1,500. The stepped window goes back to 11 messages where it would exceed 21.
    """

    TABLE: ClassVar = {
        "full buffer": (558_600, 1.892, 0.450),
        "sliding window": (191_100, 0.789, 0.873),
        "pruned to the limit": (195_600, 0.997, 1.096),
        "3000 to 1500": (156_900, 0.762, 0.458),
        "stepped window": (153_600, 0.677, 0.380),
    }

    @for_each(("name", "row"), TABLE.items())
    def test_the_table(self, name: str, row: tuple[int, float, float]) -> None:
        found = content_alone(replayed(STRATEGIES[name]))
        dollars = cost_of(found)
        prompt_tokens, uncached_usd, cached_usd = row
        assert found.input_tokens.sum() == prompt_tokens
        assert dollars.uncached_total_usd == pytest.approx(uncached_usd, rel=0.01)
        assert dollars.total_usd == pytest.approx(cached_usd, rel=0.01)

    def test_caching_turns_the_ranking_round(self) -> None:
        full, window = (
            cost_of(content_alone(replayed(STRATEGIES[name])))
            for name in ("full buffer", "sliding window")
        )
        assert full.uncached_total_usd > window.uncached_total_usd  # type: ignore[operator]
        assert full.total_usd < window.total_usd  # type: ignore[operator]
        assert window.cached_tokens[:11].any(), "while it fills, it is a full buffer"
        assert not window.cached_tokens[11:].any()
        assert full.hit_rate > 0.95
        forgotten = cost_of(full.traffic, pause_seconds=300)
        assert forgotten.total_usd > full.uncached_total_usd  # type: ignore[operator]  # all is written, nothing read


class Pruned(Strategy):
    """Drops whole messages from the front, into a summary, until at most ``target`` tokens are left."""

    trigger: ClassVar[Trigger] = Trigger.REQUEST
    target: int

    def plan(self, memory: Memory) -> tuple[Effect, ...]:
        if memory.pending_tokens <= 3000:
            return ()
        keep_from = memory.sums.suffix_start(memory.length, self.target, memory.cursor)
        return (
            Write(
                range(memory.cursor, keep_from), keep_from, "over 3,000", memory.summary
            ),
        )

    def select(self, memory: Memory) -> tuple[Piece, ...]:
        return (*notes(memory.newest_summary), Messages(memory.cursor, memory.length))

    def summary_entry(self, summary: SummaryVersion) -> str:
        return summary.text

    def summarizer_request(
        self,
        messages: object,
        replaces: SummaryVersion | None,
        instruction: str | None = None,
    ) -> tuple[Message, ...]:
        told = [message.content for message in messages]  # type: ignore[attr-defined]
        return (Message("user", " ".join([words("instruction", 250), *told])),)


class Stepped(Strategy):
    """Grows to 21 messages and then goes back to the newest 11."""

    def select(self, memory: Memory) -> tuple[Piece, ...]:
        start = max(0, (memory.length - 11) // 12 * 12)
        return (Messages(start, memory.length),)


STRATEGIES = {
    "full buffer": memviz.strategy("buffer"),
    "sliding window": memviz.strategy("window", window_size=21),
    "pruned to the limit": Pruned(target=3000),
    "3000 to 1500": Pruned(target=1500),
    "stepped window": Stepped(),
}


def words(name: str, number: int) -> str:
    """A text of so many words, of which the first is its own."""
    return " ".join([name] + ["word"] * (number - 1))


def count_words(text: str) -> int:
    return len(text.split())


def replayed(strategy: Strategy) -> memviz.Run:
    said = [
        Message(role, words(f"{role}{turn}", size))
        for turn in range(60)
        for role, size in (("user", 60), ("assistant", 240))
    ]
    return memviz.replay(
        said,
        strategy,
        model=ScriptedModel(words(f"summary{i}", 150) for i in range(99)),
        counter=count_words,
        system_prompt=words("system", 400),
    )


class TestByHand:
    def test_fresh_cached_and_written_tokens(self) -> None:
        """Too short; grown long enough to be written; read but for its end; nothing long enough in common."""
        rows = [
            (1, 1000, 0, 10),
            (2, 1024, 1000, 10),
            (3, 2000, 1024, 10),
            (4, 2000, 1023, 0),
        ]
        found = cost_of(traffic_of(rows, [(3, 500, 20)]))
        assert found.fresh_tokens.tolist() == [1000, 0, 0, 0]
        assert found.cached_tokens.tolist() == [0, 0, 1024, 0]
        assert found.written_tokens.tolist() == [0, 1024, 976, 2000]
        by_hand = [
            1000 * 3 + 150,
            1024 * 3.75 + 150,
            1024 * 0.3 + 976 * 3.75 + 150,
            2000 * 3.75,
        ]
        assert found.request_usd == pytest.approx(np.array(by_hand) / MILLION)
        assert found.uncached_request_usd == pytest.approx(
            np.array([3150, 3222, 6150, 6000]) / MILLION
        )
        assert found.summarizer_usd == pytest.approx((500 * 3 + 20 * 15) / MILLION)
        assert found.total_usd == pytest.approx(sum(by_hand) / MILLION + 0.0018)
        assert found.hit_rate == pytest.approx(1024 / 6024)

    def test_a_prefix_is_cached_in_steps(self) -> None:
        rules = CacheRules(min_tokens=1024, step_tokens=128, lifetime_seconds=300)
        rows = [
            (1, 3000, 0, 0),
            (2, 3000, 1151, 0),
            (3, 3000, 1152, 0),
            (4, 3000, 1279, 0),
        ]
        found = cost_of(traffic_of(rows), rules)
        assert found.cached_tokens.tolist() == [0, 1024, 1152, 1152]
        assert (found.written_tokens + found.cached_tokens).tolist() == [3000] * 4

    @for_each(
        ("pause_seconds", "cached"), [(0, 2000), (299, 2000), (300, 0), (9999, 0)]
    )
    def test_a_pause_longer_than_the_lifetime_loses_everything(
        self, pause_seconds: float, cached: int
    ) -> None:
        found = cost_of(
            traffic_of([(1, 2000, 0, 0), (2, 3000, 2000, 0)]),
            pause_seconds=pause_seconds,
        )
        assert found.cached_tokens.tolist() == [0, cached]
        assert found.written_tokens.tolist() == [2000, 3000 - cached]

    def test_nobody_pauses_between_the_calls_of_one_turn(self) -> None:
        rows = [(1, 2000, 0, 0), (2, 3000, 2000, 0), (2, 3500, 3000, 0)]
        for rules in (RULES, CacheRules(min_tokens=1024)):
            assert cost_of(traffic_of(rows), rules, 9999).cached_tokens.tolist() == [
                0,
                0,
                3000,
            ]

    def test_of_an_unknown_lifetime_nothing_is_taken_to_live(self) -> None:
        found = cost_of(
            traffic_of([(1, 2000, 0, 0), (2, 3000, 2000, 0)]),
            CacheRules(min_tokens=1024),
            1,
        )
        assert found.hit_rate == 0.0

    def test_a_cached_or_written_token_without_a_rate_costs_what_others_do(
        self,
    ) -> None:
        plain = make_unpriced("plain").by_hand(
            input_usd_per_million=3, output_usd_per_million=15
        )
        found = price_traffic(
            traffic_of([(1, 2000, 0, 9), (2, 3000, 2000, 9)]),
            plain,
            None,
            cache=RULES,
            pause_seconds=0,
        )
        assert found.hit_rate > 0
        assert found.total_usd == pytest.approx(found.uncached_total_usd)
        assert found.total_usd == pytest.approx((5000 * 3 + 18 * 15) / MILLION)

    def test_a_long_request_has_its_own_rates(self) -> None:
        """Above 4,000 tokens all prices are ten times as high, for that request alone."""
        rates = [
            TokenRates(
                input_usd_per_token=times * 1.0,
                output_usd_per_token=times * 5.0,
                above_input_tokens=above,
                cache_read_usd_per_token=times * 0.1,
                cache_write_usd_per_token=None,
            )
            for times, above in ((1, 0), (10, 4000))
        ]
        tiered = Pricing("tiered", tuple(rates), "here")
        found = price_traffic(
            traffic_of([(1, 4000, 0, 1), (2, 4001, 4000, 1)], [(1, 4001, 2)]),
            tiered,
            tiered,
            cache=RULES,
            pause_seconds=0,
        )
        assert found.request_usd == pytest.approx([4000 + 5, 4000 * 1 + 1 * 10 + 50])
        assert found.uncached_request_usd == pytest.approx([4005, 40010 + 50])
        assert found.summarizer_usd == pytest.approx(40010 + 100)

    def test_one_row_a_turn(self) -> None:
        """Turn 2 had two calls, turn 3 a summary and nothing else, turn 5 both."""
        rows = [(1, 2000, 0, 1), (2, 2100, 2000, 2), (2, 2200, 2100, 3), (5, 100, 0, 4)]
        found = cost_of(traffic_of(rows, [(3, 50, 5), (5, 60, 6), (5, 70, 7)]))
        frame = found.frame()
        assert frame["turn"].tolist() == [1, 2, 3, 5]
        assert frame["requests"].tolist() == [1, 2, 0, 1]
        assert frame["input_tokens"].tolist() == [2000, 4300, 0, 100]
        assert frame["cached_tokens"].tolist() == [0, 4100, 0, 0]
        assert frame["written_tokens"].tolist() == [2000, 200, 0, 0]
        assert frame["fresh_tokens"].tolist() == [0, 0, 0, 100]
        assert frame["output_tokens"].tolist() == [1, 5, 0, 4]
        assert frame["summarizer_input_tokens"].tolist() == [0, 0, 50, 130]
        assert frame["summarizer_output_tokens"].tolist() == [0, 0, 5, 13]
        assert frame["summarizer_usd"].tolist() == pytest.approx([0, 0, 225e-6, 585e-6])
        assert frame["main_usd"].tolist()[1] == pytest.approx(
            (4100 * 0.3 + 200 * 3.75 + 75) / MILLION
        )
        assert frame["cumulative_usd"].tolist()[-1] == pytest.approx(found.total_usd)
        assert frame["cumulative_usd"].is_monotonic_increasing

    def test_nothing_was_sent(self) -> None:
        found = price_traffic(
            Traffic.nothing(), None, None, cache=RULES, pause_seconds=0
        )
        assert (found.total_usd, found.hit_rate, found.missing, len(found.frame())) == (
            0.0,
            0.0,
            (),
            0,
        )


class TestUnknownPrices:
    SENT = traffic_of([(1, 2000, 0, 10)], [(1, 100, 10)])

    def test_no_price_is_none_and_named(self) -> None:
        found = price_traffic(self.SENT, None, USUAL, cache=RULES, pause_seconds=0)
        assert (
            found.main_usd,
            found.uncached_main_usd,
            found.total_usd,
            found.uncached_total_usd,
        ) == (None,) * 4
        assert (found.request_usd, found.cumulative_usd) == (None, None)
        assert found.summarizer_usd == pytest.approx(450 / MILLION)
        assert found.missing == (("chat model", "input"), ("chat model", "output"))
        frame = found.frame()
        assert (
            frame[["main_usd", "uncached_main_usd", "cumulative_usd"]]
            .isna()
            .all(axis=None)
        )
        assert frame["input_tokens"].tolist() == [2000]

    def test_half_a_price_is_none_too(self) -> None:
        half = make_unpriced("half").by_hand(input_usd_per_million=1)
        assert price_traffic(
            self.SENT, half, half, cache=None, pause_seconds=0
        ).missing == (("half", "output"),)
        found = price_traffic(self.SENT, USUAL, half, cache=None, pause_seconds=0)
        assert (found.summarizer_usd, found.total_usd, found.missing) == (
            None,
            None,
            (("half", "output"),),
        )
        assert found.main_usd is not None
        other = make_unpriced("other").by_hand(output_usd_per_million=1)
        assert price_traffic(
            self.SENT, other, USUAL, cache=RULES, pause_seconds=0
        ).missing == (("other", "input"),)

    def test_nobody_needs_the_price_of_what_was_not_asked(self) -> None:
        silent = traffic_of([(1, 2000, 0, 0)])
        half = make_unpriced("half").by_hand(input_usd_per_million=1)
        found = price_traffic(silent, half, None, cache=None, pause_seconds=0)
        assert (found.total_usd, found.missing) == (pytest.approx(0.002), ())

    def test_a_rate_missing_for_long_requests_only(self) -> None:
        plain = TokenRates(
            input_usd_per_token=1.0,
            output_usd_per_token=1.0,
            cache_read_usd_per_token=None,
            cache_write_usd_per_token=None,
        )
        long = TokenRates(
            input_usd_per_token=None,
            output_usd_per_token=1.0,
            cache_read_usd_per_token=None,
            cache_write_usd_per_token=None,
            above_input_tokens=1999,
        )
        tiered = Pricing("tiered", (plain, long), "here")
        assert price_traffic(
            self.SENT, tiered, USUAL, cache=None, pause_seconds=0
        ).missing == (("tiered", "input"),)
        short = traffic_of([(1, 1999, 0, 10)])
        assert price_traffic(
            short, tiered, USUAL, cache=None, pause_seconds=0
        ).total_usd == pytest.approx(2009)


class TestPricing:
    def test_a_list_price_says_where_it_is_from(self) -> None:
        found, file = find_pricing("openai/gpt-4o-mini"), price("gpt-4o-mini")
        assert found is not None
        assert file is not None
        assert (found.plain.input_usd_per_token, found.plain.output_usd_per_token) == (
            0.15e-6,
            0.6e-6,
        )
        assert found.plain.cache_read_usd_per_token == file.cache_read_usd_per_token
        assert found.source.startswith("price file of litellm 1.")

    def test_its_long_input_rates_come_along(self) -> None:
        found, file = find_pricing("claude-haiku-5-5"), price("claude-haiku-5-5")
        assert found is not None
        assert file is not None
        assert found.rates[1:] == file.long_input_rates
        assert len(found.rates) == 2
        sent = traffic_of([(1, above, 0, 10) for above in (99_999, 100_000, 100_001)])
        assert price_traffic(
            sent, found, None, cache=None, pause_seconds=0
        ).request_usd == pytest.approx(
            [file.cost_usd(memviz.Usage(n, 10)) for n in (99_999, 100_000, 100_001)]
        )

    def test_the_offline_model_is_free_and_an_unknown_one_has_no_price(self) -> None:
        assert find_pricing("nonsense") is None
        free = find_pricing(" offline ")
        found = price_traffic(
            TestUnknownPrices.SENT, free, free, cache=RULES, pause_seconds=0
        )
        assert (found.total_usd, found.uncached_total_usd, found.missing) == (
            0.0,
            0.0,
            (),
        )

    def test_entered_by_hand(self) -> None:
        assert (USUAL.source, USUAL.has_own) == ("", True)
        assert USUAL.plain.cache_write_usd_per_token == pytest.approx(3.75e-6)
        listed = find_pricing("claude-haiku-5-5")
        assert listed is not None
        assert listed.by_hand() is listed
        changed = listed.by_hand(input_usd_per_million=7)
        assert changed.plain.input_usd_per_token == pytest.approx(7e-6)
        assert changed.plain.output_usd_per_token == listed.plain.output_usd_per_token
        assert len(changed.rates) == 1
        assert (changed.source, changed.has_own) == (listed.source, True)
        free = listed.by_hand(
            input_usd_per_million=0,
            output_usd_per_million=0,
            cache_read_usd_per_million=0,
            cache_write_usd_per_million=0,
        )
        assert (free.source, free.has_own) == ("", True)
        assert (
            price_traffic(
                TestUnknownPrices.SENT, free, free, cache=RULES, pause_seconds=0
            ).total_usd
            == 0.0
        )

    @for_each("usd", [-1.0, float("nan"), float("inf")])
    def test_a_price_that_cannot_be_is_refused(self, usd: float) -> None:
        with pytest.raises(ValueError, match="0 or more"):
            USUAL.by_hand(output_usd_per_million=usd)


@st.composite
def traffics(draw: st.DrawFn) -> Traffic:
    rows: list[tuple[int, int, int, int]] = []
    turn = before = 0
    for _ in range(draw(st.integers(1, 12))):
        turn += draw(st.integers(0 if rows else 1, 2))
        sent = draw(st.integers(1, 4000))
        rows.append(
            (
                turn,
                sent,
                draw(st.integers(0, min(before, sent))),
                draw(st.integers(0, 500)),
            )
        )
        before = sent
    when = sorted(draw(st.lists(st.integers(1, turn), max_size=4)))
    return traffic_of(
        rows,
        [(at, draw(st.integers(1, 2000)), draw(st.integers(1, 200))) for at in when],
    )


all_rules = st.builds(
    CacheRules,
    min_tokens=st.sampled_from([1, 64, 1024]),
    step_tokens=st.sampled_from([1, 64, 128]),
    lifetime_seconds=st.sampled_from([None, 0.0, 300.0]),
)


@given(
    found=traffics(),
    rules=all_rules,
    pauses=st.lists(st.floats(0, 1000), min_size=2, max_size=2).map(sorted),
)
def test_rules_that_always_hold(
    found: Traffic, rules: CacheRules, pauses: list[float]
) -> None:
    soon, late = (cost_of(found, rules, pause) for pause in pauses)
    for dollars in (soon, late):
        assert (dollars.cached_tokens <= found.shared_tokens).all()
        assert (dollars.cached_tokens % rules.step_tokens == 0).all()
        parts = dollars.fresh_tokens + dollars.cached_tokens + dollars.written_tokens
        assert (parts == found.input_tokens).all()
        assert all(
            (tokens >= 0).all()
            for tokens in (dollars.fresh_tokens, dollars.written_tokens)
        )
        assert dollars.uncached_total_usd == cost_of(found, None).total_usd
    assert (late.cached_tokens <= soon.cached_tokens).all()
    assert late.total_usd >= soon.total_usd - 1e-12  # type: ignore[operator]


@given(found=traffics())
def test_without_a_cache_both_costs_are_the_same(found: Traffic) -> None:
    dollars = cost_of(found, None)
    assert dollars.request_usd == pytest.approx(dollars.uncached_request_usd)
    assert dollars.total_usd == dollars.uncached_total_usd
    assert dollars.hit_rate == 0.0
    assert not dollars.written_tokens.any()


@given(found=traffics(), rules=all_rules)
def test_totals_are_sums_of_rows(found: Traffic, rules: CacheRules) -> None:
    dollars = cost_of(found, rules, 1.0)
    frame = dollars.frame()
    assert frame["main_usd"].sum() == pytest.approx(dollars.main_usd)
    assert frame["uncached_main_usd"].sum() == pytest.approx(dollars.uncached_main_usd)
    assert frame["summarizer_usd"].sum() == pytest.approx(dollars.summarizer_usd)
    assert frame["cumulative_usd"].iloc[-1] == pytest.approx(dollars.total_usd)
    assert frame["uncached_cumulative_usd"].iloc[-1] == pytest.approx(
        dollars.uncached_total_usd
    )
    for name in (
        "input_tokens",
        "output_tokens",
        "summarizer_input_tokens",
        "summarizer_output_tokens",
    ):
        assert frame[name].sum() == getattr(found, name).sum()
    for name in ("fresh_tokens", "cached_tokens", "written_tokens"):
        assert frame[name].sum() == getattr(dollars, name).sum()
    assert frame["requests"].sum() == len(found.turns)


@for_each("id", REPRESENTATIVES)
def test_every_kind_can_be_priced(id: str) -> None:
    run = memviz.replay(
        talk(12), small(id), model=Digest(), counter="chars4", system_prompt="Be brief."
    )
    dollars = cost_of(
        count_traffic(run), CacheRules(min_tokens=8, lifetime_seconds=300), 60
    )
    frame = dollars.frame()
    assert frame["turn"].tolist() == run.frame()["turn"].tolist()
    assert frame["input_tokens"].tolist() == run.frame()["total_tokens"].tolist()
    assert dollars.total_usd == pytest.approx(frame["cumulative_usd"].iloc[-1])


def test_a_hundred_long_runs_are_priced_anew_at_once() -> None:
    rows = [(turn, 1000 + 90 * turn, 900 + 90 * turn, 200) for turn in range(1, 3001)]
    runs = [
        traffic_of(rows, [(turn, 700, 150) for turn in range(1, 3001, 5)])
        for _ in range(100)
    ]
    seconds = []
    for pause_seconds in (0, 60, 600):
        started = process_time()
        assert all(
            cost_of(found, pause_seconds=pause_seconds).total_usd for found in runs
        )
        seconds.append(process_time() - started)
    assert min(seconds) < 0.5, (
        "it takes 0.05 s; a loop over requests in Python would take seconds"
    )


@for_each("main", [USUAL, make_unpriced("house")])
def test_many_conversations_priced_together_cost_what_each_does_alone(
    main: Pricing,
) -> None:
    # The turn that one ends with is the one that the next begins with, and no pause is short enough but within a turn.
    traffics = [
        traffic_of([(1, 2000, 0, 10)]),
        traffic_of([(1, 1500, 0, 9), (1, 3000, 1400, 8), (2, 9000, 3000, 7)]),
        traffic_of([], [(1, 50, 5)]),
        traffic_of([(1, 1200, 0, 4), (2, 1300, 1200, 3)], [(1, 400, 40), (2, 500, 50)]),
    ]
    together = price_together(traffics, main, USUAL, cache=RULES, pause_seconds=900)
    for traffic_of_one, priced in zip(traffics, together, strict=True):
        alone = price_traffic(
            traffic_of_one, main, USUAL, cache=RULES, pause_seconds=900
        )
        assert priced.traffic is traffic_of_one
        assert priced.missing == alone.missing
        for name in ("tokens", "usd", "uncached_usd", "summaries_usd"):
            np.testing.assert_array_equal(getattr(priced, name), getattr(alone, name))
        assert priced.total_usd == alone.total_usd
    assert price_together([], main, USUAL, cache=RULES, pause_seconds=0) == []
