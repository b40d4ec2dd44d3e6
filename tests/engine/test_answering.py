"""The model recalls by itself: what it is sent, what it is told, what is kept, and what is not."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import pytest

import memviz
from memviz import Fate, Message, ModelError, Reply, Run, ToolCall, Usage
from memviz.core.model_errors import MalformedReplyError
from memviz.engine.answering import MAX_REMINDERS
from tests.engine.calling import (
    CHARS4,
    RECALL,
    THINK,
    Caller,
    Plain,
    caller_of,
    chat_after,
    content_tokens,
    decide,
    offered,
    recall,
    recalled,
    request_tokens,
    says,
    texts,
    told,
)
from tests.engine.probes import REPRESENTATIVES, Digest, small
from tests.same_runs import contents
from tests.tables import for_each

every_kind = for_each("id", REPRESENTATIVES)
LOOK = "Let me look."
FIRST_TURN = ["question 0", "answer 0"]


def only_summaries(**parameters: Any) -> memviz.Strategy:
    return memviz.strategy("summary_only", **parameters)


def chat_with(*script: Any, turns: int = 3, **parameters: Any) -> memviz.Chat:
    """A chat of three turns under summaries alone; then the model follows ``script``."""
    return chat_after(turns, only_summaries(**parameters), script)


def state_of(chat: memviz.Chat) -> str:
    """Everything that a turn may leave behind."""
    return json.dumps(
        [chat.run.to_dict(), chat.pinned, chat.waiting.recalled.indices], default=str
    )


class TestOneCall:
    def test_the_next_request_has_the_messages_before_the_input_and_the_call_behind_it(
        self,
    ) -> None:
        call = recall(turn_numbers=[1])
        chat = chat_with(says(call), "It was blue.")
        chat.send("Which colour?")
        first, second = caller_of(chat).requests
        summary, question = first
        assert (summary.role, question) == ("system", Message("user", "Which colour?"))
        assert second[:-2] == (summary, *talk_of(0), question)
        assert second[-2] == Message(
            "assistant", "", tool_calls=(call,), meta=second[-2].meta
        )
        assert (second[-1].role, second[-1].tool_call_id) == ("tool", "c1")
        assert (
            second[-1].content
            == "Recalled 2 messages. They stand right before the user's last message."
        )

    def test_the_tool_is_offered_with_both_requests(self) -> None:
        chat = chat_with(says(recall(last_n=1)), "Blue.")
        chat.send("Which colour?")
        assert caller_of(chat).tools == [(RECALL,)] * 2
        assert caller_of(chat).choices == ["auto"] * 2

    def test_call_and_result_join_the_log_with_the_reply(self) -> None:
        chat = chat_with(says(recall(turn_numbers=[1]), text=LOOK), "Blue.")
        record = chat.send("Which colour?")
        assert [(m.role, m.content) for m in chat.log[6:9]] == [
            ("user", "Which colour?"),
            ("assistant", LOOK),
            ("tool", record.context.messages[-1].content),
        ]
        assert [m.is_recall_exchange for m in chat.log[6:]] == [
            False,
            True,
            True,
            False,
        ]
        assert (chat.log[-1].content, record.reply, chat.log.turn_count) == (
            "Blue.",
            "Blue.",
            4,
        )

    def test_the_record_tells_who_recalled_what(self) -> None:
        chat = chat_with(says(recall(turn_numbers=[1])), "Blue.")
        chat.recall(turns=[2])
        found = chat.send("Which colour?").recalled
        assert found is not None
        assert (found.by_model, found.indices) == (1, (0, 1, 2, 3))
        assert found.asked == (memviz.Recall(turns=[2]), memviz.Recall(turns=[1]))
        assert found.asked_by_user == (memviz.Recall(turns=[2]),)

    def test_each_call_has_its_own_facts(self) -> None:
        asking = says(
            recall(last_n=1), usage=Usage(70, 7), cost_usd=0.5, model="served"
        )
        chat = chat_with(asking, Reply("Blue.", usage=Usage(90, 2), cost_usd=0.25))
        record = chat.send("Which colour?")
        (call,) = record.requests[:-1]
        assert (call.kind, call.call, call.thoughts, call.reply_tokens) == (
            "recall",
            1,
            (),
            7,
        )
        assert (call.facts.usage, call.facts.cost_usd, call.facts.model) == (
            Usage(70, 7),
            0.5,
            "served",
        )
        assert record.facts is not None
        assert (record.facts.usage, record.facts.cost_usd, record.facts.model) == (
            Usage(90, 2),
            0.25,
            "caller",
        )

    def test_the_request_of_the_next_turn_has_nothing_recalled(self) -> None:
        chat = chat_with(says(recall(turn_numbers=[1])), "Blue.", "Fine.")
        chat.send("Which colour?")
        record = chat.send("And now?")
        assert [block.kind for block in record.context.blocks] == [
            "summary",
            "input",
            "tools",
        ]
        assert (record.recalled, record.requests[:-1]) == (None, ())
        assert record.context.messages == caller_of(chat).requests[-1]

    def test_a_model_that_does_not_call_is_asked_once(self) -> None:
        record = chat_with("Blue.").send("Which colour?")
        assert (record.requests[:-1], record.recalled, record.parts.exchange) == (
            (),
            None,
            range(0),
        )
        assert record.parts.tools == (RECALL,)


def talk_of(*turns: int) -> tuple[Message, ...]:
    """The messages of these turns (0-based) before the script begins."""
    return tuple(
        Message(role, f"{what} {i}")
        for i in turns
        for role, what in (("user", "question"), ("assistant", "answer"))
    )


class TestSeveralCalls:
    def test_parallel_calls_are_answered_each_under_its_id_and_united(self) -> None:
        chat = chat_with(
            says(recall("b", turn_numbers=[3]), recall("a", message_indices=[1, 4])),
            "Blue.",
        )
        record = chat.send("Which colour?")
        call, *results = record.context.messages[-3:]
        assert (
            [c.id for c in call.tool_calls]
            == [m.tool_call_id for m in results]
            == ["b", "a"]
        )
        assert [m.content.split(".")[0] for m in results] == ["Recalled 2 messages"] * 2
        assert recalled(record) == ["answer 0", "question 2", "answer 2"]
        assert len(record.requests[:-1]) == 1

    def test_one_call_after_the_other(self) -> None:
        chat = chat_with(
            says(recall("a", turn_numbers=[1])),
            says(recall("b", turn_numbers=[3])),
            "Blue.",
        )
        record = chat.send("Which colour?")
        assert [len(request) for request in caller_of(chat).requests] == [2, 6, 10]
        assert [
            m.tool_call_id for m in record.context.messages if m.role == "tool"
        ] == ["a", "b"]
        assert recalled(record) == texts(talk_of(0, 2))
        assert record.recalled is not None
        assert (
            record.recalled.by_model,
            len(record.requests[:-1]),
            len(record.parts.exchange),
        ) == (2, 2, 4)

    def test_ids_that_a_model_uses_again_are_paired_all_the_same(self) -> None:
        chat = chat_with(
            says(recall(last_n=1)), says(recall(last_n=2)), "Blue.", "Fine."
        )
        chat.send("Which colour?")
        assert chat.log.tools.call_of == {8: 7, 10: 9}
        chat.change_strategy(memviz.strategy("buffer"))
        assert texts(chat.send("And now?").context.messages) == texts(chat.log[:-1])


class TestWhatTheModelIsTold:
    def test_a_turn_that_is_not_there_is_named_and_the_rest_recalled(self) -> None:
        chat = chat_with(
            says(recall(turn_numbers=[1, 9], message_indices=[77])), "Blue."
        )
        record = chat.send("Which colour?")
        (text,) = told(record.context.messages)
        assert text.startswith("Recalled 2 messages.")
        assert text.endswith(
            "There is no turn 9, no message 77: this conversation has 3 turns so far."
        )
        assert recalled(record) == FIRST_TURN

    def test_the_turn_under_way_is_not_there_yet(self) -> None:
        chat = chat_with(says(recall(turn_numbers=[4], message_indices=[6])), "Blue.")
        (text,) = told(chat.send("Which colour?").context.messages)
        assert text == (
            "Recalled 0 messages. There is no turn 4, no message 6: this conversation has 3 turns so far."
        )

    @for_each(
        "arguments",
        ["{nope", "[1]", "{}", '{"turns": [1]}', '{"turn_numbers": ["one"]}'],
    )
    def test_malformed_arguments_are_an_error_that_it_can_mend(
        self, arguments: str
    ) -> None:
        chat = chat_with(
            says(ToolCall("a", RECALL, arguments)),
            says(recall("b", turn_numbers=[1])),
            "Blue.",
        )
        record = chat.send("Which colour?")
        wrong, right = told(record.context.messages)
        assert wrong.startswith("Error: ")
        assert right.startswith("Recalled 2 messages.")
        assert record.recalled is not None
        assert record.recalled.by_model == 1, "what named nothing recalled nothing"

    @for_each("name", ["search_web", THINK])
    def test_an_unknown_tool_is_an_error_that_names_the_one_there_is(
        self, name: str
    ) -> None:
        chat = chat_with(says(ToolCall("a", name, "{}")), "Blue.")
        record = chat.send("Which colour?")
        assert told(record.context.messages) == [
            f"Error: there is no tool {name!r}. There is {RECALL}."
        ]
        assert record.recalled is None

    def test_what_is_sent_anyway_is_not_sent_twice_and_said(self) -> None:
        script = [says(recall(last_n=3)), "Blue."]
        chat = chat_after(
            3, memviz.strategy("window", window_size=3), script, recall_tool=True
        )
        record = chat.send("Which colour?")
        assert texts(record.context.messages)[:4] == [
            "question 2",
            "answer 2",
            "answer 1",
            "Which colour?",
        ]
        (text,) = told(record.context.messages)
        assert text.startswith("Recalled 3 messages. ")
        assert text.endswith("2 of them you were sent anyway.")

    def test_more_than_the_bound_keeps_the_newest_and_says_so(self) -> None:
        chat = chat_with(says(recall(last_n=6)), "Blue.", max_recalled_messages=4)
        record = chat.send("Which colour?")
        assert recalled(record) == texts(talk_of(1, 2))
        (text,) = told(record.context.messages)
        assert text.startswith("Recalled 4 messages. ")
        assert "2 more were too many" in text

    def test_the_bound_is_that_of_one_recall(self) -> None:
        chat = chat_with(
            says(recall("a", last_n=4)),
            says(recall("b", turn_numbers=[1])),
            "Blue.",
            max_recalled_messages=4,
        )
        record = chat.send("Which colour?")
        assert recalled(record) == texts(talk_of(0, 1, 2))
        assert told(record.context.messages)[1].startswith(
            "Recalled 2 messages. They stand right before"
        )

    def test_half_a_tool_call_cannot_be_recalled_and_that_is_said(self) -> None:
        chat = chat_with(
            says(recall("a", last_n=1)),
            "Blue.",
            says(recall("b", message_indices=[8])),
            "Fine.",
        )
        chat.send("Which colour?")
        record = chat.send("And now?")
        assert recalled(record) == []
        assert told(record.context.messages)[0].startswith(
            "Recalled 0 messages. 1 more were left out: "
        )

    def test_one_message_is_one(self) -> None:
        chat = chat_with(says(recall(message_indices=[2])), "Blue.")
        assert told(chat.send("Which colour?").context.messages)[0].startswith(
            "Recalled 1 message. "
        )


class TestBound:
    """No turn goes on for ever."""

    def test_calls_beyond_it_are_refused_and_then_the_model_has_to_answer(self) -> None:
        chat = chat_with(
            says(recall("a", turn_numbers=[1])),
            says(recall("b", turn_numbers=[2])),
            says(recall("c", turn_numbers=[3])),
            "Blue.",
            max_recall_contexts=2,
        )
        record = chat.send("Which colour?")
        assert caller_of(chat).choices == ["auto", "auto", "none", "none"]
        assert caller_of(chat).tools == [(RECALL,)] * 4, (
            "the calls are in the request, so their tool is as well"
        )
        assert told(record.context.messages)[2].startswith(
            "Error: at most 2 recalls in one turn."
        )
        assert recalled(record) == texts(talk_of(0, 1))

    def test_parallel_calls_beyond_it_are_refused_one_by_one(self) -> None:
        calls = [
            recall(id, turn_numbers=[number])
            for id, number in (("a", 1), ("b", 2), ("c", 3))
        ]
        chat = chat_with(says(*calls), "Blue.", max_recall_contexts=2)
        record = chat.send("Which colour?")
        assert [text[:6] for text in told(record.context.messages)] == [
            "Recall",
            "Recall",
            "Error:",
        ]
        assert caller_of(chat).choices == ["auto", "none"]

    def test_calls_that_were_wrong_count(self) -> None:
        wrong = [says(ToolCall("a", RECALL, "{")), says(ToolCall("b", "other", "{}"))]
        chat = chat_with(*wrong, "Blue.", max_recall_contexts=2)
        chat.send("Which colour?")
        assert caller_of(chat).choices == ["auto", "auto", "none"]

    def test_text_beside_one_call_too_many_is_the_answer(self) -> None:
        chat = chat_with(
            says(recall("a", last_n=1)),
            says(recall("b", last_n=1), text="Blue."),
            max_recall_contexts=1,
        )
        record = chat.send("Which colour?")
        assert record.reply == "Blue."
        assert chat.log[-1].tool_calls == ()
        assert len(record.parts.exchange) == 2

    def test_a_stubborn_model_is_given_up_and_nothing_is_kept_of_it(self) -> None:
        script = [says(recall(f"c{i}", last_n=1)) for i in range(1 + 1 + MAX_REMINDERS)]
        chat = chat_with(*script, "Blue.", max_recall_contexts=1)
        chat.recall(turns=[2])
        with pytest.raises(
            MalformedReplyError, match="went on calling tools after its 1 recalls"
        ):
            chat.send("Which colour?")
        assert len(caller_of(chat).requests) == len(script)
        assert texts(chat.log) == [*texts(talk_of(0, 1, 2)), "Which colour?"]
        assert len(chat.run.turns) == 3
        assert "".join(chat.retry()) == "Blue."
        assert recalled(chat.run.turns[-1]) == texts(talk_of(1)), (
            "the user's recall waited, the model's is gone"
        )
        assert caller_of(chat).requests[-1][:1] == caller_of(chat).requests[0][:1]

    def test_every_turn_has_its_own(self) -> None:
        chat = chat_with(
            says(recall("a", last_n=1)),
            "Blue.",
            says(recall("b", last_n=1)),
            "Red.",
            max_recall_contexts=1,
        )
        chat.send("Which colour?")
        assert chat.send("And which one now?").reply == "Red."
        assert caller_of(chat).choices == ["auto", "none"] * 2


class TestFailure:
    @for_each("failure", [ModelError("down"), "", " \n", KeyboardInterrupt()])
    def test_in_the_second_call_leaves_everything_as_it_was(self, failure: Any) -> None:
        script = [
            says(recall(turn_numbers=[1])),
            failure,
            says(recall(turn_numbers=[3])),
            "Blue.",
        ]
        chat = chat_with(*script)
        chat.recall(turns=[2])
        chat.pin([0])
        with pytest.raises((ModelError, KeyboardInterrupt)):
            chat.send("Which colour?")
        assert chat.unanswered
        assert (len(chat.log), len(chat.run.turns)) == (7, 3)
        assert chat.waiting.recalled.indices == (0, 2, 3)
        "".join(chat.retry())
        record = chat.run.turns[-1]
        assert recalled(record) == ["question 0", *texts(talk_of(1, 2))]
        assert record.recalled is not None
        assert (record.recalled.by_model, len(record.recalled.asked)) == (1, 3)
        assert texts(chat.log[6:]) == [
            "Which colour?",
            "",
            record.context.messages[-1].content,
            "Blue.",
        ]
        assert recalled_next(chat) == ["question 0"], (
            "but for what is pinned nothing is left"
        )

    def test_the_retry_asks_byte_for_byte_the_same(self) -> None:
        chat = chat_with(
            says(recall(turn_numbers=[1])),
            ModelError("down"),
            says(recall(turn_numbers=[1])),
            "Blue.",
        )
        with pytest.raises(ModelError):
            chat.send("Which colour?")
        list(chat.retry())
        first, second, again, last = caller_of(chat).requests
        assert (first, second) == (again, last)


def recalled_next(chat: memviz.Chat) -> list[str]:
    return [chat.log[position].content for position in chat.waiting.fresh]


class TestStream:
    SCRIPT = (says(recall(turn_numbers=[1]), text="Let me\nlook.\n"), "It\nwas\nblue.")

    def test_the_pieces_of_all_calls_follow_each_other(self) -> None:
        chat = chat_with(*self.SCRIPT)
        assert list(chat.stream("Which colour?")) == [
            "Let me\n",
            "look.\n",
            "It\n",
            "was\n",
            "blue.",
        ]
        assert chat.run.turns[-1].reply == "It\nwas\nblue."

    def test_closed_before_the_first_piece_the_question_waits(self) -> None:
        chat = chat_with(*self.SCRIPT)
        chat.stream("Which colour?").close()
        assert chat.unanswered
        assert list(chat.retry())[-1] == "blue."

    def test_closed_before_the_call_is_known_its_text_is_the_partial_reply(
        self,
    ) -> None:
        chat = chat_with(*self.SCRIPT, "Fine.")
        record = self.closed_after(chat, 1)
        assert (record.reply, record.flags, record.requests[:-1]) == (
            "Let me\n",
            ("partial_reply",),
            (),
        )
        assert (record.recalled, record.parts.exchange) == (None, range(0))
        assert texts(chat.log[6:]) == ["Which colour?", "Let me\n"]
        assert record.context.messages == caller_of(chat).requests[-1]
        assert chat.send("Go on").turn == 5

    def test_closed_behind_the_call_call_and_partial_reply_are_kept(self) -> None:
        chat = chat_with(*self.SCRIPT, "Fine.")
        record = self.closed_after(chat, 3)
        assert (record.reply, record.flags) == ("It\n", ("partial_reply",))
        assert recalled(record) == FIRST_TURN
        assert [m.is_recall_exchange for m in chat.log[7:]] == [True, True, False]
        assert chat.log[-1].meta == {"partial": True}
        assert record.context.messages == caller_of(chat).requests[-1]
        chat.send("Go on")
        assert chat.run.compactions[-2].summarized == range(6, 10), (
            "memory makes up for the stopped turn"
        )
        assert chat.run.summaries[-1].turn == 5

    def test_a_stopped_reply_is_not_billed_what_the_call_before_it_cost(self) -> None:
        asking = says(recall(turn_numbers=[1]), usage=Usage(70, 7), cost_usd=0.5)
        record = self.closed_after(chat_with(asking, "It\nwas\nblue."), 1)
        assert record.reply == "It\n"
        assert record.facts is not None
        assert (record.facts.usage, record.facts.cost_usd) == (None, None)
        assert [call.facts.cost_usd for call in record.requests[:-1]] == [0.5]

    def closed_after(self, chat: memviz.Chat, pieces: int) -> memviz.TurnRecord:
        stream = chat.stream("Which colour?")
        for _ in range(pieces):
            next(stream)
        stream.close()
        return chat.run.turns[-1]


class TestWhoMayRecall:
    @for_each("recall_tool", [None, True])
    def test_nobody_where_recall_is_switched_off(
        self, recall_tool: bool | None
    ) -> None:
        chat = chat_after(
            1, only_summaries(enable_recall=False), ["Blue."], recall_tool=recall_tool
        )
        record = chat.send("Which colour?")
        assert caller_of(chat).tools == [()]
        assert "tools" not in record.tokens
        assert [block.kind for block in record.context.blocks] == ["summary", "input"]

    def test_no_model_that_the_chat_does_not_want_to(self) -> None:
        chat = chat_after(1, only_summaries(), ["Blue."], recall_tool=False)
        chat.send("Which colour?")
        assert caller_of(chat).tools == [()]

    @every_kind
    def test_by_default_under_summaries_alone(self, id: str) -> None:
        chat = chat_after(1, small(id), ["Blue."])
        chat.send("Which colour?")
        assert caller_of(chat).tools == [(RECALL,) if id == "summary_only" else ()]

    @for_each("recall_tool", [None, True])
    def test_no_model_that_takes_no_tools(self, recall_tool: bool | None) -> None:
        model = Plain()
        chat = memviz.Chat(
            only_summaries(enable_reflective_thinking=True),
            model=model,
            counter="chars4",
            recall_tool=recall_tool,
        )
        first, second = chat.send("Hello"), chat.send("Which colour?")
        assert (first.parts.tools, second.parts.tools, second.requests[:-1]) == (
            (),
            (),
            (),
        )
        assert first.context.messages in model.requests
        assert second.context.messages in model.requests

    @every_kind
    def test_any_model_under_any_strategy_when_asked_for(self, id: str) -> None:
        script = [says(recall(f"c{i}", turn_numbers=[1])) for i in range(3)]
        chat = chat_after(4, small(id), [*script, "Blue."], recall_tool=True)
        record = chat.send("Which colour?")
        assert record.reply == "Blue."
        assert {*range(2)} <= set(record.parts.recalled) | {
            p for part in record.parts.history for p in part
        }
        assert caller_of(chat).choices == ["auto"] * 3 + ["none"], (
            "three where the strategy has no bound of its own"
        )


class TestPins:
    """What is pinned is sent with every request, whatever the model recalls besides."""

    @every_kind
    @for_each(
        "arguments",
        [{"last_n": 20}, {"turn_numbers": [9]}, {"turn_numbers": [*range(2, 20)]}],
    )
    def test_are_sent_besides_what_the_model_recalls(
        self, id: str, arguments: dict[str, Any]
    ) -> None:
        script = [says(recall(**arguments)), "Blue.", says(recall(last_n=20)), "Red."]
        chat = chat_after(20, small(id), script, recall_tool=True)
        chat.pin([0, 1])
        for question in ("Which colour?", "And now?"):
            chat.send(question)
        assert all(
            sorted(FIRST_TURN) == sorted({*texts(sent)} & {*FIRST_TURN})
            for sent in caller_of(chat).requests
        )
        assert len(caller_of(chat).requests) == 4
        assert set(chat.pinned) <= set(chat.waiting.recalled.indices)

    def test_are_sent_while_the_model_thinks(self) -> None:
        thinks = [
            says(recall(last_n=20), text="Hm."),
            says(decide(False, "A colour."), text="I know."),
            "Blue.",
        ]
        strategy = memviz.strategy("summary_only", enable_reflective_thinking=True)
        chat = memviz.Chat(strategy, model=Caller([]), summarizer=Digest())
        for i in range(20):
            chat.model = Caller(
                [says(decide(False, f"summary {i}"), text="Hm."), f"answer {i}"]
            )
            chat.send(f"question {i}")
        chat.pin([0, 1])
        chat.model = Caller(thinks)
        chat.send("Which colour?")
        assert all({*FIRST_TURN} <= {*texts(sent)} for sent in caller_of(chat).requests)
        assert len(caller_of(chat).requests) == 3


class TestRecord:
    @every_kind
    def test_the_context_is_what_the_model_got_and_the_tokens_are_all_of_it(
        self, id: str
    ) -> None:
        script = [
            says(recall("a", turn_numbers=[1]), recall("b", last_n=3), text=LOOK),
            says(recall("c", turn_numbers=[9]), text="Hm."),
            "Blue.",
            "Red.",
        ]
        chat = chat_after(
            4, small(id), script, recall_tool=True, system_prompt="Be kind."
        )
        first, second = chat.send("Which colour?"), chat.send("And which one now?")
        requests, tools = caller_of(chat).requests, caller_of(chat).tools
        assert first.context.messages == requests[2]
        assert second.context.messages == requests[3]
        sent = [
            request_tokens(*request) for request in zip(requests, tools, strict=True)
        ]
        assert [call.sent_tokens for call in first.requests[:-1]] == sent[:2]
        assert [first.total_tokens, second.total_tokens] == sent[2:]
        assert first.sent_tokens == sum(sent[:3])
        assert second.sent_tokens == sent[3]

    def test_tokens_of_each_part_by_hand(self) -> None:
        chat = chat_with(says(recall(turn_numbers=[1]), text=LOOK), "Blue.")
        record = chat.send("Which colour?")
        summary, *_, call, result = messages = record.context.messages
        assert record.tokens == {
            "system": 0,
            "summary": CHARS4(summary.content),
            "history": 0,
            "recalled": CHARS4("question 0") + CHARS4("answer 0"),
            "input": CHARS4("Which colour?"),
            "tools": offered(RECALL, has_system_prompt=True)
            + content_tokens(call)
            + content_tokens(result),
            "overhead": 4 * len(messages) + 3,
        }
        block = record.context.blocks[-1]
        assert (block.kind, block.messages, block.tokens) == (
            "tools",
            (call, result),
            record.tokens["tools"],
        )
        assert block.indices == (7, 8)

    def test_where_nobody_bills_the_calls_of_the_model_are_counted(self) -> None:
        chat = chat_with(says(recall(turn_numbers=[1]), text=LOOK), "Blue.")
        record = chat.send("Which colour?")
        assert record.requests[:-1][0].reply_tokens == content_tokens(
            record.context.messages[-2]
        )

    def test_a_run_comes_back_from_json_as_it_was(self) -> None:
        chat = chat_with(
            says(
                recall(turn_numbers=[1, 9]),
                text=LOOK,
                usage=Usage(70, 7, 5),
                cost_usd=0.5,
            ),
            "Blue.",
        )
        chat.recall(turns=[2])
        record = chat.send("Which colour?")
        again = Run.from_dict(json.loads(json.dumps(chat.run.to_dict())))
        assert contents(again) == contents(chat.run)
        found = again.turns[-1]
        assert found.requests == record.requests
        assert found.context.messages == record.context.messages
        assert [m.meta for m in again.log] == [m.meta for m in chat.log]
        assert found.recalled is not None
        assert found.recalled.asked_by_user == (memviz.Recall(turns=[2]),)

    def test_fates(self) -> None:
        chat = chat_with(says(recall(turn_numbers=[1])), "Blue.", "Red.")
        chat.send("Which colour?")
        chat.send("And now?")
        seen, gone, here, later = (
            Fate.RECALLED,
            Fate.SUMMARIZED,
            Fate.VERBATIM,
            Fate.NOT_YET,
        )
        assert chat.run.fates()[-2:].tolist() == [
            [seen] * 2 + [gone] * 4 + [here] * 3 + [later] * 3,
            [gone] * 10 + [here, later],
        ]

    def test_frame(self) -> None:
        chat = chat_with(says(recall(turn_numbers=[1])), "Blue.")
        record = chat.send("Which colour?")
        call, row = (chat.run.frame().iloc[number] for number in (-2, -1))
        assert (call["kind"], call["call"], row["kind"], row["call"]) == (
            "recall",
            1,
            "answer",
            2,
        )
        assert call["turn"] == row["turn"]
        assert row["messages"] == len(record.context.messages) == 6
        assert (row["tools_tokens"], row["total_tokens"]) == (
            record.tokens["tools"],
            record.total_tokens,
        )
        turn = chat.run.frame(by="turn").iloc[-1]
        assert (turn["requests"], turn["total_tokens"]) == (2, record.sent_tokens)
        assert record.sent_tokens == call["total_tokens"] + row["total_tokens"]


class TestAfterwards:
    SCRIPT = (says(recall(turn_numbers=[1]), text=LOOK), "Blue.")

    def chat(self, *more: Any) -> memviz.Chat:
        chat = chat_with(*self.SCRIPT, *more)
        chat.recall(turns=[2])
        chat.send("Which colour?")
        return chat

    def test_undo_takes_the_exchange_back(self) -> None:
        chat = chat_with(*self.SCRIPT, *self.SCRIPT)
        before = state_of(chat)
        chat.send("Which colour?")
        after = texts(chat.log)
        chat.undo()
        assert state_of(chat) == before
        chat.send("Which colour?")
        assert texts(chat.log) == after

    def test_retry_keeps_what_the_user_recalled_and_lets_the_model_choose_again(
        self,
    ) -> None:
        chat = self.chat("Red.")
        assert recalled(chat.run.turns[-1]) == texts(talk_of(0, 1))
        assert "".join(chat.retry()) == "Red."
        record = chat.run.turns[-1]
        assert recalled(record) == texts(talk_of(1))
        assert (record.requests[:-1], record.parts.exchange) == ((), range(0))
        assert texts(chat.log[6:]) == ["Which colour?", "Red."]

    def test_retry_again_and_again_asks_the_same(self) -> None:
        chat = self.chat(*self.SCRIPT * 3)
        chat.pin([5])
        records = []
        for _ in range(3):
            list(chat.retry())
            records.append(chat.run.turns[-1])
        assert (
            len({record.recalled.asked for record in records if record.recalled}) == 1
        )
        assert len({texts_of(record.context.messages) for record in records}) == 1

    @for_each(
        "id",
        [
            "summary",
            "summary_buffer",
            "chat_summary_buffer",
            "recent_only",
            "summary_only",
        ],
    )
    def test_no_summary_is_made_of_the_exchange(self, id: str) -> None:
        chat = chat_after(
            2,
            small(id),
            [*self.SCRIPT, *(f"answer {i}" for i in range(9))],
            recall_tool=True,
        )
        chat.send("Which colour?")
        for i in range(6):
            chat.send(f"question {i}")
        over_it = [
            c for c in chat.run.compactions if 5 in c.summarized or 6 in c.summarized
        ]
        assert over_it, "its turn was summarized"
        for compaction in over_it:
            if any(not chat.log[p].is_recall_exchange for p in compaction.summarized):
                assert LOOK not in compaction.prompt
                assert "Recalled" not in compaction.prompt

    @every_kind
    def test_another_strategy_would_send_what_a_replay_of_the_same_log_does(
        self, id: str
    ) -> None:
        chat = self.chat("Fine.")
        recalls = {4: memviz.Recall(turns=[1, 2])}
        run = memviz.replay(
            chat.log,
            small(id),
            model=Digest(),
            counter="chars4",
            recalls=recalls,
            repair_tool_pairs=True,
        )
        expected = [record.context.messages for record in run.turns]
        assert [
            record.context.messages for record in chat.replay_with(small(id)).turns
        ] == expected
        before = [record.context.messages for record in chat.run.turns]
        chat.change_strategy(small(id))
        assert [record.context.messages for record in chat.run.turns] == before, (
            "what was sent stays as it was"
        )
        record = chat.send("And now?")
        assert record.context.messages == caller_of(chat).requests[-1]
        assert record.recalled is None

    def test_the_full_buffer_sends_the_exchange_as_history(self) -> None:
        chat = self.chat("Fine.")
        chat.change_strategy(memviz.strategy("buffer"))
        record = chat.send("And now?")
        assert list(record.context.messages) == list(chat.log[:-1])
        assert record.tokens["tools"] == sum(
            CHARS4(c.name) + CHARS4(c.arguments) for m in chat.log for c in m.tool_calls
        )

    def test_after_a_change_of_strategy_it_is_still_known_who_recalled(self) -> None:
        chat = self.chat("Red.")
        chat.change_strategy(memviz.strategy("window", window_size=1))
        found = chat.run.turns[-1].recalled
        assert found is not None
        assert found.asked_by_user == (memviz.Recall(turns=[2]),)
        list(chat.retry())
        assert recalled(chat.run.turns[-1]) == texts(talk_of(1))[:2]

    def test_a_chat_that_is_resumed_goes_on(self) -> None:
        chat = self.chat()
        saved = Run.from_dict(json.loads(json.dumps(chat.run.to_dict())))
        resumed = memviz.Chat.resume(
            saved, model=Caller(self.SCRIPT), summarizer=Digest()
        )
        record = resumed.send("Which colour was it?")
        assert recalled(record) == FIRST_TURN
        assert record.context.messages == caller_of(resumed).requests[-1]


def texts_of(messages: Sequence[Message]) -> tuple[str, ...]:
    return tuple(json.dumps(message.to_request()) for message in messages)


def test_a_long_conversation_of_recalls_stays_exact() -> None:
    """Turn after turn: what was recalled before is log like any other and can be recalled itself."""
    script = [
        item
        for i in range(12)
        for item in (says(recall(f"c{i}", turn_numbers=[i + 1, 2])), f"It was {i}.")
    ]
    chat = chat_with(*script)
    for i in range(12):
        record = chat.send(f"question {i} again")
        assert record.context.messages == caller_of(chat).requests[-1]
        assert list(record.parts.recalled) == sorted(set(record.parts.recalled))
    assert len(chat.run.summaries) == 15
    assert contents(Run.from_dict(chat.run.to_dict())) == contents(chat.run)
