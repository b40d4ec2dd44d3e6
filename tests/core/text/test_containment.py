"""Containment: by hand, and against a walk over the characters."""

from __future__ import annotations

import gc
from weakref import ref

from hypothesis import example, given
from hypothesis import strategies as st

from memviz.core.text.containment import PhraseIndex, contains, normal_tokens
from tests.metrics.naive_retention import spans, tokens
from tests.tables import for_each

PIECES = (
    "3,600", "3600", "3\u00a0600", "3 600", "60", "600", "2.5", "2,500.50", "14th", "14", "three", "3", "09:05",
    "QX7R4M", "qx7r4m", "PT-58231", "预算", "预", "是40万元", "\uff14\uff10", "naïve", "NAI\u0308VE", "Straße",
    "STRASSE", "the", "cat", ".", ", ", "ﬁne", "fine", "ราคา", "東京タワー", "서울", "x", "",
)  # fmt: skip


@for_each(
    ("text", "answer"),
    [
        ("It costs 3,600 euros.", "3600"),
        ("It costs 3600 euros.", "3,600"),
        ("It costs 3\u202f600 euros.", "3,600 EUROS"),
        ("It costs 3.600 euros.", "3,600"),
        ("It is 2.50 m wide", "2.5"),
        ("Booking code:QX7R4M!", "qx7r4m"),
        ("see pt 58231", "PT-58231"),
        ("总预算变成46万元了", "46万元"),
        ("Pickup is at half past five.", "5:30"),
        ("The last boat leaves at a quarter to nine", "8:45"),
        ("Lunch at quarter past 12, please", "12:15"),
        ("The team is a dozen strong.", "12"),
        ("It takes half a dozen eggs.", "6 eggs"),
        ("We need a baker's dozen of chairs.", "13"),
        ("人民币壹万贰仟圆整", "12000元"),
        ("Team dinner Fri 19:30, Osteria Luca", "at the Osteria Luca"),
        ("He asked to be called Captain.", "as Captain"),
        ("It has to be sent Friday at noon.", "noon on Friday"),
        ("It costs 3 600 euros.", "3600"),
        ("编号是QSH-04172。窗口", "QSH-04172"),
        ("我的合伙人顾一帆对花生过敏", "顾一帆"),
        ("東京タワーの高さは３３３メートル", "333"),
        ("ราคา 250 บาท", "บาท"),
        ("on the 28th of June", "28 of june"),
        ("two decimals", "2 decimals"),
        ("at 9:05", "09:05"),
        ("the STRASSE", "Straße"),
        ("Bil\u00adlie was here", "Billie"),
        ("Nai\u0308ve", "naïve"),
        ("\u210call C", "hall c"),
    ],
)
def test_an_answer_is_found_however_it_is_spelled(text: str, answer: str) -> None:
    assert contains(text, answer)


@for_each(
    ("text", "answer"),
    [
        ("It costs 3,600 euros.", "60"),
        ("Dozens of them half filled, past ten", "12"),
        ("He walked past the half of it, to five", "5:30"),
        ("The hotel is at the sea", "at the Osteria"),
        ("陆先生和伍女士", "65"),
        ("It costs 3,600 euros.", "600"),
        ("The rooms 3 600 are free.", "3600"),
        ("总预算变成46万元了", "46"),
        ("It is 2.5 m wide", "5"),
        ("It is 25 m wide", "2.5"),
        ("460万元", "46"),
        ("QX7R4MZ", "QX7R4M"),
        ("a category", "cat"),
        ("the cat. Sat", "cat the"),
        ("Lisbon", "Lis"),
        ("anything", ""),
        ("anything!", "!"),
        ("", "x"),
    ],
)
def test_only_whole_words_count(text: str, answer: str) -> None:
    assert not contains(text, answer)


def test_normal_tokens_say_what_is_compared() -> None:
    assert normal_tokens("The 1st price: 3,600.50 €, 是40万") == (
        "the",
        "1",
        "price",
        "3600.5",
        "ʘeur",
        "是",
        "400000",
    )


def test_matches_name_text_phrase_and_place_through_all_texts() -> None:
    matches = PhraseIndex(["a b", "b", "", "c"]).find(["a b", "", "x b a b"])
    found = list(
        zip(
            matches.phrases.tolist(),
            matches.texts.tolist(),
            matches.places.tolist(),
            strict=True,
        )
    )
    # places count one more for the end of each text: "a b" takes 0-2, "" takes 3, the third text begins at 4
    assert found == [(0, 0, 0), (0, 2, 6), (1, 0, 1), (1, 2, 5), (1, 2, 7)]


def test_a_phrase_never_reaches_over_the_end_of_a_text() -> None:
    assert PhraseIndex(["a b", "b a"]).find(["a", "b", "a"]).texts.size == 0


def test_nothing_in_nothing() -> None:
    assert PhraseIndex([]).find(["a"]).texts.size == 0
    assert PhraseIndex(["a"]).find([]).texts.size == 0


texts = st.lists(st.sampled_from(PIECES), max_size=12).map(" ".join)


@given(
    said=st.lists(texts, max_size=4),
    phrases=st.lists(st.lists(st.sampled_from(PIECES), max_size=3), max_size=6),
)
def test_the_index_finds_what_a_plain_search_finds(
    said: list[str], phrases: list[list[str]]
) -> None:
    answers = [" ".join(phrase) for phrase in phrases]
    matches = PhraseIndex(answers).find(said)
    found = sorted(zip(matches.texts.tolist(), matches.phrases.tolist(), strict=True))
    wanted = [
        (t, a)
        for t, text in enumerate(said)
        for a, answer in enumerate(answers)
        for _ in spans(text, (answer,))
    ]
    assert found == sorted(wanted)


@given(text=texts, answer=texts)
@example(text="It costs 1200 km", answer="$1,200")
@example(text="It costs 1200.", answer="$1,200")
def test_one_text_contains_what_the_index_finds_in_it(text: str, answer: str) -> None:
    assert contains(text, answer) == bool(PhraseIndex([answer]).find([text]).texts.size)


@given(text=texts)
def test_normal_tokens_are_those_of_the_plain_walk(text: str) -> None:
    assert list(normal_tokens(text)) == tokens(text)


@given(text=st.text(max_size=60), answer=st.text(max_size=8))
def test_any_text_is_read_without_error_and_a_line_contains_itself(
    text: str, answer: str
) -> None:
    assert contains(f"{text}\n{answer}\n{text}", answer) == bool(normal_tokens(answer))


@given(
    st.lists(
        st.sampled_from(
            (*PIECES, " ", " ", "\n", "Will", "May", "I", "twenty", "two", "in")
        )
    ).map("".join)
)
@example("In May we met Will Smith and twenty two cats.")
@example("It costs 3\u00a0600 euros.")
def test_tokens_are_numbered_chunk_by_chunk_as_in_the_whole_text(text: str) -> None:
    phrases = ["3,600", "the cat", "twenty two", "in May", "Will Smith", "2.5", "预算"]
    index = PhraseIndex(phrases)
    *numbers, _border = index._read(text)
    if numbers:
        assert numbers == [
            index._numbers.get(token, 0) for token in normal_tokens(text)
        ]
    else:
        # Left out are texts alone that hold no phrase.
        assert not any(contains(text, phrase) for phrase in phrases)


def test_an_index_is_freed_where_it_goes_out_of_scope() -> None:
    index = PhraseIndex(["3,600 euros"])
    assert index.find(["It costs 3600 euros."]).texts.size
    index_alive = ref(index)
    gc.disable()
    try:
        del index
        assert index_alive() is None
    finally:
        gc.enable()
