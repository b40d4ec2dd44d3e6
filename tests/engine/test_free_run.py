"""Free runs: each strategy gets its own replies, turn by turn, through failures, stops and restarts."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import memviz
from memviz import (
    EmptyConversationError,
    FreeRun,
    Log,
    Message,
    ModelError,
    Recall,
    RecallError,
    Run,
    ScriptedModel,
)
from memviz.engine.free_run import answers_messages_of
from memviz.transcripts.base import Transcript
from memviz.transcripts.samples import bundled
from tests.engine.calling import Caller, recall, recalled, says, texts
from tests.engine.probes import REPRESENTATIVES, Digest, sent, small, talk, timeless
from tests.same_runs import contents
from tests.strategies.conversations import conversations, outcomes, summarizer
from tests.tables import for_each

every_kind = for_each("id", REPRESENTATIVES)
BUFFER = memviz.strategy("buffer")
TOOL_TALK = [
    Message("system", "You are a weather man."),
    Message("assistant", "Hello!"),
    Message("user", "Rain?"),
    Message("user", "I mean today."),
    Message(
        "assistant",
        "",
        tool_calls=({"id": "a", "function": {"name": "look_up", "arguments": "{}"}},),
    ),  # type: ignore[arg-type]
    Message("tool", "rain", tool_call_id="a"),
    Message("assistant", "It rains."),
    Message("system", "Be brief."),
    Message("user", ""),
    Message("assistant", "Yes?"),
    Message("user", "Umbrella?"),
]


def one_reply_a_turn(messages: Sequence[Message]) -> list[Message]:
    """The conversation that a free run makes of ``messages`` when its model says the last thing said there."""
    log = Log(messages)
    kept: list[Message] = log[: log.turn_start(1)]
    for turn in log.turns():
        said = [
            m.content
            for m in log[turn.asked : turn.stop]
            if m.role == "assistant" and m.content
        ]
        reply = said[-1] if said else f"reply {turn.number}"
        kept += [*log[turn.start : turn.asked], Message("assistant", reply)]
    return kept


def replies_of(conversation: Sequence[Message]) -> list[str]:
    log = Log(conversation)
    return [log[turn.stop - 1].content for turn in log.turns()]


def replies(turns: int) -> list[str]:
    """Replies of two lines, so that a stream of one can be closed half way."""
    return [f"first line {n}\nsecond line {n}" for n in range(1, turns + 1)]


def a_free_run(
    strategy: memviz.Strategy, script: Sequence[Any], turns: int = 8, **options: Any
) -> FreeRun:
    options = {"summarizer": Digest(), "counter": "chars4", **options}
    return FreeRun(talk(turns), strategy, model=ScriptedModel(script), **options)


def whole(free: FreeRun) -> Run:
    while not free.is_complete:
        answer(free)
    return free.run


def answer(free: FreeRun) -> None:
    list(free.next_turn())


def stop_within_reply(free: FreeRun) -> None:
    pieces = free.next_turn()
    next(pieces)
    pieces.close()


def in_json(run: Run) -> Run:
    """The run after it was written to a file and read again."""
    return Run.from_dict(json.loads(json.dumps(run.to_dict())))


def requests_of(free: FreeRun) -> list[tuple[Message, ...]]:
    assert isinstance(free.chat.model, ScriptedModel)
    return free.chat.model.requests


class TestRequests:
    @given(
        messages=conversations(),
        plan=outcomes,
        prompt=st.sampled_from([None, "Be kind."]),
        data=st.data(),
    )
    @every_kind
    def test_are_the_replay_s_when_the_model_says_what_the_transcript_says(
        self,
        id: str,
        messages: list[Message],
        plan: list[str],
        prompt: str | None,
        data: st.DataObject,
    ) -> None:
        said = one_reply_a_turn(messages)
        turns = st.integers(0, Log(said).turn_count)
        picks = st.builds(Recall, turns=st.lists(turns, min_size=1, max_size=3))
        recalls = data.draw(
            st.dictionaries(turns, picks | st.lists(picks, max_size=2), max_size=3)
        )
        options: dict[str, Any] = {
            "counter": "chars4",
            "system_prompt": prompt,
            "recalls": recalls,
        }
        model = ScriptedModel(replies_of(said))
        free = memviz.free_run(
            messages,
            small(id),
            model=model,
            summarizer=summarizer(plan),
            recall_tool=False,
            **options,
        )
        again = memviz.replay(
            said, small(id), model=summarizer(plan), repair_tool_pairs=True, **options
        )
        assert sent(free) == sent(again)
        assert timeless(free) == timeless(again)
        assert model.requests == [record.context.messages for record in free.turns]

    def test_what_the_assistant_and_its_tools_said_is_left_out(self) -> None:
        model = ScriptedModel(["Mine 1.", "Mine 2.", "Mine 3."])
        run = memviz.free_run(TOOL_TALK, BUFFER, model=model, counter="chars4")
        assert [(m.role, m.content) for m in run.log] == [
            ("system", "You are a weather man."),
            ("assistant", "Hello!"),
            ("user", "Rain?"),
            ("user", "I mean today."),
            ("assistant", "Mine 1."),
            ("user", ""),
            ("assistant", "Mine 2."),
            ("user", "Umbrella?"),
            ("assistant", "Mine 3."),
        ]
        assert [record.reply for record in run.turns] == [
            "Mine 1.",
            "Mine 2.",
            "Mine 3.",
        ]
        assert model.requests[-1] == tuple(run.log[:-1])

    def test_the_system_prompt_of_a_transcript_is_sent_unless_another_is_given(
        self,
    ) -> None:
        transcript = Transcript(tuple(talk(2)), system_prompt="Be kind.")
        assert (
            memviz.free_run(transcript, BUFFER, model=Digest()).system_prompt
            == "Be kind."
        )
        other = memviz.free_run(
            transcript, BUFFER, model=Digest(), system_prompt="Be brief."
        )
        assert other.turns[0].context.messages[0] == Message("system", "Be brief.")

    @every_kind
    def test_the_source_stays_as_it_is_and_serves_several_free_runs(
        self, id: str
    ) -> None:
        source = Log(TOOL_TALK)
        runs = [
            memviz.free_run(source, small(id), model=Digest(), counter="chars4")
            for _ in range(2)
        ]
        assert list(source) == TOOL_TALK
        assert source.turn_count == 3
        assert timeless(runs[0]) == timeless(runs[1])
        assert runs[0].log is not runs[1].log

    @for_each("messages", [[], [Message("assistant", "Hello?")]])
    def test_without_a_message_of_a_user_there_is_nothing_to_answer(
        self, messages: list[Message]
    ) -> None:
        with pytest.raises(EmptyConversationError, match="no message of a user"):
            memviz.free_run(messages, BUFFER, model=ScriptedModel([]))

    def test_the_offline_model_recalls_by_itself(self) -> None:
        run = memviz.free_run(bundled()["trip"], memviz.strategy("summary_only"))
        calls = [
            call
            for record in run.turns
            for call in record.requests[:-1]
            if call.kind == "recall"
        ]
        assert calls
        assert any(record.recalled and record.recalled.by_model for record in run.turns)
        assert all(record.reply.strip() for record in run.turns)
        assert len(run.turns) == Log(bundled()["trip"].messages).turn_count

    @for_each(
        ("id", "said", "offered"),
        [
            ("buffer", True, True),
            ("summary_only", False, False),
            ("buffer", None, False),
        ],
    )
    def test_whether_the_model_may_recall_can_be_said(
        self, id: str, said: bool | None, offered: bool
    ) -> None:
        model = ScriptedModel(replies(2))
        memviz.free_run(
            talk(2), small(id), model=model, summarizer=Digest(), recall_tool=said
        )
        assert [bool(tools) for tools in model.offered] == [offered] * 2


class TestProgress:
    def test_is_told_turn_by_turn(self) -> None:
        told: list[tuple[int, int]] = []
        memviz.free_run(
            talk(4), BUFFER, model=Digest(), progress=lambda *at: told.append(at)
        )
        assert told == [(1, 4), (2, 4), (3, 4), (4, 4)]

    def test_counts_only_whole_replies(self) -> None:
        free = a_free_run(BUFFER, [ModelError("down"), *replies(9)], turns=2)
        assert (free.done, free.turn_count, free.is_complete) == (0, 2, False)
        with pytest.raises(ModelError):
            answer(free)
        assert free.done == 0
        answer(free)
        stop_within_reply(free)
        assert (free.done, free.is_complete, len(free.run.turns)) == (1, False, 2)
        answer(free)
        assert (free.done, free.is_complete, len(free.run.turns)) == (2, True, 2)

    def test_a_partial_reply_of_the_source_is_no_matter(self) -> None:
        lead = Message("assistant", "Hel", meta={"partial": True})
        free = FreeRun([lead, *talk(1)], BUFFER, model=ScriptedModel(["Yes."]))
        assert (free.done, free.is_complete) == (0, False)
        assert list(whole(free).log) == [lead, talk(1)[0], Message("assistant", "Yes.")]


class TestFailure:
    @for_each("failing", [1, 4, 8])
    @every_kind
    def test_leaves_all_turns_before_and_the_same_request_is_sent_again(
        self, id: str, failing: int
    ) -> None:
        good = replies(8)
        down = [ModelError("down"), ModelError("still down")]
        free = a_free_run(
            small(id),
            [*good[: failing - 1], *down, *good[failing - 1 :]],
            system_prompt="Be kind.",
        )
        for _ in range(failing - 1):
            answer(free)
        for error in down:
            with pytest.raises(ModelError, match=str(error)):
                answer(free)
            assert [record.reply for record in free.run.turns] == good[: failing - 1]
        answer(free)
        tries = requests_of(free)[failing - 1 :]
        assert tries[0] == tries[1] == tries[2] == free.run.turns[-1].context.messages
        assert timeless(whole(free)) == timeless(
            whole(a_free_run(small(id), good, system_prompt="Be kind."))
        )

    @given(plan=outcomes, failing=st.sets(st.integers(1, 8)))
    @every_kind
    def test_asks_the_summarizer_no_more_than_once_more(
        self, id: str, plan: list[str], failing: set[int]
    ) -> None:
        """Summaries that fail as well are tried again in a later turn only, as without the model's failures."""
        script: list[Any] = []
        for number, reply in enumerate(replies(8), start=1):
            script += [ModelError("down")] * (number in failing) + [reply]
        free = a_free_run(small(id), script, summarizer=summarizer(plan))
        while not free.is_complete:
            try:
                answer(free)
            except ModelError as error:
                assert str(error) == "down"  # noqa: PT017 - whether it is raised depends on the example
        assert timeless(free.run) == timeless(
            whole(a_free_run(small(id), replies(8), summarizer=summarizer(plan)))
        )

    def test_the_whole_run_at_once_raises_too(self) -> None:
        told: list[tuple[int, int]] = []
        with pytest.raises(ModelError, match="down"):
            memviz.free_run(
                talk(3),
                BUFFER,
                model=ScriptedModel(["Yes.", ModelError("down")]),
                progress=lambda *at: told.append(at),
            )
        assert told == [(1, 3)]


