"""Words of many texts counted at once, held against counting them text by text."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from memviz.core.text.word_counts import count_words_in_texts
from memviz.core.text.words import count_content_words

WORDS = (
    "hotel",
    "hotels",
    "the",
    "well-known",
    "北京大学",
    "北京",
    "的",
    "3,000",
    "Ünal’s",
)
texts_of_words = st.lists(st.lists(st.sampled_from(WORDS)).map(" ".join))


@given(texts=texts_of_words | st.lists(st.text()))
def test_each_text_has_the_words_that_it_has_alone(texts: list[str]) -> None:
    counts = count_words_in_texts(texts)
    counted: list[dict[str, int]] = [{} for _ in texts]
    for number, text, times in zip(
        counts.words, counts.texts, counts.times, strict=True
    ):
        counted[text][counts.different_words[number]] = times
    expected = [count_content_words(text) for text in texts]
    assert counted == expected
    assert counts.lengths.tolist() == [words.total() for words in expected]


def test_entries_are_ordered_by_words_and_then_by_texts() -> None:
    counts = count_words_in_texts(["hotel", "", "tram hotel", "hotel hotel"])
    assert counts.different_words == ["hotel", "tram"]
    assert counts.words.tolist() == [0, 0, 0, 1]
    assert counts.texts.tolist() == [0, 2, 3, 2]
    assert counts.times.tolist() == [1, 1, 2, 1]
