"""Words are counted as word processors do, and a length is asked for in the language of the prompt."""

from __future__ import annotations

from collections import Counter

from memviz.core.text import words
from memviz.core.text.words import ask_for_length, count_words, detect_language
from memviz.dashboard.markup import in_language, lang_attribute
from tests.tables import for_each


@for_each(
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
    assert detect_language(text) == code


def test_as_an_attribute() -> None:
    assert lang_attribute("你好") == ' lang="zh"'
    assert lang_attribute("Hello") == ""


@for_each(
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


@for_each(
    ("text", "words"),
    [
        ("", 0),
        ("Ana pays 3,600 euros.", 4),
        (
            "- Ana pays\n- Rui does not",
            7,
        ),  # a bullet is a word, as wherever spaces are counted
        ("每位35元，共3人。", 7),
        ("预算是 3000 元", 5),
        ("Ana 住在里斯本", 6),
        ("제 이름은 아나입니다", 3),
    ],
)
def test_words_are_counted(text: str, words: int) -> None:
    assert count_words(text) == words


@for_each(
    ("prompt", "asked"),
    [
        ("Summarize it.", "Summarize it. Write it in at most 120 words."),
        ("Summarize it", "Summarize it. Write it in at most 120 words."),
        ("请总结下面的对话。", "请总结下面的对话。摘要不超过120个字。"),
        ("请总结下面的对话", "请总结下面的对话。摘要不超过120个字。"),
        (
            "次の会話を要約してください。",
            "次の会話を要約してください。要約は120文字以内で書いてください。",
        ),
        ("대화를 요약하세요.", "대화를 요약하세요. 요약은 최대 120단어로 작성하세요."),
    ],
)
def test_a_length_is_asked_for_in_the_language_of_the_prompt(
    prompt: str, asked: str
) -> None:
    assert ask_for_length(prompt, 120) == asked
    assert ask_for_length(prompt, 0) == prompt


@for_each(
    "text",
    [
        "budget;trains (rooms)_hotel, well-known/e-mail\u00a0trains",
        "The user's hotels: 3,000.50 EUR;12:30\nnaïve’s prices...rooms",
        "“长城”hotel预算 budget;trains 3000元",
    ],
)
def test_the_stems_of_chunks_are_those_of_the_whole_text(text: str) -> None:
    unspaced = words._UNSPACED_RUN.findall(text.lower())
    spaced = words._UNSPACED_RUN.sub(" ", text.lower())
    tokens = words._TOKEN.findall(spaced)
    expected = Counter(
        stem
        for token in tokens
        if token not in words.STOP_WORDS
        for stem in words._find_stems(token)
    )
    for run in unspaced:
        expected.update(words._find_character_pairs(run))
    assert words.count_content_words(text) == expected
    assert words.content_words(text) == set(expected)


def test_what_stands_without_a_space_is_read_but_not_kept() -> None:
    chunk = "budget;" * 1000
    assert words.count_content_words(chunk) == {"budget": 1000}
    assert chunk not in words._WORDS.by_chunk
