"""The word diff: by hand, and that both texts can be put together again."""

from __future__ import annotations

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from memviz.metrics.summaries.diff import TextDiff, diff_words, is_unspaced, split_words
from tests.tables import for_each

SNIPPETS = [
    "the",
    "a",
    "Lisbon",
    "Porto",
    "12.5",
    "don't",
    ".",
    ". ",
    ", ",
    " ",
    "\n",
    "预算",
    "三",
    "ก",
    "é",
]
SENTENCES = [
    "We go to Porto. ",
    "The budget is 3,000. ",
    "We leave.",
    " And so on",
    "我们去里斯本。",
]
TEXTS = st.one_of(
    st.text(),
    st.lists(st.sampled_from(SNIPPETS)).map("".join),
    st.lists(st.sampled_from(SENTENCES)).map("".join),
)


def shown(old: str, new: str) -> str:
    marks = {"kept": "{}", "removed": "[-{}-]", "added": "[+{}+]"}
    return "".join(
        marks[piece.change].format(piece.text) for piece in diff_words(old, new).pieces
    )


def counts(diff: TextDiff) -> tuple[int, int, int]:
    return diff.words("kept"), diff.words("removed"), diff.words("added")


@for_each(
    ("old", "new", "expected"),
    [
        ("We go to Porto.", "We go to Porto.", "We go to Porto."),
        ("Lisbon, Porto, Faro.", "Lisbon, Faro.", "Lisbon, [-Porto, -]Faro."),
        ("He left.", "He left. She stayed.", "He left.[+ She stayed.+]"),
        (
            "Porto costs 92 euros.",
            "Porto costs 1,092.50 euros.",
            "Porto costs [-92-][+1,092.50+] euros.",
        ),
        ("Porto, Faro", "Porto; Faro", "Porto[-,-][+;+] Faro"),
        ("", "new words", "[+new words+]"),
        ("old words", "", "[-old words-]"),
        ("...", "...!", "...[+!+]"),
        (
            "我们星期一去里斯本。",
            "我们星期五去里斯本。",
            "我们星期[-一-][+五+]去里斯本。",
        ),
        (
            "สวัสดีครับ",
            "สวัสดีค่ะ",
            "สวัสดี[-ครับ-][+ค่ะ+]",
        ),  # a vowel sign stays with its character
        ("नमस्ते दुनिया", "नमस्ते जगत", "नमस्ते [-दुनिया-][+जगत+]"),
    ],
)
def test_by_hand(old: str, new: str, expected: str) -> None:
    assert shown(old, new) == expected


def test_words_are_counted() -> None:
    diff = diff_words("We fly early Monday.", "We fly early Friday, all of us.")
    assert counts(diff) == (3, 1, 4)


def test_a_sentence_that_lived_on_is_kept_whole() -> None:
    """More words could be matched if they were picked one by one from other sentences."""
    lived = "Finn is six."
    old = f"Declan wants a beach in Faro, Niamh a castle. {lived}"
    new = f"{lived} In Faro Declan saw a beach, Niamh a castle."
    assert lived in [
        piece.text.strip()
        for piece in diff_words(old, new).pieces
        if piece.change == "kept"
    ]


def test_function_words_alone_do_not_chop_up_a_change() -> None:
    assert (
        shown("Declan and the dog", "Niamh and the cat")
        == "[-Declan and the dog-][+Niamh and the cat+]"
    )
    assert (
        shown("Declan, Lisbon, dog", "Niamh, Lisbon, cat")
        == "[-Declan-][+Niamh+], Lisbon, [-dog-][+cat+]"
    )
    assert shown("一本书店", "二本画廊") == "[-一本书店-][+二本画廊+]"


def test_words_of_a_text() -> None:
    assert split_words("Don't pay 1,204.50 for the 2024-05-03 (Lisbon) trip…") == [
        "Don't",
        "pay",
        "1,204.50",
        "for",
        "the",
        "2024-05-03",
        "Lisbon",
        "trip",
    ]
    assert split_words("去Porto玩3天") == ["去", "Porto", "玩", "3", "天"]
    assert is_unspaced("去")
    assert not is_unspaced("Porto")


@given(TEXTS, TEXTS)
def test_both_texts_can_be_put_together_again(old: str, new: str) -> None:
    diff = diff_words(old, new)
    assert diff.text("kept", "removed") == old
    assert diff.text("kept", "added") == new
    kept, removed, added = counts(diff)
    assert kept + removed == len(split_words(old))
    assert kept + added == len(split_words(new))
    assert all(piece.text for piece in diff.pieces)
    assert all(one.change != other.change for one, other in pairwise(diff.pieces))


@given(TEXTS)
def test_a_text_against_itself_is_all_kept(text: str) -> None:
    diff = diff_words(text, text)
    assert diff.text("kept") == text
    assert diff.words("kept") == len(split_words(text))


@given(TEXTS, TEXTS)
def test_no_more_is_kept_than_both_have_in_order(old: str, new: str) -> None:
    a, b = split_words(old), split_words(new)
    row = [0] * (len(b) + 1)
    for word in a:
        before = row[:]
        for at, other in enumerate(b):
            row[at + 1] = (
                before[at] + 1 if word == other else max(before[at + 1], row[at])
            )
    assert diff_words(old, new).words("kept") <= row[-1]
