"""Replay: what goes in, what comes out, and who is asked."""

from __future__ import annotations

from typing import Any

import pytest

import memviz
from memviz import (
    EmptyConversationError,
    Log,
    Message,
    MessageError,
    Recall,
    Reply,
    ScriptedModel,
    ScriptExhausted,
    Usage,
)
from tests.engine.probes import REPRESENTATIVES, SUMMARIZING, Digest, sent, small, talk
from tests.tables import for_each

BUFFER = memviz.strategy("buffer")


class TestWhatGoesIn:
    def test_messages_dictionaries_logs_and_transcripts_are_the_same_conversation(
        self,
    ) -> None:
        messages = talk(4)
        forms: list[Any] = [
            messages,
            tuple(messages),
            iter(messages),
            [{"role": m.role, "content": m.content} for m in messages],
            Log(messages),
            memviz.Transcript(tuple(messages)),
        ]
        runs = [memviz.replay(form, small("summary"), model=Digest()) for form in forms]
        assert all(sent(run) == sent(runs[0]) for run in runs)

    def test_a_log_stays_itself(self) -> None:
        log = Log(talk(2))
        assert memviz.replay(log, BUFFER, model=None).log is log

    def test_system_prompt_of_the_transcript_unless_another_is_given(self) -> None:
        transcript = memviz.Transcript(tuple(talk(1)), system_prompt="from the file")
        own = memviz.replay(transcript, BUFFER, model=None)
        given = memviz.replay(transcript, BUFFER, model=None, system_prompt="given")
        assert own.turns[0].context.messages[0] == Message("system", "from the file")
        assert given.turns[0].context.messages[0] == Message("system", "given")
        assert given.system_prompt == "given"

    def test_leading_system_messages_stand_behind_the_prompt_given_beside_them_in_the_system_block(
        self,
    ) -> None:
        messages = [
            Message("system", "first"),
            Message("system", "second"),
            *talk(1),
            Message("system", "late"),
        ]
        messages += talk(1)
        record = memviz.replay(
            messages, BUFFER, model=None, system_prompt="prompt"
        ).turns[1]
        assert [
            (b.kind, [m.content for m in b.messages], b.indices)
            for b in record.context.blocks
        ] == [
            ("system", ["prompt", "first", "second"], (0, 1)),
            (
                "history",
                ["user says number 0", "assistant says number 0", "late"],
                (2, 3, 4),
            ),
            ("input", ["user says number 0"], (5,)),
        ]

    @for_each(
        "messages", [[], [Message("assistant", "Hi")], [Message("system", "Be kind.")]]
    )
    def test_nothing_to_send_is_an_error(self, messages: list[Message]) -> None:
        with pytest.raises(EmptyConversationError, match="user"):
            memviz.replay(messages, BUFFER, model=None)

    def test_a_bad_message_is_an_error_of_the_family(self) -> None:
        with pytest.raises(MessageError):
            memviz.replay([{"role": "nobody", "content": "x"}], BUFFER, model=None)

    def test_unknown_counter(self) -> None:
        with pytest.raises(memviz.UnknownCounterError):
            memviz.replay(talk(1), BUFFER, model=None, counter="gpt2")


