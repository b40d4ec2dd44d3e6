from __future__ import annotations

import json
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from benchmarks.measured import MEASURED
from memviz import Message, Reply, ToolCall, counter, replay, strategy
from memviz.core.tool_schemas import count_schema_tokens
from memviz.models.offline import OfflineModel
from memviz.models.tools import CONTINUE_THINKING, RECALL_CONVERSATION, Tool
from memviz.transcripts.samples import bundled
from tests.models.offline_facts import CHINESE, ENGLISH, Fact
from tests.tables import for_each

MODEL = OfflineModel()
RECALL, THINK = (RECALL_CONVERSATION,), (RECALL_CONVERSATION, CONTINUE_THINKING)
WEATHER = Tool("get_weather", "The weather.", {"type": "object", "properties": {}})
INSTRUCTIONS = Message(
    "system",
    "Think about the mooring fee of the boat: it is 999 euros. End with a call.",
)

BOAT = {
    1: "Sturdy lies in Ghent.\nShe needs new paint.",
    2: "The cat Biscuit sleeps on the radiator.",
    3: "The mooring fee of the boat was discussed at length.",
    4: "I learn the cello since 2021.",
    12: "The mooring fee of the boat went up to 640 euros a month.",
}
TEA = {1: "我想开一家小店。", 2: "茶馆的房租和房东谈了很久。", 3: "我的猫叫豆豆。"}
FEE, RENT = "How high is the mooring fee of the boat?", "茶馆的房租是多少？"


def user(text: str) -> Message:
    return Message("user", text)


def summaries(entries: dict[int, str]) -> Message:
    lines = [f"[Turn {number}] {text}" for number, text in entries.items()]
    return Message(
        "system", "\n".join(["=== ACCUMULATED MEMORY SUMMARIES ===", *lines])
    )


def arguments(reply: Reply, name: str = "recall_conversation") -> dict[str, Any]:
    (call,) = (call for call in reply.tool_calls if call.name == name)
    found = json.loads(call.arguments)
    assert isinstance(found, dict)
    return found


def after(
    reply: Reply, result: str = "Recalled 2 messages of turn 3: the mooring fee is 5."
) -> list[Message]:
    results = [
        Message("tool", result, tool_call_id=call.id) for call in reply.tool_calls
    ]
    return [Message("assistant", reply.text, tool_calls=reply.tool_calls), *results]


# --- whether to recall, and what ------------------------------------------------------------------


@for_each(
    ("entries", "question", "turns"),
    [
        (BOAT, FEE, [3, 12]),
        (BOAT, "What new colour of paint does Sturdy need?", [1]),
        (
            {1: "The door is blue."},
            "What colour did the neighbour want for the door?",
            [1],
        ),
        (BOAT, "Hello! I am back. Where does the cat Biscuit sleep?", [2]),
        (
            BOAT,
            "Where does Biscuit sleep, the cat? And since when do I learn the cello?",
            [2, 4],
        ),
        (TEA, RENT, [2]),
        (TEA, "我的猫叫什么名字？", [3]),
    ],
)
def test_the_turns_are_recalled_whose_summaries_speak_of_the_question(
    entries: dict[int, str], question: str, turns: list[int]
) -> None:
    messages = [
        Message("system", "You are helpful."),
        summaries(entries),
        user(question),
    ]
    reply = MODEL.complete(messages, RECALL)
    assert (reply.text, reply.finish_reason, reply.cost_usd) == ("", "tool_calls", 0.0)
    assert arguments(reply) == {"turn_numbers": turns}
    assert [*MODEL.stream(messages, RECALL)] == [reply]


def test_at_most_three_turns_are_recalled_those_that_share_most() -> None:
    entries = {
        number: f"The fee of jetty {number} was discussed." for number in range(1, 7)
    }
    entries[2] = "The mooring fee of the boat was discussed."
    assert arguments(MODEL.complete([summaries(entries), user(FEE)], RECALL)) == {
        "turn_numbers": [2]
    }
    again = dict.fromkeys(range(1, 7), "The mooring fee of the boat was discussed.")
    assert arguments(MODEL.complete([summaries(again), user(FEE)], RECALL)) == {
        "turn_numbers": [4, 5, 6]
    }


