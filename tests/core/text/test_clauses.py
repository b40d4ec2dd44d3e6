"""Sentences into clauses: what stands alone, what belongs to it, and what says nothing."""

from __future__ import annotations

import time

from hypothesis import given
from hypothesis import strategies as st

from memviz.core.text.clauses import split_clauses
from tests.tables import for_each


@for_each(
    "text",
    [
        "Grr.",
        "Hi!",
        "Perfect, thank you!",
        "Mortadella!",
        "Oh dear.",
        "Good morning, everyone!",
        "Thanks a lot, Ben.",
        "You are very welcome.",
        "I am happy to help you.",
        "Sounds lovely.",
        "77!",
        "Vielen Dank!",
        "Gern geschehen.",
        "谢谢你！",
        "太好了！",
        "好的。",
        "祝你开业顺利。",
    ],
)
def test_courtesies_and_exclamations_state_nothing(text: str) -> None:
    assert split_clauses(text) == ()


@for_each(
    "text",
    [
        "I'm vegan.",
        "I am happy with the flat in Rome.",
        "It is a lovely flat in Gaia.",
        "Have a look at page 7.",
        "We are six.",
        "Ich bin Veganer.",
        "我不吃香菜。",
        "我对花生过敏。",
    ],
)
def test_short_statements_are_no_courtesies(text: str) -> None:
    assert split_clauses(text) == (text,)


@for_each(
    ("text", "found"),
    [
        (
            "The pod in the attic has number 3, where I work, and the pod in the hall has number 4.",
            ("The pod in the attic has number 3.", "The pod in the hall has number 4."),
        ),
        (
            "Our terminal is ONT-88, he took the old one with him.",
            ("Our terminal is ONT-88.",),
        ),
        (
            "His birthday is on 10 July and he thinks I've forgotten.",
            ("His birthday is on 10 July.",),
        ),
        (
            "Ann is 114 centimetres tall, Ben is 139.",
            ("Ann is 114 centimetres tall.", "Ben is 139."),
        ),
        (
            "Der Bräutigam heißt Malte, und das Budget liegt bei 18 Euro.",
            ("Der Bräutigam heißt Malte.", "Das Budget liegt bei 18 Euro."),
        ),
        (
            "铺面在青石巷27号，面积86平方米，院里有棵老桂花树。",
            ("铺面在青石巷27号，面积86平方米。",),
        ),
        (
            "最后定了一位，我们的茶艺师叫白露，二十九岁。",
            ("最后定了一位。", "我们的茶艺师叫白露，二十九岁。"),
        ),
    ],
)
def test_a_clause_stands_alone_where_it_names_what_it_speaks_of(
    text: str, found: tuple[str, ...]
) -> None:
    assert split_clauses(text) == found


@for_each(
    "text",
    [
        "The machine is at Casa Flor, and the code for its key box is 4917.",
        "I scored 11 on quiz 2, which was about conditional probability.",
        "If the train is late, it waits, and the cat is fed at 9.",
        "I like the flat, but it is too dear.",
        "We come on Sunday, unless it rains.",
        "There are three: a hostel for 79 euros, a flat for 105, and a guesthouse called Casa Flor in Cedofeita.",
        "The road, which is closed, leads to Rome.",
        "Das Buch, das ich lese, kostet 20 Euro.",
    ],
)
def test_what_belongs_together_stays_together(text: str) -> None:
    assert split_clauses(text) == (text,)


WORDS = st.lists(
    st.sampled_from(
        [
            "Hi, ",
            "and ",
            "but ",
            "he ",
            "the ",
            "Ann ",
            "is ",
            "7 ",
            ", ",
            "; ",
            ": ",
            " – ",
            "。",
            "，",
            "我",
            "的",
        ]
    ),
    max_size=25,
).map("".join)


@given(WORDS | st.text(max_size=80))
def test_no_word_is_made_up(text: str) -> None:
    for clause in split_clauses(text):
        assert clause.strip()
        assert clause[1:].rstrip(".!?。！？") in text


def test_a_huge_sentence_is_read_quickly() -> None:
    started = time.process_time()
    for text in (
        "a, and the b is " * 25,
        "thing " * 66,
        "我说，" * 130,
        "I" * 400,
        "and " * 100,
        "Hi, " * 100,
    ):
        split_clauses(text)
    assert time.process_time() - started < 0.5
