"""The books of a run: sound under every strategy, and each breach found where a run is damaged on purpose."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

import memviz
from memviz import Message, Run, Usage, verify
from memviz.core.context import ORPHANED_TOOL_MESSAGE
from memviz.core.pieces import Messages, Notes
from memviz.engine.calls import ReplyFacts
from memviz.engine.records import TurnRecord
from memviz.engine.requests import Requests
from memviz.metrics.verify import Breach, count_tokens_not_in_log
from memviz.transcripts.base import RecordedEvent
from tests.engine.probes import IDS, Digest, small, talk
from tests.strategies import conversations as random
from tests.strategies.conversations import looked_up, outcomes, summarizer
from tests.tables import for_each

every_strategy = for_each("id", IDS)


def conversations() -> st.SearchStrategy[list[Message]]:
    return random.conversations(max_messages=12)


class TestSound:
    @given(messages=conversations(), plan=outcomes)
    @every_strategy
    def test_only_results_without_calls_are_wrong_and_those_are_flagged(
        self, id: str, messages: list[Message], plan: list[str]
    ) -> None:
        run = memviz.replay(
            messages, small(id), model=summarizer(plan), counter="chars4"
        )
        breaches = verify(run)
        assert {breach.kind for breach in breaches} <= {"no_call"}
        flagged = {
            (record.turn, record.call)
            for record in run.requests
            if ORPHANED_TOOL_MESSAGE in record.flags
        }
        assert {(breach.turn, breach.call) for breach in breaches} == flagged

    @given(turns=st.integers(1, 6), recalled=st.integers(0, 5))
    @every_strategy
    def test_nothing_is_wrong_where_pairs_are_repaired_and_turns_recalled(
        self, id: str, turns: int, recalled: int
    ) -> None:
        messages = [message for n in range(turns) for message in looked_up(n)]
        strategy = small(id)
        recalls = {}
        if recalled and strategy.allows_recall:
            recalls = {turns: memviz.Recall(turns=[recalled])}
        run = memviz.replay(
            messages,
            strategy,
            model=Digest(),
            counter="chars4",
            repair_tool_pairs=True,
            recalls=recalls,
        )
        assert verify(run) == ()

    def test_a_run_that_was_stored_is_as_sound(self) -> None:
        run = memviz.replay(talk(8), small("summary"), counter="chars4")
        assert verify(Run.from_dict(run.to_dict())) == ()


def damaged(run: Run, number: int, **changes: Any) -> Run:
    """The run with other values in one of its requests."""
    records = list(run.requests)
    records[number] = replace(records[number], **changes)
    return replace(run, requests=Requests.of(records))


def with_pieces(run: Run, number: int, change: Callable[[Any], Any]) -> Run:
    parts = run.requests[number].parts
    return damaged(run, number, parts=parts._replace(pieces=change(parts.pieces)))


def kept_whole() -> Run:
    return memviz.replay(talk(4), memviz.strategy("buffer"), counter="chars4")


def summarized() -> Run:
    return memviz.replay(talk(8), small("summary"), counter="chars4")


def place(record: TurnRecord) -> dict[str, int]:
    return {"turn": record.turn, "call": record.call}


class TestBreaches:
    """Each on a run that was sound before."""

    @for_each("make", [kept_whole, summarized])
    def test_before(self, make: Callable[[], Run]) -> None:
        assert verify(make()) == ()

    def test_a_message_that_is_sent_twice(self) -> None:
        run = with_pieces(kept_whole(), 2, lambda them: (Messages(1, 2), *them))
        assert verify(run) == (Breach("sent_twice", 3, position=1),)

    def test_a_summary_that_is_sent_twice(self) -> None:
        run = summarized()
        last = len(run.requests) - 1
        run = with_pieces(run, last, lambda them: (them[0], *them))
        version = run.requests[last].parts.summaries.stop
        assert verify(run) == (
            Breach("sent_twice", **place(run.requests[last]), version=version),
        )

    def test_a_message_before_it_was_said(self) -> None:
        run = with_pieces(kept_whole(), 1, lambda them: (*them, Messages(5, 6)))
        assert verify(run) == (Breach("unsaid", 2, position=5),)

    def test_a_summary_before_it_was_written(self) -> None:
        run = with_pieces(kept_whole(), 1, lambda them: (Notes(0, 1), *them))
        assert verify(run) == (Breach("unsaid", 2, version=1),)

    def test_a_message_without_a_fate(self) -> None:
        run = kept_whole()
        record = run.requests[1]
        length = record.memory.length
        gap = record.parts._replace(exchange=range(length + 1, length + 2))
        run = damaged(run, 1, parts=gap)
        assert verify(run) == (Breach("no_fate", 2, position=length),)

    def test_a_message_that_no_rule_left_out(self) -> None:
        run = with_pieces(
            kept_whole(), 2, lambda them: (Messages(1, them[0].stop), *them[1:])
        )
        record = run.requests[2]
        found = verify(run)
        assert found[0] == Breach("no_rule", 3, position=0)
        assert [breach.kind for breach in found[1:]] == ["miscounted"]
        assert found[1].on_record == record.total_tokens
        assert found[1].counted is not None
        assert found[1].counted < record.total_tokens

    def test_a_change_without_a_reason(self) -> None:
        run = summarized()
        changed = replace(run.compactions[0], reason="")
        run = replace(run, compactions=(changed, *run.compactions[1:]))
        assert verify(run) == (
            Breach("no_reason", changed.turn, 0, position=changed.after_message),
        )

    def test_a_result_without_its_call(self) -> None:
        messages = [message for n in range(3) for message in looked_up(n)]
        strategy = memviz.strategy("window", window_size=3)
        run = memviz.replay(messages, strategy, counter="chars4")
        found = verify(run)
        assert {breach.kind for breach in found} == {"no_call"}
        assert {run.log[breach.position or 0].role for breach in found} == {"tool"}

    def test_tokens_that_are_not_those_of_the_messages(self) -> None:
        run = kept_whole()
        record = run.requests[1]
        tokens = {**record.tokens, "history": record.tokens["history"] + 7}
        total = record.total_tokens
        assert verify(damaged(run, 1, tokens=tokens)) == (
            Breach("miscounted", 2, on_record=total + 7, counted=total),
        )

    def test_tokens_of_one_part_that_are_told_as_those_of_another(self) -> None:
        run = kept_whole()
        record = run.requests[1]
        tokens = dict(record.tokens)
        tokens["history"] -= 2
        tokens["input"] += 2
        (breach,) = verify(damaged(run, 1, tokens=tokens))
        assert breach.kind == "miscounted"

    @for_each(("times", "wrong"), [(1, 0), (2, 0), (3, 1)])
    def test_tokens_that_were_billed(self, times: int, wrong: int) -> None:
        run = kept_whole()
        total = run.requests[1].total_tokens
        billed = Usage(input_tokens=times * total, output_tokens=1)
        facts = ReplyFacts(model="m", usage=billed, cost_usd=None, seconds=None)
        run = damaged(run, 1, facts=facts)
        breach = Breach("usage", 2, on_record=times * total, counted=total)
        assert verify(run) == (breach,) * wrong
        assert verify(run, factor=3.0) == ()

    def test_tokens_that_the_program_counted_before_it_compacted(self) -> None:
        run = memviz.replay(
            talk(4), memviz.strategy("buffer"), counter="chars4", system_prompt="Be."
        )
        record = run.requests[1]
        counted = record.total_tokens + record.reply_tokens
        breaches = [
            verify(run, events=[RecordedEvent("compaction", 4, tokens_before=tokens)])
            for tokens in (counted, 2 * counted, 2 * counted + 1)
        ]
        wrong = Breach("usage", 2, on_record=2 * counted + 1, counted=counted)
        assert breaches == [(), (), (wrong,)]

    @for_each(("more", "wrong"), [(0, 0), (150, 0), (9000, 1)])
    def test_of_a_log_that_lacks_its_system_prompt_differences_are_compared(
        self, more: int, wrong: int
    ) -> None:
        run = kept_whole()
        records = run.requests[1:3]
        counted = [record.total_tokens + record.reply_tokens for record in records]
        events = [
            RecordedEvent("compaction", 4, tokens_before=counted[0] + 8000),
            RecordedEvent("compaction", 6, tokens_before=counted[1] + 8000 + more),
        ]
        assert count_tokens_not_in_log(run, events) == 8000
        breach = Breach(
            "usage", 3, on_record=events[1].tokens_before, counted=counted[1] + 8000
        )
        assert verify(run, events=events) == (breach,) * wrong

    def test_a_request_that_has_two_counts_on_record_is_told_once(self) -> None:
        messages = [Message("system", "Be brief."), *talk(2)]
        last = replace(messages[-1], meta={"usage": {"input_tokens": 9000}})
        run = memviz.replay(
            [*messages[:-1], last], memviz.strategy("buffer"), counter="chars4"
        )
        event = RecordedEvent("compaction", len(messages), tokens_before=9100)
        (breach,) = verify(run, events=[event], usage_is_of_log=True)
        assert (breach.kind, breach.turn, breach.on_record) == ("usage", 2, 9000)

    def test_as_json(self) -> None:
        assert Breach("no_rule", 3, position=0).to_dict() == {
            "kind": "no_rule",
            "turn": 3,
            "call": 1,
            "message": 1,
        }