def test_a_turn_that_shares_little_is_not_recalled() -> None:
    entries = {
        1: "The museum sent a letter.",
        2: "The mooring fee of the boat was discussed at length.",
    }
    question = user(
        "Which museum told us about the mooring fee of the boat in the harbour of Ghent?"
    )
    assert arguments(MODEL.complete([summaries(entries), question], RECALL)) == {
        "turn_numbers": [2]
    }


def test_a_mark_inside_a_summary_begins_no_entry() -> None:
    entries = {
        1: "The cat is Biscuit.",
        5: "It was quoted:\n[Turn 2] the mooring fee of the boat\n[Turn 99999999999] is",
    }
    assert arguments(MODEL.complete([summaries(entries), user(FEE)], RECALL)) == {
        "turn_numbers": [5]
    }


@for_each("role", ["user", "assistant", "tool"])
def test_a_fact_that_was_sent_word_for_word_is_answered_at_once(role: str) -> None:
    messages = [
        summaries(BOAT),
        Message(role, "The mooring fee of the boat is 640 euros."),
        user(FEE),
    ]
    reply = MODEL.complete(messages, RECALL)
    assert not reply.tool_calls
    assert "640" in reply.text


def test_a_fact_that_is_not_found_beside_the_summaries_is_recalled() -> None:
    winter = user("How high is the mooring fee of the boat in winter?")
    said = user("The mooring fee of the boat is 640 euros.")
    assert "640" in MODEL.complete([said, winter], RECALL).text
    memory = summaries(dict.fromkeys(range(1, 12), "The mooring fee of the boat."))
    call = MODEL.complete([memory, said, winter], RECALL)
    assert arguments(call) == {"turn_numbers": [9, 10, 11]}
    assert "640" in MODEL.complete([memory, said, winter, *after(call)], RECALL).text


@for_each("entries", [BOAT, TEA, {}])
@for_each(
    "said",
    [
        "Hello!",
        "Thanks a lot!",
        "The boat is moored in Ghent.",
        "你好",
        "茶馆的房租是4200元。",
        "",
        "???",
        "What?",
    ],
)
def test_statements_greetings_and_empty_questions_call_nothing(
    entries: dict[int, str], said: str
) -> None:
    messages = [summaries(entries)] * bool(entries) + [user(said)]
    assert MODEL.complete(messages, RECALL).text == MODEL.complete(messages).text


@for_each("question", ["What is my blood type?", "我的护照什么时候过期？"])
def test_where_no_summary_speaks_of_it_nothing_is_recalled(question: str) -> None:
    messages = [summaries(BOAT | {13: TEA[1]}), user(question)]
    reply = MODEL.complete(messages, RECALL)
    assert not reply.tool_calls
    assert reply.text == MODEL.complete(messages).text


@for_each("question", [FEE, RENT])
@for_each(
    "context",
    [
        [
            Message(
                "system",
                "Earlier: the mooring fee of the boat is 5 euros. 茶馆的房租是5元。",
            )
        ],
        [user("I am Ann.")],
        [Message("system", "You are polite."), user("I am Ann.")],
    ],
)
def test_without_summaries_of_turns_the_newest_messages_are_recalled(
    question: str, context: list[Message]
) -> None:
    assert arguments(MODEL.complete([*context, user(question)], RECALL)) == {
        "last_n": 20
    }


@for_each("question", [FEE, RENT])
@for_each(
    "context", [[], [Message("system", "You are polite. The mooring fee is 5 euros.")]]
)
def test_in_the_first_turn_there_is_nothing_to_recall(
    question: str, context: list[Message]
) -> None:
    assert not MODEL.complete([*context, user(question)], RECALL).tool_calls


@for_each(
    ("tools", "choice"),
    [(RECALL, "none"), (THINK, "none"), ((WEATHER,), "auto"), ((), "auto")],
)
def test_what_is_not_offered_or_not_wanted_is_not_called(
    tools: tuple[Tool, ...], choice: Any
) -> None:
    messages = [summaries(BOAT), user(FEE)]
    reply = MODEL.complete(messages, tools, choice)
    assert (reply.text, reply.finish_reason) == (MODEL.complete(messages).text, "stop")
    assert not reply.tool_calls


