"""Messages, turns, the append-only log and the pairing of tool calls with their results."""

from __future__ import annotations

import dataclasses
import json
from enum import StrEnum
from functools import partial
from itertools import takewhile

import pytest
from hypothesis import given
from hypothesis import strategies as st

import memviz
from memviz import Log, Message, MessageError, ToolCall
from memviz.core.turns import count_turns
from tests.counted_work import steps_of
from tests.strategies.conversations import conversations
from tests.strategies.reference import caller_of, turn_numbers
from tests.tables import for_each

CALL = {
    "id": "c1",
    "type": "function",
    "function": {"name": "look_up", "arguments": '{"q": "rain"}'},
}


class TestMessage:
    def test_is_immutable(self) -> None:
        message = Message("user", "Hello")
        with pytest.raises(dataclasses.FrozenInstanceError):
            message.content = "Bye"  # type: ignore[misc]

    def test_takes_what_the_api_names(self) -> None:
        message = Message(
            "tool",
            "rain",
            name="weather",
            tool_calls=(),
            tool_call_id="c1",
            meta={"seen": True},
        )
        assert (message.role, message.content, message.name) == (
            "tool",
            "rain",
            "weather",
        )
        assert (message.tool_calls, message.tool_call_id, message.meta) == (
            (),
            "c1",
            {"seen": True},
        )

    @for_each("role", ["developer", "", "User", None, 3, ["user"], {"a": 1}])
    def test_unknown_role_is_an_error_of_the_family(self, role: object) -> None:
        with pytest.raises(MessageError) as caught:
            Message.of({"role": role, "content": "x"})
        assert all(
            known in str(caught.value)
            for known in ("system", "user", "assistant", "tool")
        )

    @for_each("content", [3, [3], {"text": "x"}, b"x", True])
    def test_content_that_is_no_text_is_an_error(self, content: object) -> None:
        with pytest.raises(MessageError, match="text"):
            Message.of({"role": "user", "content": content})

    @for_each(
        "value",
        [
            "Hello",
            7,
            None,
            {"content": "x"},
            {"role": "assistant", "content": "x", "tool_calls": "c1"},
            {"role": "assistant", "content": "x", "tool_calls": [3]},
            {"role": "assistant", "content": "x", "tool_calls": [{"id": "c1"}]},
            {"role": "assistant", "content": "x", "tool_calls": 5},
            {"role": "user", "content": "x", "meta": 5},
        ],
    )
    def test_what_is_no_message_is_an_error_of_the_family(self, value: object) -> None:
        with pytest.raises(MessageError):
            Message.of(value)  # type: ignore[arg-type]

    def test_missing_content_is_empty_text(self) -> None:
        assert (
            Message.of(
                {"role": "assistant", "content": None, "tool_calls": [CALL]}
            ).content
            == ""
        )
        assert Message.of({"role": "assistant"}).content == ""

    @for_each("key", ["text", "message", "value"])
    def test_the_text_is_read_where_it_stands(self, key: str) -> None:
        assert Message.of({"role": "user", key: "I live in Lisbon"}) == Message(
            "user", "I live in Lisbon"
        )
        for empty in (None, ""):
            assert (
                Message.of(
                    {"role": "user", "content": empty, key: "I live in Lisbon"}
                ).content
                == "I live in Lisbon"
            )

    @for_each(
        "value",
        [
            {"role": "user", "words": "Hi"},
            {"role": "user"},
            {"role": "assistant", "id": 1, "words": "Hi"},
        ],
    )
    def test_a_message_whose_text_is_nowhere_is_refused_and_its_keys_are_named(
        self, value: dict
    ) -> None:
        with pytest.raises(MessageError, match="no text") as caught:
            Message.of(value)
        assert all(repr(key) in str(caught.value) for key in value)

    @for_each(
        ("parts", "text"),
        [
            (
                [
                    {"type": "text", "text": "Look:"},
                    {"type": "image_url", "image_url": {"url": "data:"}},
                ],
                "Look:\n[image]",
            ),
            (
                [{"type": "input_audio", "input_audio": {"data": "AA"}}, "Hm?"],
                "[audio]\nHm?",
            ),
            ([{"type": "file", "file": {"filename": "plan.pdf"}}], "[file: plan.pdf]"),
            ([{"type": "refusal", "refusal": "No."}], "No."),
            (
                [{"type": "summary_text", "text": "Short."}, {"text": "Bare."}],
                "Short.\nBare.",
            ),
            ([], ""),
        ],
    )
    def test_a_content_that_is_a_list_of_parts_is_replayed_as_it_is_imported(
        self, parts: list, text: str
    ) -> None:
        messages = [
            {"role": "user", "content": parts},
            {"role": "assistant", "content": [{"type": "text", "text": "A"}]},
        ]
        run = memviz.replay(messages, memviz.strategy("buffer"))
        assert [message.content for message in run.log] == [text, "A"]
        imported = memviz.load_transcript(
            json.dumps(messages).encode(), "openai_messages"
        )
        assert [message.content for message in imported.messages] == [text, "A"]

    def test_a_call_among_the_parts_is_a_call(self) -> None:
        used = {
            "type": "tool_use",
            "id": "c1",
            "name": "look_up",
            "input": {"q": "rain"},
        }
        message = Message.of(
            {
                "role": "assistant",
                "content": [{"type": "text", "text": "I look."}, used],
            }
        )
        assert message == Message(
            "assistant",
            "I look.",
            tool_calls=(ToolCall("c1", "look_up", '{"q": "rain"}'),),
        )

    @for_each(
        ("part", "words"),
        [
            (3, "an int|a part that is int"),
            ({"odd": 1}, "without a type"),
            ({"type": "tool_result"}, "role tool"),
        ],
    )
    def test_a_part_that_cannot_be_read_is_refused(
        self, part: object, words: str
    ) -> None:
        with pytest.raises(MessageError, match=words):
            memviz.replay(
                [{"role": "user", "content": [part]}], memviz.strategy("buffer")
            )

    def test_a_refusal_and_the_transcript_of_the_audio_are_both_said(self) -> None:
        spoken = {
            "role": "assistant",
            "content": None,
            "audio": {"id": "a", "transcript": "Sorry."},
        }
        assert Message.of(spoken).content == "Sorry."
        assert (
            Message.of({**spoken, "refusal": "I cannot."}).content
            == "I cannot.\nSorry."
        )
        assert Message.of({**spoken, "refusal": "Sorry."}).content == "Sorry."

    def test_a_text_that_is_no_text_is_an_error(self) -> None:
        with pytest.raises(MessageError, match="int"):
            Message.of({"role": "user", "text": 3})

    def test_blocks_of_a_dumped_chat_message_are_read(self) -> None:
        class Role(StrEnum):
            ASSISTANT = "assistant"

        blocks = [
            {"block_type": "thinking", "content": "Hm."},
            {"block_type": "text", "text": "Rain"},
            {"block_type": "image", "url": "x"},
            {
                "block_type": "tool_call",
                "tool_call_id": "c1",
                "tool_name": "look_up",
                "tool_kwargs": {"q": "rain"},
            },
        ]
        message = Message.of(
            {"role": Role.ASSISTANT, "additional_kwargs": {}, "blocks": blocks}
        )
        calls = (ToolCall("c1", "look_up", '{"q": "rain"}'),)
        assert message == Message(
            "assistant", "Rain\n[image]", tool_calls=calls, meta={"reasoning": "Hm."}
        )
        assert type(message.role) is str
        beside = {"tool_call_id": "c1", "name": "look_up"}
        result = Message.of(
            {"role": "tool", "additional_kwargs": beside, "blocks": blocks[1:2]}
        )
        assert result == Message("tool", "Rain", tool_call_id="c1", name="look_up")

    def test_tool_calls_take_the_openai_shape_and_objects(self) -> None:
        expected = (ToolCall("c1", "look_up", '{"q": "rain"}'),)
        assert Message("assistant", "", tool_calls=(CALL,)).tool_calls == expected  # type: ignore[arg-type]
        assert Message("assistant", "", tool_calls=expected).tool_calls == expected
        flat = {"id": "c1", "name": "look_up", "arguments": {"q": "rain"}}
        assert (
            Message.of({"role": "assistant", "tool_calls": [flat]}).tool_calls
            == expected
        )

    def test_meta_is_never_sent(self) -> None:
        message = Message("user", "Hello", meta={"secret": 1})
        assert message.to_request() == {"role": "user", "content": "Hello"}
        assert message.to_dict()["meta"] == {"secret": 1}

    @for_each("text", ["a\ud800b", "\udc00", "\ufeffstart", "tab\tand\x00null"])
    def test_content_can_always_be_written_as_utf8(self, text: str) -> None:
        content = Message("user", text).content
        assert content.encode("utf-8").decode("utf-8") == content
        clean = "".join(
            "\ufffd" if "\ud800" <= char <= "\udfff" else char for char in text
        )
        assert content == clean

    @given(
        role=st.sampled_from(["system", "user", "assistant", "tool"]),
        content=st.text(),
        name=st.none() | st.text(min_size=1),
        call_id=st.none() | st.text(),
        meta=st.none()
        | st.dictionaries(st.text(), st.integers() | st.text(), min_size=1),
        calls=st.lists(st.builds(ToolCall, st.text(), st.text(min_size=1), st.text())),
    )
    def test_dictionary_and_back_is_the_same_message(
        self,
        role: str,
        content: str,
        name: str | None,
        call_id: str | None,
        meta: dict | None,
        calls: list[ToolCall],
    ) -> None:
        message = Message(
            role,
            content,
            name=name,
            tool_call_id=call_id,
            meta=meta,
            tool_calls=tuple(calls),
        )
        assert Message.of(json.loads(json.dumps(message.to_dict()))) == message

    @for_each("empty", [{"name": ""}, {"meta": {}}])
    def test_dictionary_keeps_even_what_is_empty(self, empty: dict) -> None:
        message = Message("user", "Hello", **empty)
        assert Message.of(message.to_dict()) == message

    @for_each("field", ["name", "tool_call_id"])
    def test_every_text_can_be_written_as_utf8(self, field: str) -> None:
        message = Message("tool", "rain", **{field: "a\ud800b"})
        assert json.dumps(message.to_request(), ensure_ascii=False).encode("utf-8")


