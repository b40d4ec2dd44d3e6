"""MemoryCraft: who speaks, when, and which messages a question rests on."""

import json

from memviz.transcripts import load_file
from memviz.transcripts.readers.benchmarks import memorycraft
from tests.transcripts.sample_files import FOLDER as SAMPLES

SAMPLE = SAMPLES / "memorycraft__records.jsonl"


def record(**fields):
    turns = [{"turn_id": "t0", "role": "user", "content": "It is 7."}]
    sessions = [{"session_id": "s0", "turns": turns}]
    row = {"uid": "r", "sessions": sessions, "qa": [], **fields}
    (read,) = load_file(json.dumps([row]).encode()).transcripts
    return read


def test_roles_or_speakers_say_who_is_the_user():
    first, second = load_file(SAMPLE).transcripts
    assert [message.role for message in first.messages] == ["user", "assistant"] * 2
    assert [(message.role, message.name) for message in second.messages] == [
        ("user", "Ada"),
        ("assistant", "Bo"),
        ("assistant", "Bo"),
    ]
    assert second.messages[1].content == "[image: a row of beans]"
    assert (first.title, first.description) == ("lm-1", "longmemeval")
    assert first.held_at.year == 2024


def test_evidence_is_a_turn_or_the_turns_of_a_session_that_tell_the_answer():
    first, second = load_file(SAMPLE).transcripts
    assert [probe.evidence for probe in first.probes] == [(0,)]
    assert first.probes[0].answers == ("red",)
    assert first.probes[0].category == "single-session-user"
    assert [probe.evidence for probe in second.probes] == [(1,)]
    assert "abstention" in first.warnings[0]


def test_a_session_without_marks_is_evidence_as_a_whole():
    asked = {"question": "Which number?", "answer": 7, "evidence": ["s0", "gone"]}
    read = record(qa=[asked, {"question": "And?"}, 5])
    assert [(probe.answers, probe.evidence) for probe in read.probes] == [
        (("7",), (0,))
    ]
    assert "names no message" in " ".join(read.warnings)
    assert "without an answer" in " ".join(read.warnings)


def test_questions_that_name_a_long_session_again_and_again_are_bounded(monkeypatch):
    monkeypatch.setattr(memorycraft, "MAX_EVIDENCE", 2)
    asked = {"question": "Which?", "answer": "7", "evidence": ["s0", "s0"]}
    read = record(qa=[asked] * 4)
    assert [probe.evidence for probe in read.probes] == [(0,), (0,), (), ()]
    warnings = " ".join(read.warnings)
    assert "beyond 2 messages in all" in warnings
    assert "names no message" not in warnings


def test_evidence_without_an_id_names_nothing():
    turns = [{"content": "It is 7."}, {"content": "It is 8."}]
    asked = {"question": "Which?", "answer": "7", "evidence": [None]}
    read = record(sessions=[{"turns": turns}], qa=[asked])
    assert [probe.evidence for probe in read.probes] == [()]
    assert "names no message" in " ".join(read.warnings)


def test_an_id_of_a_question_and_its_answer_names_both():
    turns = [{"turn_id": "t", "content": text} for text in ("Which?", "It is 7.")]
    asked = {"question": "Which?", "answer": "7", "evidence": ["t"]}
    read = record(sessions=[{"session_id": "s", "turns": turns}], qa=[asked])
    assert read.probes[0].evidence == (0, 1)


def test_ids_of_turns_that_begin_anew_in_each_session_name_no_session_and_no_message():
    sessions = [
        {"session_id": id, "turns": [{"turn_id": "0", "content": f"It is {id}."}]}
        for id in (0, 1)
    ]
    asked = {"question": "Which?", "answer": "0", "evidence": [0]}
    read = record(sessions=sessions, qa=[asked])
    assert [probe.evidence for probe in read.probes] == [(0,)]
    other = {**asked, "evidence": ["t"]}
    for session in sessions:
        session["turns"][0]["turn_id"] = "t"
    assert record(sessions=sessions, qa=[other]).probes[0].evidence == ()


def test_turns_that_say_nothing_are_left_out():
    sessions = [{"turns": [{"content": "Hi"}, {"content": 3}, None]}, None, {}]
    read = record(sessions=sessions)
    assert [message.content for message in read.messages] == ["Hi"]
    assert "has neither text nor image" in read.warnings[0]
