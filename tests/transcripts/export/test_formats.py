"""What is saved can be read again, whole."""

import json
from dataclasses import replace
from datetime import UTC, datetime

from hypothesis import given
from hypothesis import strategies as st

from memviz.core.messages import Message, ToolCall
from memviz.transcripts import (
    Probe,
    RecordedEvent,
    Transcript,
    load_transcript,
    to_json,
)
from tests.tables import for_each

PROBES = (
    Probe("Where does she live?", ("Lisbon",), (1,), "updated fact", ("Porto",)),
    Probe("How many?", ("12", "twelve"), (0, 1), "number"),
)
FULL = Transcript(
    messages=(
        Message(
            "user",
            'NUL \0, quotes ", lines\r\n\u2028, 中文, 👩\u200d👧',
            name="bob",
            meta={"tags": ["a"], "n": 1.5},
        ),
        Message(
            "assistant",
            "",
            tool_calls=(ToolCall("c1", "find", '{"q": "x"}'), ToolCall("", "g")),
        ),
        Message("tool", "12:00", tool_call_id="c1", name="find"),
        Message("tool", "orphan", tool_call_id=""),
        Message("system", "<script>alert(1)</script>", meta={"long": "y" * 5000}),
    ),
    title="A <b>title</b>",
    probes=PROBES,
    system_prompt="Be brief.",
    description="All there is.",
    language="zh",
    held_at=datetime(2025, 3, 1, 10, 0, tzinfo=UTC),
    events=(
        RecordedEvent(
            "compaction",
            2,
            "They spoke of Lisbon.",
            "auto",
            1000,
            200,
            "2025-03-01T10:00:00+00:00",
            kept_newest=0,
        ),
    ),
)


def round_trip(transcript):
    return replace(
        load_transcript(to_json(transcript).encode()),
        format=transcript.format,
        warnings=transcript.warnings,
    )


def test_everything_is_read_back():
    assert round_trip(FULL) == FULL


def test_the_shape_is_that_of_the_bundled_files():
    keys = {
        "title",
        "description",
        "language",
        "system_prompt",
        "messages",
        "probes",
        "held_at",
        "events",
    }
    assert set(json.loads(to_json(FULL))) == keys


@given(
    st.lists(
        st.tuples(st.sampled_from(["user", "assistant", "system", "tool"]), st.text()),
        min_size=1,
    ),
    st.text(max_size=200),
)
def test_any_text_is_read_back(pairs, title):
    messages = tuple(Message(role, content) for role, content in pairs)
    transcript = Transcript(messages, title=title if title.strip() else "x")
    assert round_trip(transcript) == transcript


def test_what_json_and_utf_8_cannot_hold_is_replaced():
    meta = {"bad": float("nan"), "when": object, "text": "\ud800"}
    text = to_json(Transcript((Message("user", "hi", name="\udfff", meta=meta),)))
    text.encode()
    assert "NaN" not in text
    (message,) = load_transcript(text.encode()).messages
    assert message.meta == {"bad": None, "when": str(object), "text": "\ufffd"}


def test_probes_follow_their_messages_when_others_are_left_out():
    saved = json.loads(to_json(FULL))
    saved["messages"].insert(1, {"content": "no role"})
    saved["probes"] = [
        {"question": "q", "answers": ["a"], "evidence": [0, 2], "category": "name"},
        {"question": "q", "answers": ["a"], "evidence": [1], "category": "name"},
    ]
    transcript = load_transcript(json.dumps(saved).encode())
    assert [probe.evidence for probe in transcript.probes] == [(0, 1)]
    assert (
        "a fact to ask for that is broken, or whose evidence is missing, was left out: fact 1."
        in transcript.warnings
    )


GOOD = {
    "question": "q",
    "answers": ["a"],
    "evidence": [0],
    "category": "name",
    "stale": [],
}


@for_each(
    "probe",
    [
        "x",
        {**GOOD, "question": None},
        {**GOOD, "answers": []},
        {**GOOD, "answers": "a"},
        {**GOOD, "evidence": [False]},
        {**GOOD, "evidence": [99]},
        {**GOOD, "evidence": [-1]},
        {**GOOD, "category": ""},
        {**GOOD, "category": "x" * 61},
        {**GOOD, "category": ["name"]},
        {**GOOD, "stale": [1]},
    ],
)
def test_a_broken_probe_is_left_out_and_reported(probe):
    saved = {"messages": [{"role": "user", "content": "hi"}], "probes": [GOOD, probe]}
    transcript = load_transcript(json.dumps(saved).encode())
    assert [kept.to_dict() for kept in transcript.probes] == [GOOD]
    assert len(transcript.warnings) == 1


@for_each(
    "event",
    [
        "x",
        {"kind": "dream", "after_message": 1},
        {"kind": "summary"},
        {"kind": "summary", "after_message": -1},
        {"kind": "summary", "after_message": 1, "tokens_before": "many"},
        {"kind": "summary", "after_message": 1, "kept_newest": -1},
        {"kind": "summary", "after_message": 1, "text": None},
    ],
)
def test_a_broken_event_is_left_out_and_reported(event):
    saved = json.loads(to_json(FULL))
    saved["events"].append(event)
    transcript = load_transcript(json.dumps(saved).encode())
    assert transcript.events == FULL.events
    assert "an event that is broken was left out: event 1." in transcript.warnings
