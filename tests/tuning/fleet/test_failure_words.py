"""Sentences of failures without what their conversations say: an error knows the text that it was made of."""

import pickle

import pytest

from memviz.core.errors import EmptyConversationError, MemvizError, TranscriptError
from memviz.core.translation import Said, use_language
from memviz.transcripts import load_file
from memviz.transcripts.refusals import placed
from memviz.tuning.fleet.batches import strip_values
from tests.tables import for_each

UNREADABLE = {
    "no reply": (
        b'[{"messages": [{"role": "user", "content": "PIN"}], "prompt": 4711}]',
        "preference",
        "it has no preferred reply (input and preferred_output or chosen and rejected).",
    ),
    "several messages": (
        b'[{"role": "PIN", "content": 4711}, {"role": "PIN", "content": 4712}]',
        "openai_messages",
        "… cannot be read: …. Known roles are",
    ),
    "no message": (
        b'[{"messages": [{"content": "PIN"}, {"content": "4711"}]}]',
        "finetuning",
        "none of the … messages can be read: ….",
    ),
}


@for_each("case", UNREADABLE)
def test_the_words_are_those_of_the_text_that_the_error_was_made_of(case: str) -> None:
    data, format, words = UNREADABLE[case]
    with pytest.raises(TranscriptError) as refused:
        load_file(data, format, name="x.json")
    without_values = strip_values(refused.value)
    assert words in without_values
    assert "PIN" not in without_values
    assert "471" not in without_values


def test_a_text_that_looks_like_one_of_memviz_is_not_taken_for_it() -> None:
    """A reader of another package may put anything into its sentence."""
    error = TranscriptError("there is no conversation of PIN 4711.", place="line 3")
    assert strip_values(error) == "line 3: memviz cannot measure it (TranscriptError)."


def test_the_kind_stays_behind_a_new_place_and_in_another_process() -> None:
    error = TranscriptError(Said("it has {rows} rows.", rows=3), remedy="Split it.")
    there = pickle.loads(pickle.dumps(placed(error, "x.csv", "csv")))  # noqa: S301 - its own
    assert there.template == "it has {rows} rows."
    assert strip_values(there) == "x.csv: it has … rows."


def test_a_sentence_is_in_the_language_of_its_reader() -> None:
    error: MemvizError = EmptyConversationError(
        Said("{number} of what was said", number=3)
    )
    assert str(error) == "3 of what was said"
    assert strip_values(error) == "… of what was said"
    row = Said("row {number}", number=3)
    with use_language("zh"):
        assert str(MemvizError(row)) == "第 3 行"