class TestLog:
    def test_only_grows(self) -> None:
        log = Log([Message("user", "a")])
        assert log.append({"role": "assistant", "content": "b"}) == 1
        assert [m.content for m in log] == ["a", "b"]
        assert (len(log), log[1].role, log.turn_count) == (2, "assistant", 1)
        for change in (
            "insert",
            "remove",
            "pop",
            "clear",
            "__setitem__",
            "__delitem__",
        ):
            assert not hasattr(log, change)

    def test_a_bad_message_leaves_the_log_as_it_was(self) -> None:
        log = Log([Message("user", "a")])
        with pytest.raises(MessageError):
            log.append({"role": "nobody", "content": "b"})
        assert [m.content for m in log] == ["a"]

    def test_hand_worked_turns(self) -> None:
        roles = [
            "system",
            "assistant",
            "user",
            "user",
            "assistant",
            "tool",
            "user",
            "system",
            "user",
            "user",
        ]
        log = Log([Message(role, str(i)) for i, role in enumerate(roles)])
        assert [log.turn_number(i) for i in range(len(roles))] == [
            0,
            0,
            1,
            1,
            1,
            1,
            2,
            2,
            2,
            2,
        ]
        assert count_turns(log) == log.turn_count == 2
        assert [tuple(turn) for turn in log.turns()] == [(1, 2, 4, 6), (2, 6, 10, 10)]
        assert log.system_stop == 1
        assert tuple(log.turn(0)) == (0, 1, 1, 2), (
            "the leading system message belongs to no turn"
        )
        assert [log.turn_start(number) for number in range(3)] == [1, 2, 6]

    @for_each("number", [-1, 2])
    def test_no_such_turn(self, number: int) -> None:
        with pytest.raises(IndexError):
            Log([Message("user", "a")]).turn(number)

    @given(messages=conversations())
    def test_turns_agree_with_the_definition(self, messages: list[Message]) -> None:
        log, numbers = Log(messages), turn_numbers(messages)
        assert [log.turn_number(i) for i in range(len(messages))] == numbers
        assert count_turns(messages) == log.turn_count == max(numbers, default=0)
        for turn in [log.turn(0), *log.turns()]:
            inside = [
                i
                for i, number in enumerate(numbers)
                if number == turn.number and i >= log.system_stop
            ]
            assert list(range(turn.start, turn.stop)) == inside
            leading = [
                *takewhile(lambda i: messages[i].role in ("user", "system"), inside)
            ]
            while leading and (
                not turn.number or messages[leading[-1]].role == "system"
            ):
                leading.pop()
            assert list(range(turn.start, turn.asked)) == leading

    @for_each("between", [[], ["system"], ["system", "system"]])
    def test_a_system_message_between_two_of_the_users_does_not_part_them(
        self, between: list[str]
    ) -> None:
        roles = ["user", *between, "user", "assistant"]
        log = Log([Message(role, "") for role in roles])
        assert [tuple(turn) for turn in log.turns()] == [
            (1, 0, len(roles) - 1, len(roles))
        ]
        assert [tuple(request) for request in log.requests()] == [
            (1, 1, len(roles) - 1, len(roles))
        ]
        assert log.pending is None

    @for_each(
        ("roles", "requests", "pending"),
        [
            (["user"], [], (1, 1, 1, 1)),
            (["system", "user", "user"], [], (1, 1, 3, 3)),
            (["user", "assistant"], [(1, 1, 1, 2)], None),
            (["user", "assistant", "tool"], [(1, 1, 1, 3)], (1, 2, 3, 3)),
            (["user", "assistant", "user"], [(1, 1, 1, 2)], (2, 1, 3, 3)),
            (["user", "assistant", "assistant"], [(1, 1, 1, 3)], None),
            (["user", "assistant", "system"], [(1, 1, 1, 3)], None),
            (["user", "tool", "user", "assistant"], [(2, 1, 3, 4)], None),
            (["assistant", "tool"], [], None),
            (["system"], [], None),
            ([], [], None),
        ],
    )
    def test_a_request_is_counted_where_a_reply_was_recorded(
        self,
        roles: list[str],
        requests: list[tuple[int, ...]],
        pending: tuple[int, ...] | None,
    ) -> None:
        log = Log([Message(role, "") for role in roles])
        assert [tuple(request) for request in log.requests()] == requests
        assert log.request_count == len(requests)
        assert (None if log.pending is None else tuple(log.pending)) == pending

    @given(messages=conversations(), data=st.data())
    def test_prefix_is_the_log_as_it_was(
        self, messages: list[Message], data: st.DataObject
    ) -> None:
        length = data.draw(st.integers(0, len(messages)))
        log, counter = Log(messages), memviz.counter("chars4")
        log.token_sums(counter)
        prefix, fresh = log.prefix(length), Log(messages[:length])
        assert list(prefix) == list(fresh)
        assert prefix.token_sums(counter).totals == fresh.token_sums(counter).totals
        assert list(prefix.turns()) == list(fresh.turns())
        prefix.append(Message("user", "other"))
        assert list(log) == messages, "what happens to a prefix does not touch the log"
        assert (
            prefix.token_sums(counter).totals[-1]
            == fresh.token_sums(counter).totals[-1] + 1
        )

    @given(messages=conversations())
    def test_tool_results_pair_with_the_nearest_open_call(
        self, messages: list[Message]
    ) -> None:
        tools = Log(messages).tools
        results = [i for i, message in enumerate(messages) if message.role == "tool"]
        expected = {result: caller_of(messages, result) for result in results}
        assert tools.call_of == expected
        assert tools.callers == [
            i for i, message in enumerate(messages) if message.tool_calls
        ]
        assert tools.uncalled == [
            result for result, caller in expected.items() if caller is None
        ]

    def test_reused_ids_pair_in_order(self) -> None:
        one = Message("assistant", "", tool_calls=(CALL,))  # type: ignore[arg-type]
        result = Message("tool", "rain", tool_call_id="c1")
        assert Log([one, result, one, result, result]).tools.call_of == {
            1: 0,
            3: 2,
            4: None,
        }

    def test_of_two_open_calls_with_one_id_the_nearest_is_answered_first(self) -> None:
        one = Message("assistant", "", tool_calls=(CALL,))  # type: ignore[arg-type]
        result = Message("tool", "rain", tool_call_id="c1")
        assert Log([one, one, result, result]).tools.call_of == {2: 1, 3: 0}