# --- after the recall -----------------------------------------------------------------------------


@for_each("fact", [*ENGLISH[:12], *CHINESE])
def test_the_recalled_message_is_quoted_and_not_its_summary(fact: Fact) -> None:
    memory, question = (
        summaries(
            {1: ENGLISH[20].statement, 2: fact.statement, 3: CHINESE[6].statement}
        ),
        user(fact.question),
    )
    call = MODEL.complete([memory, question], RECALL)
    assert 2 in arguments(call)["turn_numbers"]
    for tools in (RECALL, ()):
        reply = MODEL.complete(
            [
                memory,
                user(fact.statement),
                Message("assistant", "Ok."),
                question,
                *after(call),
            ],
            tools,
        )
        assert reply.text.startswith("你告诉过我" if fact in CHINESE else "You told me")
        assert fact.answer in reply.text
        assert not reply.tool_calls


def test_a_summary_that_is_better_placed_gives_way_to_the_recalled_message() -> None:
    memory = summaries({1: "The mooring fee in Ghent is 640 euros."})
    messages = [
        memory,
        user("I live in Ghent now. The mooring fee is 640 euros."),
        user("How high is the mooring fee in Ghent?"),
    ]
    assert "My summary" in MODEL.complete(messages).text
    call = ToolCall("call_1", "recall_conversation", '{"turn_numbers": [1]}')
    assert (
        "You told me"
        in MODEL.complete([*messages, *after(Reply("", (call,)))], RECALL).text
    )


@for_each("question", [FEE, RENT])
@for_each("context", [[summaries(BOAT | {13: TEA[2]})], [user("I am Ann.")]])
@for_each("tools", [RECALL, ()])
def test_one_recall_a_turn_then_it_answers_even_if_it_found_nothing(
    context: list[Message], question: str, tools: tuple[Tool, ...]
) -> None:
    call = MODEL.complete([*context, user(question)], RECALL)
    assert call.tool_calls
    reply = MODEL.complete([*context, user(question), *after(call)], tools)
    assert not reply.tool_calls
    assert reply.text == MODEL.complete([*context, user(question)]).text
    again = MODEL.complete(
        [
            *context,
            user(question),
            *after(call),
            Message("assistant", "?"),
            user(question),
        ],
        RECALL,
    )
    assert [one.id for one in again.tool_calls] == ["call_2"]


def test_ids_go_round_those_of_other_tools() -> None:
    for taken, id in (("call_1", "call_2"), ("call_2", "call_3"), ("abc", "call_2")):
        used = [Message("assistant", "", tool_calls=(ToolCall(taken, "get_weather"),))]
        assert MODEL.complete([*used, user(FEE)], RECALL).tool_calls[0].id == id


def test_results_of_other_tools_stay_sources() -> None:
    calls = (ToolCall("a", "get_fee"), ToolCall("b", "recall_conversation"))
    results = [
        Message("tool", '{"mooring fee of the boat": "640 euros"}', tool_call_id="a"),
        Message("tool", "The mooring fee of the boat is 5 euros.", tool_call_id="b"),
    ]
    thought = Message(
        "assistant", "The mooring fee of the boat is 6 euros.", tool_calls=calls
    )
    assert MODEL.complete([user(FEE), thought, *results], RECALL).text.startswith(
        "A tool result says: "
    )
    reused = Message("assistant", "", tool_calls=(ToolCall("b", "get_fee"),))
    result = Message(
        "tool", '{"mooring fee of the boat": "640 euros"}', tool_call_id="b"
    )
    assert (
        "640"
        in MODEL.complete([user(FEE), thought, results[1], reused, result], RECALL).text
    )


# --- thinking -------------------------------------------------------------------------------------


