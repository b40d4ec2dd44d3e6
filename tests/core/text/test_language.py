"""The language of a text by its script."""

from __future__ import annotations

import pytest

from memviz.core.text.language import language
from memviz.dashboard.markup import in_language, lang_attribute


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("我们的预算是三千元。", "zh"),
        ("預算 3,000 USD 左右", "zh"),
        ("予算は三千円です。", "ja"),
        ("예산은 삼천 유로입니다", "ko"),
        ("The budget is 3,000 euros.", ""),
        ("Niamh says 你好 to everybody at home.", ""),
        ("Бюджет три тысячи", ""),
        ("", ""),
        ("3,000 !", ""),
    ],
)
def test_is_told_by_the_script(text: str, code: str) -> None:
    assert language(text) == code


def test_as_an_attribute() -> None:
    assert lang_attribute("你好") == ' lang="zh"'
    assert lang_attribute("Hello") == ""


@pytest.mark.parametrize(
    ("text", "html"),
    [
        ("明火 <b>", '<span lang="zh">明火 &lt;b&gt;</span>'),
        (
            "2 facts are lost here, which are: 86平方米; <b>",
            '2 facts are lost here, which are: <span lang="zh">86平方米</span>; &lt;b&gt;',
        ),
        ("Plain & simple", "Plain &amp; simple"),
    ],
)
def test_within_html_only_the_words_of_the_other_language_are_marked(
    text: str, html: str
) -> None:
    assert in_language(text) == html