class TestWhatComesOut:
    def test_hand_worked_record(self) -> None:
        messages = [
            Message("user", "a" * 8),
            Message("assistant", "b" * 12),
            Message("user", "c" * 16),
            Message("user", "d" * 20),
            Message("assistant", "e" * 24),
        ]
        run = memviz.replay(
            messages, BUFFER, model=None, counter="chars4", system_prompt="s" * 28
        )
        record = run.turns[1]
        assert record.turn == 2
        assert record.tokens == {
            "system": 7,
            "summary": 0,
            "recalled": 0,
            "history": 2 + 3,
            "input": 4 + 5,
            "overhead": 5 * 4 + 3,
        }
        assert record.total_tokens == 7 + 5 + 9 + 23
        assert record.reply_tokens == 6
        assert record.reply == "e" * 24
        assert record.flags == ()
        assert [(b.kind, b.indices, b.tokens) for b in record.context.blocks] == [
            ("system", (), 7),
            ("history", (0, 1), 5),
            ("input", (2, 3), 9),
        ]

    def test_tool_calls_are_tokens_of_their_own(self) -> None:
        call = {
            "id": "a",
            "function": {"name": "look", "arguments": '{"q": "rain in May"}'},
        }
        messages = [
            Message("user", "x"),
            Message("assistant", "", tool_calls=(call,)),
            Message("tool", "y", tool_call_id="a"),
            Message("user", "z"),
        ]  # type: ignore[arg-type]
        record = memviz.replay(messages, BUFFER, model=None, counter="chars4").pending
        assert record is not None
        assert record.tokens["tools"] == 1 + 5
        assert (
            "tools"
            not in memviz.replay(messages[:2], BUFFER, model=None).turns[0].tokens
        )

    def test_reply_is_empty_where_there_was_none(self) -> None:
        run = memviz.replay(
            [*talk(1), Message("user", "still there?")],
            BUFFER,
            model=None,
            counter="chars4",
        )
        assert [(record.reply, record.reply_tokens) for record in run.turns] == [
            ("assistant says number 0", 5)
        ]
        assert run.pending is not None
        assert (run.pending.reply, run.pending.reply_tokens) == ("", 0)

    def test_compactions_after_the_last_request_are_in_the_run_and_in_no_record(
        self,
    ) -> None:
        run = memviz.replay(
            talk(2), memviz.strategy("summary", buffer_size=1), model=Digest()
        )
        assert [c.after_message for c in run.compactions] == [2]
        assert [len(record.compactions) for record in run.turns] == [0, 1]
        run = memviz.replay(
            [Message("assistant", "Hi"), *talk(2)],
            memviz.strategy("summary", buffer_size=2),
            model=Digest(),
        )
        assert [c.after_message for c in run.compactions] == [4]
        assert [len(record.compactions) for record in run.turns] == [0, 0]

    def test_cost_and_usage_of_the_summarizer_are_kept(self) -> None:
        reply = Reply("short", usage=Usage(100, 7), cost_usd=0.25, model="writer")
        compaction = memviz.replay(
            talk(2),
            memviz.strategy("summary", buffer_size=1),
            model=ScriptedModel([reply]),
        ).compactions[0]
        assert (compaction.cost, compaction.usage, compaction.model) == (
            0.25,
            Usage(100, 7),
            "writer",
        )
        assert compaction.seconds >= 0

    def test_tokens_before_and_after_by_hand(self) -> None:
        messages = [Message(role, "x" * 40) for role in ("user", "assistant", "user")]
        run = memviz.replay(
            messages,
            memviz.strategy("summary", buffer_size=1),
            model=ScriptedModel(["y" * 9]),
            counter="chars4",
        )
        summary_tokens = (len("Summary of earlier conversation: ") + 9) // 4
        assert (run.compactions[0].tokens_before, run.compactions[0].tokens_after) == (
            30,
            10 + summary_tokens,
        )


class TestWhoIsAsked:
    @for_each("id", REPRESENTATIVES)
    def test_replies_come_from_the_transcript_and_no_model_but_the_summarizer_is_called(
        self, id: str
    ) -> None:
        model = ScriptedModel(["short"] * 50)
        run = memviz.replay(talk(8), small(id), model=model)
        assert len(model.requests) == len(run.compactions)
        assert [record.reply for record in run.turns] == [
            f"assistant says number {i}" for i in range(8)
        ]

    @for_each("id", SUMMARIZING)
    def test_the_end_of_a_script_is_heard_of(self, id: str) -> None:
        with pytest.raises(ScriptExhausted):
            memviz.replay(talk(8), small(id), model=ScriptedModel(["only one"]))

    @for_each("id", sorted(set(SUMMARIZING) - {"chat_summary_buffer"}))
    def test_without_a_summarizer_messages_stay_verbatim(self, id: str) -> None:
        run = memviz.replay(talk(8), small(id), model=None)
        assert run.summaries == ()
        assert list(run.turns[-1].context.messages) == talk(8)[:15]

    @for_each("id", SUMMARIZING)
    def test_by_default_the_offline_model_writes(self, id: str) -> None:
        run = memviz.replay(talk(8), small(id))
        assert run.summaries
        assert all(version.text for version in run.summaries)
        assert not [c for c in run.compactions if c.error]

    def test_recalls_go_into_the_named_requests_only(self) -> None:
        recalls = {4: Recall(turns=[1, 3], last_n=1)}
        run = memviz.replay(
            talk(6),
            memviz.strategy("window", window_size=1),
            model=None,
            recalls=recalls,
        )
        assert [len(record.context.messages) for record in run.turns] == [
            1,
            1,
            1,
            5,
            1,
            1,
        ]
        assert [b.indices for b in run.turns[3].context.blocks] == [(0, 1, 4, 5), (6,)]


class TestScriptedModel:
    def test_items_in_order(self) -> None:
        model = ScriptedModel(
            ["one", Reply("two", cost_usd=0.5), RuntimeError("three")]
        )
        ask = [Message("user", "?")]
        assert model.complete(ask).text == "one"
        assert model.summarize(ask) == Reply("two", cost_usd=0.5)
        with pytest.raises(RuntimeError, match="three"):
            model.complete(ask)
        with pytest.raises(ScriptExhausted, match="3 items"):
            model.complete(ask)
        assert model.requests == [tuple(ask)] * 4

    def test_stream_gives_pieces_and_then_the_whole(self) -> None:
        *pieces, reply = ScriptedModel(["one\ntwo\n\nthree"]).stream(
            [Message("user", "?")]
        )
        assert len(pieces) > 1
        assert "".join(pieces) == "one\ntwo\n\nthree"  # type: ignore[arg-type]
        assert reply == Reply("one\ntwo\n\nthree")
