"""What a text denies or calls outdated, clause by clause."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memviz.core.text.containment import contains
from memviz.metrics.retention.denial_patterns import Rule
from memviz.metrics.retention.polarity import (
    _CUES,
    _ENDED,
    _NOT_SO,
    _find_cues,
    _RuleBook,
    judge_polarity,
)
from tests.tables import for_each

NOT_AFFIRMED = (
    ("The user does not live in Lisbon.", "Lisbon"),
    ("She doesn't live in Lisbon.", "Lisbon"),
    ("She no longer lives in Lisbon.", "Lisbon"),
    ("They moved from Lisbon to Porto.", "Lisbon"),
    ("She lives in Porto instead of Lisbon.", "Lisbon"),
    ("She lives not in Lisbon but in Porto.", "Lisbon"),
    ("The trip to Lisbon was cancelled.", "Lisbon"),
    ("She cancelled the trip to Lisbon.", "Lisbon"),
    ("The budget was raised from 3,000 to 4,000 euros.", "3000"),
    ("The meeting is not at 17:30, it is at 18:00.", "5:30 pm"),
    ("She never lived in Lisbon.", "Lisbon"),
    ("She used to live in Lisbon.", "Lisbon"),
    ("The deadline was changed from 12 May to 14 May.", "12 May"),
    ("We replaced the sedan with a van.", "sedan"),
    ("Budget: 3,000 → 4,000 euros", "3000"),
    ("Lisbon is no longer the destination.", "Lisbon"),
    ("He likes neither tea nor coffee.", "coffee"),
    ("Sie wohnt nicht mehr in Lissabon.", "Lissabon"),
    ("Sie ist von Lissabon nach Porto gezogen.", "Lissabon"),
    ("Elle n'habite plus à Lisbonne.", "Lisbonne"),
    ("Ela não mora em Lisboa.", "Lisboa"),
    ("她不住在里斯本。", "里斯本"),
    ("她没有住在里斯本。", "里斯本"),
    ("她不再住在里斯本了。", "里斯本"),
    ("她从里斯本搬到波尔图了。", "里斯本"),
    ("预算从3000元改成4000元。", "3000元"),
    ("去里斯本的行程取消了。", "里斯本"),
    ("The rent, originally 900 euros, is now 950.", "900 euros"),
    ("She sold her guitar and took up the piano.", "guitar"),
    ("He quit Siemens in May.", "Siemens"),
    ("Lisbon is out of the question.", "Lisbon"),
    ("The wedding was going to be in Lisbon, but they chose Porto.", "Lisbon"),
    ("I thought the train left at 17:30, but it leaves at 18:00.", "17:30"),
    ("They swapped the sedan for a van.", "sedan"),
    ("里斯本不去了，改去波尔图。", "里斯本"),
    ("出发原定3月4日，后来改成3月6日。", "3月4日"),
    ("她把钢琴卖了。", "钢琴"),
    ("旧密码8841已经作废。", "8841"),
)


@for_each(("text", "value"), NOT_AFFIRMED)
def test_a_value_is_denied_or_outdated(text: str, value: str) -> None:
    assert contains(text, value)
    assert not contains(judge_polarity(text).affirmed, value)


@for_each(
    ("text", "value"),
    [
        ("They moved from Lisbon to Porto.", "Porto"),
        ("She lives not in Lisbon but in Porto.", "Porto"),
        ("She lives in Porto instead of Lisbon.", "Porto"),
        ("The meeting is not at 17:30, it is at 18:00.", "18:00"),
        ("The budget was raised from 3,000 to 4,000 euros.", "4000 euros"),
        ("Budget: 3,000 → 4,000 euros", "4000"),
        ("28 June 2027 09:40→Porto 12:05", "28 June 2027"),
        ("Campanhã 12:10→13:15 Coimbra", "12:10"),
        ("She lives in Lisbon and does not drive.", "Lisbon"),
        ("She does not drive, she lives in Lisbon.", "Lisbon"),
        ("She doesn't smoke and she lives in Lisbon.", "Lisbon"),
        ("She lives not only in Lisbon.", "Lisbon"),
        ("Pay no later than 12 May.", "12 May"),
        ("Do not forget the passport.", "passport"),
        ("It opens not before 17:30.", "17:30"),
        ("Order no. 1042 has left.", "1042"),
        ("No, Lisbon it is.", "Lisbon"),
        ("Don't you live in Lisbon?", "Lisbon"),
        ("The train from Lisbon to Porto leaves at nine.", "Lisbon"),
        ("A letter from Lisbon came.", "Lisbon"),
        ("The booking in Lisbon can be cancelled until May.", "Lisbon"),
        ("I never told you that I live in Lisbon.", "Lisbon"),
        ("She is allergic to peanuts.", "peanuts"),
        ("We cancelled the hotel and now stay in Lisbon.", "Lisbon"),
        ("Please never phone us before 11:30.", "11:30"),
        ("No time for chapter 9.", "chapter 9"),
        ("如果还没跟魏敏谈，可以等一等。", "魏敏"),
        ("她不住在里斯本，而是住在波尔图。", "波尔图"),
        ("她从里斯本搬到波尔图了。", "波尔图"),
        ("她住在里斯本，不过不开车。", "里斯本"),
        ("预算从3000元改成4000元。", "4000元"),
        ("Sie wohnt nicht in Lissabon, sondern in Porto.", "Porto"),
        ("她不是不喜欢里斯本。", "里斯本"),
        ("She is originally from Lisbon.", "Lisbon"),
    ],
)
def test_a_value_is_affirmed(text: str, value: str) -> None:
    assert contains(judge_polarity(text).affirmed, value)


def test_what_comes_after_an_update_is_told_apart() -> None:
    text = "She lived in Lisbon. She moved from Lisbon to Porto. Later she came back to Lisbon."
    assert contains(judge_polarity(text).outdated, "Lisbon")
    assert contains(judge_polarity(text).since, "Lisbon")
    assert not contains(judge_polarity(text.partition(" Later")[0]).since, "Lisbon")


@given(st.text(max_size=80))
def test_any_text_is_read_without_error(text: str) -> None:
    assert isinstance(judge_polarity(text).affirmed, str)


PIECES = st.sampled_from(
    ("no", "longer", "nothing", "off", "?", "\n", " ", "don't", "from", "instead of")
)


@given(st.lists(PIECES).map("".join))
def test_the_cues_of_a_text_are_those_that_stand_in_it(text: str) -> None:
    cues = [cue for cue in _CUES if cue in text.lower()]
    assert sorted(_find_cues(text)) == sorted(cues)


@pytest.mark.parametrize("rules", [_ENDED, _NOT_SO], ids=["ended", "denied"])
def test_a_sentence_is_held_against_every_rule_whose_cue_stands_in_it(
    rules: tuple[Rule, ...],
) -> None:
    for rule in rules:
        # A rule alone, with a pattern that finds any sentence that is held against it.
        book = _RuleBook([(rule[0], "(?P<old>.)")])
        for cue in rule[0]:
            sentence = f"They {cue} it."
            lower = sentence.lower()
            assert next(book.find(sentence, lower, _find_cues(sentence)), None) == (
                0,
                1,
            )