class TestStop:
    @every_kind
    def test_within_a_reply_means_that_turn_is_answered_anew(self, id: str) -> None:
        good = replies(8)
        free = a_free_run(
            small(id), [reply for said in good for reply in ("cut\noff", said)]
        )
        for number in range(8):
            stop_within_reply(free)
            assert "partial_reply" in free.run.turns[-1].flags
            assert free.done == number
            answer(free)
            tries = requests_of(free)[-2:]
            assert tries[0] == tries[1]
        assert timeless(free.run) == timeless(whole(a_free_run(small(id), good)))
        assert not [
            record for record in free.run.turns if record.flags == ("partial_reply",)
        ]
        assert not [message for message in free.run.log if "cut" in message.content]

    def test_before_the_first_piece_leaves_the_turn_to_be_answered(self) -> None:
        free = a_free_run(BUFFER, replies(2), turns=2)
        free.next_turn().close()
        free.next_turn()
        assert free.done == 0
        expected = [
            talk(2)[0],
            Message("assistant", replies(2)[0]),
            talk(2)[2],
            Message("assistant", replies(2)[1]),
        ]
        assert list(whole(free).log) == expected

    def test_and_then_a_failure_still_answers_the_same_turn(self) -> None:
        free = a_free_run(
            BUFFER,
            ["cut\noff", ModelError("down"), *replies(2)],
            turns=2,
            recalls={1: Recall(turns=[9])},
        )
        stop_within_reply(free)
        with pytest.raises(ModelError):
            answer(free)
        assert [m.role for m in free.run.log] == ["user"]
        assert [record.reply for record in whole(free).turns] == replies(2)


