"""LoCoMo: two people, numbered sessions, hand-written evidence."""

import json

import pytest

from memviz.core.errors import TranscriptError
from memviz.core.messages import TIME
from memviz.transcripts import load_transcript
from memviz.transcripts.base import RecordedEvent
from memviz.transcripts.loading import load_file
from tests.tables import for_each
from tests.transcripts.sample_files import FOLDER as SAMPLES


def sample(qa=(), **conversation):
    talk = {
        "speaker_a": "Mia",
        "speaker_b": "Tom",
        "session_1": [
            {"speaker": "Mia", "dia_id": "D1:1", "text": "one"},
            {"speaker": "Tom", "dia_id": "D1:2", "text": "two"},
        ],
        **conversation,
    }
    return {"sample_id": "conv-1", "conversation": talk, "qa": list(qa)}


def load(value):
    return load_transcript(json.dumps([value]).encode(), "locomo")


def question(**fields):
    return {
        "question": "q",
        "answer": "a",
        "evidence": ["D1:1"],
        "category": 4,
        **fields,
    }


def test_both_shapes_are_the_same_conversation():
    ten, flat = (
        load_transcript(SAMPLES / f"locomo__{shape}.json") for shape in ("ten", "flat")
    )
    assert ten.format == flat.format == "locomo"
    assert ten.messages == flat.messages
    assert [
        (message.role, message.name, message.content) for message in ten.messages
    ] == [
        ("user", "Mia", "My bike broke on Wednesday."),
        ("assistant", "Tom", "I threw a bowl today.\n[image: a photo of a grey bowl]"),
        ("user", "Mia", "[image]"),
        ("assistant", "Tom", "I bought four clay pots."),
        (
            "assistant",
            "Tom",
            "The fair is on Sunday.",
        ),  # session 10 comes after session 2
    ]
    assert [message.meta[TIME][:16] for message in ten.messages] == [
        "2023-05-08T13:56",
        "2023-05-08T13:56",
        "2023-05-25T00:30",
        "2023-05-25T00:30",
        "2023-06-01T09:05",
    ]
    assert (ten.title, ten.held_at.isoformat()) == (
        "conv-3",
        "2023-05-08T13:56:00+00:00",
    )
    assert "Mia is shown as the user, Tom as the assistant" in ten.description
    assert flat.warnings == ()


def test_summaries_stand_after_their_session():
    ten, flat = (
        load_transcript(SAMPLES / f"locomo__{shape}.json") for shape in ("ten", "flat")
    )
    assert ten.events == (
        RecordedEvent("summary", 2, "Mia's bike broke."),
        RecordedEvent("summary", 5, "A fair is near."),
    )
    assert flat.events == (RecordedEvent("summary", 4, "Tom bought pots."),)


def test_questions_become_probes():
    probes = load_transcript(SAMPLES / "locomo__ten.json").probes
    assert [(probe.answers, probe.evidence, probe.category) for probe in probes] == [
        (("3 May 2023",), (0,), "temporal"),
        (("4",), (3,), "single-hop"),
        (("clay",), (1, 2, 3, 4), "multi-hop"),
        (("Likely yes; he sells pots", "Likely yes"), (), "open-domain"),
        (("here",), (0, 1), "multi-hop"),
    ]


def test_what_is_wrong_with_questions_is_counted():
    assert load_transcript(SAMPLES / "locomo__ten.json").warnings == (
        "evidence that was run together or misspelt was repaired: question 2, question 5.",
        "an adversarial question, which the conversation does not answer, was left out: question 4.",
        "evidence that names no message of the conversation was left out: question 5.",
        "a question without an answer was left out: question 6.",
    )


