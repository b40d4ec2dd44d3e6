"""The seven rules that hold for every strategy, checked on random conversations."""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
from collections import Counter as Tally
from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import memviz
from memviz import Compaction, Fate, Log, Message, Recall, ScriptedModel
from memviz.engine import part_tokens
from memviz.strategies.library import LibraryStrategy
from tests.counted_work import calls_of
from tests.engine.probes import IDS, SUMMARIZING, Digest, sent, small, talk, timeless
from tests.strategies import conversations as random
from tests.strategies.conversations import answers, outcomes, summarizer
from tests.strategies.reference import REFERENCES, caller_of, turn_numbers
from tests.tables import for_each

law = pytest.mark.law
every_strategy = for_each("id", IDS)
LIBRARIES = [id for id in IDS if issubclass(memviz.strategies()[id], LibraryStrategy)]
"""What hands over its whole state at each request and counts it by itself."""
OWN_RULES = [id for id in IDS if id not in LIBRARIES]
every_own_rule = for_each("id", OWN_RULES)
every_summarizing = for_each("id", SUMMARIZING)
MOST_MESSAGES = 9
MOST_PICKS = 30
FAILURES: dict[str, Any] = {
    "raises": memviz.ModelError("the line is dead"),
    "crashes": ValueError("the line is dead"),
    "is empty": "",
    "is blank": " \n\t ",
}


def conversations() -> st.SearchStrategy[list[Message]]:
    """Short ones: each law is tried hundreds of times under every strategy, and their parameters are small. It holds
    for all strategies on the same conversation, because that takes longer to draw than to replay."""
    return random.conversations(max_messages=MOST_MESSAGES)


def recalls_of(drawn: bytes, messages: list[Message]) -> dict[int, Recall]:
    """The recalls that these bytes stand for, of random messages into about every other request: they are dealt out to
    the turns, which take what they get or nothing."""
    last = turn_numbers(messages)[-1]
    recalled = {}
    for turn in range(1, last + 1):
        dealt = drawn[turn - 1 :: last]
        if dealt and dealt[0] < 128:
            recalled[turn] = Recall(messages=[byte % len(messages) for byte in dealt])
    return recalled


