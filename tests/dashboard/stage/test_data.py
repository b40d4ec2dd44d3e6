"""What the stage plays is what the records of the runs say, step by step."""

from __future__ import annotations

import json
from collections.abc import Sequence

import pytest

import memviz
from memviz import Message, Recall, Run, ScriptedModel
from memviz.core.text.wording import dollars
from memviz.dashboard.charts.palette import SettingRun
from memviz.dashboard.stage.data import Json, stage_data, steps_around
from memviz.dashboard.stage.files import script
from memviz.dashboard.stage.lane import lane, message_sizes
from memviz.dashboard.words.prices import BROKEN_BY
from memviz.engine.chat import Chat
from memviz.metrics.cost.cache_breaks import Breaker, find_cache_breaks
from memviz.metrics.memory_map.stretches import STEPS
from memviz.metrics.requests.traffic import count_traffic
from memviz.metrics.retention.retention import retention
from memviz.metrics.summaries.events import count_request_sizes
from memviz.transcripts.base import Transcript
from memviz.transcripts.samples import sample
from memviz.tuning.pricing_assumptions import PricingAssumptions
from tests.dashboard.stage.unfolding import unfolded
from tests.engine.probes import REPRESENTATIVES, Digest
from tests.tables import for_each
from tests.tool_loops import loops

SMALL: dict[str, dict[str, int]] = {
    "summary_buffer": {"max_token_limit": 1500}, "summary": {"buffer_size": 4},
    "chat_summary_buffer": {"token_limit": 900}, "token_buffer": {"max_tokens": 900},
    "clear_tool_results": {"trigger_tokens": 600, "keep_results": 2}, "fifo_facts": {"token_limit": 3000},
}  # fmt: skip
FORMAT_TOKENS = 7
"""More than what the chat format adds to a request besides its messages."""


def strategy(id: str) -> memviz.Strategy:
    return memviz.strategy(id, **SMALL.get(id, {}))


def settings_of(runs: Sequence[Run]) -> list[SettingRun]:
    return [SettingRun(run, run.label, index) for index, run in enumerate(runs)]


def played(runs: Sequence[Run], transcript: Transcript, **options: object) -> Json:
    data = stage_data(settings_of(runs), transcript, **options)  # type: ignore[arg-type]
    told: Json = json.loads(json.dumps(data))
    return told


def short(transcript: Transcript, messages: int) -> Transcript:
    return Transcript(
        transcript.messages[:messages],
        title="Short",
        system_prompt=transcript.system_prompt,
    )


@pytest.fixture(scope="module")
def tools() -> Transcript:
    return Transcript(tuple(loops(12, 2)), title="Tools", system_prompt="Be brief.")


@for_each("id", sorted(REPRESENTATIVES))
def test_the_pieces_of_a_request_take_its_tokens_and_its_messages_their_fates(
    id: str, tools: Transcript
) -> None:
    for told in (short(sample("trip"), 40), tools):
        recalls = {9: Recall(turns=[1])} if strategy(id).allows_recall else {}
        run = memviz.replay(told, strategy(id), recalls=recalls)
        steps = unfolded(played([run], told), 0)
        assert len(steps) == len(run.requests)
        for record, step in zip(run.requests, steps, strict=True):
            assert step is not None
            assert step.request["tokens"] == record.total_tokens
            assert step.request["length"] == record.memory.length
            assert 0 <= step.rest_tokens <= FORMAT_TOKENS
            fates = [STEPS[code].fate for code in step.codes]
            assert fates == run.fates_at(record).tolist()[: len(fates)]


def test_before_a_summarization_a_request_is_what_it_would_have_been() -> None:
    run = memviz.replay(sample("trip"), strategy("summary_buffer"))
    steps = unfolded(played([run], sample("trip")), 0)
    for number, (record, step) in enumerate(zip(run.requests, steps, strict=True)):
        assert step is not None
        assert ("before" in step.request) == bool(record.compactions)
        if record.compactions:
            tokens, pieces, counted = step.request["before"]
            assert counted > 1500, "the limit was reached"
            assert (
                tokens == count_request_sizes(record.compactions[0], run).before_tokens
            )
            assert 0 <= tokens - sum(map(step.piece_tokens, pieces)) <= FORMAT_TOKENS
            before = steps[number - 1]
            assert before is not None
            history = [piece[1] for piece in pieces if piece[0] == "h"]
            assert history == [
                piece[1] for piece in before.request["pieces"] if piece[0] == "h"
            ], "nothing left yet"


