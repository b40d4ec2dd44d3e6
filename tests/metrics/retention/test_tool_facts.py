"""Facts that only a tool returned, and that a later reply or call used."""

from __future__ import annotations

import json

import pytest

import memviz
from memviz import Log, Message, Probe, propose_probes
from memviz.core.messages import ToolCall
from memviz.metrics.retention.tool_facts import (
    count_unmeasured_results,
    find_tool_facts,
)
from memviz.transcripts.loading import load_file
from memviz.transcripts.samples import sample
from tests.real_conversations import FOLDER, MISSING, is_there

TAU_BENCH = "tau_bench_airline_20.json"


def call(id: str, **arguments: str) -> Message:
    return Message(
        "assistant",
        "",
        tool_calls=(ToolCall(id, "find_shipment", json.dumps(arguments)),),
    )


def shipments(*replies: Message) -> Log:
    """A conversation in which a tool returns three numbers, and ``replies`` follow later on."""
    returned = {"shipment": "SHP-88412", "carrier": "Blue Anchor", "other": "SHP-99031"}
    return Log(
        [
            Message("user", "Where is my parcel?"),
            call("1", customer="Ada"),
            Message("tool", json.dumps(returned), tool_call_id="1"),
            Message("assistant", "It is on its way."),
            Message("user", "Can you have it sent to the shop?"),
            *replies,
        ]
    )


def found_in(log: Log) -> set[tuple[str, int, int]]:
    return {(fact.answer, fact.position, fact.used_at) for fact in find_tool_facts(log)}


def test_a_returned_value_is_a_fact_once_a_later_call_or_reply_uses_it() -> None:
    assert found_in(shipments(Message("assistant", "Done."))) == set()
    assert found_in(shipments(call("2", shipment="SHP-88412"))) == {("SHP-88412", 2, 5)}
    replied = shipments(Message("assistant", "Blue Anchor brings SHP-99031 there."))
    assert found_in(replied) == {("Blue Anchor", 2, 5), ("SHP-99031", 2, 5)}
    asked_by_user = shipments(Message("user", "Is it SHP-88412?"))
    assert found_in(asked_by_user) == set(), "the user needs nothing from the context"


def test_a_value_that_was_said_before_is_no_fact_of_the_tool() -> None:
    log = Log(
        [
            Message("user", "My parcel is SHP-88412."),
            *shipments(call("2", shipment="SHP-88412")),
        ]
    )
    assert found_in(log) == set()


def test_the_question_is_the_line_of_the_result() -> None:
    (fact,) = find_tool_facts(shipments(call("2", shipment="SHP-88412")))
    assert fact.question == "shipment: ___ (find_shipment, message 3, line 1)"


def test_a_value_of_a_result_is_whole_and_has_no_word_too_many() -> None:
    said = "optical power: -25.0\nolder versions for 30 days\nstands in Room 12"
    log = Log(
        [
            Message("user", "How is the line?"),
            call("1", customer="Ada"),
            Message("tool", said, tool_call_id="1"),
            Message("assistant", "It is at -25.0 in Room 12, kept for 30 days."),
        ]
    )
    assert {fact.answer for fact in find_tool_facts(log)} == {"-25.0", "Room 12"}


def test_what_is_used_later_and_by_a_call_says_more() -> None:
    (at_once,) = find_tool_facts(
        Log([*shipments()[:3], Message("assistant", "SHP-88412 is on its way.")])
    )
    (later,) = find_tool_facts(
        shipments(Message("assistant", "SHP-88412 is sent there."))
    )
    (called,) = find_tool_facts(shipments(call("2", shipment="SHP-88412")))
    assert at_once.weight < later.weight < called.weight


def test_clearing_results_loses_what_the_agent_needed_later() -> None:
    """All of these stand in results that a later reply or call used; the buffer keeps every one at every request."""
    log = Log(sample("agent").messages)
    proposed = tuple(
        probe for probe in propose_probes(log) if log[probe.evidence[0]].role == "tool"
    )
    answers = {probe.answers[0] for probe in proposed}
    assert {"51h23m", "0555 730 164", "HAFEN-04", "config/stations.toml"} <= answers
    kept = {}
    for name, parameters in (
        ("buffer", {}),
        ("clear_tool_results", {"trigger_tokens": 500}),
    ):
        run = memviz.replay(log, memviz.strategy(name, **parameters), counter="chars4")
        retained = memviz.retention(run, proposed)
        kept[name] = retained.retained.sum() / retained.born.sum()
    assert kept["buffer"] == 1
    assert kept["clear_tool_results"] < 0.9


@pytest.mark.skipif(not is_there(), reason=MISSING)
def test_real_agents_lose_them_too() -> None:
    born = kept = 0
    for transcript in load_file(FOLDER / TAU_BENCH).transcripts:
        log = Log(transcript.messages)
        proposed = tuple(
            probe
            for probe in propose_probes(log)
            if log[probe.evidence[0]].role == "tool"
        )
        run = memviz.replay(
            log,
            memviz.strategy("clear_tool_results", trigger_tokens=500, keep_results=1),
            counter="chars4",
        )
        retained = memviz.retention(run, proposed)
        born += int(retained.born.sum())
        kept += int(retained.retained.sum())
    assert born > 200
    assert kept < 0.95 * born


def test_results_are_unmeasured_where_no_fact_comes_from_one() -> None:
    log = shipments(call("2", shipment="SHP-88412"))
    said, returned = (
        Probe("?", ("parcel",), (0,), "single fact"),
        Probe("?", ("SHP-88412",), (2,), "single fact"),
    )
    assert count_unmeasured_results(log, [said]) == 1
    assert count_unmeasured_results(log, [said, returned]) == 0
    assert count_unmeasured_results(log, []) == 0
    assert count_unmeasured_results(Log([Message("user", "Hi.")]), [said]) == 0
