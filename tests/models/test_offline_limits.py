from __future__ import annotations

import json
import re
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import memviz.transcripts
from memviz.core.counters import counter
from memviz.core.messages import Message
from memviz.models.offline import OfflineModel
from tests.models.offline_facts import CHINESE, ENGLISH
from tests.tables import for_each

MODEL = OfflineModel()


def ask(*messages: Message) -> str:
    return MODEL.complete(list(messages)).text


def summary(messages: list[Message], budget_tokens: int = 160) -> str:
    text = OfflineModel(budget_tokens).summarize(messages).text
    assert counter("o200k_base")(text) <= budget_tokens
    return text


def request(talk: str) -> list[Message]:
    return [Message("user", "Summarize.\n\n" + talk)]


TEXTS = st.text(max_size=300) | st.lists(
    st.sampled_from(
        [fact.statement for fact in (*ENGLISH, *CHINESE)]
        + ["user: hi", "\n\n", "system: ", "```", "3.", "?", '"', "{"]
    )
).map(" ".join)


@given(
    st.lists(
        st.tuples(st.sampled_from(["system", "user", "assistant", "tool"]), TEXTS),
        max_size=6,
    ),
    st.integers(8, 60),
)
def test_any_messages_are_answered_and_summarized_within_the_budget(
    rows: list[tuple[str, str]], budget: int
) -> None:
    messages = [Message(role, content) for role, content in rows]
    assert ask(*messages).strip()
    first = summary(messages, budget)
    assert first.strip()
    assert first == summary(messages, budget)


BUNDLED = sorted((Path(memviz.transcripts.__file__).parent / "bundled").glob("*.json"))


def holds(text: str, answers: list[str]) -> bool:
    return any(
        re.search(rf"(?<![a-z0-9]){re.escape(one.lower())}(?![a-z0-9])", text.lower())
        for one in answers
    )


# Half of what is asked about the agent's work stands in logs and listings, and the
# built-in model quotes sentences alone.
RIGHT = {"agent": 0.35}


@for_each("path", BUNDLED)
def test_bundled_probes_are_answered_from_the_whole_and_not_from_what_lacks_the_answer(
    path: Path,
) -> None:
    sample = json.loads(path.read_text("utf-8"))
    messages = [Message.of(message) for message in sample["messages"]]
    right = unknown = 0
    for probe in sample["probes"]:
        question = Message("user", probe["question"])
        right += holds(ask(*messages, question), probe["answers"])
        without = [
            message
            for message in messages
            if not holds(message.content, probe["answers"])
        ]
        reply = ask(*without, question)
        assert not holds(reply, probe["answers"])
        unknown += "I do not know" in reply or "我不知道" in reply
    assert right >= RIGHT.get(path.stem, 0.75) * len(sample["probes"])
    assert unknown >= 0.5 * len(sample["probes"])


def best_seconds(action: Callable[[], object], repeats: int = 7) -> float:
    def once() -> float:
        start = time.process_time()
        action()
        return time.process_time() - start

    return min(once() for _ in range(repeats))


def long_text(words: int, seed: int) -> str:
    return " ".join(
        f"Guest number {seed * 1000 + n} of house {n} arrives early and pays in cash."
        for n in range(words // 12)
    )


def test_summarizing_twenty_long_messages_is_fast() -> None:
    twenty = request("\n".join(f"user: {long_text(200, seed)}" for seed in range(20)))
    assert (
        best_seconds(lambda: MODEL.summarize(twenty)) < 0.003 * 3
    )  # three times the target: machines differ


@pytest.mark.slow
def test_answering_from_a_thousand_messages_is_fast() -> None:
    context = [Message("user", long_text(60, seed)) for seed in range(1000)]
    messages = [*context, Message("user", "How much does guest number 77001 pay?")]
    assert best_seconds(lambda: MODEL.complete(messages), 3) < 0.15 * 3


@pytest.mark.parametrize(
    "text",
    [
        long_text(200_000, 1),
        "word " * 200_000,
        "a" * 1_000_000,
        "我女儿对榛子过敏" * 40_000,
        "? " * 200_000,
    ],
)
@pytest.mark.slow
def test_a_huge_message_does_not_hang(text: str) -> None:
    start = time.process_time()
    assert MODEL.complete(
        [Message("user", text), Message("user", text + " What is it?")]
    ).text
    summary(request("user: " + text))
    assert time.process_time() - start < 15
