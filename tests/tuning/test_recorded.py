"""What the log says that its own program did, as a run."""

from __future__ import annotations

import numpy as np

import memviz
from memviz import Fate, Message, Transcript, verify
from memviz.transcripts.base import RecordedEvent
from memviz.tuning.recorded import RECORDED, replay_recorded
from tests.recorded_session import SUMMARY, session
from tests.tables import for_each

TALK = tuple(
    Message(role, f"{role} {number}")
    for number in range(4)
    for role in ("user", "assistant")
)


def run_of(*events: RecordedEvent, format: str = "messages") -> memviz.Run:
    run = replay_recorded(Transcript(TALK, events=events, format=format), "chars4")
    assert run is not None
    return run


def test_a_log_without_compactions_records_no_run() -> None:
    kept = RecordedEvent("summary", 4, "They talked.")
    assert replay_recorded(Transcript(TALK)) is None
    assert replay_recorded(Transcript(TALK, events=(kept,))) is None


def test_the_summary_stands_for_all_messages_before_it_and_costs_no_call() -> None:
    run = run_of(RecordedEvent("compaction", 4, "They talked.", "manual"))
    (made,) = run.compactions
    assert (made.after_message, made.summary, made.reason) == (
        3,
        "They talked.",
        "manual",
    )
    assert not made.asked
    fates = run.fates()
    assert (fates[1, :3] == Fate.VERBATIM).all()
    assert (fates[2, :4] == Fate.SUMMARIZED).all()
    assert fates[2, 4] == Fate.VERBATIM
    assert "They talked." in run.requests[2].context.messages[0].content


def test_a_compaction_within_a_turn_leaves_the_open_call_and_its_result() -> None:
    call = {"id": "a", "function": {"name": "read", "arguments": "{}"}}
    talk = (
        Message("user", "Read it."),
        Message("assistant", "", tool_calls=(call,)),  # type: ignore[arg-type]
        Message("tool", "alpha", tool_call_id="a"),
        Message("assistant", "It says alpha."),
    )
    events = (RecordedEvent("compaction", 3, "It is read."),)
    run = replay_recorded(Transcript(talk, events=events), "chars4")
    assert run is not None
    assert run.fates()[1].tolist()[:2] == [Fate.SUMMARIZED] * 2


def test_a_later_compaction_takes_in_the_summary_before_it() -> None:
    run = run_of(
        RecordedEvent("compaction", 2, "One."), RecordedEvent("compaction", 6, "Two.")
    )
    first, second = run.compactions
    assert (first.replaces, second.replaces) == (None, 1)
    assert second.reason == RECORDED


@for_each(
    "event",
    [
        RecordedEvent("compaction", 4, tokens_after=12),
        RecordedEvent("compaction", 4, "The last of it.", part="from"),
    ],
)
def test_what_was_left_is_unknown_without_a_summary_of_everything(
    event: RecordedEvent,
) -> None:
    fates = run_of(event).fates()
    assert (fates[2, :4] == Fate.OPAQUE).all()


def test_what_is_known_to_have_stayed_stands_beside_the_summary_of_the_rest() -> None:
    event = RecordedEvent("compaction", 4, "They.", part="up_to", kept_newest=2)
    fates = run_of(event).fates()[2, :5].tolist()
    assert fates == [Fate.SUMMARIZED] * 2 + [Fate.VERBATIM] * 3


def test_where_nothing_was_written_only_what_stayed_is_sent() -> None:
    """Also of the summary before it nothing is left; and a later one is sent again."""
    run = run_of(
        RecordedEvent("compaction", 2, "One.", kept_newest=0),
        RecordedEvent("compaction", 4, kept_newest=1),
        RecordedEvent("compaction", 6, "Two.", kept_newest=3),
    )
    contents = [
        [message.content for message in record.context.messages]
        for record in run.requests[1:]
    ]
    assert "One." in contents[0][0]
    assert contents[1] == ["assistant 1", "user 2"]
    assert "Two." in contents[2][0]
    assert contents[2][1:] == ["assistant 1", "user 2", "assistant 2", "user 3"]


@for_each("text", ["", "They."])
def test_first_messages_that_stayed_stand_before_everything_else(text: str) -> None:
    events = [
        RecordedEvent("compaction", after, text, kept_first=2, kept_newest=1)
        for after in (4, 6)
    ]
    run = run_of(*events)
    fates = run.fates()
    gone = Fate.SUMMARIZED if text else Fate.DROPPED
    assert fates[2, :5].tolist() == [Fate.VERBATIM] * 2 + [gone] + [Fate.VERBATIM] * 2
    assert (fates[3, :2] == Fate.VERBATIM).all()
    assert (fates[3, 2:5] == gone).all()
    contents = [message.content for message in run.requests[2].context.messages]
    assert contents[:2] == ["user 0", "assistant 0"]
    assert [list(made.summarized) for made in run.compactions] == [[2], [3, 4]]
    assert verify(run, events=events) == ()


@for_each("text", ["", "Two."])
def test_what_stayed_of_a_block_that_nobody_can_read_is_unknown_until_it_goes(
    text: str,
) -> None:
    run = run_of(
        RecordedEvent("compaction", 2, "One.", part="up_to"),
        RecordedEvent("compaction", 4, text, kept_newest=3),
        RecordedEvent("compaction", 6, text, kept_newest=3),
    )
    fates = run.fates()
    assert (fates[2, :2] == Fate.OPAQUE).all()
    assert (fates[2, 2:5] == Fate.VERBATIM).all()
    gone = Fate.SUMMARIZED if text else Fate.DROPPED
    assert (fates[3, :3] == gone).all()
    assert (fates[3, 3:7] == Fate.VERBATIM).all()


def test_of_several_records_of_one_compaction_the_one_with_a_summary_counts() -> None:
    run = run_of(
        RecordedEvent("compaction", 4, "They talked."), RecordedEvent("compaction", 4)
    )
    assert [made.summary for made in run.compactions] == ["They talked."]


def test_codex_keeps_the_newest_messages_of_the_user_beside_its_summary() -> None:
    event = RecordedEvent("compaction", 4, "They talked.")
    fates = run_of(event, format="codex").fates()[2]
    assert np.flatnonzero(fates == Fate.VERBATIM).tolist() == [0, 2, 4]


def test_a_session_of_claude_code() -> None:
    transcript = memviz.load_transcript(session().encode(), "claude_code")
    run = replay_recorded(transcript)
    assert run is not None
    assert [made.summary for made in run.compactions] == [SUMMARY]
    about = {"summarizeMetadata": {"direction": "from"}}
    part = memviz.load_transcript(session(**about).encode(), "claude_code")
    assert [event.part for event in part.events] == ["from"]
