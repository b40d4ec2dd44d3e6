"""What would have kept a statement, at the edges: each is a run of its own, priced against the one that forgot."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

import memviz
from memviz import Message, Probe
from memviz.core.messages import ToolCall
from memviz.engine.replay import begin_replay, setting_for
from memviz.metrics.requests.token_use import count_token_use
from memviz.metrics.requests.traffic import count_traffic
from memviz.tuning import remedies
from memviz.tuning.pricing_assumptions import DEFAULT_MODEL, PricingAssumptions
from memviz.tuning.recorded import replay_recorded
from memviz.tuning.remedies import Offer, _ReplayOnDemand, _use_own_summaries
from memviz.tuning.why import why_lost
from tests.recorded_session import RULE, session

PRICES = PricingAssumptions.of(DEFAULT_MODEL)
TICKET = "The deployment ticket is KL-2291."


def agent_turn(calls: int) -> list[Message]:
    """One turn: a statement, and then so many calls of a tool with long results."""
    messages = [Message("user", TICKET)]
    for number in range(calls):
        call = ToolCall(f"c{number}", "read", f'{{"number": {number}}}')
        messages.append(Message("assistant", "", tool_calls=(call,)))
        messages.append(Message("tool", "whales " * 30, tool_call_id=call.id))
    messages.append(Message("assistant", "That is all."))
    return messages


def kinds(messages: list[Message], strategy: memviz.Strategy) -> set[str]:
    (found,) = memviz.why(messages, "KL-2291", strategies=strategy, counter="chars4")
    assert found.is_lost
    return {one.kind for one in found.remedies if one.keeps}


def test_a_message_is_pinned_within_the_turn_that_said_it() -> None:
    assert "pin" in kinds(agent_turn(10), memviz.strategy("window", window_size=6))


def test_a_limit_of_nothing_is_not_doubled_for_ever() -> None:
    messages = agent_turn(6)
    messages[2] = replace(messages[2], content=TICKET)
    messages[0] = replace(messages[0], content="Read on.")
    strategy = memviz.strategy("clear_tool_results", trigger_tokens=0, keep_results=1)
    assert "limit" not in kinds(messages, strategy)


def test_what_no_message_is_known_to_say_is_not_pinned() -> None:
    messages = [Message(role, "Hm.") for role in ("user", "assistant")] * 6
    messages[0] = Message("user", TICKET)
    run = memviz.replay(messages, memviz.strategy("window", window_size=2))
    found = why_lost(
        messages, run, Probe("Which ticket?", ("KL-2291",), (), "single-hop"), PRICES
    )
    assert found.is_lost
    assert "limit" in {one.kind for one in found.remedies}


def test_summaries_of_the_log_cost_as_much_as_those_of_the_remedies() -> None:
    transcript = memviz.load_transcript(session(f"{RULE} " * 20).encode())
    run = replay_recorded(transcript)
    assert run is not None
    priced = memviz.replay(transcript, _use_own_summaries(run))
    assert count_token_use(priced).sent_tokens == count_token_use(run).sent_tokens
    assert not count_token_use(run).summarizer_tokens
    assert count_token_use(priced).summarizer_tokens > 0
    before, after = (PRICES.cost(count_traffic(one)).total_usd for one in (run, priced))
    assert after > before == pytest.approx(before)


def test_where_a_log_left_out_messages_without_a_summary_nothing_is_paid_for() -> None:
    talk = memviz.load_transcript(session(RULE).encode())
    (event,) = talk.events
    window = replace(event, text="", kept_newest=1)
    run = replay_recorded(replace(talk, events=(window,)))
    assert run is not None
    priced = memviz.replay(talk, _use_own_summaries(run))
    assert count_token_use(priced) == count_token_use(run)


def long_talk(turns: int) -> list[Message]:
    """A statement, and then so many turns that are long enough for presets to compact."""
    messages = [Message("user", TICKET), Message("assistant", "Noted.")]
    for number in range(turns):
        messages.append(Message("user", f"Tell me of whale {number}. " * 4))
        messages.append(Message("assistant", f"Whale {number} is blue and old. " * 12))
    return messages


def test_a_replay_goes_on_as_far_as_its_requests_are_asked_for() -> None:
    log = memviz.Log(long_talk(12))
    strategy = memviz.strategy("summary_buffer", max_token_limit=100)
    made = _ReplayOnDemand(log, setting_for(log, strategy))
    beginning = made.first_requests(3).requests
    whole = memviz.replay(log, strategy).requests
    assert len(beginning) == 3 < len(whole)
    sent = [record.context.messages for record in whole]
    assert [record.context.messages for record in beginning] == sent[:3]
    all_requests = made.first_requests(99).requests
    assert [record.context.messages for record in all_requests] == sent
    assert made.first_requests(3) is made.whole()


@pytest.mark.parametrize("phrase", ["KL-2291", TICKET, "The deployment ticket is"])
def test_what_loses_the_statement_on_the_way_is_told_as_after_a_whole_replay(
    phrase: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    sessions = []

    def noting(*given: Any) -> Any:
        session, turns = begin_replay(*given)
        sessions.append(session)
        return session, turns

    monkeypatch.setattr(remedies, "begin_replay", noting)
    talk = long_talk(30)
    strategy = memviz.strategy("window", window_size=4)
    (answer,) = memviz.why(talk, phrase, strategies=strategy, counter="chars4")
    replayed = [len(session.requests) for session in sessions]
    monkeypatch.setattr(Offer, "_may_hold", lambda *given: True)
    (after_all,) = memviz.why(talk, phrase, strategies=strategy, counter="chars4")
    assert answer.to_dict() == after_all.to_dict()
    assert {one.kind for one in answer.remedies} == {
        "pin",
        "retrieval",
        "limit",
        "preset",
    }
    assert min(replayed) < max(replayed) == 31
