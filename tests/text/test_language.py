"""The language of a text by its script."""

from __future__ import annotations

import pytest

from memviz.text.language import lang_attribute, language


@pytest.mark.parametrize(
    ("text", "code"),
    [("我们的预算是三千元。", "zh"), ("預算 3,000 USD 左右", "zh"), ("予算は三千円です。", "ja"),
     ("예산은 삼천 유로입니다", "ko"),
     ("The budget is 3,000 euros.", ""), ("Niamh says 你好 to everybody at home.", ""), ("Бюджет три тысячи", ""),
     ("", ""), ("3,000 !", "")],
)  # fmt: skip
def test_is_told_by_the_script(text: str, code: str) -> None:
    assert language(text) == code


def test_as_an_attribute() -> None:
    assert lang_attribute("你好") == ' lang="zh"'
    assert lang_attribute("Hello") == ""