@for_each(
    ("entries", "question", "turns", "thought"),
    [
        (
            BOAT,
            FEE,
            [3, 12],
            "The summaries of turns 3 and 12 mention this; I look at the turns themselves.",
        ),
        (
            BOAT,
            "Where does the cat sleep?",
            [2],
            "The summary of turn 2 mentions this; I look at the turn itself.",
        ),
        (TEA, RENT, [2], "第2轮的总结提到了这一点，我去看原话。"),
    ],
)
def test_a_thought_recalls_and_asks_for_another_round(
    entries: dict[int, str], question: str, turns: list[int], thought: str
) -> None:
    reply = MODEL.complete([summaries(entries), user(question), INSTRUCTIONS], THINK)
    assert [call.name for call in reply.tool_calls] == [
        "recall_conversation",
        "continue_thinking",
    ]
    assert [call.id for call in reply.tool_calls] == ["call_1", "call_2"]
    assert arguments(reply) == {"turn_numbers": turns}
    assert arguments(reply, "continue_thinking")["continue_thinking"] is True
    assert arguments(reply, "continue_thinking")["reason"]
    assert (reply.text, reply.finish_reason) == (thought, "tool_calls")
    assert (
        "20"
        in MODEL.complete([user("I am Ann."), user(question), INSTRUCTIONS], THINK).text
    )


@for_each("said", [f"{FEE} Bring me the key of Sturdy.", f"茶馆重新开张了。{RENT}"])
def test_the_last_thought_ends_with_a_summary_of_the_turn(said: str) -> None:
    facts = [
        user("The mooring fee of the boat is 640 euros."),
        user("茶馆的房租是4200元。"),
    ]
    first = MODEL.complete(
        [summaries(BOAT | {13: TEA[2]}), user(said), INSTRUCTIONS], THINK
    )
    messages = [
        summaries(BOAT | {13: TEA[2]}),
        *facts,
        user(said),
        INSTRUCTIONS,
        *after(first),
        INSTRUCTIONS,
    ]
    reply = MODEL.complete(messages, THINK)
    ended = arguments(reply, "continue_thinking")
    assert len(reply.tool_calls) == 1
    assert ended["continue_thinking"] is False
    assert "Sturdy" in ended["summary"] or "茶馆重新开张了" in ended["summary"]
    assert reply.text in (
        "I can answer from what I was sent.",
        "我可以根据收到的内容回答。",
    )
    assert "999" not in MODEL.complete([*messages, *after(reply)]).text


def test_the_summary_of_a_turn_holds_the_answer_within_the_budget() -> None:
    messages = [
        user("The mooring fee of the boat is 640 euros."),
        user(FEE),
        INSTRUCTIONS,
    ]
    ended = arguments(MODEL.complete(messages, THINK), "continue_thinking")
    assert ended["summary"] == "The mooring fee of the boat is 640 euros."
    said = [
        user("My cat Biscuit is 9 years old. My boat Sturdy is moored in Ghent."),
        INSTRUCTIONS,
    ]
    ended = arguments(MODEL.complete(said, THINK), "continue_thinking")
    assert ended["summary"] == said[0].content
    (call,) = MODEL.complete([user("我的猫叫豆豆。")], THINK).tool_calls
    assert "我的猫叫豆豆" in call.arguments
    short = arguments(OfflineModel(6).complete(messages, THINK), "continue_thinking")
    assert counter("o200k_base")(short["summary"]) <= 6


@for_each(
    ("said", "thought"),
    [
        ("I like tea.", "There is no question to look anything up for."),
        ("你好", "这里没有需要查找的问题。"),
        ("What is my blood type?", "The context does not hold the answer."),
        ("我的护照什么时候过期？", "收到的内容里没有答案。"),
        ("Where does Biscuit sleep, the cat?", "I can answer from what I was sent."),
    ],
)
def test_thinking_without_the_recall_tool_ends_at_once(said: str, thought: str) -> None:
    reply = MODEL.complete(
        [summaries(BOAT), user(said), INSTRUCTIONS], (CONTINUE_THINKING,)
    )
    assert [call.name for call in reply.tool_calls] == ["continue_thinking"]
    assert arguments(reply, "continue_thinking")["continue_thinking"] is False
    assert reply.text == thought


