"""The offline model where facts are asked for one by one."""

from __future__ import annotations

import re

from memviz import Message
from memviz.models.offline import OfflineModel

FORM = "Answer in this form:\n<facts>\n  <fact>a fact</fact>\n</facts>"
SAID = (
    "user: Hello! Our budget is 3,000 euros. Finn's passport expires on 9 July 2027.\n"
    "assistant: The booking code is QX7R4M. Anything else?"
)


def asked(instruction: str, known: str = "", said: str = SAID) -> str:
    prompt = "\n\n".join(
        [instruction, f"<existing_facts>\n{known}\n</existing_facts>", FORM, said]
    )
    return OfflineModel().summarize([Message("user", prompt)]).text


def test_each_informative_sentence_is_a_fact() -> None:
    answer = asked("Extract facts from the conversation below.")
    facts = re.findall(r"<fact>(.*?)</fact>", answer)
    assert facts == [
        "Our budget is 3,000 euros.",
        "Finn's passport expires on 9 July 2027.",
        "The booking code is QX7R4M.",
    ]
    assert answer.startswith("<facts>\n")
    assert answer.endswith("</facts>")


def test_no_facts_where_nothing_was_said() -> None:
    assert asked("Extract facts.", said="user: \nassistant: ") == "<facts></facts>"


def test_known_facts_are_condensed_to_fewer() -> None:
    known = "\n".join(
        f"<fact>Room {n} costs {n}0 euros.</fact>" for n in ("41", "52", "63")
    )
    answer = asked("Condense the known facts to fewer than 3.", known)
    facts = re.findall(r"<fact>(.*?)</fact>", answer)
    assert 0 < len(facts) < 3
    assert all(f"<fact>{fact}</fact>" in known for fact in facts), (
        "of the known facts, none of the conversation"
    )


def test_a_fact_is_quoted_without_its_tags() -> None:
    memory = (
        "<memory>\n<ExtractedFacts>\n<fact>The booking code is "
        "QX7R4M. Always.</fact>\n</ExtractedFacts>\n</memory>"
    )
    reply = OfflineModel().complete(
        [Message("system", memory), Message("user", "What is the booking code?")]
    )
    assert "QX7R4M" in reply.text
    assert "<" not in reply.text
