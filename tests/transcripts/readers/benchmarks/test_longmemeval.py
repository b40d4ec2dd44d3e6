"""LongMemEval: sessions by date, the marked turns as evidence, and speed."""

import json
import time

import pytest

from memviz.core.errors import TranscriptError
from memviz.core.messages import TIME
from memviz.transcripts import load_transcript
from memviz.transcripts.loading import load_file
from tests.tables import for_each
from tests.transcripts.sample_files import FOLDER as SAMPLES

LATE, EARLY = "2023/05/21 (Sun) 10:00", "2023/05/20 (Sat) 02:21"


def item(**fields):
    sessions = [
        [{"role": "user", "content": "late", "has_answer": True}],
        [{"role": "user", "content": "early"}],
    ]
    known = {
        "question_id": "q",
        "question": "Where?",
        "answer": "here",
        "question_type": "multi-session",
    }
    return {
        **known,
        "haystack_sessions": sessions,
        "haystack_dates": [LATE, EARLY],
        **fields,
    }


def load(value):
    return load_transcript(json.dumps([value]).encode(), "longmemeval")


def test_sessions_stand_in_the_order_of_their_dates():
    transcript = load_file(SAMPLES / "longmemeval__items.json").transcripts[0]
    assert transcript.format == "longmemeval"
    assert [(message.role, message.content) for message in transcript.messages] == [
        ("user", "I put my key into a jar."),
        ("assistant", "Good."),
        ("user", "Thanks, and the jar is blue."),
        ("assistant", "Noted."),
    ]
    assert transcript.messages[0].meta == {TIME: "2023-05-20T02:21:00+00:00"}
    assert transcript.held_at.isoformat() == "2023-05-20T02:21:00+00:00"
    assert (transcript.title, transcript.warnings) == ("q1", ())
    assert transcript.description == "The question is asked on 2023/06/01 (Thu) 08:00."


def test_the_question_is_a_probe_with_the_marked_turns_as_evidence():
    (probe,) = load_file(SAMPLES / "longmemeval__items.json").transcripts[0].probes
    assert (probe.question, probe.answers) == ("Where is my key?", ("in the blue jar",))
    assert (probe.evidence, probe.category) == ((0, 2), "multi-session")


@for_each(
    "dates",
    [
        None,
        [],
        [LATE],
        [LATE, "soon"],
        [LATE, None],
        "2023",
        [LATE, EARLY, EARLY],
        ["2023/02/31 (Sun) 10:00", EARLY],
    ],
)
def test_where_a_date_is_missing_sessions_stand_as_in_the_file(dates):
    transcript = load(item(haystack_dates=dates))
    assert [message.content for message in transcript.messages] == ["late", "early"]
    assert transcript.probes[0].evidence == (0,)


def test_unmarked_turns_are_no_evidence():
    sessions = [
        [{"role": "user", "content": "x", "has_answer": mark}]
        for mark in (False, None, "yes", 1)
    ]
    assert (
        load(item(haystack_sessions=sessions, haystack_dates=None)).probes[0].evidence
        == ()
    )


@for_each(("answer", "answers"), [(3, ("3",)), (0, ("0",)), ("x", ("x",))])
def test_answers_become_text(answer, answers):
    assert load(item(answer=answer)).probes[0].answers == answers


def test_abstention_and_missing_answers_are_left_out_and_noted():
    abstention, missing = load(item(question_id="q_abs")), load(item(answer=None))
    assert abstention.probes == missing.probes == ()
    assert abstention.warnings == (
        "a question about what was never said (abstention) was left out.",
    )
    assert missing.warnings == ("a question without an answer was left out.",)


def test_turns_that_are_no_messages_are_left_out_and_counted():
    turns = [
        {"role": "user", "content": "a"},
        {"content": "b"},
        3,
        {"role": "user", "content": None},
    ]
    transcript = load(item(haystack_sessions=[turns], haystack_dates=None))
    assert [message.content for message in transcript.messages] == ["a", ""]
    assert transcript.warnings == (
        "imported 2 of 4 messages: session 0, index 1 has no role, session 0, index 2 is a number, not an object.",
        "a message of the user has no text: session 0, index 3.",
    )


@for_each("sessions", [None, "x", ["x"], [], [[], []]])
def test_an_item_without_sessions_fails(sessions):
    with pytest.raises(TranscriptError):
        load(item(haystack_sessions=sessions))


def test_large_files_take_seconds():
    turns = [
        {"role": role, "content": f"turn {n}", "has_answer": n == 3}
        for n in range(5)
        for role in ("user", "assistant")
    ]
    large = item(haystack_sessions=[turns] * 50, haystack_dates=[EARLY] * 50)
    data = json.dumps([large] * 100).encode()
    start = time.process_time()
    loaded = load_file(data)
    assert time.process_time() - start < 10
    assert [len(transcript.messages) for transcript in loaded.transcripts] == [
        500
    ] * 100
    assert len(loaded.transcripts[0].probes[0].evidence) == 100
