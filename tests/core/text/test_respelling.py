"""Which texts are looked through for values in a second notation."""

from __future__ import annotations

from hypothesis import example, given
from hypothesis import strategies as st

from memviz.core.text.respelling import may_be_respelled, respell_values

SAID = (
    "a half an hour and hours two quarter quarters quarterly three of past to at ten often seven dozen dozens baker's "
    "per cent percent degree degrees celsius half-dozen, half-hour. past, in the evening"
)
WORDS = st.sampled_from(SAID.split())
SPACES = st.sampled_from([" ", "\n", "  "])


@given(st.lists(st.tuples(WORDS, SPACES), max_size=8))
@example([("a", " "), ("quarter", " "), ("to", " "), ("seven", "")])
@example([("twenty", " "), ("past", " "), ("seven", "")])
def test_a_text_without_a_telling_chunk_keeps_its_spelling(
    words: list[tuple[str, str]],
) -> None:
    text = "".join(word + space for word, space in words)
    if not any(map(may_be_respelled, text.split())):
        assert respell_values(text) == text


def test_words_that_are_no_part_of_a_value_leave_a_text_alone() -> None:
    assert may_be_respelled("quarter")
    assert may_be_respelled("half-hour")
    assert not any(map(may_be_respelled, ("quarterly", "attention", "passed", "hour")))