def test_limits_dollars_facts_and_fill_are_those_of_the_records() -> None:
    trip, assumptions = sample("trip"), PricingAssumptions.of()
    run = memviz.replay(trip, strategy("summary_buffer"))
    data = played([run], trip, assumptions=assumptions)
    steps, known = unfolded(data, 0), retention(run, trip.probes).states
    usd = assumptions.cost(count_traffic(run)).so_far_usd
    assert usd is not None
    counted = run.strategy.counted_tokens(run.columns.tokens)
    assert data["settings"][0]["limits"] == [
        {
            "tokens": 1500,
            "words": "limit 1,500 of messages",
            "parts": ["history", "input"],
        }
    ]
    for number, step in enumerate(steps):
        assert step is not None
        assert step.request["limit"] == [0, counted[number]]
        assert step.request["usd"] == dollars(float(usd[number]))
        assert [int(code) for code in step.known] == known[
            number, : len(data["facts"])
        ].tolist()
        held, limit, unit = step.request["fill"]
        assert (limit, unit) == (1500, "tokens")
        assert held <= limit, "what was too much has been summarized"
    assert [fact["answer"] for fact in data["facts"]] == [
        probe.answers[0] for probe in trip.probes
    ]


def test_events_are_those_of_the_run_and_every_lost_fact_is_one() -> None:
    trip = sample("trip")
    run = memviz.replay(trip, strategy("summary_buffer"))
    data = played([run], trip)
    told = [request.get("events", []) for request in data["settings"][0]["requests"]]
    summarized = [
        number
        for number, events in enumerate(told)
        if any(one["kind"] == "summarized" for one in events)
    ]
    assert summarized == [
        number for number, record in enumerate(run.requests) if record.compactions
    ]
    states = retention(run, trip.probes).states
    for number, events in enumerate(told):
        lost = {fact for event in events for fact in event.get("facts", ())}
        now, then = states[number], states[max(0, number - 1)]
        assert lost == {
            fact for fact in range(len(now)) if now[fact] == 1 and then[fact] > 1
        }
    assert any(event["kind"] == "fact lost" for events in told for event in events)


def test_a_cleared_message_is_smaller_from_then_on_and_whole_again_when_recalled(
    tools: Transcript,
) -> None:
    cleared = strategy("clear_tool_results")
    run = memviz.replay(tools, cleared)
    assert run.compactions, "nothing was cleared"
    data = played([run], tools)
    sizes = [step.sizes for step in unfolded(data, 0) if step is not None]
    whole = [message[1] for message in data["messages"]]
    fates = run.fates_at(run.requests[-1])
    reduced = [
        at
        for at, fate in enumerate(fates)
        if fate in (memviz.Fate.CLEARED, memviz.Fate.SHORTENED)
    ]
    assert reduced
    assert all(sizes[-1][at] < whole[at] for at in reduced)
    assert sizes[0].tolist() == whole


def test_a_run_with_fewer_calls_has_no_request_of_its_own_at_some_steps(
    tools: Transcript,
) -> None:
    plain = Transcript(
        tuple(
            message
            for message in tools.messages
            if message.role != "tool" and message.content
        )
    )
    runs = [
        memviz.replay(tools, strategy("buffer")),
        memviz.replay(plain, strategy("buffer")),
    ]
    data = played(runs, tools)
    assert data["step"] == "request"
    assert len(data["steps"]) == len(runs[0].requests)
    own = [request is not None for request in data["settings"][1]["requests"]]
    assert own == [call == calls for _, call, calls in data["steps"]], (
        "calls of a turn end together"
    )
    assert data["settings"][0]["messages"] is None
    assert len(data["settings"][1]["messages"]) == len(plain.messages) - 1, (
        "its own, without the last reply"
    )


