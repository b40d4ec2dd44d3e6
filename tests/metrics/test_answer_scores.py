"""Containment and token F1 of replies, by hand."""

from __future__ import annotations

import pytest

from memviz.engine.calls import ReplyFacts
from memviz.engine.judging import JudgedAnswer
from memviz.metrics.answer_scores import (
    AnswerScores,
    contains_answer,
    measure_token_f1,
    score_answers,
)
from memviz.transcripts.base import Probe
from tests.tables import for_each


@for_each(
    ("reply", "answers", "is_contained"),
    [
        ("The budget is 3,600 euros now.", ("3600 EUROS",), True),
        ("The budget is 3,600 euros now.", ("3,000", "3,600"), True),
        ("The budget is 13,600 euros now.", ("3,600", "3 600"), False),
        ("Cashews, and also pistachios.", ("cashews and pistachios",), False),
        ("She can't eat cashews and pistachios!", ("Cashews and Pistachios",), True),
        ("It is in Lisbonne.", ("Lisbon",), False),
        ("我们住在里斯本的公寓。", ("里斯本",), True),
        ("我们住在里斯。", ("里斯本",), False),
        ("Anything", (), False),
        ("Anything", ("", "?!"), False),
        ("", ("x",), False),
    ],
)
def test_an_answer_is_contained_as_whole_words(
    reply: str, answers: tuple[str, ...], is_contained: bool
) -> None:
    assert contains_answer(reply, answers) is is_contained


@for_each(
    ("reply", "answers", "f1"),
    [
        ("9 July 2027", ("9 July 2027",), 1.0),
        ("the 9 JULY, 2027!", ("9 July 2027",), 1.0),
        (
            "on 9 July",
            ("9 July 2027",),
            2 * (2 / 3) * (2 / 3) / (4 / 3),
        ),  # 2 of 3 words each way
        (
            "cashews",
            ("cashews and pistachios",),
            2 * 1 * (1 / 3) / (4 / 3),
        ),  # precision 1, recall 1/3
        ("I do not know", ("cashews and pistachios",), 0.0),
        (
            "a budget of 3600",
            ("3,600 euros", "3,600"),
            2 * (1 / 3) * 1 / (4 / 3),
        ),  # the best of the two
        (
            "no no no",
            ("no",),
            2 * (1 / 3) * 1 / (4 / 3),
        ),  # a word counts as often as both have it
        ("no no", ("no no no",), 2 * 2 / 5),
        ("an", ("the a",), 0.0),
        ("The A", ("a the",), 1.0),  # of nothing but articles nothing is left out
        ("里斯本", ("里斯本市",), 2 * 1 * (3 / 4) / (7 / 4)),
        ("", ("x",), 0.0),
        ("x", ("",), 0.0),
        ("?", ("!",), 0.0),
        ("x", (), 0.0),
    ],
)
def test_token_f1_by_hand(reply: str, answers: tuple[str, ...], f1: float) -> None:
    assert measure_token_f1(reply, answers) == pytest.approx(f1)


PROBE = Probe("How much?", ("3,600",), (0,), "number")


def result(
    run: int, reply: str | None, cost_usd: float | None = 0.5, **given: object
) -> JudgedAnswer:
    calls = (ReplyFacts("m", cost_usd=cost_usd),) if reply is not None else ()
    return JudgedAnswer(PROBE, run, reply, calls=calls, **given)  # type: ignore[arg-type]


def test_scores_of_each_run() -> None:
    results = [
        result(0, "3600", verdict="right"),
        result(0, "3,600 or so", verdict="wrong"),
        result(0, None, error="3,600"),
        result(0, "no idea", error="unreadable"),
        result(1, "3,600", None),
    ]
    first, second, third = score_answers(results, 3)
    assert first == AnswerScores(
        4, 1, 2, pytest.approx((1 + 0.5 + 0) / 3), 1, 1, pytest.approx(1.5)
    )
    assert first.answered == 3
    assert second == AnswerScores(1, 0, 1, 1.0, 0, 0, None)
    assert third == AnswerScores(0, 0, 0, None, 0, 0, 0)
