"""The bundled conversations keep what their labels promise."""

import re

import pytest

from memviz.core.conversation import Log
from memviz.transcripts import bundled, sample
from memviz.transcripts.base import CATEGORIES
from memviz.transcripts.samples import UnknownSampleError

IDS = tuple(bundled())


def normalized(text):
    return re.sub(r"\s+", " ", text).strip().casefold()


def states(text, answer, language):
    """Whether a text holds an answer; in languages with spaces, as whole words."""
    text, answer = normalized(text), normalized(answer)
    if language == "zh":
        return answer in text
    return re.search(rf"(?<!\w){re.escape(answer)}(?!\w)", text) is not None


@pytest.fixture(params=IDS)
def transcript(request):
    return sample(request.param)


def test_there_are_several_in_more_than_one_language():
    assert len(IDS) >= 4
    assert {"en", "zh"} <= {sample(id).language for id in IDS}


def test_every_category_occurs():
    used = {probe.category for id in IDS for probe in sample(id).probes}
    # Nobody in them says what they like and leaves it at that.
    assert used == {*CATEGORIES} - {"preference"}


def test_a_conversation_is_read_once():
    assert sample(IDS[0]) is bundled()[IDS[0]]


def test_titles_say_what_it_is():
    titles = bundled().titles()
    assert list(titles) == list(IDS)
    assert len(set(titles.values())) == len(IDS)


def test_an_unknown_id_lists_the_known_ones():
    with pytest.raises(UnknownSampleError, match=IDS[0]):
        sample("nope")
    assert "nope" not in bundled()
    assert bundled().get("nope") is None


def test_it_is_read_without_any_repair(transcript):
    assert transcript.warnings == ()
    assert transcript.format == "bundled"


def test_it_is_described(transcript):
    assert transcript.title
    assert transcript.description
    assert transcript.system_prompt


def test_its_length(transcript):
    log = Log(transcript.messages)
    assert 12 <= log.turn_count <= 120
    assert log.turn_count >= 40 or log.tools.results, "a short one has tools"
    assert len(transcript.probes) >= 10


def test_no_system_message_inside_and_nothing_empty(transcript):
    assert all(message.role != "system" for message in transcript.messages)
    assert all(
        message.content.strip() or message.tool_calls for message in transcript.messages
    )
    assert transcript.messages[0].role == "user"


def test_all_tool_calls_are_answered(transcript):
    tools = Log(transcript.messages).tools
    assert not tools.uncalled
    for caller in tools.callers:
        assert len(tools.results_of[caller]) == len(
            transcript.messages[caller].tool_calls
        )


def test_evidence_states_the_answers(transcript):
    for probe in transcript.probes:
        assert probe.evidence, probe
        assert all(
            0 <= position < len(transcript.messages) for position in probe.evidence
        ), probe
        assert list(probe.evidence) == sorted(set(probe.evidence)), probe
        texts = [transcript.messages[position].content for position in probe.evidence]
        for answer in probe.answers:
            assert any(states(text, answer, transcript.language) for text in texts), (
                probe,
                answer,
            )


def test_multi_evidence_is_more_than_one_message(transcript):
    for probe in transcript.probes:
        assert probe.category != "multi-evidence" or len(probe.evidence) > 1, probe


def test_stale_answers_were_right_before(transcript):
    for probe in transcript.probes:
        assert bool(probe.stale) == (probe.category == "updated fact"), probe
        before = [
            message.content for message in transcript.messages[: min(probe.evidence)]
        ]
        for answer in probe.stale:
            assert any(states(text, answer, transcript.language) for text in before), (
                probe,
                answer,
            )


def test_questions_do_not_give_the_answer_away(transcript):
    for probe in transcript.probes:
        for answer in probe.answers:
            assert not states(probe.question, answer, transcript.language), probe
