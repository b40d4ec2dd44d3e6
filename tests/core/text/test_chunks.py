"""The words of the chunks of a text are those of the text."""

import re

from hypothesis import given
from hypothesis import strategies as st

from memviz.core.text import terms
from memviz.core.text.chunks import (
    LONGEST_CHUNK_KEPT,
    FoundInChunks,
    MarkedChunks,
)
from tests.tables import for_each

WORDS = re.compile(r"\w+")
TEXTS = st.text(alphabet="ab Z9 1,2.3'’_-kgGB\n\t\u00a0\u202f\u3000\x85\x1cé间房한국")


def test_a_text_has_what_its_chunks_have() -> None:
    chunks = FoundInChunks(WORDS.findall)
    text = 'The "hotel," (well-known)\n is open.'
    assert chunks.in_text(text) == WORDS.findall(text)
    assert chunks.by_chunk['"hotel,"'] == ("hotel",)


def test_a_text_has_the_marks_of_its_chunks() -> None:
    looked_at = []
    marks = MarkedChunks(WORDS.findall)
    is_number = marks.add(str.isdigit)
    is_month = marks.add(lambda word: looked_at.append(word) or word == "may")
    assert marks.in_text("room (12) in may") == is_number | is_month
    assert marks.in_text("in room 9") == is_number
    assert marks.in_text("") == 0
    assert looked_at == ["room", "12", "in", "may", "9"]


def test_a_long_chunk_is_not_kept() -> None:
    chunks = FoundInChunks(WORDS.findall)
    long_chunk = "x" * (LONGEST_CHUNK_KEPT + 1)
    assert chunks.in_text(f"{long_chunk} short") == [long_chunk, "short"]
    assert list(chunks.by_chunk) == ["short"]


@given(TEXTS)
def test_tokens_of_chunks_are_those_of_the_text(text: str) -> None:
    assert terms.find_tokens(text) == terms.TOKEN.findall(text)


@for_each("space", terms.SPACES_IN_NUMBERS)
def test_a_space_within_a_number_parts_no_chunks(space: str) -> None:
    assert terms.find_tokens(f"about 3{space}600 euros") == [
        "about",
        f"3{space}600",
        "euros",
    ]
