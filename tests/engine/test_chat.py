"""Live chat: sending, streaming, stopping, retrying, undoing, changing the strategy."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import memviz
from memviz import Message, MessageError, ModelError, Reply, ScriptedModel
from memviz.core.model_errors import MissingVectorsError
from tests.engine.probes import IDS, REPRESENTATIVES, Digest, sent, small, timeless
from tests.same_runs import contents
from tests.strategies.conversations import outcomes, summarizer, text_of
from tests.tables import for_each

every_kind = for_each("id", REPRESENTATIVES)
words = st.integers(1, 12)


def chat_with(strategy: memviz.Strategy, *replies: Any, **options: Any) -> memviz.Chat:
    options.setdefault("summarizer", Digest())
    return memviz.Chat(strategy, model=ScriptedModel(replies), **options)


class BreaksOff(memviz.Model):
    """Says one piece; then the user has had enough, as Ctrl-C and a stopped page show within the call."""

    name = "breaks off"

    def stream(self, messages: Any, tools: Any = (), tool_choice: Any = "auto") -> Any:
        yield "One "
        raise KeyboardInterrupt


class TestSaid:
    """What was typed is in the log, and may be stored, before anybody is asked."""

    def test_a_message_is_said_first_and_answered_later(self) -> None:
        chat = chat_with(memviz.strategy("buffer"), "Fine.")
        chat.say("How are you?")
        assert chat.unanswered
        assert not chat.model.requests
        assert list(chat.go_on()) == ["Fine."]
        assert chat.run.turns[-1].reply == "Fine."

    @every_kind
    def test_nobody_is_asked_before_the_first_piece_is_taken(self, id: str) -> None:
        writer = Digest()
        chat = chat_with(
            small(id), *(f"answer {i}" for i in range(30)), summarizer=writer
        )
        for i in range(20):
            before = len(chat.run.compactions), len(chat.model.requests)
            pieces = chat.stream(f"message {i} with some more words")
            assert chat.log[-1].content.startswith(f"message {i} ")
            assert (len(chat.run.compactions), len(chat.model.requests)) == before
            list(pieces)

    @every_kind
    def test_said_and_gone_on_with_is_the_same_as_sent(self, id: str) -> None:
        said, sent_at_once = (
            chat_with(small(id), *(f"answer {i}" for i in range(30))) for _ in range(2)
        )
        for i in range(20):
            said.say(f"message {i} with some more words")
            list(said.go_on())
            sent_at_once.send(f"message {i} with some more words")
        assert timeless(said.run) == timeless(sent_at_once.run)

    def test_an_interruption_from_within_keeps_what_had_arrived(self) -> None:
        chat = memviz.Chat(memviz.strategy("buffer"), model=BreaksOff())
        with pytest.raises(KeyboardInterrupt):
            list(chat.stream("Count"))
        assert chat.log[-1].content == "One "
        assert chat.log[-1].meta == {"partial": True}


class TestSend:
    def test_record_reply_and_log(self) -> None:
        chat = chat_with(
            memviz.strategy("buffer"), "Hi!", "Fine.", system_prompt="Be kind."
        )
        first, second = chat.send("Hello"), chat.send("How are you?")
        assert (first.turn, first.reply, second.turn, second.reply) == (
            1,
            "Hi!",
            2,
            "Fine.",
        )
        assert [(m.role, m.content) for m in chat.log] == [
            ("user", "Hello"),
            ("assistant", "Hi!"),
            ("user", "How are you?"),
            ("assistant", "Fine."),
        ]
        assert chat.run.turns == (first, second)
        assert chat.run.system_prompt == "Be kind."

    @every_kind
    def test_the_model_gets_exactly_what_the_record_says(self, id: str) -> None:
        model = ScriptedModel(f"answer {i}" for i in range(99))
        chat = memviz.Chat(
            small(id), model=model, summarizer=Digest(), system_prompt="Be kind."
        )
        for i in range(8):
            if i == 6:
                chat.recall(turns=[1])
            record = chat.send(f"question {i}")
            assert model.requests[-1] == record.context.messages
        assert len(model.requests) == 8

    def test_by_default_the_chat_model_writes_the_summaries(self) -> None:
        model = ScriptedModel(["Hi!", "they met", "Fine."])
        chat = memviz.Chat(memviz.strategy("summary", buffer_size=1), model=model)
        chat.send("Hello")
        chat.send("How are you?")
        assert [v.text for v in chat.run.summaries] == ["they met"]

    @for_each("text", ["", "  \n", None, 7])
    def test_an_empty_message_is_an_error_and_is_not_kept(self, text: Any) -> None:
        chat = chat_with(memviz.strategy("buffer"), "Hi!")
        with pytest.raises(MessageError):
            chat.send(text)
        assert len(chat.log) == 0

    def test_usage_and_cost_of_the_reply_are_kept(self) -> None:
        usage = memviz.Usage(10, 2, 5)
        record = chat_with(
            memviz.strategy("buffer"),
            Reply("Hi!", usage=usage, cost_usd=0.25, model="big"),
        ).send("Hello")
        assert record.facts is not None
        assert (record.facts.usage, record.facts.cost_usd, record.facts.model) == (
            usage,
            0.25,
            "big",
        )
        assert record.facts.seconds >= 0


class TestStream:
    def test_pieces_make_up_the_reply(self) -> None:
        chat = chat_with(memviz.strategy("buffer"), "one\ntwo\nthree")
        pieces = list(chat.stream("Count"))
        assert len(pieces) > 1
        assert "".join(pieces) == chat.run.turns[-1].reply == "one\ntwo\nthree"

    def test_stopping_keeps_what_had_arrived(self) -> None:
        chat = chat_with(memviz.strategy("buffer"), "one\ntwo\nthree", "again")
        stream = chat.stream("Count")
        assert next(stream) == "one\n"
        stream.close()
        record = chat.run.turns[-1]
        assert record.reply == "one\n"
        assert "partial_reply" in record.flags
        assert chat.log[-1].meta == {"partial": True}, (
            "a saved conversation knows it too"
        )
        assert not chat.unanswered
        assert [m.content for m in chat.send("Go on").context.messages] == [
            "Count",
            "one\n",
            "Go on",
        ]

    def test_stopping_before_the_first_word_leaves_the_question_unanswered(
        self,
    ) -> None:
        chat = chat_with(memviz.strategy("buffer"), "one")
        chat.stream("Count").close()
        assert chat.unanswered
        assert chat.run.turns == ()
        assert list(chat.retry()) == ["one"]
        assert [m.content for m in chat.log] == ["Count", "one"]

    @every_kind
    def test_memory_makes_up_after_a_stop(self, id: str) -> None:
        chat = chat_with(small(id), *[f"answer {i}\nto the end" for i in range(99)])
        for i in range(8):
            stream = chat.stream(f"question {i}")
            next(stream)
            if i % 2:
                stream.close()
            else:
                list(stream)
        chat.send("done")
        assert timeless(chat.run) == timeless(
            memviz.replay(list(chat.log), small(id), model=Digest())
        )


class TestFailure:
    def test_the_users_message_stays_and_can_be_retried(self) -> None:
        chat = chat_with(memviz.strategy("buffer"), "Hi!", ModelError("down"), "Fine.")
        chat.send("Hello")
        with pytest.raises(ModelError, match="down"):
            chat.send("How are you?")
        assert chat.unanswered
        assert chat.log[-1] == Message("user", "How are you?")
        assert len(chat.run.turns) == 1
        assert "".join(chat.retry()) == "Fine."
        assert [m.content for m in chat.log] == [
            "Hello",
            "Hi!",
            "How are you?",
            "Fine.",
        ]
        assert [record.turn for record in chat.run.turns] == [1, 2]

    @for_each("reply", ["", "  \n"])
    def test_an_empty_reply_is_a_failure(self, reply: str) -> None:
        chat = chat_with(memviz.strategy("buffer"), reply, "Hi!")
        with pytest.raises(ModelError):
            chat.send("Hello")
        assert [m.content for m in chat.log] == ["Hello"]
        assert "".join(chat.retry()) == "Hi!"

    def test_another_message_instead_of_a_retry_joins_the_same_turn(self) -> None:
        chat = chat_with(memviz.strategy("buffer"), ModelError("down"), "Hi!")
        with pytest.raises(ModelError):
            chat.send("Hello")
        record = chat.send("Anybody?")
        assert record.turn == 1
        assert [m.content for m in record.context.messages] == ["Hello", "Anybody?"]

    @every_kind
    def test_questions_without_an_answer_are_sent_with_the_next_one(
        self, id: str
    ) -> None:
        """The input is every message since the last answer, under strategies that send no history as well."""
        failures = [ModelError("down"), ModelError("down")]
        chat = chat_with(
            small(id),
            *(f"answer {i}" for i in range(6)),
            *failures,
            "Fine.",
            "And fine.",
        )
        for i in range(6):
            chat.send(f"question {i}")
        for text in ("Hello?", "Anybody?"):
            with pytest.raises(ModelError):
                chat.send(text)
        record = chat.send("Well?")
        block = record.context.block("input")
        assert block is not None
        assert [message.content for message in block.messages] == [
            "Hello?",
            "Anybody?",
            "Well?",
        ]
        assert record.context.messages[-3:] == block.messages
        assert record.tokens["input"] == sum(
            chat.run.counter(message.content) for message in block.messages
        )
        assert [sent.content for sent in chat.send("Good.").context.messages][
            -1
        ] == "Good."

    @every_kind
    def test_a_failed_request_is_made_again_byte_for_byte(self, id: str) -> None:
        script: list[Any] = [
            item for i in range(8) for item in (ModelError("down"), f"answer {i}")
        ]
        model, writer = ScriptedModel(script), Digest()
        chat = memviz.Chat(small(id), model=model, summarizer=writer)
        for i in range(8):
            with pytest.raises(ModelError):
                chat.send(f"question {i}")
            list(chat.retry())
        assert all(
            failed == again
            for failed, again in zip(
                model.requests[::2], model.requests[1::2], strict=True
            )
        )
        assert timeless(chat.run) == timeless(
            memviz.replay(list(chat.log), small(id), model=Digest())
        )

    def test_a_summary_made_for_a_request_that_failed_is_not_made_again(self) -> None:
        writer = ScriptedModel(["they met"])
        chat = chat_with(
            memviz.strategy("summary", buffer_size=1),
            "Hi!",
            ModelError("down"),
            "Fine.",
            summarizer=writer,
        )
        chat.send("Hello")
        with pytest.raises(ModelError):
            chat.send("How are you?")
        list(chat.retry())
        assert [c.summary for c in chat.run.turns[-1].compactions] == ["they met"]


class TestRetryAndUndo:
    def test_retry_throws_the_earlier_reply_away(self) -> None:
        chat = chat_with(memviz.strategy("buffer"), "Hi!", "Hello to you!")
        chat.send("Hello")
        assert "".join(chat.retry()) == "Hello to you!"
        assert [m.content for m in chat.log] == ["Hello", "Hello to you!"]
        assert [record.turn for record in chat.run.turns] == [1]

    def test_retry_of_nothing_is_an_error(self) -> None:
        with pytest.raises(memviz.MemvizError):
            list(chat_with(memviz.strategy("buffer")).retry())

    def test_undo_takes_the_last_turn_back(self) -> None:
        chat = chat_with(small("summary"), *[f"answer {i}" for i in range(9)])
        chat.send("one")
        before = timeless(chat.run)
        chat.send("two")
        chat.undo()
        assert timeless(chat.run) == before
        assert chat.send("two").turn == 2

    def test_undo_of_nothing_does_nothing(self) -> None:
        chat = chat_with(memviz.strategy("buffer"), "Hi!")
        chat.undo()
        assert chat.send("Hello").turn == 1


class TestChangeStrategy:
    def test_memory_is_derived_from_the_whole_log(self) -> None:
        chat = chat_with(
            memviz.strategy("window", window_size=1), *[f"answer {i}" for i in range(9)]
        )
        for i in range(3):
            chat.send(f"question {i}")
        chat.change_strategy(memviz.strategy("buffer"))
        assert chat.strategy == memviz.strategy("buffer")
        assert len(chat.send("question 3").context.messages) == 7
        assert len(chat.run.turns) == 4

    def test_in_two_steps_the_chat_stays_as_it_is_until_the_second(self) -> None:
        one, other = (
            chat_with(memviz.strategy("buffer"), *[f"answer {i}" for i in range(9)])
            for _ in range(2)
        )
        for chat in (one, other):
            for i in range(4):
                chat.recall(turns=[1])
                chat.send(f"question {i}")
        before = one.run.to_dict()
        session, turns = one.begin_under(small("summary"), summarizer=Digest())
        assert list(turns) == [1, 2, 3, 4]
        assert one.run.to_dict() == before
        one.adopt(session.run())
        other.use(other.model, Digest())
        other.change_strategy(small("summary"))
        assert timeless(one.run) == timeless(other.run)
        assert len(one.send("question 4").context.messages) == len(
            other.send("question 4").context.messages
        )

    def test_before_the_first_message(self) -> None:
        chat = chat_with(memviz.strategy("window"), "Hi!")
        chat.change_strategy(memviz.strategy("buffer"))
        assert chat.send("Hello").turn == 1
        assert chat.run.strategy == memviz.strategy("buffer")

    def test_with_an_unanswered_question(self) -> None:
        chat = chat_with(memviz.strategy("window"), "Hi!", ModelError("down"), "Fine.")
        chat.send("Hello")
        with pytest.raises(ModelError):
            chat.send("How are you?")
        chat.change_strategy(memviz.strategy("buffer"))
        assert len(chat.run.turns) == 1
        assert "".join(chat.retry()) == "Fine."
        assert [record.turn for record in chat.run.turns] == [1, 2]

    @every_kind
    def test_replay_with_is_the_replay_of_the_same_messages(self, id: str) -> None:
        chat = chat_with(
            memviz.strategy("window", window_size=2),
            *[f"answer {i}" for i in range(9)],
            system_prompt="Be kind.",
        )
        for i in range(6):
            if i == 3:
                chat.recall(turns=[1], last_n=1)
            chat.send(f"question {i}")
        before = timeless(chat.run)
        other = chat.replay_with(small(id))
        recalls = {4: memviz.Recall(turns=[1], last_n=1)}
        expected = memviz.replay(
            list(chat.log),
            small(id),
            model=Digest(),
            system_prompt="Be kind.",
            recalls=recalls,
        )
        assert sent(other) == sent(expected)
        assert timeless(other) == timeless(expected)
        assert timeless(chat.run) == before, "the chat itself goes on as it was"

    def test_replay_with_a_strategy_that_has_recall_switched_off(self) -> None:
        """What it would have sent is the same without what was recalled."""
        chat = chat_with(memviz.strategy("window", window_size=2), "a", "b", "c")
        chat.send("one")
        chat.recall(turns=[1])
        chat.send("two")
        run = chat.replay_with(memviz.strategy("summary_only", enable_recall=False))
        assert [block.kind for block in run.turns[1].context.blocks] == [
            "summary",
            "input",
        ]


class TestResume:
    @every_kind
    def test_goes_on_as_if_never_interrupted(self, id: str) -> None:
        def talk(chat: memviz.Chat, turns: range) -> memviz.Chat:
            for i in turns:
                chat.send(f"question {i}")
            return chat

        whole = talk(
            memviz.Chat(small(id), model=Digest(), system_prompt="Be kind."), range(8)
        )
        half = talk(
            memviz.Chat(small(id), model=Digest(), system_prompt="Be kind."), range(4)
        )
        saved = memviz.Run.from_dict(half.run.to_dict())
        resumed = talk(memviz.Chat.resume(saved, model=Digest()), range(4, 8))
        assert timeless(resumed.run) == timeless(whole.run)


class TestResumeAfterAStop:
    @for_each("words", [1, 30])
    @every_kind
    def test_goes_on_as_if_it_had_never_been_put_away(
        self, id: str, words: int
    ) -> None:
        for turns in range(1, 9):
            chat = chat_with(
                small(id), *["word " * words + "\nto the end"] * 20, summarizer=Digest()
            )
            for i in range(turns):
                chat.send(f"question {i}")
            stream = chat.stream("and then?")
            next(stream)
            stream.close()
            again = memviz.Run.from_dict(chat.run.to_dict())
            resumed = memviz.Chat.resume(again, model=Digest(), summarizer=Digest())
            for one in (chat, resumed):
                one.send("done")
            assert sent(resumed.run) == sent(chat.run)


class TestLiveIsReplay:
    @given(
        sizes=st.lists(st.tuples(words, words), min_size=1, max_size=10), plan=outcomes
    )
    @every_kind
    def test_for_the_same_transcript_and_summaries(
        self, id: str, sizes: list[tuple[int, int]], plan: list[str]
    ) -> None:
        replies = [text_of(2 * i + 1, answer) for i, (_, answer) in enumerate(sizes)]
        chat = chat_with(
            small(id),
            *replies,
            summarizer=summarizer(plan),
            counter="chars4",
            system_prompt="Be kind.",
        )
        for i, (question, _) in enumerate(sizes):
            chat.send(text_of(2 * i, question))
        replayed = memviz.replay(
            list(chat.log),
            small(id),
            model=summarizer(plan),
            counter="chars4",
            system_prompt="Be kind.",
        )
        assert sent(chat.run) == sent(replayed)
        assert timeless(chat.run) == timeless(replayed)
        assert chat.run.fates().tolist() == replayed.fates().tolist()

    @given(
        first=st.sampled_from(IDS),
        steps=st.lists(
            st.sampled_from(
                [
                    "send",
                    "send",
                    "send",
                    "fail",
                    "stop",
                    "retry",
                    "undo",
                    "recall",
                    *IDS,
                ]
            ),
            max_size=14,
        ),
    )
    def test_whatever_was_retried_undone_stopped_or_changed_on_the_way(
        self, first: str, steps: list[str]
    ) -> None:
        """What was sent stays, and with a summarizer that answers by its request alone, only the log that is left can
        matter for the next request."""
        model = Moody()
        chat = memviz.Chat(
            small(first), model=model, summarizer=Digest(), counter="chars4"
        )
        for number, step in enumerate(steps):
            before = sent(chat.run)
            drive(chat, model, step, number)
            after = sent(chat.run)
            same = min(len(before), len(after)) - (step == "retry")
            assert after[: max(0, same)] == before[: max(0, same)], (
                "what was sent stays as it was"
            )
        assert contents(memviz.Run.from_dict(chat.run.to_dict())) == contents(chat.run)
        model.fails = False
        chat.clear_recalled()
        chat.send("And now?")
        replayed = memviz.replay(
            list(chat.log), chat.strategy, model=Digest(), counter="chars4"
        )
        assert len(chat.run.turns) == len(replayed.turns) == chat.log.turn_count
        if chat.strategy.id not in ACTING_AT_A_REQUEST or not asked_in_vain(chat.log):
            assert sent(chat.run)[-1] == sent(replayed)[-1], (
                "of what was before, only the log matters"
            )
        if not chat.run.earlier_settings and not set(steps) & {*IDS, "recall"}:
            assert sent(chat.run) == sent(replayed)
            live, again = timeless(chat.run), timeless(replayed)
            assert live["messages"] == again["messages"]
            assert live["requests"] == again["requests"]


ACTING_AT_A_REQUEST = ("threshold_summary", "chat_summary_buffer")
"""Strategies that summarize when a request is made: also for one that nobody answered, and what they wrote then stays,
though the log does not tell of it."""


def asked_in_vain(log: memviz.Log) -> bool:
    """Whether a message of the user has no reply, because the model failed."""
    return any(one.role == other.role == "user" for one, other in pairwise(log))


class Moody(Digest):
    """A chat model that fails when told to."""

    fails = False

    def stream(self, messages: Any) -> Any:
        if self.fails:
            raise ModelError("down")
        yield "The answer: "
        reply = "The answer: " + self.name * (len(messages) % 3) + f" {len(messages)}"
        yield reply.removeprefix("The answer: ")
        yield Reply(reply)


def drive(chat: memviz.Chat, model: Moody, step: str, number: int) -> None:
    """One thing that a visitor may do next."""
    model.fails = False
    if (
        chat.unanswered
        and chat.strategy.id == "chat_summary_buffer"
        and step in ("send", "fail", "stop")
    ):
        # It acts before each request, one that failed included, and of that one the log says nothing.
        list(chat.retry())
    model.fails = step == "fail"
    if step in IDS:
        chat.change_strategy(small(step))
    elif step in ("send", "fail"):
        try:
            chat.send(f"question {number}")
        except ModelError:
            assert chat.unanswered
    elif step == "stop":
        stream = chat.stream(f"question {number}")
        next(stream)
        stream.close()
    elif step == "retry" and chat.log.turn_count:
        list(chat.retry())
    elif step == "undo":
        chat.undo()
    elif step == "recall" and chat.log.turn_count:
        chat.recall(messages=[0, 1])


def test_what_was_said_can_be_kept_and_told_under_another_setting_without_its_vectors() -> (
    None
):
    strategy = memviz.strategy(
        "retrieval",
        embedding_percent=50,
        embedding_model="openai/any",
        newest_messages=1,
    )
    chat = memviz.Chat(strategy, model="offline", counter="chars4")
    with pytest.raises(MissingVectorsError):
        chat.send("The code is 7742.")
    assert chat.run.pending is None
    chat.change_strategy(memviz.strategy("buffer"))
    assert chat.log[0].content == "The code is 7742."
    assert chat.run.pending is not None
