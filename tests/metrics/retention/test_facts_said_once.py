"""Facts that are said once and never again: codes, allergies, people, dates, amounts, decisions."""

from __future__ import annotations

import pytest

from benchmarks.proposals import measure, with_phrasings
from benchmarks.synthetic.generator import generate
from benchmarks.synthetic.phrasings import HELD_OUT, TUNED, Phrasing
from memviz import Log, Message, propose_probes
from memviz.metrics.retention.proposed_probes import BLANK
from memviz.text.containment import contains


def asked(*texts: str) -> list[tuple[str, str]]:
    """The answers and the questions that are proposed where the user says ``texts``."""
    messages = [one for text in texts for one in (Message("user", text), Message("assistant", "Noted."))]
    return [(probe.answers[0], probe.question) for probe in propose_probes(Log(messages))]


@pytest.mark.parametrize("phrasing", TUNED, ids=lambda one: one.sentence)
def test_a_fact_said_once_is_asked_for(phrasing: Phrasing) -> None:
    found = asked("Hello there!", phrasing.sentence, "Bye.")
    assert any(contains(answer, phrasing.answer) or contains(phrasing.answer, answer) for answer, _ in found)
    assert all(BLANK in question and not contains(question, answer) for answer, question in found)


def test_so_are_most_of_those_that_the_patterns_were_not_written_for() -> None:
    found = measure(with_phrasings(HELD_OUT, seed=1), limit=50)
    assert found.recall >= 0.85
    assert found.right == found.proposed


@pytest.mark.parametrize(
    ("said", "question"),
    [
        ("I am allergic to wool.", "I am allergic to ___."),
        ("The door code is 7742.", "The door code is ___."),
        ("You can reach me at +44 20 7946 0958 after six.", "You can reach me at ___ after six."),
        ("My tax number is 12/345/67890.", "My tax number is ___."),
        ("The discount code is WELCOME15, valid in May.", "The discount code is ___, valid in May."),
        ("Door code: 7742", "Door code: ___"),
        ("my door code is 7742", "my door code is ___"),
        ("Hi, I'm Petra, 34, from Graz.", "Hi, I'm ___, 34, from Graz."),
        ("I take 20 mg of the tablet every morning.", "I take ___ of the tablet every morning."),
        ("The budget for the party is 1.500 €.", "The budget for the party is ___ €."),
        ("我对花粉过敏。", "我对___过敏。"),
        ("门禁密码是9036。", "门禁密码是___。"),
    ],
)
def test_the_question_is_the_sentence_with_the_value_blanked(said: str, question: str) -> None:
    assert [one for _, one in asked("Hello there!", said)] == [question]


@pytest.mark.parametrize(
    "said",
    [
        "Is the door code 7742?",
        "If the door code is 7742, we can get in.",
        "Perhaps I am allergic to wool.",
        "I hate it when that happens.",
        "I hate to bother you with this.",
        "I don't have time for that today.",
        "I would never have thought of that.",
        "My friend is German and so is his wife.",
        "Prefer short functions to long ones.",
        "We decided that it is fine.",
        "We went with them to the sea.",
        "The server answers at 192.168.100.1 again.",
        "I call them every 3 or 4 weeks.",
        "我最怕他不来。",
        "他讨厌你吗？",
        "一张总表就够了。",
        "我看过《小王子》。",
        "请朋友和邻居来。",
        "我可以帮你查一下。",
    ],
)
def test_what_only_looks_like_a_fact_is_not(said: str) -> None:
    assert asked("Hello there!", said, "Bye.") == []


def test_people_are_found_in_chinese() -> None:
    said = (
        "我的名字是沈禾。老秦报价很高。蒋伯不同意。",
        "我们的茶艺师叫白露。王老师下午来。",
        "同事李建国请假了。李建国病了。小林说好。",
    )
    found = {answer for answer, _ in asked("你好！", *said)}
    assert found == {"沈禾", "老秦", "蒋伯", "白露", "王老师", "李建国", "小林"}


@pytest.mark.parametrize(
    ("said", "answer"),
    [
        ("我们的预算是三百元。", "三百元"),
        ("我们的预算是300元。", "300"),
        ("考试定在6月28日。", "6月28日"),
        ("考试定在六月二十八日。", "六月二十八日"),
        ("房租要每月两千八百块。", "两千八百块"),
        ("店休日改成周二。", "周二"),
    ],
)  # fmt: skip
def test_numerals_and_dates_are_found_in_chinese(said: str, answer: str) -> None:
    assert [one for one, _ in asked("你好！", said)] == [answer]


def test_the_assistant_states_codes_and_names_but_has_no_tastes() -> None:
    def proposed(said: str) -> list[str]:
        log = Log([Message("user", "Hello there!"), Message("assistant", said), Message("user", "Good.")])
        return [probe.answers[0] for probe in propose_probes(log)]

    assert proposed("Your booking reference is KZ4-88T.") == ["KZ4-88T"]
    assert proposed("Your technician is called Ruben Achterberg.") == ["Ruben Achterberg"]
    assert proposed("The deposit for the hub is 40 euros, returned later.") == ["40 euros"]
    assert proposed("I prefer window seats.") == []
    assert proposed("You could say that the door code is 7742.") == []


def test_most_facts_of_a_generated_conversation_are_found() -> None:
    found = measure(generate(200, seed=4, facts_per_100_turns=8), limit=50)
    assert found.recall >= 0.7
    assert found.right >= 0.8 * found.proposed
