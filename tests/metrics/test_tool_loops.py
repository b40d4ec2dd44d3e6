"""A turn in which the model calls tools again and again, in every number that goes by request."""

from __future__ import annotations

import pytest

import memviz
from memviz import Fate, Run, ScriptedModel
from memviz.dashboard.words.compactions import (
    compaction_words,
    event_turn_words,
    turn_words,
)
from memviz.dashboard.words.health import health_warnings
from memviz.metrics.cost.cost import price_traffic
from memviz.metrics.cost.pricing import SUMMARIZER_PARTS, make_unpriced
from memviz.metrics.health.growth import price_by_pause
from memviz.metrics.memory_map.fate_grid import View, build_grid, find_example
from memviz.metrics.memory_map.fate_map import build_fate_map
from memviz.metrics.requests.broken_pairs import (
    count_refused_requests,
    find_orphaned_requests,
)
from memviz.metrics.requests.request_table import list_left_messages
from memviz.metrics.requests.traffic import count_traffic
from memviz.metrics.retention.knowledge import Knowledge
from memviz.metrics.retention.life_lines import life_lines, list_fact_losses
from memviz.metrics.retention.probe_texts import ProbeTexts
from memviz.metrics.retention.retention import retention
from memviz.metrics.retention.survival import measure_survival
from memviz.metrics.retention.tool_argument_recall import measure_tool_argument_recall
from memviz.metrics.summaries.events import count_request_sizes, list_compaction_events
from memviz.models.cache_rules import CacheRules
from memviz.transcripts.base import Probe
from tests.engine.probes import Digest, small
from tests.metrics.looked_up import looked_up
from tests.metrics.requests.tool_loops import tool_loop
from tests.tables import for_each

RULES = CacheRules(min_tokens=1, lifetime_seconds=300)
PRICE = make_unpriced("house").by_hand(
    input_usd_per_million=3, output_usd_per_million=15, cache_read_usd_per_million=0.3
)


def run_of(calls: list[int], id: str, **parameters: int) -> Run:
    return memviz.replay(
        tool_loop(calls),
        memviz.strategy(id, **parameters),
        model=Digest(),
        counter="chars4",
    )


class TestMemoryMap:
    def test_a_turn_of_60_calls_has_60_columns(self) -> None:
        run = run_of([60], "window", window_size=6)
        fates = build_fate_map(run)
        assert fates.places.tolist() == list(range(1, 61))
        assert fates.turns.tolist() == [1] * 60
        cells = build_grid(fates, View(range(1, 61), range(len(run.log))))
        assert cells.codes.shape[1] == 60
        assert [len(column) for column in cells.columns] == [1] * 60
        place, position = find_example(fates, cells, 42, 0) or (0, 0)
        assert (place, position) == (42, 0)
        assert run.requests[fates.number_at(place)].name == "turn 1, call 42"

    def test_the_life_of_a_message_changes_within_a_turn(self) -> None:
        run = memviz.replay(
            looked_up("a", "b", "c"),
            memviz.strategy("window", window_size=3),
            counter="chars4",
        )
        first, dropped = build_fate_map(run).life(0)
        assert (first.fate, first.first_turn, first.first_call, first.last_call) == (
            Fate.VERBATIM,
            1,
            1,
            2,
        )
        assert (dropped.fate, dropped.first_call, dropped.last_call) == (
            Fate.DROPPED,
            3,
            4,
        )
        assert (dropped.first_place, dropped.last_place) == (3, 4)


class TestCost:
    def test_the_cache_holds_within_a_loop_whatever_the_pause_between_turns(
        self,
    ) -> None:
        run = run_of([1, 20, 1], "buffer")
        both = price_by_pause(count_traffic(run), PRICE, PRICE, RULES)
        assert both is not None
        first_of_a_turn = both.shorter.calls == 1
        assert (both.longer.cached_tokens[first_of_a_turn] == 0).all()
        assert (both.shorter.cached_tokens[first_of_a_turn][1:] > 0).all()
        within = both.longer.cached_tokens[~first_of_a_turn]
        assert within.tolist() == both.shorter.cached_tokens[~first_of_a_turn].tolist()
        assert (within > 0).all()

    def test_every_request_is_a_step_and_pays_for_the_summaries_before_it(self) -> None:
        run = run_of([2, 9], "summary", buffer_size=2)
        found = price_traffic(
            count_traffic(run), PRICE, PRICE, cache=RULES, pause_seconds=60
        )
        assert found.turns.tolist() == [record.turn for record in run.requests]
        assert found.calls.tolist() == [record.call for record in run.requests]
        parts = found.parts
        asked = [
            sum(one.prompt_tokens + one.output_tokens for one in record.compactions)
            for record in run.requests
        ]
        behind = sum(one.prompt_tokens + one.output_tokens for _, one in run.unsent)
        assert sum(map(bool, asked)) > 2
        assert parts.tokens_of(SUMMARIZER_PARTS).tolist() == [
            *asked[:-1],
            asked[-1] + behind,
        ]
        frame = found.frame(by="request")
        assert frame["call"].tolist() == found.calls.tolist()
        assert frame["input_tokens"].tolist() == [
            record.total_tokens for record in run.requests
        ]
        by_turn = found.frame()
        assert by_turn["requests"].tolist() == [2, 9]
        assert by_turn["cumulative_usd"].tolist() == [
            found.cumulative_usd[1],
            found.cumulative_usd[-1],
        ]  # type: ignore[index]

    def test_rows_are_turns_or_requests(self) -> None:
        with pytest.raises(memviz.MemvizError, match="by"):
            price_traffic(
                count_traffic(run_of([1], "buffer")),
                None,
                None,
                cache=None,
                pause_seconds=0,
            ).frame("day")  # type: ignore[arg-type]