class TestNothingIsLost:
    """Rule 1."""

    @law
    @given(messages=conversations(), plan=outcomes)
    @every_summarizing
    def test_every_call_is_recorded_and_one_that_fails_changes_nothing(
        self, id: str, messages: list[Message], plan: list[str]
    ) -> None:
        model = summarizer(plan)
        run = memviz.replay(messages, small(id), model=model, counter="chars4")
        assert list(run.log) == messages
        made = run.made_or_foreseen
        for call, request, answer in zip(
            made, model.requests, answers(plan), strict=False
        ):
            outcome_is_recorded(call, answer)
            prompt_is_what_was_asked(call, request, messages)
        assert len(made) == len(model.requests), "every call is an event"
        nothing_more_is_tried_after_a_failure(run)
        for compaction in run.compactions:
            told_in_numbers(compaction)
        no_error_text_is_sent(run, model)

    @every_summarizing
    @for_each("failure", FAILURES)
    def test_one_failure_is_made_up_for(self, id: str, failure: str) -> None:
        messages = talk(8)
        run = memviz.replay(
            messages,
            small(id),
            model=ScriptedModel([FAILURES[failure]] + ["fine"] * 20),
        )
        first, second = run.compactions[:2]
        assert first.error
        assert second.summary == "fine"
        assert second.turn == first.turn + 2
        assert second.summarized.start == first.summarized.start, (
            "what was to be summarized still is"
        )
        assert "fine" in run.turns[-1].context.messages[0].content

    @law
    @given(failure=st.sampled_from([*FAILURES]), messages=conversations())
    @every_summarizing
    def test_with_a_summarizer_that_always_fails_all_messages_stay_verbatim(
        self, id: str, failure: str, messages: list[Message]
    ) -> None:
        model = ScriptedModel(iter(lambda: FAILURES[failure], object()))
        run = memviz.replay(messages, small(id), model=model, counter="chars4")
        assert run.summaries == ()
        for record, fates in zip(run.requests, run.fates(), strict=True):
            numbers = turn_numbers(messages)[: record.memory.length]
            for position, number in enumerate(numbers):
                if (
                    id != "summary_only" or number > 0
                ):  # summary-only memory sends no history, so not turn 0
                    recent_only_gap = id == "recent_only" and number == 0
                    assert fates[position] == Fate.VERBATIM or recent_only_gap, (
                        record.turn,
                        position,
                    )

    @every_summarizing
    def test_an_interrupted_replay_leaves_the_log_alone(self, id: str) -> None:
        log = Log(talk(8))
        with pytest.raises(KeyboardInterrupt):
            memviz.replay(
                log, small(id), model=ScriptedModel(["fine", KeyboardInterrupt()])
            )
        assert list(log) == talk(8)

    @every_summarizing
    def test_an_interrupted_call_in_a_live_chat_is_an_event_like_any_failure(
        self, id: str
    ) -> None:
        """The same conversation with an error in that place ends in the same memory."""
        model = ScriptedModel(["fine", KeyboardInterrupt(), *["fine"] * 20])
        chat = memviz.Chat(
            small(id),
            model=ScriptedModel(f"answer {i}" for i in range(99)),
            summarizer=model,
        )
        for i in range(8):
            try:
                chat.send(f"question {i}")
            except KeyboardInterrupt:
                list(chat.go_on())
        interrupted = [c for c in chat.run.compactions if c.error]
        assert len(interrupted) == 1
        assert interrupted[0].before == interrupted[0].after
        assert [m.content for m in chat.log if m.role == "user"] == [
            f"question {i}" for i in range(8)
        ]
        again = ScriptedModel(["fine", memviz.ModelError("no"), *["fine"] * 20])
        replayed = memviz.replay(list(chat.log), small(id), model=again)
        assert sent(chat.run) == sent(replayed)
        assert [(c.after_message, c.summary) for c in chat.run.compactions] == [
            (c.after_message, c.summary) for c in replayed.compactions
        ]


def outcome_is_recorded(call: Compaction, answer: str | BaseException) -> None:
    """A summary is kept as it was answered, a failure with its words, and it leaves the memory as it was."""
    if isinstance(answer, BaseException):
        assert str(answer) in (call.error or "")
    else:
        assert call.summary == (answer.strip() or None)
    if call.error:
        assert call.before == call.after
        assert call.summary is None
        assert call.version is None


def prompt_is_what_was_asked(
    call: Compaction, request: Sequence[Message], messages: list[Message]
) -> None:
    assert call.prompt == "\n\n".join(message.content for message in request)
    lines = "\n".join(message.content for message in request)
    assert all(
        f"{messages[i].role}: {messages[i].content}" in lines for i in call.summarized
    )


def nothing_more_is_tried_after_a_failure(run: memviz.Run) -> None:
    """What failed is tried again in a later turn, and not twice in the same."""
    for call, following in pairwise(run.compactions):
        turn, next_turn = (
            run.log.turn_number(one.after_message) for one in (call, following)
        )
        assert not call.error or next_turn != turn


def told_in_numbers(call: Compaction) -> None:
    """What the page's list of terms promises of a compaction."""
    assert any(char.isdigit() for char in call.reason)
    if call.error:
        assert call.tokens_before == call.tokens_after
    assert call.cost is None, "unknown is not 0"
    assert call.seconds >= 0
    assert json.dumps(call.to_dict())


def no_error_text_is_sent(run: memviz.Run, model: ScriptedModel) -> None:
    texts = [m.content for record in run.turns for m in record.context.messages]
    texts += [m.content for request in model.requests for m in request]
    texts += [version.text for version in run.summaries]
    assert not [text for text in texts if "no connection" in text or "bug" in text]


