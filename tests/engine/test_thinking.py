"""Reflective thinking: rounds before the answer, their bounds, their summary, and what is kept of them."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Any

import pytest

import memviz
from memviz import Fate, Message, ModelError, Reply, Run, ToolCall, Usage
from memviz.core.model_errors import MalformedReplyError
from memviz.engine.thinking import THINKING_ENDED, THINKING_INSTRUCTION
from memviz.models.base import ToolChoice
from memviz.models.tools import Tool
from tests.engine.calling import (
    CHARS4,
    RECALL,
    THINK,
    Caller,
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
from tests.engine.probes import Digest
from tests.same_runs import contents
from tests.tables import for_each

HMM = "Hm, which one?"
OVER = THINKING_ENDED.content
ENOUGH_CHARS = 50_000
STOP = says(decide(False, "They spoke of a colour."), text="I know.")
MORE = says(decide(True), text=HMM)


def thinker(**parameters: Any) -> memviz.Strategy:
    return memviz.strategy(
        "summary_only", enable_reflective_thinking=True, **parameters
    )


def chat_with(
    *script: Any,
    turns: int = 2,
    summarizer: memviz.Model | None = None,
    **parameters: Any,
) -> memviz.Chat:
    """A chat of two turns answered without any thought; then the model may think and follows ``script``."""
    chat = chat_after(
        turns,
        memviz.strategy("summary_only"),
        script,
        summarizer=summarizer or Digest(),
    )
    if chat.log.turn_count:
        saved = chat.run.to_dict()
        saved["strategy"]["parameters"] = thinker(**parameters).model_dump()
        return memviz.Chat.resume(
            Run.from_dict(saved),
            model=caller_of(chat),
            summarizer=summarizer or Digest(),
        )
    return memviz.Chat(
        thinker(**parameters),
        model=caller_of(chat),
        summarizer=summarizer,
        counter="chars4",
    )


class Endless(Caller):
    """Writes without end where it may think, and answers where it may not. Counts what it was made to write."""

    def __init__(self, piece: str) -> None:
        super().__init__([])
        self.piece, self.written, self.closed = piece, 0, False

    def stream(
        self,
        messages: Sequence[Message],
        tools: Sequence[Tool] = (),
        tool_choice: ToolChoice = "auto",
    ) -> Iterator[str | Reply]:
        self.requests.append(tuple(messages))
        if THINKING_INSTRUCTION not in messages:
            yield "Blue."
            yield Reply("Blue.")
            return
        try:
            while self.written < ENOUGH_CHARS:
                self.written += len(self.piece)
                yield self.piece
            raise AssertionError("nobody stopped it")
        finally:
            self.closed = True


class TestRounds:
    def test_a_round_is_asked_for_behind_the_input_and_its_thoughts_follow(
        self,
    ) -> None:
        chat = chat_with(MORE, STOP, "Blue.")
        record = chat.send("Which colour?")
        first, second, last = caller_of(chat).requests
        summary, question = first[:2]
        assert (summary.role, question) == ("system", Message("user", "Which colour?"))
        assert first[2:] == (THINKING_INSTRUCTION,)
        thoughts = (
            Message("assistant", HMM, tool_calls=(decide(True),)),
            Message("tool", "Go on thinking.", tool_call_id="t1"),
        )
        assert second == (*first, *thoughts)
        assert last[:4] == (summary, question, *thoughts), (
            "the instruction is for thinking alone"
        )
        assert texts(last[4:]) == ["I know.", "Answer the user now."]
        assert record.context.messages == last
        assert caller_of(chat).tools == [(THINK, RECALL)] * 3, (
            "the same tools in the same order all the way"
        )

    def test_thoughts_are_in_the_record_and_not_in_the_log(self) -> None:
        chat = chat_with(MORE, STOP, "Blue.")
        record = chat.send("Which colour?")
        assert texts(chat.log[4:]) == ["Which colour?", "Blue."]
        assert [call.kind for call in record.requests[:-1]] == ["thinking", "thinking"]
        assert texts(record.thoughts) == [
            HMM,
            "Go on thinking.",
            "I know.",
            "Answer the user now.",
        ]
        assert [texts(call.thoughts[1:]) for call in record.thinking] == [
            [],
            [HMM, "Go on thinking."],
        ]
        assert record.parts.exchange == range(0)

    def test_the_next_turn_thinks_anew(self) -> None:
        chat = chat_with(STOP, "Blue.", STOP, "Red.")
        chat.send("Which colour?")
        record = chat.send("And now?")
        assert HMM not in texts(record.context.messages)
        assert len(record.requests[:-1]) == 1
        assert "Blue." not in texts(record.context.messages)

    @for_each("rounds", [1, 2])
    def test_the_last_round_is_told_so_and_then_the_answer_is_due(
        self, rounds: int
    ) -> None:
        chat = chat_with(*[MORE] * rounds, "Blue.", max_thinking_rounds=rounds)
        record = chat.send("Which colour?")
        assert record.reply == "Blue."
        assert told(record.context.messages) == ["Go on thinking."] * (rounds - 1) + [
            OVER
        ]

    def test_no_call_at_all_ends_thinking(self) -> None:
        chat = chat_with("It must be blue.", "Blue.")
        record = chat.send("Which colour?")
        assert record.thoughts == (
            Message("assistant", "It must be blue."),
            THINKING_ENDED,
        )
        assert record.reply == "Blue."
        assert record.context.messages == caller_of(chat).requests[-1]

    @for_each("arguments", ["{nope", "{}", '{"continue_thinking": "no"}', "[]"])
    def test_a_malformed_decision_is_told_and_the_next_round_can_mend_it(
        self, arguments: str
    ) -> None:
        chat = chat_with(says(ToolCall("x", THINK, arguments), text=HMM), STOP, "Blue.")
        record = chat.send("Which colour?")
        wrong, right = told(record.context.messages)
        assert wrong.startswith("Error: ")
        assert OVER not in wrong
        assert right == "Answer the user now."
        assert len(record.thinking) == 2

    def test_a_malformed_decision_in_the_last_round_is_told_that_it_was_the_last(
        self,
    ) -> None:
        chat = chat_with(
            says(ToolCall("x", THINK, "{nope")), "Blue.", max_thinking_rounds=1
        )
        (text,) = told(chat.send("Which colour?").context.messages)
        assert text.startswith("Error: ")
        assert text.endswith(OVER)

    def test_a_model_that_thinks_on_when_it_should_answer_comes_to_an_end(self) -> None:
        chat = chat_with(*[says(decide(True))] * 30)
        with pytest.raises(MalformedReplyError, match="no answer"):
            chat.send("Which colour?")
        assert len(caller_of(chat).requests) < 15
        assert chat.unanswered

    def test_a_model_that_thinks_on_once_too_often_is_told_to_answer(self) -> None:
        chat = chat_with(
            STOP,
            says(decide(True, id="late")),
            says(decide(False, id="later")),
            "Blue.",
        )
        record = chat.send("Which colour?")
        assert record.reply == "Blue."
        assert told(record.context.messages)[-2:] == [OVER, "Answer the user now."]

    def test_switched_off_nothing_is_asked(self) -> None:
        chat = chat_after(1, memviz.strategy("summary_only"), ["Blue."])
        record = chat.send("Which colour?")
        assert caller_of(chat).tools == [(RECALL,)]
        assert record.thinking == ()
        assert THINKING_INSTRUCTION not in record.context.messages


class TestBudget:
    @for_each("piece", ["a word ", "x", "a long sentence of many words. " * 50])
    def test_a_thought_without_end_is_cut(self, piece: str) -> None:
        model = Endless(piece)
        chat = memviz.Chat(
            thinker(thinking_token_budget=1000),
            model=model,
            summarizer=Digest(),
            counter="chars4",
        )
        record = chat.send("Which colour?")
        assert record.reply == "Blue."
        assert model.closed
        assert 4000 <= model.written < 4000 + 2000 + len(piece)
        assert record.thinking_tokens == CHARS4("x" * model.written)
        assert [call.facts.cost_usd for call in record.thinking] == [None], (
            "what was cut off was not billed here"
        )
        assert record.context.messages == model.requests[-1]

    def test_rounds_share_it(self) -> None:
        long = says(decide(True), text="y" * 1900)
        chat = chat_with(
            long, long, long, "Blue.", max_thinking_rounds=9, thinking_token_budget=1000
        )
        record = chat.send("Which colour?")
        assert told(record.context.messages) == [
            "Go on thinking.",
            "Go on thinking.",
            OVER,
        ]

    def test_a_later_round_is_cut_by_what_is_left_of_it(self) -> None:
        chat = chat_with(
            says(decide(True), text="y" * 3200),
            says(decide(True), text="word\n" * 900),
            "Blue.",
            thinking_token_budget=1000,
        )
        record = chat.send("Which colour?")
        first, second = record.thinking
        assert first.reply_tokens < 1000
        assert second.reply_tokens == 500, (
            "the budget is looked at every 2000 characters"
        )
        assert record.thoughts[-2:] == (
            Message("assistant", "word\n" * 400),
            THINKING_ENDED,
        )

    def test_what_the_provider_billed_counts(self) -> None:
        dear = says(decide(True), text=HMM, usage=Usage(50, 999))
        chat = chat_with(
            dear, dear, "Blue.", max_thinking_rounds=9, thinking_token_budget=1000
        )
        assert [call.reply_tokens for call in chat.send("Which colour?").thinking] == [
            999,
            999,
        ]

    def test_the_answer_is_never_cut(self) -> None:
        chat = chat_with(STOP, "blue " * 5000, thinking_token_budget=1000)
        assert len(chat.send("Which colour?").reply) == 25_000


class TestRecallWhileThinking:
    def test_what_is_recalled_is_there_in_the_next_round_and_for_the_answer(
        self,
    ) -> None:
        chat = chat_with(
            says(recall("r", turn_numbers=[1]), decide(True), text=HMM), STOP, "Blue."
        )
        record = chat.send("Which colour?")
        _, second, last = caller_of(chat).requests
        assert texts(second)[1:4] == ["question 0", "answer 0", "Which colour?"]
        assert recalled(record) == ["question 0", "answer 0"]
        assert last == record.context.messages
        assert texts(chat.log[4:]) == ["Which colour?", "Blue."], (
            "thoughts stay out of the log with their recalls"
        )
        assert record.recalled is not None
        assert record.recalled.by_model == 1

    def test_each_call_is_answered_under_its_id(self) -> None:
        chat = chat_with(
            says(decide(True, id="t"), recall("r", last_n=1)), STOP, "Blue."
        )
        (said, *results) = chat.send("Which colour?").thoughts[:3]
        assert (
            [call.id for call in said.tool_calls]
            == [m.tool_call_id for m in results]
            == ["t", "r"]
        )

    def test_a_round_that_only_recalls_goes_on(self) -> None:
        chat = chat_with(says(recall(last_n=1), text=HMM), STOP, "Blue.")
        assert len(chat.send("Which colour?").thinking) == 2

    def test_a_last_round_that_only_recalls_is_told_that_it_was_the_last(self) -> None:
        chat = chat_with(
            says(recall(last_n=1), text=HMM), "Blue.", max_thinking_rounds=1
        )
        record = chat.send("Which colour?")
        assert record.thoughts[-1] == THINKING_ENDED
        assert record.context.messages == caller_of(chat).requests[-1]

    def test_it_counts_toward_the_bound(self) -> None:
        chat = chat_with(
            says(recall("a", last_n=1), decide(True)),
            says(recall("b", last_n=1), recall("c", last_n=2), decide(False)),
            "Blue.",
            max_recall_contexts=2,
        )
        record = chat.send("Which colour?")
        assert [text.split(" ")[0] for text in told(record.context.messages)] == [
            "Recalled",
            "Go",
            "Recalled",
            "Error:",
            "Answer",
        ]
        assert caller_of(chat).choices == ["auto", "auto", "none"]

    def test_then_the_answer_may_recall_as_well(self) -> None:
        chat = chat_with(
            says(recall("a", turn_numbers=[1]), decide(False), text=HMM),
            says(recall("b", turn_numbers=[2]), text="Wait."),
            "Blue.",
        )
        record = chat.send("Which colour?")
        assert [call.kind for call in record.requests[:-1]] == ["thinking", "recall"]
        assert texts(record.context.messages)[1:6] == [
            "question 0",
            "answer 0",
            "question 1",
            "answer 1",
            "Which colour?",
        ]
        assert record.context.messages == caller_of(chat).requests[-1]
        assert texts(chat.log[4:]) == [
            "Which colour?",
            "Wait.",
            told(chat.log)[0],
            "Blue.",
        ]
        assert record.context.block("tools").indices == (5, 6)  # type: ignore[union-attr]

    def test_without_recall_only_thinking_is_offered(self) -> None:
        chat = chat_with(
            says(recall(last_n=1), decide(False)), "Blue.", enable_recall=False
        )
        record = chat.send("Which colour?")
        assert caller_of(chat).tools == [(THINK,)] * 2
        assert caller_of(chat).choices == ["auto", "none"]
        assert told(record.context.messages)[0].startswith("Error: ")
        assert record.recalled is None


class TestSummary:
    def test_what_thinking_ends_with_is_the_summary_of_the_turn_and_no_summarizer_is_asked(
        self,
    ) -> None:
        chat = chat_with(
            Reply("I know.", STOP.tool_calls, model="served"), "Blue.", turns=0
        )
        record = chat.send("Which colour?")
        assert len(caller_of(chat).requests) == 2, (
            "the chat's model would write the summary"
        )
        (compaction,) = chat.run.compactions
        assert (compaction.summary, compaction.by_thinking) == (
            "They spoke of a colour.",
            True,
        )
        assert (
            compaction.prompt,
            compaction.prompt_tokens,
            compaction.output_tokens,
        ) == ("", 0, 0)
        assert (compaction.cost, compaction.seconds, compaction.model) == (
            None,
            0.0,
            "served",
        )
        assert compaction.summarized == range(2)
        assert chat.run.summaries[-1].turn == record.turn == 1

    def test_the_next_request_sends_it(self) -> None:
        chat = chat_with(STOP, "Blue.", STOP, "Red.", turns=0)
        chat.send("Which colour?")
        record = chat.send("And now?")
        assert record.context.messages[0].content.endswith(
            "[Turn 1] They spoke of a colour."
        )

    @for_each(
        "thought",
        [
            "It must be blue.",
            says(decide(False)),
            says(decide(False, " \n")),
            says(decide(False, 7)),
        ],
    )
    def test_without_one_the_summarizer_is_asked(self, thought: Any) -> None:
        chat = chat_with(
            thought, "Blue.", turns=0, summarizer=Digest(), max_thinking_rounds=1
        )
        chat.send("Which colour?")
        (compaction,) = chat.run.compactions
        assert not compaction.by_thinking
        assert (compaction.summary or "").startswith("digest ")
        assert "thinking" not in compaction.prompt
        assert "must be blue" not in compaction.prompt

    def test_a_summary_in_a_round_that_goes_on_is_none_yet(self) -> None:
        chat = chat_with(says(decide(True, "too early")), STOP, "Blue.", turns=0)
        chat.send("Which colour?")
        assert [v.text for v in chat.run.summaries] == ["They spoke of a colour."]

    def test_an_earlier_turn_without_a_summary_is_made_up_for_by_the_summarizer(
        self,
    ) -> None:
        writer = memviz.ScriptedModel(
            [ModelError("down"), "They met.", "They spoke of a colour."]
        )
        script = ("Plain thought.", "Hi!", STOP, "Blue.", STOP, "Red.")
        chat = chat_with(*script, turns=0, summarizer=writer, max_thinking_rounds=1)
        for text in ("Hello", "Which colour?", "And now?"):
            chat.send(text)
        texts = [
            (1, "They met."),
            (2, "They spoke of a colour."),
            (3, "They spoke of a colour."),
        ]
        assert [(v.turn, v.text) for v in chat.run.summaries] == texts
        assert [c.by_thinking for c in chat.run.compactions if not c.error] == [
            False,
            False,
            True,
        ]

    def test_with_summaries_switched_off_it_is_not_kept(self) -> None:
        chat = chat_with(STOP, "Blue.", turns=0, enable_summarization=False)
        record = chat.send("Which colour?")
        assert (chat.run.summaries, chat.run.compactions) == ((), ())
        assert len(record.thinking) == 1


class TestRecord:
    SCRIPT = (
        says(
            recall("r", turn_numbers=[1]),
            decide(True),
            text=HMM,
            usage=Usage(200, 20),
            cost_usd=0.5,
        ),
        says(decide(False, "S"), text="I know.", usage=Usage(300, 30), cost_usd=0.25),
        says(
            recall("b", turn_numbers=[2]),
            text="Wait.",
            usage=Usage(400, 40),
            cost_usd=8.0,
        ),
        "Blue.",
    )

    def test_tokens_of_each_request_and_part_by_hand(self) -> None:
        chat = chat_with(*self.SCRIPT)
        record = chat.send("Which colour?")
        requests = zip(caller_of(chat).requests, caller_of(chat).tools, strict=True)
        *sent, last = [request_tokens(*request) for request in requests]
        assert [call.sent_tokens for call in record.requests[:-1]] == sent
        assert record.total_tokens == last
        assert record.sent_tokens == sum(sent) + last
        # The instruction to think is a system message, which takes the schemas in.
        schemas = offered(THINK, RECALL, has_system_prompt=True)
        behind = record.context.blocks[-1].messages
        assert len(behind) == 3 + 2 + 2
        assert record.tokens["tools"] == schemas + sum(
            content_tokens(m) for m in behind
        )

    def test_what_thinking_took(self) -> None:
        record = chat_with(*self.SCRIPT).send("Which colour?")
        assert (record.thinking_tokens, record.thinking_cost_usd) == (50, 0.75)

    def test_an_unknown_cost_is_not_0(self) -> None:
        record = chat_with(MORE, self.SCRIPT[1], "Blue.").send("Which colour?")
        assert record.thinking_cost_usd is None
        assert (
            record.thinking_tokens
            == content_tokens(Message("assistant", HMM, tool_calls=(decide(True),)))
            + 30
        )

    def test_a_run_comes_back_from_json_as_it_was(self) -> None:
        chat = chat_with(*self.SCRIPT)
        record = chat.send("Which colour?")
        again = Run.from_dict(json.loads(json.dumps(chat.run.to_dict())))
        assert contents(again) == contents(chat.run)
        assert again.turns[-1].requests[:-1] == record.requests[:-1]
        assert again.turns[-1].context.messages == record.context.messages
        assert again.compactions[-1].by_thinking
        assert again.compactions[-1].prompt_tokens == 0

    def test_frame_and_fates(self) -> None:
        chat = chat_with(*self.SCRIPT)
        record = chat.send("Which colour?")
        frame = chat.run.frame()
        row, calls = frame.iloc[-1], frame.iloc[-4:-1]
        assert calls["kind"].tolist() == ["thinking", "thinking", "recall"]
        assert calls["reply_tokens"].tolist() == [20, 30, 40]
        assert row["messages"] == len(record.context.messages)
        assert chat.run.fates()[-1].tolist() == [Fate.RECALLED] * 4 + [
            Fate.VERBATIM
        ] * 3 + [Fate.NOT_YET]

    def test_another_strategy_knows_nothing_of_the_thoughts(self) -> None:
        chat = chat_with(*self.SCRIPT)
        chat.send("Which colour?")
        run = chat.replay_with(memviz.strategy("buffer"))
        assert all(record.thoughts == () for record in run.requests)
        assert [
            texts(record.context.messages) for record in run.turns[-1].requests
        ] == [
            texts(chat.log[:5]),
            texts(chat.log[:7]),
        ]


class TestStoppedOrFailed:
    def test_pieces_of_thoughts_are_empty_so_that_a_stop_is_possible(self) -> None:
        chat = chat_with(says(decide(False, "S"), text="one\ntwo\n"), "It\nis blue.")
        assert list(chat.stream("Which colour?")) == ["", "", "It\n", "is blue."]

    def test_stopped_while_thinking_nothing_is_kept(self) -> None:
        chat = chat_with(
            says(recall("r", last_n=1), decide(True), text="one\ntwo\n"),
            STOP,
            STOP,
            "Blue.",
        )
        chat.recall(turns=[1])
        stream = chat.stream("Which colour?")
        for _ in range(3):
            next(stream)
        stream.close()
        assert chat.unanswered
        assert (len(chat.log), len(chat.run.turns), len(chat.run.summaries)) == (
            5,
            2,
            2,
        )
        assert chat.waiting.fresh == (0, 1)
        assert "".join(chat.retry()) == "Blue."
        record = chat.run.turns[-1]
        assert (len(record.thinking), recalled(record)) == (
            1,
            ["question 0", "answer 0"],
        )

    def test_stopped_while_answering_thoughts_and_partial_reply_are_kept(self) -> None:
        chat = chat_with(STOP, "It\nis blue.", STOP, "Red.")
        stream = chat.stream("Which colour?")
        assert [next(stream), next(stream)] == ["", "It\n"]
        stream.close()
        record = chat.run.turns[-1]
        assert (record.reply, record.flags, len(record.thinking)) == (
            "It\n",
            ("partial_reply",),
            1,
        )
        assert record.context.messages == caller_of(chat).requests[-1]
        chat.send("And now?")
        assert [c.by_thinking for c in chat.run.compactions[-2:]] == [False, True], (
            "half an answer was not thought of"
        )

    @for_each("place", [0, 1, 2])
    def test_a_failure_leaves_everything_as_it_was(self, place: int) -> None:
        script: list[Any] = [says(recall("r", last_n=1), decide(True)), STOP, "Blue."]
        chat = chat_with(*script[:place], ModelError("down"), *script)
        with pytest.raises(ModelError):
            chat.send("Which colour?")
        assert (len(chat.log), len(chat.run.turns), len(chat.run.compactions)) == (
            5,
            2,
            2,
        )
        assert "".join(chat.retry()) == "Blue."
        assert [call.kind for call in chat.run.turns[-1].requests[:-1]] == [
            "thinking"
        ] * 2
        requests = caller_of(chat).requests
        assert requests[: place + 1] == requests[place + 1 : 2 * place + 2]

    def test_undo_takes_the_summary_back_too(self) -> None:
        chat = chat_with(STOP, "Blue.", says(decide(False, "Another.")), "Red.")
        before = json.dumps(chat.run.to_dict())
        chat.send("Which colour?")
        chat.undo()
        assert json.dumps(chat.run.to_dict()) == before
        chat.send("Which colour?")
        assert chat.run.summaries[-1].text == "Another."

    def test_retry_thinks_again(self) -> None:
        chat = chat_with(STOP, "Blue.", says(decide(False, "Another.")), "Red.")
        chat.send("Which colour?")
        list(chat.retry())
        record = chat.run.turns[-1]
        assert (record.reply, len(record.thinking)) == ("Red.", 1)
        assert [v.text for v in chat.run.summaries][2:] == ["Another."]