class TestWarnings:
    def test_one_turn_of_many_calls_grows_by_request(self) -> None:
        run = run_of([60], "buffer")
        (warning,) = [one for one in health_warnings(run) if one.kind == "growth"]
        pace = (
            run.requests[-1].tokens["history"] - run.requests[0].tokens["history"]
        ) / 59
        assert (
            f"from turn 1, call 1 to turn 1, call 60, about {pace:,.0f} a request"
            in warning.numbers
        )
        assert "more requests" in warning.numbers
        assert warning.turns == (1,)

    def test_summarizing_at_nearly_every_call_is_thrash(self) -> None:
        run = run_of([12], "summary", buffer_size=1)
        (warning,) = [one for one in health_warnings(run) if one.kind == "thrash"]
        assert warning.title == "Summarizes at nearly every request"
        assert "requests" in warning.numbers
        assert warning.turns == (1,)

    def test_the_largest_request_is_named_with_its_call(self) -> None:
        run = run_of([9], "token_buffer", max_tokens=5)
        (warning,) = [one for one in health_warnings(run) if one.kind == "over_budget"]
        worst = max(
            run.requests, key=lambda record: run.strategy.counted_tokens(record.tokens)
        )
        assert f"at {worst.name}." in warning.numbers
        assert f"of {len(run.requests)} requests" in warning.numbers


class TestFacts:
    CODE = Probe("Code?", ("QX7R4M",), (2,), "single fact")

    def test_a_fact_is_lost_at_a_call(self) -> None:
        said = looked_up("QX7R4M", "b", "c", "d")
        run = memviz.replay(
            said,
            memviz.strategy("summary", buffer_size=2),
            model=ScriptedModel(["Nothing."] * 9),
            counter="chars4",
        )
        texts = ProbeTexts(run.log, [self.CODE])
        kept = retention(run, [self.CODE], texts)
        (life,) = life_lines(run, kept, texts)
        held, lost = life.spans
        assert (held.state, held.first_turn, held.first_call) == (
            Knowledge.VERBATIM,
            1,
            2,
        )
        taking = run.requests[kept.number_at(lost.first_place)]
        assert (lost.first_turn, lost.first_call) == (1, taking.call)
        losses = list_fact_losses(run, kept, [life], texts)
        assert losses == {(0, lost.first_place): life.lost_by}
        assert run.compactions[life.lost_by or 0] in taking.compactions
        assert kept.frame()["call"].tolist() == [1, 2, 3, 4, 5]

    def test_facts_last_so_many_requests(self) -> None:
        run = memviz.replay(
            looked_up("QX7R4M", "b", "c"),
            memviz.strategy("window", window_size=3),
            counter="chars4",
        )
        found = measure_survival(retention(run, [self.CODE]), run.log)
        assert (found.unit, found.observed.tolist(), found.retained.tolist()) == (
            "request",
            [1, 1, 1],
            [1, 1, 0],
        )
        assert found.half_life == 2

    def test_an_argument_is_looked_for_in_the_request_that_its_call_answers(
        self,
    ) -> None:
        said = [*looked_up("QX7R4M", "b", "c", "QX7R4M")]
        run = memviz.replay(
            said, memviz.strategy("window", window_size=4), counter="chars4"
        )
        (needed,) = [
            one
            for one in measure_tool_argument_recall(run).arguments
            if one.value == "QX7R4M"
        ]
        assert (needed.request, needed.source) == (3, Knowledge.LOST)


class TestSummaries:
    def test_a_summarization_belongs_to_the_call_that_it_changed_first(self) -> None:
        run = run_of([12], "summary", buffer_size=2)
        events = list_compaction_events(run)
        sent = [
            event
            for event in events
            if run.request_number(event.compaction) is not None
        ]
        assert len(sent) > 2
        for event in sent:
            record = run.requests[run.request_number(event.compaction) or 0]
            assert event.place == (run.request_number(event.compaction) or 0) + 1
            assert (event.request or ())[:2] == (
                record.turn,
                record.call,
            )
            assert (
                turn_words(event.compaction, run)
                == event_turn_words(event)
                == record.name
            )
            assert (
                f"before the request of {record.name}, after message"
                in compaction_words(event.compaction, run).where
            )
            assert (
                count_request_sizes(event.compaction, run).after_tokens
                == record.total_tokens
            )


def test_a_call_is_compared_with_the_call_before_it() -> None:
    run = memviz.replay(looked_up("a", "b", "c"), small("window"), counter="chars4")
    assert list_left_messages(run, range(2, 3)) == [
        (0, Fate.DROPPED),
        (1, Fate.DROPPED),
    ]


@for_each("keep_user_tokens", [0, 64_000])
def test_a_provider_refuses_nothing_of_what_it_compacts_itself(
    keep_user_tokens: int,
) -> None:
    setting = {"trigger_tokens": 60, "keep_user_tokens": keep_user_tokens}
    run = run_of([6, 6], "hand_off", **setting, opaque_tokens=25)
    compacted_in_a_loop = [
        record for record in run.requests if record.compactions and record.call > 1
    ]
    assert compacted_in_a_loop
    assert not any("orphaned_tool_message" in one.flags for one in run.requests)
    assert (find_orphaned_requests(run), count_refused_requests(run)) == ([], 0)
    assert not memviz.verify(run)
    # A summary that memviz sends instead is a text, and the result beside it has no call.
    read = run_of([6, 6], "hand_off", **setting)
    assert count_refused_requests(read) >= len(find_orphaned_requests(read)) > 0
