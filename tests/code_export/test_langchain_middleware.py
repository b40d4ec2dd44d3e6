"""The code for LangChain's agents, run with that library, and every difference that is named."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from itertools import count
from typing import Any

import pytest

import memviz
from memviz import Message, ScriptedModel
from memviz.code_export import Setting, targets
from memviz.transcripts.samples import bundled
from tests.code_export.running import (
    load,
    pairs,
    requests,
    setting,
    summarize_with,
    talk,
    texts,
    with_code,
)

pytest.importorskip("langchain.agents")

from langchain.agents.middleware import ModelRequest
from langchain.agents.middleware.summarization import SummarizationMiddleware
from langchain_core.messages import (
    AIMessage,
    AnyMessage,
    BaseMessage,
    HumanMessage,
    SystemMessage,
    convert_to_messages,
)
from langgraph.checkpoint.memory import InMemorySaver

from tests.code_export.fake_langchain import ROLES, Answering
from tests.strategies.libraries.langchain_messages import from_langchain
from tests.strategies.libraries.langchain_runner import arrivals
from tests.tables import for_each
from tests.tool_loops import loops

EXACT = ("buffer", "window", "token_buffer", "recent_only", "summary_only")
PREFIX = "Here is a summary of the conversation to date:\n\n"


def numbered() -> Iterator[str]:
    return (f"Summary {number}" for number in count(1))


class Held:
    """A conversation held with the exported agent: what was asked of the model, and of the summarizer."""

    def __init__(
        self,
        wanted: Setting,
        talked: list[Message],
        summary: Callable[[Any], str] | None = None,
        replies: Iterator[str | AIMessage] | None = None,
    ) -> None:
        names, summaries = load("langchain_middleware", wanted), numbered()
        self.summarizer = Answering(answer=summary or (lambda _: next(summaries)))
        answers = replies or iter([reply for _, reply in pairs(talked)])
        self.llm = Answering(answer=lambda _: next(answers))
        options = {}
        if "SummarizationMiddleware" in names:
            options = {"summarizer": self.summarizer}
        else:
            names["init_chat_model"] = lambda name: self.summarizer
        self.agent = names["build_agent"](model=self.llm, **options)
        for question, _ in pairs(talked):
            self.ask(question)

    def ask(self, question: str, thread: str = "1") -> None:
        self.agent.invoke(
            {"messages": [HumanMessage(question)]},
            {"configurable": {"thread_id": thread}},
        )

    def failed(self, question: str) -> bool:
        """Whether the call of the agent failed."""
        try:
            self.ask(question)
        except ConnectionError:
            return True
        return False

    @property
    def requests(self) -> list[list[tuple[str, str]]]:
        return self.llm.requests

    @property
    def state(self) -> list[AnyMessage]:
        found: list[AnyMessage] = self.agent.get_state(
            {"configurable": {"thread_id": "1"}}
        ).values["messages"]
        return found


def simulated(wanted: Setting, talked: list[Message]) -> list[list[tuple[str, str]]]:
    return [
        texts(sent) for _, sent in requests(talked, wanted, ScriptedModel(numbered()))
    ]


def named(id: str, words: str, **changes: Any) -> bool:
    return words in targets()["langchain_middleware"].write(
        setting(id, **changes)
    ).replace("\n#   ", " ")


@pytest.mark.slow
@pytest.mark.parametrize("counter", ["o200k_base", "chars4"])
@pytest.mark.parametrize("id", EXACT)
def test_the_agent_sends_what_memviz_simulated_and_keeps_everything(
    id: str, counter: str
) -> None:
    talked, wanted = (
        list(bundled()["trip"].messages),
        setting(id, counter=counter, system_prompt="Be kind."),
    )
    held = Held(wanted, talked)
    assert held.requests == simulated(wanted, talked)
    assert [(ROLES[m.type], m.text) for m in held.state] == [
        (m.role, m.content) for m in talked
    ]


def test_a_question_over_the_budget_is_sent_alone() -> None:
    wanted = setting("token_buffer", parameters={"max_tokens": 5})
    assert Held(wanted, talk(3)).requests == simulated(wanted, talk(3))


def as_langchain(messages: list[Message]) -> list[AnyMessage]:
    converted = convert_to_messages([message.to_request() for message in messages])
    for number, message in enumerate(converted):
        message.id = str(number)
    return converted


@for_each("repair", [False, True])
@for_each("id", ["window", "token_buffer", "recent_only", "summary_only"])
def test_tool_calls_are_sent_as_in_the_replay(id: str, repair: bool) -> None:
    talked, model = list(bundled()["support"].messages), memviz.model("offline")
    wanted = setting(id, repair_tool_pairs=repair)
    names = load("langchain_middleware", wanted)
    names["summarize"] = summarize_with(model)
    middleware, messages = names["StrategyMiddleware"](), as_langchain(talked)
    for length, expected in requests(talked, wanted, model):
        sent = middleware.sent(messages[:length])
        assert [(ROLES[m.type], m.text) for m in sent] == texts(expected)
        assert sum(len(m.tool_calls) for m in sent if isinstance(m, AIMessage)) == sum(
            len(m.get("tool_calls", ())) for m in expected
        )


def test_conversations_are_kept_apart() -> None:
    held = Held(
        setting("summary_only"), [], replies=iter(["one", "two", "three", "four"])
    )
    held.ask("first of a", "a")
    held.ask("first of b", "b")
    held.ask("second of a", "a")
    held.ask("second of b", "b")
    assert [sent[-1][1] for sent in held.requests] == [
        "first of a",
        "first of b",
        "second of a",
        "second of b",
    ]
    asked = [request[0][1] for request in held.summarizer.requests]
    assert [
        "first of a" in asked[0],
        "first of b" in asked[0],
        "first of b" in asked[1],
    ] == [True, False, True]


@for_each("id", ["window", "recent_only"])
def test_an_async_agent_sends_the_same(id: str) -> None:
    wanted, talked = (
        setting(id, parameters={"window_size": 3} if id == "window" else {}),
        talk(5),
    )
    held = Held(wanted, [], replies=iter([reply for _, reply in pairs(talked)]))

    async def talking() -> None:
        for question, _ in pairs(talked):
            await held.agent.ainvoke(
                {"messages": [HumanMessage(question)]},
                {"configurable": {"thread_id": "1"}},
            )

    asyncio.run(talking())
    assert held.requests == simulated(wanted, talked)


def failing(messages: Any) -> str:
    raise ConnectionError("no answer")


SMALL = {
    "summary": {"buffer_size": 3},
    "summary_buffer": {"max_token_limit": 100},
    "chat_summary_buffer": {"token_limit": 100},
}


@pytest.mark.parametrize("id", SMALL)
class TestSummarizing:
    def test_the_summary_is_a_user_message(self, id: str) -> None:
        assert named(id, f"a user message that starts with '{PREFIX.strip()}'")
        sent = Held(setting(id, parameters=SMALL[id]), talk(12)).requests[-1]
        assert sent[0][0] == "user"
        assert sent[0][1].startswith(f"{PREFIX}Summary ")

    def test_a_failing_summarizer_fails_the_call_and_loses_nothing(
        self, id: str, monkeypatch: Any
    ) -> None:
        assert named(
            id, "asked up to three times, and then the whole call of the agent fails"
        )
        monkeypatch.setattr("time.sleep", lambda seconds: None)  # between the attempts
        held = Held(
            setting(id, parameters=SMALL[id]), [], failing, iter("abcdefghijkl")
        )
        for question, _ in pairs(talk(12)):
            if held.failed(question):
                break
        assert len(held.requests) < 12
        assert len(held.summarizer.requests) == 3
        assert len(held.state) == 2 * len(held.requests) + 1

    def test_what_was_summarized_is_removed_from_the_state(self, id: str) -> None:
        assert named(id, "removed from the agent's state")
        assert len(Held(setting(id, parameters=SMALL[id]), talk(12)).state) < 24

    def test_the_summarizer_gets_the_instruction_and_the_whole_summary_so_far(
        self, id: str
    ) -> None:
        long = "fact " * 5000
        held = Held(setting(id, parameters=SMALL[id]), talk(12), lambda _: long)
        ((role, text),) = held.summarizer.requests[1]
        assert role == "user"
        assert text.startswith(setting(id).strategy.instruction)
        assert text.count("fact") == 5000

    def test_a_prompt_with_braces_stays_as_it_is(self, id: str) -> None:
        if id == "chat_summary_buffer":
            prompt = "Keep {names} and {0}."
            wanted = setting(id, parameters={**SMALL[id], "summarize_prompt": prompt})
            assert (
                Held(wanted, talk(12)).summarizer.requests[0][0][1].startswith(prompt)
            )


class TestDifferences:
    """Each is named in the file, and the library really does so."""

    def test_it_looks_before_each_request(self) -> None:
        assert named(
            "summary",
            "It looks before each call of the model. memviz looks after each message",
        )
        wanted, talked = setting("summary", parameters={"buffer_size": 4}), talk(20)
        run = memviz.replay(talked, wanted.strategy, model=ScriptedModel(numbered()))
        assert {
            talked[compaction.after_message].role for compaction in run.compactions
        } == {"user", "assistant"}
        first_kept = {
            sent[1][0]
            for sent in Held(wanted, talked).requests
            if sent[0][1].startswith(PREFIX)
        }
        assert first_kept == {
            "assistant"
        }  # always cut when a question is the newest message

    def test_the_summary_is_one_of_the_messages(self) -> None:
        assert named(
            "summary", "from the second time on it may summarize one message earlier"
        )
        wanted, talked = setting("summary", parameters={"buffer_size": 4}), talk(20)
        run = memviz.replay(talked, wanted.strategy, model=ScriptedModel(numbered()))
        new = [
            request[0][1].count("<message ")
            for request in Held(wanted, talked).summarizer.requests
        ]
        assert new[0] == 5
        assert {number - 1 for number in new[1:]} == {4}  # one of them is the summary
        assert {len(compaction.summarized) for compaction in run.compactions} == {5}

    def test_the_summary_counts_toward_the_trigger(self) -> None:
        assert named(
            "summary_buffer", "The summary counts toward the limit that triggers"
        )
        wanted, talked, long = (
            setting("summary_buffer", parameters=SMALL["summary_buffer"]),
            talk(20),
            "long " * 60,
        )
        run = memviz.replay(
            talked, wanted.strategy, model=ScriptedModel(long for _ in count())
        )
        assert len(Held(wanted, talked, lambda _: long).summarizer.requests) > len(
            run.compactions
        )

    def test_half_of_the_limit_is_kept(self) -> None:
        wanted, talked = (
            setting("summary_buffer", parameters=SMALL["summary_buffer"]),
            talk(20),
        )
        held, counted = Held(wanted, talked), memviz.counter("o200k_base")
        after = [
            sent[1:]
            for sent, before in zip(held.requests[1:], held.requests, strict=False)
            if sent[0] != before[0]
        ]
        assert after
        assert all(30 < sum(counted(text) for _, text in kept) <= 50 for kept in after)

    def test_reported_tokens_trigger_too(self) -> None:
        assert named("summary_buffer", "when the provider reports that many tokens")
        reported = [
            AIMessage(
                f"reply {n} " + "word " * 20,
                usage_metadata={
                    "input_tokens": 900,
                    "output_tokens": 100,
                    "total_tokens": 1000,
                },
                response_metadata={"model_provider": "answering"},
            )
            for n in range(3)
        ]
        wanted = setting("summary_buffer", parameters=SMALL["summary_buffer"])
        asked = [
            Held(wanted, talk(3), None, iter(replies))
            for replies in (reported, [m.text for m in reported])
        ]
        assert [len(held.summarizer.requests) > 0 for held in asked] == [True, False]

    def test_an_assistants_message_may_come_first(self) -> None:
        assert named(
            "chat_summary_buffer", "The first message kept may be an assistant's"
        )
        wanted, talked = (
            setting("chat_summary_buffer"),
            list(bundled()["trip"].messages),
        )
        assert "assistant" in {
            sent[1][0]
            for sent in Held(wanted, talked).requests
            if sent[0][1].startswith(PREFIX)
        }
        assert {
            sent[1][0] for sent in simulated(wanted, talked) if sent[0][0] == "system"
        } == {"user"}

    def test_the_sentence_in_front_counts(self) -> None:
        assert named(
            "chat_summary_buffer", "The sentence in front of the summary counts as well"
        )
        names = load("langchain_middleware", setting("chat_summary_buffer"))
        message = SummarizationMiddleware._build_new_messages("Summary 1")
        assert (
            names["count_messages"](message)
            > memviz.counter("o200k_base")("Summary 1") + 5
        )

    def test_the_limit_holds_for_messages_and_summary(self) -> None:
        wanted, counted = (
            setting("chat_summary_buffer", parameters=SMALL["chat_summary_buffer"]),
            memviz.counter("o200k_base"),
        )
        for sent in Held(wanted, talk(12)).requests:
            kept = sent[1:] if sent[0][1].startswith(PREFIX) else sent
            assert sum(counted(text) for _, text in kept) <= 100

    def test_the_system_prompt_counts_where_it_is_asked_to(self) -> None:
        prompt, talked = "Be kind and patient with everybody. " * 10, talk(12)
        for on in (True, False):
            parameters = {"token_limit": 160, "count_initial_tokens": on}
            held = Held(
                setting(
                    "chat_summary_buffer", parameters=parameters, system_prompt=prompt
                ),
                talked,
            )
            largest = max(
                sum(memviz.counter("o200k_base")(text) for _, text in sent[1:])
                for sent in held.requests
            )
            assert (largest < 110) == on


@for_each("id", ["window", "token_buffer", "summary_only"])
def test_leading_system_messages_are_always_sent(id: str) -> None:
    parameters = {"window": {"window_size": 2}, "token_buffer": {"max_tokens": 20}}.get(
        id, {}
    )
    wanted, talked = (
        setting(id, parameters=parameters),
        [Message("system", "rules"), *talk(4), Message("user", "And?")],
    )
    names = load("langchain_middleware", wanted)
    names["summarize"] = lambda messages: "all of it"
    sent = [
        (ROLES[m.type], str(m.text))
        for m in names["StrategyMiddleware"]().sent(as_langchain(talked))
    ]
    assert sent == texts(
        requests(talked, wanted, ScriptedModel("all of it" for _ in count()))[-1][1]
    )
    assert sent[0] == ("system", "rules")


def test_the_library_s_middleware_summarizes_them() -> None:
    assert named("summary", "give it as system_prompt")
    names = load(
        "langchain_middleware", setting("summary", parameters={"buffer_size": 2})
    )
    asked: list[Any] = []
    agent = names["build_agent"](
        model=Answering(answer=lambda _: "Yes."),
        summarizer=Answering(answer=lambda messages: asked.append(messages) or "S"),
    )
    said = as_langchain([Message("system", "rules"), *talk(4), Message("user", "And?")])
    agent.invoke({"messages": said}, {"configurable": {"thread_id": "1"}})
    assert "rules" in str(asked)


@pytest.mark.parametrize("id", with_code("langchain_middleware"))
def test_the_example_runs(id: str, capsys: pytest.CaptureFixture[str]) -> None:
    names = load("langchain_middleware", setting(id))
    build = names["build_agent"]

    def with_fakes(**options: Any) -> Any:
        given = (
            {"summarizer": Answering(answer=lambda _: "S")}
            if "SummarizationMiddleware" in names
            else {}
        )
        return build(model=Answering(answer=lambda _: "I am fine."), **given, **options)

    names["build_agent"] = with_fakes
    names.setdefault("InMemorySaver", InMemorySaver)
    names["main"]()
    assert capsys.readouterr().out == "I am fine.\n" * 2


def test_summaries_of_the_own_middleware_are_system_messages() -> None:
    names = load("langchain_middleware", setting("summary_only"))
    names["summarize"] = lambda messages: "all of it"
    sent = names["StrategyMiddleware"]().sent(
        as_langchain([*talk(2), Message("user", "And?")])
    )
    assert isinstance(sent[0], SystemMessage)
    assert sent[0].text.count("all of it") == 2


CLEARING: list[dict[str, Any]] = [
    {}, {"rule": "gate", "clear_at_least_tokens": 400}, {"clear_at_least_tokens": 60},
    {"clear_arguments": True, "keep_results": 0}, {"excluded_tools": "never, look_up", "placeholder": "gone"},
]  # fmt: skip


@for_each(
    ("talked", "parameters"),
    [
        (list(bundled()["support"].messages), CLEARING[1]),
        *((loops(3, 6), parameters) for parameters in CLEARING),
    ],
)
def test_the_middleware_clears_what_memviz_simulated(
    talked: list[Message], parameters: dict[str, Any]
) -> None:
    wanted = setting(
        "clear_tool_results", parameters={"trigger_tokens": 150, **parameters}
    )
    middleware = load("langchain_middleware", wanted)["build_editing"]()
    state: list[BaseMessage] = []
    for said, (_, expected) in zip(
        arrivals(talked), requests(talked, wanted), strict=True
    ):
        state += said
        sent: list[BaseMessage] = []
        request = ModelRequest(model=Answering(answer=lambda _: ""), messages=[*state])
        middleware.wrap_model_call(
            request, lambda edited, sent=sent: sent.extend(edited.messages)
        )
        assert [from_langchain(message).to_request() for message in sent] == expected


def test_an_agent_that_clears_keeps_everything() -> None:
    wanted = setting("clear_tool_results", system_prompt="Be kind.")
    talked = list(bundled()["trip"].messages)
    held = Held(wanted, talked)
    assert held.requests == simulated(wanted, talked)
    assert len(held.state) == len(talked)


def test_a_system_message_of_the_state_counts() -> None:
    assert named(
        "clear_tool_results",
        "A system message that the agent's state begins with counts",
    )
    wanted = setting(
        "clear_tool_results", parameters={"trigger_tokens": 60, "keep_results": 0}
    )
    talked = [Message("system", "rules " * 60), *loops(1, 1)]
    middleware, sent = load("langchain_middleware", wanted)["build_editing"](), []
    request = ModelRequest(
        model=Answering(answer=lambda _: ""), messages=as_langchain(talked[:4])
    )
    middleware.wrap_model_call(request, lambda edited: sent.extend(edited.messages))
    assert sent[-1].text == "[cleared]"
    assert requests(talked, wanted)[-1][1][-1]["content"] != "[cleared]"


THRESHOLDS: list[dict[str, Any]] = [
    {},
    {"trigger_tokens": 300, "trigger_messages": 9, "joined_by": "all", "keep_tokens": 120},
    {"trigger_tokens": 0, "trigger_percent": 40, "window_tokens": 1000, "keep_percent": 10},
    {"trigger_tokens": 900, "other_triggers": "200 tokens and 0.1 of the window and 8 messages or 20 messages",
     "window_tokens": 2500, "summarizer_reads_tokens": 0},
]  # fmt: skip


@for_each(
    ("id", "parameters"),
    [
        ("langchain_summarization", {}),
        *(("threshold_summary", each) for each in THRESHOLDS),
    ],
)
def test_thresholds_and_what_is_kept_are_those_that_memviz_simulated(
    id: str, parameters: dict[str, Any]
) -> None:
    talked = list(bundled()["trip"].messages)
    wanted = setting(id, parameters=parameters, system_prompt="Be kind.")
    held, expected = Held(wanted, talked), simulated(wanted, talked)
    assert held.requests == expected
    assert held.summarizer.requests


def test_a_threshold_that_is_not_set_is_none() -> None:
    wanted = setting("threshold_summary", parameters={"trigger_tokens": 0})
    assert not Held(wanted, talk(12)).summarizer.requests
    assert "TRIGGER = []" in targets()["langchain_middleware"].write(wanted)


def test_an_empty_summary_is_taken() -> None:
    assert named("threshold_summary", "LangChain goes on with an empty summary")
    held = Held(
        setting(
            "threshold_summary", parameters={"trigger_tokens": 60, "keep_messages": 2}
        ),
        talk(6),
        lambda _: "",
    )
    assert ("user", PREFIX) in [sent[0] for sent in held.requests]
