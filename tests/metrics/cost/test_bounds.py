"""What work may cost at most is at least what it costs with the most talkative model there is: one that writes as much
as it may, recalls and thinks as often as it may, and whose tokenizer cuts finer than the one that counts."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import replace

import pytest

import memviz
from memviz.core.counters import counter
from memviz.core.messages import Message, ToolCall
from memviz.engine.judging import Judging
from memviz.engine.prompt_trial import try_prompt
from memviz.metrics.cost.bounds import (
    Askers,
    bound_free_run,
    bound_judging,
    bound_questions,
    bound_summaries,
    bound_trials,
    measure_token_margin,
    plan_turn,
)
from memviz.models.base import Model, Reply, ToolChoice, Usage
from memviz.models.planned_calls import CostBound, price_at_most
from memviz.models.prices import price
from memviz.models.tools import CONTINUE_THINKING, RECALL_CONVERSATION, Tool
from memviz.transcripts.base import Probe
from tests.tables import for_each

NAME = "openai/gpt-4o-mini"
LIMIT = 60
"""Tokens of an answer."""
FINER = counter("p50k_base")
WHO = Askers(NAME, NAME, LIMIT)
LONG = "word " * (LIMIT - 1)
SETTINGS = {
    "buffer": {}, "window": {"window_size": 4}, "token_buffer": {"max_tokens": 150}, "summary": {"buffer_size": 2},
    "summary_buffer": {"max_token_limit": 80}, "chat_summary_buffer": {"token_limit": 120},
    "fifo_facts": {"token_limit": 200}, "recent_only": {"enable_summarization": True}, "summary_only": {},
    "threshold_summary": {"trigger_tokens": 120, "keep_messages": 2},
    "thinking": {"enable_reflective_thinking": True, "enable_recall": True, "enable_summarization": True},
}  # fmt: skip
TALK = [
    Message(
        role,
        f"{who} {n}: Grüße aus München, das Budget für {n} Tage beträgt {n}00 Euro. 再见, до встречи!",
    )
    for n in range(8)
    for role, who in (("user", "Mira"), ("assistant", "Bot"))
]


class Talkative(Model):
    """Writes as much as it may, calls what it is offered, and knows what that cost."""

    name = NAME

    def __init__(self) -> None:
        self.usd, self.calls = 0.0, 0

    def stream(
        self,
        messages: Sequence[Message],
        tools: Sequence[Tool] = (),
        tool_choice: ToolChoice = "auto",
    ) -> Iterator[str | Reply]:
        self.calls += 1
        parts = [
            message.content + "".join(call.arguments for call in message.tool_calls)
            for message in messages
        ]
        sent = sum(FINER(part) + 4 for part in [*parts, *(tool.text for tool in tools)])
        usage = Usage(sent, LIMIT)
        known = price(NAME)
        assert known is not None
        cost = known.cost_usd(usage)
        assert cost is not None
        self.usd += cost
        offered = [tool.name for tool in tools] if tool_choice == "auto" else []
        calls: tuple[ToolCall, ...] = ()
        if CONTINUE_THINKING.name in offered and not any(
            m.role == "assistant" and m.tool_calls for m in messages[-2:]
        ):
            calls = (
                ToolCall(
                    f"c{self.calls}",
                    CONTINUE_THINKING.name,
                    json.dumps({"continue": True}),
                ),
            )
        elif RECALL_CONVERSATION.name in offered:
            calls = (
                ToolCall(
                    f"c{self.calls}",
                    RECALL_CONVERSATION.name,
                    json.dumps({"last_n": 20}),
                ),
            )
        yield Reply("" if calls else self._said(messages), calls, usage, cost, NAME)

    def _said(self, messages: Sequence[Message]) -> str:
        return json.dumps({"facts": [LONG]}) if "JSON" in messages[0].content else LONG


def strategy(name: str) -> memviz.Strategy:
    return memviz.strategy(
        "summary_only" if name == "thinking" else name, **SETTINGS[name]
    )


def replayed(name: str) -> memviz.Run:
    return memviz.replay(TALK, strategy(name), model="offline")


def holds(bound: CostBound, model: Talkative, loose: float = 60) -> None:
    assert bound.unpriced == ()
    assert model.usd <= bound.usd, (model.calls, model.usd, bound)
    assert bound.usd <= max(model.usd, 1e-5) * loose, "and it is no fancy figure"


@for_each("name", SETTINGS)
def test_a_question_after_the_last_turn(name: str) -> None:
    run, model = replayed(name), Talkative()
    memviz.ask(run, "What is the budget for 7 days?", model=model, summarizer=model)
    holds(bound_questions([run], WHO, 20), model)


def test_several_questions_cost_as_often_as_much() -> None:
    runs = [replayed("summary_buffer")]
    probe = Probe("What is the budget?", ("300 Euro",), (3,), "single")
    one, three = (
        bound_judging(runs, [probe], WHO),
        bound_judging(runs, [probe] * 3, WHO),
    )
    assert one.usd > 0
    assert three.usd == pytest.approx(3 * one.usd)


@for_each("name", SETTINGS)
def test_a_replay(name: str) -> None:
    model = Talkative()
    memviz.replay(TALK, strategy(name), model=model)
    bound = bound_summaries([replayed(name)], NAME, LIMIT)
    holds(bound, model)
    assert (bound == CostBound()) == (model.calls == 0)


def test_a_replay_pays_nothing_for_the_open_request_at_its_end() -> None:
    early = memviz.strategy("chat_summary_buffer", token_limit=20)
    run = memviz.replay([*TALK, Message("user", "And now?")], early)
    assert [one.asked for one in run.foreseen] == [True]
    answered = replace(run, pending=None)
    bounds = [bound_summaries([one], NAME, LIMIT) for one in (run, answered)]
    assert bounds[0] == bounds[1] != CostBound()


@for_each("name", SETTINGS)
def test_a_free_run(name: str) -> None:
    model = Talkative()
    memviz.free_run(TALK, strategy(name), model=model, summarizer=model)
    whole = bound_free_run([replayed(name)], [0], WHO)
    holds(whole, model, 200)
    assert bound_free_run([replayed(name)], [6], WHO).usd < whole.usd
    assert bound_free_run([replayed(name)], [8], WHO) == CostBound()


@for_each("name", SETTINGS)
def test_the_next_message_of_a_chat(name: str) -> None:
    model = Talkative()
    chat = memviz.Chat(strategy(name), model=model, summarizer=model)
    for message in TALK[::2]:
        margin, log_tokens = (
            measure_token_margin(chat.log, chat.run.counter),
            int(chat.memory.sums.totals[-1]),
        )
        sent = chat.next_request_tokens + 80
        turn = plan_turn(
            chat.strategy, sent, log_tokens, WHO, max(margin, 6.0), chat.recall_tool
        )
        model.usd = 0.0
        chat.send(message.content)
        assert model.usd <= price_at_most(turn).usd


def test_questions_with_a_judge() -> None:
    probes = [
        Probe("What is the budget?", ("300 Euro",), (3,), "single"),
        Probe("Who?", ("Mira",), (0,), "single"),
    ]
    runs, model = [replayed("summary_buffer"), replayed("buffer")], Talkative()
    judging = Judging(runs, probes, model=model, judge=model)
    while not judging.is_complete:
        try:
            judging.step()
        except memviz.ModelError:  # its verdicts are unreadable
            break
    holds(bound_judging(runs, probes, WHO, NAME), model)
    assert (
        bound_judging(runs, probes, WHO).usd
        < bound_judging(runs, probes, WHO, NAME).usd
    )
    assert bound_judging(runs, [], WHO, NAME) == CostBound()


def test_two_prompts_of_the_lab() -> None:
    run, model = replayed("summary_buffer"), Talkative()
    compaction = next(one for one in run.compactions if one.asked)
    for instruction in ("Sum up.", "Say it in at most 60 words."):
        try_prompt(compaction, instruction, model)
    holds(bound_trials(compaction, [10, 20], NAME, LIMIT), model)


def test_a_model_without_a_price_is_bounded_in_calls_and_tokens() -> None:
    bound = bound_questions(
        [replayed("buffer"), replayed("summary")],
        Askers("openai/ours", NAME, LIMIT),
        20,
    )
    assert (bound.calls, bound.unpriced) == (2, ("openai/ours",))
    assert bound.usd > 0, "the summaries"


def test_letters_other_than_ascii_widen_the_margin() -> None:
    assert (
        measure_token_margin(
            memviz.Log([Message("user", "Hello there")]), counter("o200k_base")
        )
        == 2.0
    )
    assert (
        measure_token_margin(
            memviz.Log([Message("user", "न्सन्त्रकेकिनसो")]), counter("o200k_base")
        )
        > 6.0
    )
    assert measure_token_margin(memviz.Log([]), counter("o200k_base")) == 2.0