class TestEveryRequest:
    """Rules 2, 3, 4 and 6 over the same replays: a conversation takes longer to draw than to replay."""

    @law
    @given(
        messages=conversations(),
        plan=outcomes,
        prompt=st.sampled_from([None, "Be kind."]),
        picks=st.just(b"") | st.binary(max_size=MOST_PICKS),
        last_turn=st.integers(0, MOST_MESSAGES),
    )
    @every_strategy
    def test_it_is_whole_in_order_and_the_same_again(
        self,
        id: str,
        messages: list[Message],
        plan: list[str],
        prompt: str | None,
        picks: bytes,
        last_turn: int,
    ) -> None:
        recalled = recalls_of(picks, messages)

        def replayed(messages: list[Message], repair: bool = False) -> memviz.Run:
            return memviz.replay(
                messages,
                small(id),
                model=summarizer(plan),
                counter="chars4",
                system_prompt=prompt,
                recalls=recalled,
                repair_tool_pairs=repair,
            )

        run = replayed(messages)
        for record in run.requests:
            input_is_sent_whole_last_and_once(run, record)
            blocks_stand_in_their_order(run, record)
            is_flagged = "orphaned_tool_message" in record.flags
            assert is_flagged == bool(orphans(record, messages)), record.turn
        repaired = replayed(messages, repair=True)
        for before, after in zip(run.requests, repaired.requests, strict=True):
            repair_leaves_no_half(after, messages)
            if not recalled:
                repair_touches_nothing_but_tool_messages(before, after, messages)
        ends = [turn.stop for turn in run.log.turns()]
        cut = ends[last_turn % len(ends)]
        is_a_prefix_of(replayed(messages[:cut]), run)


def input_is_sent_whole_last_and_once(
    run: memviz.Run, record: memviz.TurnRecord
) -> None:
    """Rule 2."""
    messages, position = run.log, record.memory.length - 1
    blocks = record.context.blocks
    assert messages[position].role != "assistant"
    assert record.context.messages[-1] == messages[position]
    assert blocks[-1].kind == "input"
    asked = blocks[-1].indices
    assert asked == tuple(range(position + 1 - len(asked), position + 1))
    assert all(messages[i].role != "assistant" for i in asked)
    is_first = asked[0] <= run.log.system_stop
    before = "assistant" if is_first else messages[asked[0] - 1].role
    assert before in ("assistant", "system"), "nothing unanswered is left out"
    recalled = record.parts.recalled
    assert whole_messages(run, record).isdisjoint(recalled), (
        "nothing is sent whole twice"
    )
    assert len(set(recalled)) == len(recalled)
    placed = [i for b in blocks if b.kind in ("history", "input") for i in b.indices]
    assert len(set(placed)) == len(placed)


def whole_messages(run: memviz.Run, record: memviz.TurnRecord) -> set[int]:
    """The log positions of the messages that are sent as they were said."""
    return {
        p
        for part in part_tokens.find_whole_ranges(run.space, record.parts)
        for p in part
    }


def blocks_stand_in_their_order(run: memviz.Run, record: memviz.TurnRecord) -> None:
    """Rule 2."""
    order = ["system", "summary", "history", "recalled", "input"]
    kinds = [*dict.fromkeys(block.kind for block in record.context.blocks)]
    # The summary of a hand-off stands behind what stays of old messages, and that of Pydantic AI behind the user's
    # first one.
    if run.strategy.id not in ("hand_off", "pydantic_ai_compaction"):
        assert kinds == sorted(kinds, key=order.index)
    assert list(record.context.messages) == [
        m for block in record.context.blocks for m in block.messages
    ]
    whole = whole_messages(run, record)
    for block in record.context.blocks:
        if block.kind in ("history", "recalled", "input") and block.indices:
            for i, message in zip(block.indices, block.messages, strict=True):
                assert message.role == run.log[i].role
                assert message == run.log[i] or i not in whole
            assert list(block.indices) == sorted(block.indices)


