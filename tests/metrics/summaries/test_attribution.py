"""Where words come from, by hand."""

from __future__ import annotations

from memviz.metrics.summaries.evolution import find_content_keys, trace_words


def origin(
    text: str, previous: str, messages: str
) -> tuple[int, int, int, tuple[str, ...]]:
    return tuple(
        trace_words(text, find_content_keys(previous), find_content_keys(messages))
    )  # type: ignore[return-value]


def test_each_content_word_has_one_source() -> None:
    assert origin(
        "Niamh flies to Porto with Declan.", "Niamh flew.", "Porto in May, says Niamh"
    ) == (
        2,
        1,
        1,
        ("Declan",),
    )


def test_spelling_and_inflection_do_not_matter() -> None:
    assert origin(
        "3000 euros, hotels booked", "", "EURO 3,000: we are booking a hotel"
    ) == (0, 4, 0, ())


def test_a_word_in_nothing_that_was_read_is_named_once_as_written() -> None:
    assert origin("Madeira, or MADEIRA for 79.", "", "We go.") == (
        0,
        0,
        2,
        ("Madeira", "79"),
    )


def test_a_text_without_content_words() -> None:
    found = trace_words("It is the same.", find_content_keys(""), find_content_keys(""))
    assert (found.words, found.unsourced) == (0, ())


def test_chinese_by_pairs_of_characters() -> None:
    assert origin("预算酒店", "预算", "") == (
        1,
        0,
        2,
        ("算酒店",),
    )  # 算酒 and 酒店 are new


def test_a_pair_that_straddles_two_known_words_is_not_new() -> None:
    assert origin("预算酒店", "预算", "酒店") == (1, 1, 0, ())