class TestManyToolCalls:
    """What is read grows with the calls, however many of them stand in one message."""

    @for_each("per_message", [1, 400])
    def test_work_grows_with_the_calls_and_not_with_their_square(
        self, per_message: int
    ) -> None:
        few, many = (steps_of(partial(reading, n, per_message)) for n in (400, 800))
        assert many < 2.2 * few, f"{few:,} steps for 400 calls, {many:,} for 800"

    def test_all_calls_of_one_message_take_no_more_than_one_a_message(self) -> None:
        in_one, one_each = (steps_of(partial(reading, 400, n)) for n in (400, 1))
        assert in_one <= one_each

    def test_of_two_calls_with_one_id_the_first_names_the_tool(self) -> None:
        calls = (
            ToolCall("a", "first"),
            ToolCall("a", "second"),
            ToolCall("", "nameless"),
        )
        results = [Message("tool", "found", tool_call_id=id) for id in ("a", "", None)]
        log = Log(
            [
                Message("user", "Go"),
                Message("assistant", "", tool_calls=calls),
                *results,
            ]
        )
        assert [log.answered_tool(position) for position in range(2, 5)] == [
            "first",
            "nameless",
            None,
        ]


def reading(calls: int, per_message: int) -> Log:
    """The log of such a conversation."""
    return Log(parallel_calls(calls, per_message))


def parallel_calls(calls: int, per_message: int) -> list[Message]:
    """A conversation with so many calls of tools, each with its result."""
    messages = [Message("user", "Look them all up.")]
    for start in range(0, calls, per_message):
        ids = [f"call_{number}" for number in range(start, start + per_message)]
        messages.append(
            Message(
                "assistant", "", tool_calls=tuple(ToolCall(id, "look_up") for id in ids)
            )
        )
        messages += [Message("tool", "found", tool_call_id=id) for id in ids]
    return [*messages, Message("assistant", "Done.")]
