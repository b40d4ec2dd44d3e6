"""Triples that begin and end, on conversations small enough to count by hand, and against a slow reference."""

from __future__ import annotations

from itertools import cycle
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

import memviz
from memviz import Message, ScriptedModel
from memviz.core.pieces import Line
from memviz.models.offline.structured_summary import split_triple
from memviz.strategies.fact_graph import FactGraph
from tests.strategies.conversations import conversations
from tests.strategies.looked_up import FILLER, slow_scores, turns
from tests.tables import for_each

NOTHING = "<facts></facts>"


def replay(
    messages: list[Message], answers: list[str], **parameters: Any
) -> memviz.Run:
    return memviz.replay(
        messages,
        memviz.strategy("fact_graph", **parameters),
        model=ScriptedModel([*answers, *[NOTHING] * 99]),
        counter="chars4",
    )


def told_at_last(run: memviz.Run) -> list[str]:
    """The facts of the last request."""
    for piece in run.requests[-1].parts.pieces:
        if isinstance(piece, Line):
            return piece.message.content.split("\n")[1:]
    return []


WORK = [
    "<fact>Ana | works at | Fiat</fact><fact>Fiat | sits in | Turin</fact><fact>Bea | is | a dog</fact>",
    '<fact replaces="1">Ana | works at | Pirelli</fact><fact>Pirelli|sits in|Milan</fact>',
]
ASKED = turns("Ana is at Fiat.", "Now at Pirelli.", *FILLER, "Which job has Ana?")


def test_what_is_linked_comes_along_and_what_ended_stays_away() -> None:
    run = replay(ASKED, WORK, newest_messages=2)
    assert [one.content for one in run.requests[-1].context.messages] == [
        "What is known from earlier:\n- Ana works at Pirelli (since turn 2)\n- Pirelli sits in Milan (since turn 2)",
        "Noted.",
        "Which job has Ana?",
    ]
    assert told_at_last(replay(ASKED, WORK, neighbours=0)) == [
        "- Ana works at Pirelli (since turn 2)"
    ]


def test_what_ended_can_be_told_with_its_end() -> None:
    run = replay(ASKED, WORK, ended_facts="dated", top_k=9, neighbours=0)
    assert told_at_last(run) == [
        "- Ana works at Pirelli (since turn 2)",
        "- Ana works at Fiat (from turn 1 until turn 2)",
    ]


def test_whoever_extracts_sees_the_known_triples_by_their_numbers() -> None:
    run = replay(turns("Ana is at Fiat.", "Ana moved.", "Bea barks."), WORK)
    first, second = (one.prompt for one in run.compactions[:2])
    assert "<existing_facts>\n\n</existing_facts>" in first
    assert '<fact number="1">Ana | works at | Fiat</fact>\n</existing' in second
    assert "has ended" in second
    assert "has ended" not in first


def test_a_fact_that_was_listed_twice_takes_one_place() -> None:
    again = "<fact>Ana | works at | Fiat</fact>"
    answers = [again, again, "<fact>Ana | has | a horse</fact>", again]
    said = ("At Fiat.", "Still.", "A horse.", "Still.", *FILLER, "Ana?")
    run = replay(turns(*said), answers, top_k=2, neighbours=0)
    assert len(told_at_last(run)) == 2


def test_a_fact_that_was_listed_twice_and_ended_once_is_told_no_more() -> None:
    again = "<fact>Ana | works at | Fiat</fact>"
    ends = '<fact replaces="1">ana | works at | Pirelli</fact>'
    said = ("At Fiat.", "Still.", "At Pirelli.", *FILLER, "Where does Ana work?")
    for number in (1, 2):
        answers = [again, again.replace("Ana", "ana"), ends.replace("1", str(number))]
        told = told_at_last(replay(turns(*said), answers))
        assert told == ["- ana works at Pirelli (since turn 3)"]
    back = told_at_last(replay(turns("Back.", *said), [again, ends, again]))
    assert "- Ana works at Fiat (since turn 3)" in back
    assert len(back) == 2


def test_an_answer_that_is_no_triple_has_no_neighbours() -> None:
    answers = ["<fact>Ana rides</fact><fact>Ana | has | a horse</fact>"]
    run = replay(turns("Hm.", *FILLER, "How does she ride?"), answers)
    assert told_at_last(run) == ["- Ana rides (since turn 1)"]


@for_each(
    ("clause", "triple"),
    [
        ("Finn's passport expires on 9 July 2027.", "Finn's passport | expires on | 9 July 2027"),
        ("I live in Turin.", "I | live in | Turin"),
        ("蒋伯的电话是12345。", "蒋伯的电话 | 是 | 12345"),
        ("Flights: 500 to 700 euros.", "Flights: 500 to 700 euros."),
        ("If you drop it, the train is late.", "If you drop it, the train is late."),
    ],
)  # fmt: skip
def test_the_built_in_model_parts_a_clause_at_its_verb(
    clause: str, triple: str
) -> None:
    assert split_triple(clause) == triple