def test_of_a_long_conversation_a_part_is_sent_and_earlier_messages_are_one_block() -> (
    None
):
    said = [
        Message(role, f"{role} {turn}")
        for turn in range(700)
        for role in ("user", "assistant")
    ]
    told = Transcript(tuple(said), title="Long")
    run = memviz.replay(told, strategy("buffer"))
    data = played([run], told, at=650)
    assert (data["first"], len(data["steps"]), data["of"], data["at"]) == (
        400,
        300,
        700,
        650,
    )
    assert data["base"] > 0
    assert len(data["messages"]) <= 800
    step = unfolded(data, 0)[-1]
    assert step is not None
    assert 0 <= step.rest_tokens <= FORMAT_TOKENS
    assert step.request["pieces"][0] == [
        "h",
        0,
        data["base"],
        int(
            sum(
                memviz.counter("o200k_base")(message.content) + 4
                for message in said[: data["base"]]
            )
        ),
    ]
    assert len(json.dumps(data)) < 200_000


@for_each(
    ("step", "steps", "first"),
    [(0, 900, 0), (450, 900, 300), (899, 900, 600), (5, 20, 0)],
)
def test_the_part_that_is_played_lies_around_a_step(
    step: int, steps: int, first: int
) -> None:
    part = steps_around(step, steps)
    assert part.start == first
    assert step in part
    assert len(part) == min(300, steps)


def test_text_is_text_and_cut(tools: Transcript) -> None:
    hostile = "</script><b>**bold**</b> " * 100
    told = Transcript(
        (
            Message("user", hostile),
            Message("assistant", "yes"),
            Message("user", "and?"),
        ),
        title=hostile,
    )
    model = ScriptedModel([hostile] * 9)
    data = played([memviz.replay(told, strategy("summary_only"), model=model)], told)
    assert data["messages"][0][2].startswith("</script><b>**bold**</b>")
    assert len(data["messages"][0][2]) <= 160
    assert data["chosen"] == 0
    assert "rule" in data["settings"][0]


def test_a_chat_that_was_held_says_where_its_setting_changed_and_what_was_recalled() -> (
    None
):
    chat = Chat(
        strategy("summary"),
        model=ScriptedModel(f"answer {turn}" for turn in range(99)),
        summarizer=Digest(),
    )
    for turn in range(8):
        chat.send(f"question {turn}")
    chat.change_strategy(memviz.strategy("window", window_size=2))
    for turn in range(8, 12):
        if turn == 10:
            chat.recall(turns=[1])
        chat.send(f"question {turn}")
    run = chat.run
    data = played([run], Transcript(tuple(run.log), title="Chat"))
    kinds = [
        [event["kind"] for event in request.get("events", ())]
        for request in data["settings"][0]["requests"]
    ]
    assert [turn for turn, told in enumerate(kinds) if "switched" in told] == [8]
    assert [turn for turn, told in enumerate(kinds) if "recalled" in told] == [10]
    assert any("summarized" in told for told in kinds[:8])
    for record, step in zip(run.requests, unfolded(data, 0), strict=True):
        assert step is not None
        assert 0 <= step.rest_tokens <= FORMAT_TOKENS
        assert [STEPS[code].fate for code in step.codes] == run.fates_at(
            record
        ).tolist()[: len(step.codes)]


def test_settings_that_answered_for_themselves_have_messages_of_their_own() -> None:
    trip = short(sample("trip"), 12)
    runs = [
        memviz.free_run(list(trip.messages), strategy(id))
        for id in ("buffer", "summary_only")
    ]
    data = played(runs, trip)
    for number, run in enumerate(runs):
        assert data["settings"][number]["messages"] is not None or number == 0
        for record, step in zip(run.requests, unfolded(data, number), strict=True):
            assert step is not None
            assert step.request["tokens"] == record.total_tokens
            assert step.rest_tokens >= 0


def test_a_limit_that_is_a_share_of_what_names_the_lane_says_so() -> None:
    run = memviz.replay(sample("trip"), memviz.strategy("fifo_facts", token_limit=6000))
    (limit,) = played([run], sample("trip"))["settings"][0]["limits"]
    assert (limit["tokens"], limit["words"]) == (
        4200,
        "limit 4,200 (70% of 6,000) of messages word for word",
    )


