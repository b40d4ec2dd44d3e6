"""One question to a run: the answer is what the model still knows, and the run stays as it is."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from typing import Any

import pytest
from hypothesis import given

import memviz
from memviz import (
    Chat,
    Log,
    Message,
    MessageError,
    ModelError,
    Recall,
    RecallError,
    Run,
    ScriptedModel,
    ask,
)
from tests.engine.calling import RECALL, Caller, recall, recalled, says
from tests.engine.probes import REPRESENTATIVES, SUMMARIZING, Digest, small, talk
from tests.strategies.conversations import conversations, outcomes, summarizer
from tests.tables import for_each

every_kind = for_each("id", REPRESENTATIVES)
BUFFER = memviz.strategy("buffer")


class Witness(ScriptedModel):
    """Answers, and notes how often the summarizer had been asked by then."""

    name = "witness"

    def __init__(self, writer: ScriptedModel, answers: Iterable[Any] = ()) -> None:
        super().__init__(answers or (f"answer {number}" for number in range(99)))
        self.writer = writer
        self.seen: list[int] = []

    def complete(self, *arguments: Any) -> memviz.Reply:
        self.seen.append(len(self.writer.requests))
        return super().complete(*arguments)


def a_chat(strategy: memviz.Strategy, turns: int = 7, **options: Any) -> Chat:
    options = {
        "summarizer": Digest(),
        "counter": "chars4",
        "system_prompt": "Be kind.",
        **options,
    }
    chat = Chat(
        strategy,
        model=ScriptedModel(f"answer {n}\nto the end" for n in range(99)),
        **options,
    )
    for number in range(turns):
        chat.send(f"question {number}")
    return chat


def frozen(run: Run) -> str:
    return json.dumps(run.to_dict())


def a_replay(
    strategy: memviz.Strategy, messages: Sequence[Message] | Log = (), **options: Any
) -> Run:
    options = {"model": Digest(), "counter": "chars4", **options}
    return memviz.replay(messages or talk(7), strategy, **options)


class TestTheRun:
    @given(messages=conversations(), plan=outcomes)
    @every_kind
    def test_stays_as_it_is(
        self, id: str, messages: list[Message], plan: list[str]
    ) -> None:
        log = Log(messages)
        run = a_replay(small(id), log, model=summarizer(plan))
        other = a_replay(small("summary"), log)
        before, others, summaries = frozen(run), frozen(other), run.summaries
        for question in ("What do you know?", "And what else?"):
            record = ask(run, question, model=Digest(), summarizer=summarizer(plan))
            assert record.reply.startswith("digest ")
        assert frozen(run) == before
        assert frozen(other) == others
        assert (list(log), run.log) == (messages, log)
        assert run.summaries == summaries

    @every_kind
    def test_of_a_chat_stays_as_it_is_and_the_chat_goes_on(self, id: str) -> None:
        chat, untouched = a_chat(small(id)), a_chat(small(id))
        ask(chat.run, "What do you know?", model=Digest(), summarizer=Digest())
        assert chat.send("More").context == untouched.send("More").context
        assert chat.run.to_dict()["messages"] == untouched.run.to_dict()["messages"]

    def test_without_any_message_can_be_asked_too(self) -> None:
        record = ask(
            Chat(BUFFER, model=Digest(), system_prompt="Be kind.").run,
            "Hello?",
            model=Digest(),
        )
        assert (record.turn, [m.content for m in record.context.messages]) == (
            1,
            ["Be kind.", "Hello?"],
        )


class TestTheContext:
    @given(messages=conversations(), plan=outcomes)
    @every_kind
    def test_is_what_a_chat_over_this_run_would_send(
        self, id: str, messages: list[Message], plan: list[str]
    ) -> None:
        """Also where the last message is a question that nobody answered: the new one joins its turn."""
        run = a_replay(small(id), messages, model=summarizer(plan))
        writers = [summarizer(plan), summarizer(plan)]
        models = [Witness(writer) for writer in writers]
        record = ask(run, "What do you know?", model=models[0], summarizer=writers[0])
        chat = Chat.resume(run, model=models[1], summarizer=writers[1])
        expected = chat.send("What do you know?")
        assert record.context == expected.context
        assert (record.tokens, record.flags, record.turn) == (
            expected.tokens,
            expected.flags,
            expected.turn,
        )
        assert [c.summary for c in record.compactions] == [
            c.summary for c in expected.compactions
        ]
        assert models[0].requests == models[1].requests == [record.context.messages]
        assert models[0].seen == models[1].seen
        assert len(writers[0].requests) == models[0].seen[0], (
            "nobody summarizes what is thrown away"
        )

    @every_kind
    def test_holds_what_the_chat_has_pinned_and_recalled_for_its_next_request(
        self, id: str
    ) -> None:
        chat = a_chat(small(id))
        chat.pin([2])
        chat.recall(turns=[1])
        chat.recall(keywords=["question 2"])
        model, also = ScriptedModel(["This."]), [Recall(messages=[7])]
        record = ask(
            chat.run,
            "What do you know?",
            model=model,
            summarizer=Digest(),
            recalls=also,
        )
        chat.recall(messages=[7])
        expected = chat.send("What do you know?")
        assert record.context == expected.context
        assert record.recalled == expected.recalled
        assert record.recalled is not None
        assert record.recalled.indices == (0, 1, 2, 4, 7)

    @for_each("id", REPRESENTATIVES)
    @for_each("turns", [1, 4, 5])
    def test_after_a_stopped_reply_is_what_the_chat_would_send(
        self, id: str, turns: int
    ) -> None:
        """The summary of a stopped turn waits for the next message, which the question is."""
        chat = a_chat(small(id), turns)
        pieces = chat.stream("one more question")
        next(pieces)
        pieces.close()
        record = ask(
            chat.run,
            "What do you know?",
            model=ScriptedModel(["This."]),
            summarizer=Digest(),
        )
        resumed = Chat.resume(
            chat.run, model=ScriptedModel(["This."]), summarizer=Digest()
        )
        assert record.context == resumed.send("What do you know?").context

    @for_each("id", SUMMARIZING)
    def test_is_the_same_after_a_failure_to_summarize(self, id: str) -> None:
        down = ScriptedModel(iter(lambda: ModelError("down"), object()))
        run = a_replay(small(id), model=down)
        assert run.compactions
        record = ask(run, "What do you know?", model=Digest(), summarizer=down)
        expected = Chat.resume(run, model=Digest(), summarizer=down).send(
            "What do you know?"
        )
        assert record.context == expected.context
        assert "user says number 0" in {
            message.content for message in record.context.messages
        }

    def test_is_over_the_run_s_own_messages_where_others_share_the_log(self) -> None:
        log = Log(talk(3))
        runs = [
            a_replay(BUFFER, log),
            a_replay(memviz.strategy("window", window_size=2), log),
        ]
        records = [ask(run, "Well?", model=Digest()) for run in runs]
        assert [[m.content for m in record.context.messages] for record in records] == [
            [*(m.content for m in talk(3)), "Well?"],
            ["assistant says number 2", "Well?"],
        ]
        assert len(log) == 6

    def test_an_unanswered_question_is_asked_along_with_it(self) -> None:
        run = a_replay(BUFFER, [*talk(1), Message("user", "Are you there?")])
        record = ask(run, "What do you know?", model=ScriptedModel(["Yes."]))
        assert (record.turn, record.reply) == (2, "Yes.")
        assert [m.content for m in record.context.messages][-2:] == [
            "Are you there?",
            "What do you know?",
        ]
        assert [block.indices for block in record.context.blocks] == [(0, 1), (2, 3)]


class TestWhoIsAsked:
    @for_each("id", SUMMARIZING)
    def test_the_model_summarizes_where_nobody_else_is_named(self, id: str) -> None:
        run = a_replay(small(id), talk(4))
        models = [Digest(), ScriptedModel(f"words {n}" for n in range(9))]
        records = [
            ask(run, "word " * 40, model=models[0]),
            ask(run, "word " * 40, model=models[1]),
        ]
        assert records[0].reply.startswith("digest ")
        summaries = [
            record.compactions[-1].summary for record in records if record.compactions
        ]
        if id in (
            "summary_buffer",
            "chat_summary_buffer",
        ):  # the long question alone makes them summarize
            assert summaries[1] == "words 0"
            assert records[1].reply == "words 1"

    def test_a_model_can_be_named(self) -> None:
        record = ask(
            a_replay(BUFFER), "What is number 3?", model="offline", summarizer="offline"
        )
        assert record.facts is not None
        assert (record.facts.model, bool(record.reply)) == ("offline", True)

    @for_each("id", ["buffer", "summary_only"])
    def test_a_model_that_fails_leaves_the_run_as_it_is(self, id: str) -> None:
        run = a_replay(small(id))
        before, model = frozen(run), ScriptedModel([ModelError("down"), "Here I am."])
        with pytest.raises(ModelError, match="down"):
            ask(run, "What do you know?", model=model)
        assert frozen(run) == before
        assert ask(run, "What do you know?", model=model).reply == "Here I am."
        assert model.requests[0] == model.requests[1]

    @for_each("question", ["", "  \n", None, 7])
    def test_nobody_is_asked_an_empty_question(self, question: Any) -> None:
        with pytest.raises(MessageError, match="empty"):
            ask(a_replay(BUFFER), question, model=ScriptedModel([]))


class TestRecall:
    def test_goes_into_the_request(self) -> None:
        run = a_replay(small("window"))
        recalls = [Recall(turns=[1]), Recall(messages=[5, 99], last_n=1)]
        record = ask(run, "What do you know?", model=Digest(), recalls=recalls)
        assert recalled(record) == [
            "user says number 0",
            "assistant says number 0",
            "assistant says number 2",
        ]
        assert record.recalled is not None
        assert (record.recalled.missing, record.recalled.asked) == (
            ("message 99",),
            tuple(recalls),
        )

    def test_under_a_strategy_that_recalls_nothing_is_an_error(self) -> None:
        run = a_replay(small("summary_only", enable_recall=False))
        with pytest.raises(RecallError, match="enable_recall"):
            ask(
                run,
                "What do you know?",
                model=ScriptedModel([]),
                recalls=[Recall(turns=[1])],
            )

    def test_what_a_chat_pinned_under_another_strategy_is_left_out_there(self) -> None:
        chat = a_chat(BUFFER)
        chat.pin([2])
        chat.recall(turns=[1])
        chat.change_strategy(small("summary_only", enable_recall=False))
        record = ask(chat.run, "What do you know?", model=Digest(), summarizer=Digest())
        assert record.recalled is None
        assert record.context == chat.send("What do you know?").context

    @for_each("id", ["window", "summary_only"])
    def test_the_model_can_do_so_by_itself_where_it_may(self, id: str) -> None:
        run = a_replay(small(id))
        model = Caller([says(recall(turn_numbers=[2])), "It was number 1."])
        record = ask(run, "What was it?", model=model, recall_tool=True)
        assert record.reply == "It was number 1."
        assert recalled(record) == ["user says number 1", "assistant says number 1"]
        assert [call.kind for call in record.requests[:-1]] == ["recall"]
        assert model.tools == [(RECALL,)] * 2
        assert len(run.log) == 14

    @pytest.mark.parametrize(
        ("id", "given", "offered"),
        [
            ("summary_only", None, [(RECALL,)]),
            ("summary_only", False, [()]),
            ("window", None, [()]),
        ],
    )
    def test_whether_the_model_may_is_the_strategy_s_unless_said(
        self, id: str, given: bool | None, offered: list[tuple[str, ...]]
    ) -> None:
        model = Caller(["I do not know."])
        ask(a_replay(small(id)), "What was it?", model=model, recall_tool=given)
        assert model.tools == offered