class TestGoingOn:
    @for_each("left", ["between turns", "after a failure", "within a reply"])
    @every_kind
    def test_from_where_it_was_left_ends_as_if_never_left(
        self, id: str, left: str
    ) -> None:
        recalls = {turn: Recall(turns=[1], last_n=1) for turn in range(2, 9)}
        good = replies(8)
        expected = timeless(
            whole(
                a_free_run(small(id), good, recalls=recalls, system_prompt="Be kind.")
            )
        )
        kept: Run | None = None
        for number in range(8):
            first: list[Any] = {
                "between turns": [],
                "after a failure": [ModelError("down")],
            }.get(left, ["cut\noff"])
            script = [*first, good[number]]
            free = a_free_run(
                small(id),
                script,
                recalls=recalls,
                system_prompt="Be kind.",
                so_far=kept,
            )
            if left == "after a failure":
                with pytest.raises(ModelError):
                    answer(free)
            elif left == "within a reply":
                stop_within_reply(free)
            half = in_json(free.run)
            assert contents(half) == contents(free.run)
            free = a_free_run(small(id), [good[number]], recalls=recalls, so_far=half)
            assert free.done == number
            answer(free)
            kept = in_json(free.run)
        assert kept is not None
        assert timeless(kept) == expected
        assert a_free_run(small(id), [], so_far=kept).is_complete

    def test_with_one_that_is_complete_asks_nobody(self) -> None:
        run = whole(a_free_run(BUFFER, replies(3), turns=3))
        again = memviz.free_run(talk(3), BUFFER, model=ScriptedModel([]), so_far=run)
        assert contents(again) == contents(run)

    @every_kind
    def test_leaves_what_was_taken_before_as_it_was(self, id: str) -> None:
        free = a_free_run(small(id), replies(8))
        taken = []
        for _ in range(8):
            answer(free)
            taken.append((free.run, free.run.to_dict()))
        for number, (run, as_taken) in enumerate(taken, start=1):
            assert run.to_dict() == as_taken
            assert len(run.log) == 2 * number
            other = a_free_run(small(id), replies(8)[number:], so_far=run)
            assert timeless(whole(other)) == timeless(free.run)
            assert run.to_dict() == as_taken

    def test_is_possible_as_long_as_the_users_said_the_same(self) -> None:
        free = a_free_run(BUFFER, [*replies(2), ModelError("down")], turns=3)
        runs = [free.run]
        for _ in range(2):
            answer(free)
            runs.append(free.run)
        with pytest.raises(ModelError):
            answer(free)
        runs.append(free.run)
        said = talk(3)
        for run in runs:
            assert answers_messages_of(run, Log(said))
            assert answers_messages_of(run, Log([*said, Message("user", "More?")]))
            joined = Log([*said[:3], said[4]])
            assert answers_messages_of(run, joined) == (run.log.turn_count < 2), (
                "two messages in a row are one turn"
            )
        changed = Log([*said[:4], Message("user", "Something else")])
        assert [answers_messages_of(run, changed) for run in runs] == [
            True,
            True,
            True,
            False,
        ]
        assert [answers_messages_of(run, Log(said[:2])) for run in runs] == [
            True,
            True,
            False,
            False,
        ]
        assert not any(
            answers_messages_of(run, Log([Message("assistant", "Hello!"), *said]))
            for run in runs
        )


