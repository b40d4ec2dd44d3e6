"""Generated conversations: the same for a seed, right in their labels, varied and quick."""

import hashlib
import os
import subprocess
import sys
import time
from collections import Counter
from itertools import pairwise

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from benchmarks.synthetic.generator import generate
from memviz.core.conversation import Log
from memviz.core.errors import ParameterError
from memviz.transcripts import Probe, Transcript, load_transcript, to_json
from tests.tables import for_each

PRINT_DIGEST = (
    "import hashlib; from benchmarks.synthetic.generator import generate; from memviz.transcripts import to_json;"
    "print(hashlib.sha256(to_json(generate(300, seed=7, facts_per_100_turns=20)).encode()).hexdigest())"
)


@pytest.fixture(scope="module")
def long() -> Transcript:
    return generate(1000, seed=3)


def stating(transcript: Transcript, answer: str) -> list[int]:
    return [
        position
        for position, message in enumerate(transcript.messages)
        if answer in message.content
    ]


def check_labels(transcript: Transcript, probe: Probe) -> None:
    (answer,) = probe.answers
    assert (
        stating(transcript, answer) == [probe.evidence[-1]]
        or probe.category == "multi-evidence"
    )
    assert len(stating(transcript, answer)) == 1
    assert stating(transcript, answer)[0] in probe.evidence
    for stale in probe.stale:
        assert stale != answer
        assert len(stating(transcript, stale)) == 1
        assert stating(transcript, stale)[0] < probe.evidence[0]
    assert bool(probe.stale) == (probe.category == "updated fact")
    assert len(probe.evidence) == (2 if probe.category == "multi-evidence" else 1)
    assert list(probe.evidence) == sorted(probe.evidence)


@example(118, 8638, 40).via(
    "a meeting moved from 3 March to 23 March, at the same time"
)
@given(st.integers(1, 120), st.integers(), st.integers(0, 50))
def test_labels_are_right_for_any_arguments(turns, seed, facts_per_100_turns):
    transcript = generate(turns, seed, facts_per_100_turns)
    assert Log(transcript.messages).turn_count == turns
    assert [message.role for message in transcript.messages] == [
        "user",
        "assistant",
    ] * turns
    assert len(transcript.probes) == turns * facts_per_100_turns // 100
    for probe in transcript.probes:
        check_labels(transcript, probe)


def test_subjects_and_answers_are_unique(long):
    for values in (
        [probe.question for probe in long.probes],
        [probe.answers + probe.stale for probe in long.probes],
    ):
        assert len(set(values)) == len(values)


def test_each_subject_is_named_in_its_evidence_only(long):
    for probe in long.probes:
        words = probe.question.split()
        name = next(
            " ".join(pair) for pair in pairwise(words) if " ".join(pair).istitle()
        )
        linked = 2 if probe.category == "updated fact" else 1
        assert len(stating(long, name)) == linked, (probe, name)
        assert set(stating(long, name)) & set(probe.evidence)


def test_all_categories_come_equally_often(long):
    assert set(Counter(probe.category for probe in long.probes).values()) == {20}


def test_probes_come_in_the_order_of_their_evidence(long):
    last = [probe.evidence[-1] for probe in long.probes]
    assert last == sorted(last)


def test_facts_are_spread_and_stated_by_both(long):
    positions = [position for probe in long.probes for position in probe.evidence]
    assert min(positions) < 200
    assert max(positions) > 1800
    assert {position % 2 for position in positions} == {0, 1}


def test_lengths_are_those_of_real_questions_and_answers(long):
    for first, least, most in ((0, 30, 70), (1, 80, 245)):
        words = [len(message.content.split()) for message in long.messages[first::2]]
        assert min(words) >= least - 5
        assert max(words) <= most
        assert max(words) - min(words) > (most - least) / 2


def test_texts_are_varied(long):
    assert len({message.content for message in long.messages}) >= 0.999 * len(
        long.messages
    )
    sentences = Counter(
        sentence
        for message in long.messages
        for sentence in message.content.split(". ")
    )
    assert sentences.most_common(1)[0][1] < len(long.messages) / 40
    openings = Counter(message.content[:15] for message in long.messages[1::2])
    assert len(openings) > 10


def test_a_seed_gives_the_same_in_another_process():
    transcript = generate(300, seed=7, facts_per_100_turns=20)
    digest = hashlib.sha256(to_json(transcript).encode()).hexdigest()
    environment = {**os.environ, "PYTHONHASHSEED": "123"}
    command = [sys.executable, "-c", PRINT_DIGEST]
    printed = subprocess.run(
        command,
        env=environment,
        capture_output=True,
        text=True,
        check=True,
        timeout=300,
    )
    assert printed.stdout.strip() == digest


def test_another_seed_gives_another_conversation():
    assert generate(20, seed=1).messages != generate(20, seed=2).messages


@pytest.mark.slow
def test_ten_thousand_turns_in_two_seconds():
    generate(1)
    start = time.process_time()
    assert len(generate(10_000).messages) == 20_000
    assert time.process_time() - start < 2


def test_it_can_be_saved_and_read(long):
    again = load_transcript(to_json(long).encode())
    assert (again.messages, again.probes) == (long.messages, long.probes)


@for_each(
    ("arguments", "name"),
    [
        ({"turns": 0}, "turns"),
        ({"turns": 2.5}, "turns"),
        ({"turns": 100_001}, "turns"),
        ({"turns": 10, "facts_per_100_turns": 51}, "facts_per_100_turns"),
        ({"turns": 10, "facts_per_100_turns": -1}, "facts_per_100_turns"),
        ({"turns": 10, "language": "xx"}, "language"),
    ],
)
def test_arguments_out_of_range_are_named(arguments, name):
    with pytest.raises(ParameterError, match=f"'{name}'") as caught:
        generate(**arguments)
    assert caught.value.name == name