@for_each(
    ("evidence", "positions"),
    [
        (["D1:1"], (0,)),
        (["D1:2", "D1:1", "D1:2"], (0, 1)),
        (["D1:1; D1:2"], (0, 1)),
        (["D1:1 D1:2"], (0, 1)),
        (["D1:1,D1:2"], (0, 1)),
        (["D:1:2"], (1,)),
        (["D01:02"], (1,)),
        ("D1:2", (1,)),
        (["(D1:2)"], (1,)),
        ([], ()),
        (None, ()),
    ],
)
def test_evidence_that_can_only_mean_one_thing_is_found(evidence, positions):
    transcript = load(sample([question(evidence=evidence)]))
    assert transcript.probes[0].evidence == positions
    assert not any("names no message" in warning for warning in transcript.warnings)


@for_each(
    "evidence",
    [["D"], ["D4:36"], ["D1:1", "D1:9"], [3], ["D1"], ["1:1"], ["D1:1:2"], 7],
)
def test_evidence_that_means_nothing_is_noted(evidence):
    assert any(
        "names no message" in warning
        for warning in load(sample([question(evidence=evidence)])).warnings
    )


@for_each(
    ("category", "name"),
    [
        *[
            (1, "multi-hop"),
            (2, "temporal"),
            (4, "single-hop"),
            ("4", "single-hop"),
            (5, "adversarial"),
        ],
        *[
            ("own", "own"),
            (None, "uncategorised"),
            (True, "uncategorised"),
            (9, "uncategorised"),
        ],
    ],
)
def test_categories_have_the_names_of_the_benchmark(category, name):
    assert load(sample([question(category=category)])).probes[0].category == name


@for_each(
    ("answer", "answers"), [(2022, ("2022",)), (0, ("0",)), (["a", "b"], ("a", "b"))]
)
def test_answers_become_text(answer, answers):
    assert load(sample([question(answer=answer)])).probes[0].answers == answers


@for_each("answer", [None, "", " ", {}, [], True])
def test_a_question_without_an_answer_is_left_out(answer):
    transcript = load(
        sample(
            [
                question(answer=answer),
                question(category=5, answer=None, adversarial_answer="x"),
            ]
        )
    )
    assert transcript.probes == ()
    assert transcript.warnings == (
        "a question without an answer was left out: question 0.",
        "an adversarial question, which the conversation does not answer, was left out: question 1.",
    )


@for_each(
    ("said", "time"),
    [
        ("1:56 pm on 8 May, 2023", "2023-05-08T13:56:00+00:00"),
        ("12:05 AM on 29 February 2024", "2024-02-29T00:05:00+00:00"),
        ("2023-05-08 13:56", "2023-05-08T13:56:00+00:00"),
        ("8 May, 2023", "2023-05-08T00:00:00+00:00"),
    ],
)
def test_dates_of_sessions(said, time):
    assert load(sample(session_1_date_time=said)).messages[0].meta == {TIME: time}


@for_each("said", ["some day", "31:00 pm on 8 May, 2023", 5, None])
def test_a_date_that_is_none_is_no_time(said):
    transcript = load(sample(session_1_date_time=said))
    assert transcript.messages[0].meta is None
    assert transcript.held_at is None


def test_somebody_else_and_empty_messages_are_left_out():
    others = [
        {"speaker": "Eve", "text": "x"},
        {"text": "y"},
        {"speaker": "mia ", "text": "z"},
        {"speaker": "Tom"},
        4,
    ]
    transcript = load(sample(session_2=others, session_3=[]))
    assert [message.content for message in transcript.messages] == ["one", "two", "z"]
    assert transcript.warnings == (
        "imported 3 of 7 messages: session_2, index 0 has the unknown speaker 'Eve', "
        "session_2, index 1 has no speaker, session_2, index 3 has neither text nor image, and 1 more.",
    )


@for_each("broken", [{"session_1": "x"}, {"speaker_a": "Tom"}, {"speaker_b": None}])
def test_a_sample_that_is_broken_fails_as_a_whole(broken):
    with pytest.raises(TranscriptError, match="expected, found"):
        load(sample(**broken))


def test_every_sample_is_a_conversation():
    loaded = load_file(json.dumps([sample(), sample(speaker_b=1), sample()]).encode())
    assert (len(loaded.transcripts), len(loaded.failures)) == (2, 1)