class TestRecalls:
    @every_kind
    def test_are_in_the_request_they_were_meant_for_and_in_no_other(
        self, id: str
    ) -> None:
        window = small(id) if id != "buffer" else small("window")
        recalls = {
            6: Recall(turns=[1]),
            7: [Recall(turns=[2]), Recall(keywords=["first line 3"])],
            99: Recall(last_n=1),
        }
        run = whole(a_free_run(window, replies(8), recalls=recalls))
        asked = {
            record.turn: record.recalled.asked
            for record in run.turns
            if record.recalled
        }
        assert asked == {
            6: (Recall(turns=[1]),),
            7: (Recall(turns=[2]), Recall(keywords=["first line 3"])),
        }
        found = {
            record.turn: record.recalled.indices
            for record in run.turns
            if record.recalled
        }
        assert found == {6: (0, 1), 7: (2, 3, 5)}

    @for_each(
        "first",
        [
            [ModelError("down")],
            ["cut\noff"],
            ["cut\noff", ModelError("down"), "cut\n!"],
        ],
    )
    def test_are_still_there_once_when_that_turn_failed_or_was_stopped_first(
        self, first: list[Any]
    ) -> None:
        good = replies(5)
        free = a_free_run(
            small("window"),
            [*good[:3], *first, *good[3:]],
            turns=5,
            recalls={4: Recall(turns=[1]), 5: Recall(turns=[2])},
        )
        for _ in range(3):
            answer(free)
        for item in first:
            if isinstance(item, ModelError):
                with pytest.raises(ModelError):
                    answer(free)
            else:
                stop_within_reply(free)
        run = whole(free)
        assert recalled(run.turns[3]) == ["user says number 0", good[0]]
        assert recalled(run.turns[4]) == ["user says number 1", good[1]]
        assert [record.recalled.asked for record in run.turns if record.recalled] == [
            (Recall(turns=[1]),),
            (Recall(turns=[2]),),
        ]
        assert (
            len(
                {
                    tuple(texts(request))
                    for request in requests_of(free)[3 : 4 + len(first)]
                }
            )
            == 1
        )

    def test_positions_are_those_of_the_conversation_whatever_a_model_said_instead(
        self,
    ) -> None:
        """A free run's own log has fewer messages than one where tools were called."""
        model = ScriptedModel(["Mine 1.", "Mine 2.", "Mine 3."])
        window = memviz.strategy("window", window_size=1)
        recalls = {3: Recall(messages=[0, 3, 4, 6, 8, -1, 10, 11])}
        run = memviz.free_run(
            TOOL_TALK, window, model=model, counter="chars4", recalls=recalls
        )
        assert recalled(run.turns[2]) == ["I mean today.", "Mine 1.", ""], (
            "the system prompt is sent anyway"
        )
        assert run.turns[2].recalled is not None
        assert run.turns[2].recalled.missing == (
            "message -1",
            "message 10",
            "message 11",
        )

    def test_positions_hold_where_the_model_s_own_recalls_made_the_log_longer(
        self,
    ) -> None:
        model = Caller(
            ["Mine 1.", says(recall(turn_numbers=[1])), "Mine 2.", "Mine 3."]
        )
        window = memviz.strategy("window", window_size=1)
        recalls = {3: Recall(messages=[2, 3, 4, 5])}
        run = memviz.free_run(
            talk(3),
            window,
            model=model,
            counter="chars4",
            recalls=recalls,
            recall_tool=True,
        )
        assert len(run.log) == 8
        assert recalled(run.turns[2]) == ["user says number 1", "Mine 2."]
        assert run.turns[2].recalled is not None
        assert run.turns[2].recalled.missing, "what was not said yet"

    def test_what_is_asked_in_this_turn_is_sent_anyway_and_not_recalled(self) -> None:
        said = [*talk(1), Message("user", "One more"), Message("user", "thing")]
        run = memviz.free_run(
            said,
            memviz.strategy("window", window_size=1),
            model=Digest(),
            recalls={2: Recall(messages=[2, 3])},
        )
        assert [message.content for message in run.turns[1].context.messages] == [
            "One more",
            "thing",
        ]
        assert run.turns[1].recalled is not None
        assert run.turns[1].recalled.missing == ("message 2", "message 3")

    def test_under_a_strategy_that_recalls_nothing_are_an_error_before_anybody_is_asked(
        self,
    ) -> None:
        strategy = memviz.strategy("summary_only", enable_recall=False)
        model = ScriptedModel(replies(3))
        with pytest.raises(RecallError, match="enable_recall"):
            memviz.free_run(
                talk(3), strategy, model=model, recalls={2: [Recall(turns=[1])]}
            )
        assert model.requests == []


def test_all_that_is_recalled_in_a_turn_is_there_from_its_first_call() -> None:
    recalls = {3: Recall(messages=[0]), (3, 2): Recall(messages=[1])}
    run = memviz.free_run(
        talk(3),
        memviz.strategy("window", window_size=1),
        model=ScriptedModel([*"abc"]),
        recalls=recalls,
    )
    assert run.turns[2].parts.recalled == (0, 1)


def test_a_system_message_between_two_of_the_user_ends_no_turn() -> None:
    said = [
        Message("user", "Rain?"),
        Message("system", "It is May."),
        Message("user", "I mean today."),
    ]
    run = memviz.free_run(
        said,
        memviz.strategy("recent_only"),
        model=ScriptedModel(["No."]),
        summarizer=Digest(),
    )
    assert [(one.after_message, one.turn) for one in run.compactions] == [(3, 1)]
    assert len(run.requests[0].context.messages) == 3