def repair_leaves_no_half(record: memviz.TurnRecord, messages: list[Message]) -> None:
    """Rule 3."""
    order, asked = positions(record), record.memory.input
    answers_nothing = all(
        caller_of(messages, p) is None and messages[p].role == "tool" for p in asked
    )
    assert not orphans(record, messages) or answers_nothing
    callers = [caller_of(messages, p) for p in order if messages[p].role == "tool"]
    assert all(callers.count(p) == calls for p, calls in calls_sent(record).items())
    assert ("orphaned_tool_message" in record.flags) == answers_nothing


def repair_touches_nothing_but_tool_messages(
    before: memviz.TurnRecord, after: memviz.TurnRecord, messages: list[Message]
) -> None:
    """Rule 3."""
    changed = set(positions(before)) ^ set(positions(after))
    assert all(messages[i].role == "tool" or messages[i].tool_calls for i in changed)
    lost = set(positions(before)) - set(positions(after))
    assert not any(
        messages[i].role == "assistant" and messages[i].content.strip() for i in lost
    )


def is_a_prefix_of(part: memviz.Run, whole: memviz.Run) -> None:
    """Rule 6: what a replay of the first turns does is what the whole one did until then."""
    expected, got = timeless(whole), timeless(part)
    cut = len(part.log)
    if cut == len(whole.log):
        assert got == expected, "same in, same out"
    assert got["requests"] == expected["requests"][: len(got["requests"])]
    by_then = [c for c in expected["compactions"] if c["after_message"] < cut]
    if part.pending is not None:
        # Its last turn goes on, and is summarized when it is over.
        by_then = by_then[: len(got["compactions"])]
    assert got["compactions"] == by_then
    assert got["summaries"] == expected["summaries"][: len(got["summaries"])]
    assert sent(part) == sent(whole)[: len(part.requests)]


class TestInputIsNeverSwallowed:
    """Rule 2."""

    @for_each("id", ["token_buffer", "summary_buffer", "chat_summary_buffer"])
    def test_an_input_over_the_budget_is_flagged(self, id: str) -> None:
        messages = [*talk(3), Message("user", "a long question " * 100)]
        run = memviz.replay(
            [*messages, Message("assistant", "Yes.")], small(id), model=Digest()
        )
        assert run.turns[-1].context.messages[-1] == messages[-1]
        assert run.turns[-1].flags == ("over_budget",)


class TestToolCallsStayWhole:
    """Rule 3."""

    def test_a_caller_recalled_after_its_result_does_not_mend_it(self) -> None:
        """The recalled block stands behind the history, so the result would come before its call."""
        record = memviz.replay(
            TOOL_TALK,
            memviz.strategy("window", window_size=3),
            model=None,
            recalls={2: Recall(messages=[1])},
        ).turns[1]
        assert positions(record) == [2, 3, 1, 4]
        assert record.flags == ("orphaned_tool_message",)

    def test_repair_drops_a_result_that_would_come_before_its_call(self) -> None:
        record = memviz.replay(
            TOOL_TALK,
            memviz.strategy("window", window_size=3),
            model=None,
            recalls={2: Recall(messages=[1])},
            repair_tool_pairs=True,
        ).turns[1]
        assert positions(record) in ([3, 4], [1, 2, 3, 4], [3, 1, 2, 4]), (
            "dropped, or pulled in in order"
        )

    def test_live_chat_repairs_and_replay_does_not(self) -> None:
        strategy = memviz.strategy("window", window_size=3)
        assert memviz.replay(TOOL_TALK, strategy, model=None).turns[1].flags == (
            "orphaned_tool_message",
        )
        chat = memviz.Chat(strategy, model=ScriptedModel(["Yes."]))
        chat.log.extend(TOOL_TALK[:4])
        record = chat.send("Umbrella?")
        assert [m.content for m in record.context.messages] == [
            "It rains.",
            "Umbrella?",
        ]
        assert record.flags == ()


