from __future__ import annotations

from dataclasses import replace

import pytest

from memviz.models.recall_result import RecallResult


@pytest.mark.parametrize(
    "result",
    [
        RecallResult(0),
        RecallResult(2),
        RecallResult(1, held=1),
        RecallResult(0, held=1_200),
        RecallResult(4, held=2, missing=("turn 9", "message 77"), turns=3),
        RecallResult(0, missing=("turn 2",), turns=1),
        RecallResult(2, held=3, in_place=1),
        RecallResult(0, in_place=1_200),
    ],
)
def test_what_a_result_says_is_read_again(result: RecallResult) -> None:
    assert RecallResult.read(result.text) == result
    assert RecallResult.read(replace(result, cut=3, halves=1).text) == result


def test_messages_among_others_cannot_be_told_apart() -> None:
    assert RecallResult.read(RecallResult(2, among=True).text).fresh == 0
    assert RecallResult.read("Error: there is no tool 'x'.") == RecallResult(0)
