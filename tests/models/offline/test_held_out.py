"""The answers of the built-in model to questions that were written before its rules were read."""

from collections import Counter
from functools import cache
from pathlib import Path
from typing import Any

import yaml

from memviz.core.messages import Message
from memviz.core.text.phrases import admits_ignorance
from memviz.models.offline import OfflineModel

CONVERSATIONS: list[dict[str, Any]] = yaml.safe_load(
    Path(__file__).with_name("held_out.yaml").read_text("utf-8")
)
QUESTIONS = [
    (conversation, question)
    for conversation in CONVERSATIONS
    for question in conversation["questions"]
]


def answer_to(conversation: dict[str, Any], question: dict[str, Any]) -> str:
    """The reply to the question after the turns that the question says are sent."""
    messages = [Message("system", "You are a helpful assistant.")]
    for user, assistant in conversation["turns"][question.get("sent_from", 0) :]:
        messages.append(Message("user", user))
        messages.append(Message("assistant", assistant))
    messages.append(Message("user", question["ask"]))
    return OfflineModel().complete(messages).text


def verdict_on(answer: str, question: dict[str, Any]) -> str:
    """Return "right", "wrong" or "does not know", which is right where nothing that is sent says it."""
    is_answerable = question["kind"] in ("sent", "corrected")
    if not is_answerable:
        return "right" if admits_ignorance(answer) else "wrong"
    said = answer.casefold()
    if any(value.casefold() in said for value in question["accepted"]):
        return "right"
    return "does not know" if admits_ignorance(answer) else "wrong"


@cache
def verdicts() -> dict[str, str]:
    """The verdict on the answer to each question: "Trip to Rome: When do I fly?"."""
    return {
        f"{conversation['name']}: {question['ask']}": verdict_on(
            answer_to(conversation, question), question
        )
        for conversation, question in QUESTIONS
    }


def test_no_answer_is_worse_than_it_was() -> None:
    expected = [question.get("now", "right") for _conversation, question in QUESTIONS]
    assert verdicts() == dict(zip(verdicts(), expected, strict=True))


def test_most_questions_are_answered_and_few_answers_are_wrong() -> None:
    counts = Counter(verdicts().values())
    assert counts["right"] >= 48
    assert counts["wrong"] <= 3