def test_a_request_says_what_it_read_from_the_cache_and_who_broke_its_prefix() -> None:
    trip = sample("trip")
    run = memviz.replay(trip, strategy("summary_buffer"))
    for pause_seconds, breakers in ((60, {"summary"}), (86_400, {"pause"})):
        terms = PricingAssumptions.of(pause_seconds=pause_seconds)
        cost = terms.cost(count_traffic(run))
        steps = unfolded(played([run], trip, assumptions=terms), 0)
        breaks = find_cache_breaks(run, cost, terms.cache, pause_seconds)
        broken = {one.request: one.breaker.value for one in breaks}
        assert set(broken.values()) == breakers
        for number, step in enumerate(steps):
            assert step is not None
            cached_tokens, cached_usd, other_usd = step.request["paid"]
            assert cached_tokens == cost.cached_tokens[number]
            reply_usd = cost.usd[3, number]
            assert cached_usd + other_usd + reply_usd == pytest.approx(
                cost.request_usd[number], abs=1e-8
            )
            assert (cached_usd > 0) == (cached_tokens > 0)
            assert step.request.get("broken") == broken.get(number)


def test_what_broke_the_prefix_is_named_as_in_the_chart_of_the_cache() -> None:
    run = memviz.replay(sample("trip"), memviz.strategy("window", window_size=4))
    data = stage_data([SettingRun(run, run.label, 0)], sample("trip"))
    names = data["colors"]["broken"]
    assert names == {breaker.value: BROKEN_BY[breaker] for breaker in Breaker}
    assert not any(name in script() for name in names.values()), "a second source"


def test_the_pending_request_is_one_hollow_step_behind_all_others_and_counts_nowhere() -> (
    None
):
    said = (
        *short(sample("trip"), 20).messages,
        Message("user", "And what did I ask you first, do you still know it?"),
    )
    asked, answered = (
        Transcript(said, title="Open"),
        Transcript((*said, Message("assistant", "A trip.")), title="Done"),
    )
    strategies = [
        strategy("chat_summary_buffer"),
        memviz.strategy("chat_summary_buffer", token_limit=300),
    ]
    open_runs, done_runs = (
        [memviz.replay(one, rule) for rule in strategies] for one in (asked, answered)
    )
    told, done = played(open_runs, asked), played(done_runs, answered)
    assert any(run.foreseen for run in open_runs)
    assert (told["steps"], told["of"], told["messages"]) == (
        done["steps"],
        done["of"],
        done["messages"],
    )
    for number, run in enumerate(open_runs):
        *before, pending = told["settings"][number]["requests"]
        *same, last = done["settings"][number]["requests"]
        assert before == same
        assert pending["pending"] is True
        assert {name: last.get(name) for name in pending if name != "pending"} == {
            name: value for name, value in pending.items() if name != "pending"
        }
        assert run.pending is not None
        assert pending["tokens"] == run.pending.total_tokens
        assert "usd" not in pending
    first_part = played(open_runs, asked, steps=range(3))
    assert len(first_part["steps"]) == 3


def test_a_question_that_nobody_answered_is_the_only_step() -> None:
    alone = Transcript((Message("user", "Anybody there?"),), title="Alone")
    told = played([memviz.replay(alone, memviz.strategy("buffer"))], alone)
    assert (told["steps"], told["of"], told["at"]) == ([[1, 1, 1]], 1, 0)
    assert [request["pending"] for request in told["settings"][0]["requests"]] == [True]


def test_facts_that_were_looked_up_are_a_piece_of_their_own() -> None:
    run = memviz.replay(sample("trip"), memviz.strategy("facts_store", top_k=3))
    record = run.requests[-1]
    sizes = message_sizes(run.space, len(run.log))
    pieces = lane(record.memory, record.parts, record.tokens, sizes, 0)
    assert ["f", 0, 0, record.tokens["summary"] + 4] in pieces


def test_notes_that_are_lists_of_facts_are_called_lists() -> None:
    trip = sample("trip")
    facts = memviz.strategy("fifo_facts", token_limit=1200)
    runs = [memviz.replay(trip, one) for one in (facts, strategy("summary"))]
    facts_data, summary_data = played(runs, trip)["settings"]
    assert facts_data["isList"]
    assert not summary_data["isList"]
