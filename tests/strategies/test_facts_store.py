"""Which facts a question brings, on conversations small enough to count by hand, and against a slow reference."""

from __future__ import annotations

from itertools import cycle
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import memviz
from memviz import Fate, Message, ScriptedModel
from memviz.core.pieces import Line
from memviz.core.text.words import count_content_words
from memviz.strategies.facts_store import FactsStore
from tests.strategies.conversations import conversations
from tests.strategies.looked_up import FILLER, slow_scores, turns

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
)
def test_tells_what_the_slow_reference_tells(
    messages: list[Message],
    answers: list[list[tuple[str, str, int]]],
    question: str,
    top: int,
    rule: str,
) -> None:
    talk = [*messages, Message("user", question)]
    strategy = memviz.strategy("facts_store", top_k=top, rule=rule)
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
    scores = slow_scores(
        [Message("user", text) for text, _ in known], query, 0, len(known)
    )
    gone = {replaced - 1 for _, replaced in known} if rule == "supersede" else set()
    # One that says it replaces a later fact replaces nothing.
    gone = {
        at
        for at in gone
        if any(r - 1 == at and n > at for n, (_, r) in enumerate(known))
    }
    expected: list[tuple[str, float]] = []
    for at in sorted(scores, key=lambda at: (round(scores[at], 9), at), reverse=True):
        text = known[at][0]
        if at not in gone and text not in [told for told, _ in expected]:
            expected.append((text, scores[at]))
    index = record.memory.space.summaries.fact_index()
    picks = [*strategy.picks(record.memory)]
    assert [pick.score for pick in picks] == pytest.approx(
        [score for _, score in expected[:top]]
    )
    if count_content_words(query):
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