TOOL_TALK = [
    Message("user", "Weather?"),
    Message(
        "assistant",
        "",
        tool_calls=({"id": "a", "function": {"name": "look_up", "arguments": "{}"}},),
    ),  # type: ignore[arg-type]
    Message("tool", "rain", tool_call_id="a"),
    Message("assistant", "It rains."),
    Message("user", "Umbrella?"),
    Message("assistant", "Yes."),
]


def positions(record: memviz.TurnRecord) -> list[int]:
    """Log positions of the messages sent, in the order in which they are sent."""
    return [
        i
        for b in record.context.blocks
        if b.kind in ("history", "recalled", "input")
        for i in b.indices
    ]


def orphans(record: memviz.TurnRecord, messages: list[Message]) -> list[int]:
    """Tool results sent without their call before them."""
    order, recalled = (
        positions(record),
        [p for p in record.parts.recalled if p not in record.parts.restored],
    )
    without = [
        p
        for at, p in enumerate(order)
        if messages[p].role == "tool" and caller_of(messages, p) not in order[:at]
    ]
    apart = [
        p
        for p in recalled
        if messages[p].role == "tool" and caller_of(messages, p) not in recalled
    ]
    return [*without, *apart]


def calls_sent(record: memviz.TurnRecord) -> dict[int, int]:
    """How many calls each message that is sent makes, as it is sent, by log position."""
    blocks = [
        block
        for block in record.context.blocks
        if block.kind in ("history", "recalled", "input")
    ]
    sent = [
        pair
        for block in blocks
        for pair in zip(block.indices, block.messages, strict=False)
    ]
    return {
        position: len(message.tool_calls)
        for position, message in sent
        if message.tool_calls
    }


