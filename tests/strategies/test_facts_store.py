"""Which facts a question brings, on conversations small enough to count by hand, and against a slow reference."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import wraps
from itertools import cycle
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import memviz
from memviz import Fate, Message, ScriptedModel
from memviz.core import small_embedding
from memviz.core.model_errors import MissingVectorsError
from memviz.core.pieces import Line
from memviz.core.text.words import count_content_words
from memviz.core.vectors import vectors_from
from memviz.strategies.facts_store import FactsStore
from tests.strategies.conversations import conversations
from tests.strategies.looked_up import (
    FILLER,
    embed_by_letters,
    slow_nearness,
    slow_scores,
    turns,
)
from tests.tables import for_each


@pytest.fixture
def by_letters(monkeypatch: pytest.MonkeyPatch) -> None:
    """A stand-in for the small embedding."""
    monkeypatch.setattr(small_embedding, "embed", embed_by_letters)


def embedded_by_letters(judge: Callable[..., None]) -> Callable[..., None]:
    """The test with that stand-in, called by pytest or by the command that makes the table of conformance."""

    @wraps(judge)
    def judged(*args: Any, **values: Any) -> None:
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(small_embedding, "embed", embed_by_letters)
            judge(*args, **values)

    return judged


NOTHING = "<facts></facts>"


def replay(
    messages: list[Message], answers: list[str], **parameters: Any
) -> memviz.Run:
    return memviz.replay(
        messages,
        memviz.strategy("facts_store", **parameters),
        model=ScriptedModel([*answers, *[NOTHING] * 99]),
        counter="chars4",
    )


def facts(*told: str) -> str:
    return "".join(f"<fact>{text}</fact>" for text in told)


def told_at_last(run: memviz.Run) -> list[str]:
    """The facts of the last request."""
    for piece in run.requests[-1].parts.pieces:
        if isinstance(piece, Line):
            return piece.message.content.split("\n")[1:]
    return []


MOVED = [
    facts("The office is in Turin.", "The dog is called Bea."),
    '<fact replaces="1">The office is in Milan.</fact>',
]
ASKED = turns("We are in Turin.", "Now in Milan.", *FILLER, "Where is the office?")


def test_facts_that_hold_the_words_of_the_question_stand_before_the_newest() -> None:
    run = replay(ASKED, MOVED, newest_messages=2)
    sent = [message.content for message in run.requests[-1].context.messages]
    assert sent == [
        "What is known from earlier:\n- The office is in Milan.\n- The office is in Turin.",
        "Noted.",
        "Where is the office?",
    ]
    fates = run.fates()[-1].tolist()
    assert fates[:4] == [Fate.SUMMARIZED] * 4
    assert set(fates[4:-3]) == {Fate.DROPPED}
    tokens = run.requests[-1].tokens
    assert tokens["summary"] == run.counter(sent[0])


@for_each("number", [0, 9])
def test_a_fact_that_replaces_what_is_none_replaces_nothing(number: int) -> None:
    told = f'<fact replaces="{number}">The office is in Milan.</fact>'
    run = replay(ASKED, [MOVED[0], told], newest_messages=2, rule="supersede")
    assert told_at_last(run) == [
        "- The office is in Milan.",
        "- The office is in Turin.",
    ]


def test_a_fact_that_was_replaced_is_not_sent_where_newer_ones_supersede() -> None:
    run = replay(ASKED, MOVED, newest_messages=2, rule="supersede")
    assert told_at_last(run) == ["- The office is in Milan."]


def test_the_budget_stops_at_the_first_fact_that_does_not_fit() -> None:
    assert (
        len(told_at_last(replay(ASKED, MOVED, fact_tokens=12, newest_messages=2))) == 2
    )
    assert (
        len(told_at_last(replay(ASKED, MOVED, fact_tokens=11, newest_messages=2))) == 1
    )


def test_by_an_embedding_a_fact_in_other_words_is_found_also_for_who_extracts(
    by_letters: None,
) -> None:
    told = [facts("zzzz qqqq"), facts("of other letters")]
    talk = turns("zq", "qz", *FILLER, "qqzz?")
    assert told_at_last(replay(talk, told, newest_messages=2)) == []
    found = replay(talk, told, newest_messages=2, embedding_percent=100, top_k=1)
    assert told_at_last(found) == ["- zzzz qqqq"]
    assert '<fact number="1">zzzz qqqq</fact>' in found.compactions[1].prompt


def test_an_embedding_model_is_asked_for_what_is_new_alone() -> None:
    asked: list[str] = []

    def source(model: str, texts: Sequence[str]) -> list[np.ndarray]:
        assert model == "openai/some"
        asked.extend(texts)
        return [embed_by_letters(text) for text in texts]

    told = [facts("zzzz qqqq"), facts("of other letters")]
    talk = turns("zq", "qz", *FILLER, "qqzz?")
    told += [NOTHING] * len(FILLER) + [facts("noted after the last request")]
    parameters = {"newest_messages": 2, "embedding_percent": 100, "top_k": 1}
    with vectors_from(source):
        run = replay(talk, told, **parameters, embedding_model="openai/some")
        assert [*run.strategy.picks(run.requests[-1].memory)]
    assert "noted after the last request" in run.summaries[-1].text
    assert "noted after the last request" not in asked
    assert told_at_last(run) == ["- zzzz qqqq"]
    assert asked.count("zzzz qqqq") == asked.count("of other letters") == 1
    with pytest.raises(MissingVectorsError):
        replay(talk, told, **parameters, embedding_model="openai/some")


def test_the_same_fact_is_sent_once() -> None:
    run = replay(ASKED, [facts("The office is red."), facts("The office is red.")])
    assert told_at_last(run) == ["- The office is red."]


def test_whoever_extracts_sees_the_nearest_known_facts_by_their_numbers() -> None:
    run = replay(turns("We are in Turin.", "The office moved."), MOVED)
    first, second = (one.prompt for one in run.compactions)
    assert "<existing_facts>\n\n</existing_facts>" in first
    assert '<fact number="1">The office is in Turin.</fact>\n</existing' in second
    assert "Bea" not in second


def test_a_turn_without_its_facts_is_sent_word_for_word() -> None:
    failing = ScriptedModel([memviz.ModelError("no")] * 99)
    strategy = memviz.strategy("facts_store", newest_messages=1)
    run = memviz.replay(turns("One.", *FILLER), strategy, model=failing)
    assert run.requests[-1].context.messages[0].content == "One."


def test_facts_are_told_for_the_question_while_its_tools_are_called() -> None:
    call = {"id": "a", "function": {"name": "look_up", "arguments": "{}"}}
    talk = [
        *ASKED[:-1],
        Message("assistant", "", tool_calls=(call,)),
        Message("tool", "Nothing.", tool_call_id="a"),
        Message("assistant", "In Milan."),
    ]
    run = replay(talk, MOVED, newest_messages=1)
    assert len(told_at_last(run)) == 2
    assert not any(record.flags for record in run.requests)


def test_an_edited_list_takes_the_place_of_the_one_before() -> None:
    chat = memviz.Chat(
        memviz.strategy("facts_store", newest_messages=1),
        model=ScriptedModel(["Fine."] * 9),
        summarizer=ScriptedModel([facts("The key is red.")] + [NOTHING] * 9),
    )
    chat.send("My key is red.")
    chat.edit_summary(1, "<fact>The key is blue.</fact>")
    sent = chat.send("Which colour has the key?").context.messages[0].content
    assert sent.endswith(":\n- The key is blue.")


WORDS = ["office", "Turin", "dog", "budget 40", "budget 50", "护照", "车站", "red"]
told_facts = st.lists(
    st.tuples(st.sampled_from(WORDS), st.sampled_from(WORDS), st.integers(0, 6)),
    max_size=3,
)


def as_answer(drawn: list[tuple[str, str, int]]) -> str:
    written = [
        f'<fact replaces="{number}">{one} {other}</fact>'
        if number
        else f"<fact>{one} {other}</fact>"
        for one, other, number in drawn
    ]
    return "".join(written) or NOTHING


@given(
    messages=conversations(),
    answers=st.lists(told_facts, min_size=1, max_size=5),
    question=st.sampled_from(WORDS),
    top=st.integers(1, 3),
    rule=st.sampled_from(["add", "supersede"]),
    percent=st.sampled_from([0, 30, 100]),
)
@embedded_by_letters
def test_tells_what_the_slow_reference_tells(
    messages: list[Message],
    answers: list[list[tuple[str, str, int]]],
    question: str,
    top: int,
    rule: str,
    percent: int,
) -> None:
    talk = [*messages, Message("user", question)]
    strategy = memviz.strategy(
        "facts_store", top_k=top, rule=rule, embedding_percent=percent
    )
    assert isinstance(strategy, FactsStore)
    said = (as_answer(one) for one in cycle(answers))
    run = memviz.replay(talk, strategy, model=ScriptedModel(said), counter="chars4")
    record = run.pending
    assert record is not None
    known = [
        (one, replaced)
        for version in run.summaries[: record.memory.summary_count]
        for one, replaced in slow_facts(version.text)
    ]
    query = "\n".join(
        m.content for m in talk[record.memory.before_open_turn :] if m.role == "user"
    )
    listed = [Message("user", text) for text, _ in known]
    words = slow_scores(listed, query, 0, len(known))
    near = slow_nearness(listed, query, 0, len(known)) if percent else {}
    scores = words
    if percent:
        scores = {
            at: (1 - percent / 100) * words.get(at, 0) / max(words.values(), default=1)
            + percent / 100 * near.get(at, 0) / max(near.values(), default=1)
            for at in {*words, *near}
        }
        scores = {at: score for at, score in scores.items() if score}
    gone = {replaced - 1 for _, replaced in known} if rule == "supersede" else set()
    # One that says it replaces a later fact replaces nothing.
    gone = {
        at
        for at in gone
        if any(r - 1 == at and n > at for n, (_, r) in enumerate(known))
    }
    # Nor does what was listed before in the same words.
    for number, (_, replaced) in enumerate(known):
        if rule == "supersede" and 0 < replaced <= number:
            gone |= {n for n in range(number) if known[n][0] == known[replaced - 1][0]}
    expected: list[tuple[str, float]] = []
    for at in sorted(scores, key=lambda at: (round(scores[at], 9), at), reverse=True):
        text = known[at][0]
        if at not in gone and text not in [told for told, _ in expected]:
            expected.append((text, scores[at]))
    index = record.memory.space.summaries.fact_index()
    picks = [*strategy.picks(record.memory)]
    assert [pick.score for pick in picks] == pytest.approx(
        [score for _, score in expected[:top]], rel=1e-5
    )
    if count_content_words(query) and not percent:
        told = [index.facts[pick.number - 1].text for pick in picks]
        assert told == [text for text, _ in expected[:top]]


def slow_facts(text: str) -> list[tuple[str, int]]:
    """The facts of a version with the numbers that they replace, 0 for none."""
    found = []
    for line in text.split("\n"):
        opening, _, rest = line.partition(">")
        if rest:
            number = (
                opening.removeprefix("<fact")
                .strip()
                .removeprefix("replaces=")
                .strip('"')
            )
            found.append((rest.removesuffix("</fact>"), int(number or 0)))
    return found