def test_the_built_in_model_lists_triples_and_says_what_ended() -> None:
    talk = turns(
        "The office rent is 900 euros.", "The office rent is now 950 euros.", *FILLER
    )
    strategy = memviz.strategy("fact_graph")
    run = memviz.replay(talk, strategy, model=memviz.model("offline"))
    assert [one.text for one in run.summaries[:2]] == [
        "<fact>The office rent | is | 900 euros</fact>",
        '<fact replaces="1">The office rent | is | now 950 euros</fact>',
    ]


NAMES = ["Ana", "Turin", "budget 40", "护照", "red dog"]
told_facts = st.lists(
    st.tuples(st.sampled_from(NAMES), st.sampled_from(NAMES), st.integers(0, 8)),
    max_size=3,
)


def as_answer(drawn: list[tuple[str, str, int]]) -> str:
    """Triples; of a number above 6 a fact that is none."""
    written = ""
    for one, other, number in drawn:
        text = f"{one} | has | {other}" if number < 7 else f"{one} {other}"
        replaced = f' replaces="{number}"' if 0 < number < 7 else ""
        written += f"<fact{replaced}>{text}</fact>"
    return written or NOTHING


@given(
    messages=conversations(),
    answers=st.lists(told_facts, min_size=1, max_size=5),
    question=st.sampled_from(NAMES),
    top=st.integers(1, 3),
    neighbours=st.integers(0, 2),
    ended=st.sampled_from(["unsent", "dated"]),
)
def test_tells_what_the_slow_reference_tells(
    messages: list[Message],
    answers: list[list[tuple[str, str, int]]],
    question: str,
    top: int,
    neighbours: int,
    ended: str,
) -> None:
    talk = [*messages, Message("user", question)]
    parameters = {"top_k": top, "neighbours": neighbours, "ended_facts": ended}
    strategy = memviz.strategy("fact_graph", **parameters)
    assert isinstance(strategy, FactGraph)
    said = (as_answer(one) for one in cycle(answers))
    run = memviz.replay(talk, strategy, model=ScriptedModel(said), counter="chars4")
    record = run.pending
    assert record is not None
    written = run.summaries[: record.memory.summary_count]
    known = [one for version in written for one in slow_facts(version)]
    query = "\n".join(
        m.content for m in talk[record.memory.before_open_turn :] if m.role == "user"
    )
    texts = [Message("user", text) for text, _, _ in known]
    scores = slow_scores(texts, query, 0, len(known))
    until = {}
    for at, (_, replaced, turn) in enumerate(known):
        if 0 < replaced <= at:  # none that is listed later can be meant
            until[replaced - 1] = turn
            for other in range(at):
                if known[other][0] == known[replaced - 1][0]:
                    until.setdefault(other, turn)
    hits = sorted(scores, key=lambda at: (round(scores[at], 9), at), reverse=True)
    hits = [at for at in hits if ended == "dated" or at not in until]
    first_of_text = {}
    for at in hits:
        first_of_text.setdefault(known[at][0], at)
    hits = [*first_of_text.values()][:top]
    expected: list[str] = []
    told = set()
    for at in hits:
        linked = [
            other
            for other in reversed(range(len(known)))
            if other != at and joined(known[at][0], known[other][0])
        ]
        linked = [other for other in linked if ended == "dated" or other not in until]
        for number in (at, *linked[:neighbours]):
            text, _, since = known[number]
            if text in told:
                continue
            told.add(text)
            end = f"(since turn {since})"
            if number in until:
                end = f"(from turn {since} until turn {until[number]})"
            expected.append(f"- {text.replace(' |', '')} {end}")
    pieces = strategy.select(record.memory)
    lines = [piece.message.content for piece in pieces if isinstance(piece, Line)]
    assert lines == (
        ["\n".join([strategy.summary_heading, *expected])] if expected else []
    )


def joined(one: str, other: str) -> bool:
    """Whether two triples have a subject or a value in common."""
    mine, yours = one.split(" | "), other.split(" | ")
    if len(mine) < 3 or len(yours) < 3:
        return False
    return bool({mine[0], mine[2]} & {yours[0], yours[2]})


def slow_facts(version: memviz.SummaryVersion) -> list[tuple[str, int, int]]:
    """The facts of a version with the numbers that they replace, 0 for none, and its turn."""
    found = []
    for line in version.text.split("\n"):
        opening, _, rest = line.partition(">")
        if rest:
            number = opening.removeprefix("<fact").strip().removeprefix("replaces=")
            text = rest.removesuffix("</fact>")
            found.append((text, int(number.strip('"') or 0), version.turn))
    return found