class TestDeterministic:
    """Rule 4."""

    @pytest.mark.slow
    def test_in_every_process(self) -> None:
        """Strings are hashed in another way there."""
        script = (
            "from tests.engine.test_rules import digest_of_all; print(digest_of_all())"
        )
        here = os.environ.get("PYTHONHASHSEED", "random")
        environment = {
            "PYTHONHASHSEED": "2" if here == "1" else "1",
            "PYTHONPATH": ":".join(path for path in sys.path if path),
        }
        elsewhere = subprocess.run(
            [sys.executable, "-c", script],
            env=environment,
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        assert elsewhere.strip() == digest_of_all()


def digest_of_all() -> str:
    """The fingerprint of what every strategy sends in one conversation with recalls."""
    messages = [Message("assistant", "Hi"), *talk(12)]
    recalls = {9: Recall(turns=[1, 3], keywords=["number 5", "number 2"])}
    fingerprint = hashlib.sha256()
    for id in IDS:
        run = memviz.replay(messages, small(id), model=Digest(), recalls=recalls)
        for request in sent(run):
            fingerprint.update(request + b"|")
    return fingerprint.hexdigest()


class TestIncremental:
    """Rule 6."""

    @every_own_rule
    def test_each_message_is_tokenized_once(self, id: str) -> None:
        messages = talk(20)
        calls: Tally[str] = Tally()

        def count(text: str) -> int:
            calls[text] += 1
            return len(text.split())

        memviz.replay(
            messages,
            small(id),
            model=Digest(),
            counter=count,
            recalls={9: Recall(turns=[1])},
        )
        assert [calls[message.content] for message in messages] == [1] * len(messages)

    @every_strategy
    def test_tokenizing_grows_with_the_messages_and_not_with_their_square(
        self, id: str
    ) -> None:
        """Each message once, and each summary a bounded number of times, whatever came before."""
        seen: list[int] = []

        def count(text: str) -> int:
            seen.append(len(text))
            return len(text.split())

        totals = []
        for turns in (50, 100):
            seen.clear()
            memviz.replay(talk(turns), small(id), model=Digest(), counter=count)
            totals.append(sum(seen))
        assert totals[1] < 2.3 * totals[0]

    @pytest.mark.slow
    @pytest.mark.parametrize("id", OWN_RULES)
    def test_work_grows_with_the_messages_and_not_with_their_square(
        self, id: str
    ) -> None:
        """Counted in calls of Python functions, which unlike seconds are the same on every machine."""
        replay_tools(id, 3)  # what is done once is not counted
        calls = [calls_of(lambda n=n: replay_tools(id, n)) for n in (100, 200)]
        assert calls[1] < 2.5 * calls[0], (
            f"{calls[0]:,} calls for 100 turns, {calls[1]:,} for 200: plan or select "
            "look at every message, or select returns a piece for every turn"
        )


def replay_tools(id: str, turns: int) -> None:
    """Replay a conversation in which every turn calls a tool, and mend what is torn apart."""
    call = {"id": "a", "function": {"name": "look_up", "arguments": "{}"}}
    turn = [
        Message("user", "What is the weather?"),
        Message("assistant", "", tool_calls=(call,)),  # type: ignore[arg-type]
        Message("tool", "rain", tool_call_id="a"),
        Message("assistant", "It rains."),
    ]
    memviz.replay(
        turn * turns,
        small(id),
        model=Digest(),
        counter="chars4",
        repair_tool_pairs=True,
    )


class TestTimeTravel:
    """Rule 7."""

    @law
    @given(messages=conversations(), plan=outcomes)
    @example(
        [Message("user", "word " * 50)], ["good"]
    )  # what the pending request would summarize is not done yet
    @example(
        [
            Message("user", "word " * 50),
            Message("assistant", ""),
            Message("user", "word " * 50),
        ],
        ["good"],
    )
    @example(
        [
            Message("user", "word " * 50),
            Message("tool", "", tool_call_id="a"),
            Message("user", ""),
        ],
        ["good"],
    )
    @for_each("id", REFERENCES)
    def test_memory_after_any_turn(
        self, id: str, messages: list[Message], plan: list[str]
    ) -> None:
        """A turn is complete once the next one begins, also when nobody answered it."""
        strategy = small(id)
        run = memviz.replay(
            messages, strategy, model=summarizer(plan), counter="chars4"
        )
        for turn in run.log.turns():
            count = memviz.counter("chars4")
            reference = REFERENCES[id](
                messages, count, answers(plan), "", strategy.model_dump()
            ).walk_to(turn.stop)
            memory = run.memory_after(turn.number)
            assert memory.length == turn.stop
            assert memory.summary_count == sum(
                c.text is not None for c in reference.compactions
            )
            if id in ("summary", "summary_buffer", "chat_summary_buffer"):
                assert list(range(memory.cursor, memory.length)) == reference.pending

    def test_memory_before_the_first_turn(self) -> None:
        run = memviz.replay(
            [Message("assistant", "Hi"), *talk(3)], small("summary"), model=Digest()
        )
        before = run.memory_after(0)
        assert (before.length, before.summary_count, before.cursor) == (1, 0, 0)

    @law
    @given(messages=conversations())
    def test_two_strategies_over_one_log_share_its_counts(
        self, messages: list[Message]
    ) -> None:
        calls: list[str] = []
        counter = memviz.counter(lambda text: calls.append(text) or 1)
        log = Log(messages)
        for id in ("buffer", "window", "token_buffer"):
            memviz.replay(log, small(id), model=None, counter=counter)
        names = {message.name for message in log if message.name}
        assert len(calls) == len(log) + 2 * sum(
            len(message.tool_calls) for message in log
        ) + len(names)

    def test_they_share_them_for_a_function_that_counts_as_well(self) -> None:
        calls: list[str] = []

        def count(text: str) -> int:
            calls.append(text)
            return 1

        log = Log(talk(4))
        for id in ("buffer", "window"):
            memviz.replay(log, small(id), model=None, counter=count)
        assert len(calls) == len(log)