def test_instructions_behind_the_input_are_quoted_only_where_no_tool_was_offered() -> (
    None
):
    messages = [user(FEE), INSTRUCTIONS]
    assert "999" in MODEL.complete(messages).text
    thought = arguments(
        MODEL.complete(messages, (CONTINUE_THINKING,)), "continue_thinking"
    )["summary"]
    assert "999" not in thought
    assert "999" not in MODEL.complete(messages, THINK, "none").text
    assert (
        "999"
        not in MODEL.complete([*messages, *after(MODEL.complete(messages, THINK))]).text
    )


# --- usage, quality, anything at all --------------------------------------------------------------


def test_usage_counts_schemas_and_calls() -> None:
    count, messages = counter("o200k_base"), [summaries(BOAT), user(FEE)]
    plain = MODEL.complete(messages).usage
    assert plain is not None
    for tools in (RECALL, THINK, (WEATHER,)):
        reply = MODEL.complete(messages, tools)
        assert reply.usage is not None
        assert reply.usage.input_tokens == plain.input_tokens + count_schema_tokens(
            count, tuple(tool.text for tool in tools), has_system_prompt=True
        )
        spoken = [
            reply.text,
            *(
                part
                for call in reply.tool_calls
                for part in (call.name, call.arguments)
            ),
        ]
        assert reply.usage.output_tokens == sum(map(count, spoken))


@for_each("id", MEASURED)
def test_turns_that_hold_the_evidence_of_bundled_probes_are_recalled(id: str) -> None:
    transcript = bundled()[id]
    run = replay(transcript, strategy("summary_only"), model=MODEL)
    memory = Message("system", run.space.summaries.text(0, len(run.summaries)))
    hits = 0
    for probe in transcript.probes:
        reply = MODEL.complete([memory, user(probe.question)], RECALL)
        turns = set(arguments(reply)["turn_numbers"]) if reply.tool_calls else set()
        hits += turns >= {run.log.turn_number(position) for position in probe.evidence}
    assert hits >= 0.9 * len(transcript.probes)


TEXTS = st.text(max_size=80) | st.sampled_from(
    [
        FEE,
        RENT,
        BOAT[3],
        TEA[2],
        "[Turn 1] hi",
        "=== X ===\n[Turn 2]",
        summaries(BOAT).content,
        "What? 谁？",
        "\n",
    ]
)
CALLS = st.lists(
    st.builds(
        ToolCall,
        st.sampled_from(["", "call_1", "call_2"]),
        st.sampled_from(["recall_conversation", "continue_thinking", "get_weather"]),
        st.sampled_from(["{}", "{", '{"turn_numbers": "x"}']),
    ),
    max_size=2,
).map(tuple)
MESSAGES = st.lists(
    st.builds(
        Message,
        st.sampled_from(["system", "user", "assistant", "tool"]),
        TEXTS,
        tool_calls=CALLS,
        tool_call_id=st.sampled_from([None, "", "call_1"]),
    ),
    max_size=6,
)


@given(
    MESSAGES,
    TEXTS,
    st.sampled_from([RECALL, THINK, THINK[1:], (WEATHER,), ()]),
    st.sampled_from(["auto", "none"]),
)
def test_anything_is_answered_or_calls_well_formed(
    context: list[Message], question: str, tools: tuple[Tool, ...], choice: Any
) -> None:
    messages = [*context, user(question)]
    reply = MODEL.complete(messages, tools, choice)
    assert reply == MODEL.complete(messages, tools, choice)
    assert reply.text.strip() or reply.tool_calls
    assert {call.name for call in reply.tool_calls} <= {tool.name for tool in tools}
    ids = [
        call.id for message in (*messages, *after(reply)) for call in message.tool_calls
    ]
    assert all(ids.count(call.id) == 1 for call in reply.tool_calls)
    for call in reply.tool_calls:
        value = json.loads(call.arguments)
        if call.name == "recall_conversation":
            turns = value.get("turn_numbers", [1])
            assert turns == sorted(set(turns))
            assert 1 <= len(turns) <= 3
            assert turns[0] >= 1
        else:
            assert value["continue_thinking"] is (len(reply.tool_calls) == 2)
            assert value["reason" if value["continue_thinking"] else "summary"].strip()
