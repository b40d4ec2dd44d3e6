"""The fate map's numbers, by hand and against the run's own fates, message by message."""

from __future__ import annotations

import gc
from collections import Counter
from itertools import pairwise
from weakref import ref

import pytest
from hypothesis import given
from hypothesis import strategies as st

import memviz
from memviz import Message, Recall, Run
from memviz.core.context import Fate
from memviz.metrics.memory_map.fate_map import (
    FateShares,
    Span,
    build_fate_map,
    list_summary_versions,
)
from memviz.metrics.memory_map.stretches import STEPS, Step, encode_fate
from tests.engine.probes import REPRESENTATIVES, Digest, small, talk
from tests.metrics.memory_map.codes import codes_of, drawn
from tests.metrics.odd_strategies import Odd, odd_strategies
from tests.strategies.conversations import conversations, outcomes, summarizer
from tests.tool_loops import loops


def talked(
    id: str, turns: int, recalls: dict[int, Recall] | None = None, **parameters: int
) -> Run:
    strategy = memviz.strategy(id, **parameters) if parameters else small(id)
    return memviz.replay(
        talk(turns), strategy, model=Digest(), counter="chars4", recalls=recalls
    )


def at(first: int, last: int, fate: Fate, generation: int) -> Span:
    """A span of a run with one request a turn."""
    return Span(first, last, fate, generation, 1, 1, first, last)


def test_every_fate_and_every_generation_has_its_code() -> None:
    assert STEPS[0] == Step(Fate.NOT_YET)
    assert [
        encode_fate(fate)
        for fate in (Fate.NOT_YET, Fate.DROPPED, Fate.RECALLED, Fate.VERBATIM)
    ] == [0, 1, 6, 7]
    assert [
        encode_fate(Fate.SUMMARIZED, times) for times in (1, 2, 3, 4, 7, 8, 400)
    ] == [
        2,
        3,
        3,
        4,
        4,
        5,
        5,
    ]


def test_a_window_by_hand() -> None:
    fates = build_fate_map(
        talked("window", 3, {3: Recall(messages=[0])}, window_size=2)
    )
    assert fates.turns.tolist() == [1, 2, 3]
    assert drawn(fates).tolist() == [
        [7, 0, 0, 0, 0, 0],
        [1, 7, 7, 0, 0, 0],
        [6, 1, 1, 7, 7, 0],
    ]
    assert fates.present == (1, 6, 7)
    assert fates.counts[:, Fate.DROPPED].tolist() == [0, 1, 2]
    assert fates.shares(-1) == FateShares(
        5, verbatim=2, recalled=1, summarized=0, dropped=2, mean_generation=0.0
    )


def test_a_cleared_result_that_is_recalled_by_hand() -> None:
    """Message 4 is a result. The map says *recalled*, as the run and the tokens do."""
    strategy = memviz.strategy("clear_tool_results", trigger_tokens=100, keep_results=1)
    run = memviz.replay(
        loops(3, 2), strategy, counter=len, recalls={3: Recall(messages=[4])}
    )
    fates = build_fate_map(run)
    assert [span.fate for span in fates.life(4)] == [
        Fate.VERBATIM,
        Fate.CLEARED,
        Fate.RECALLED,
    ]
    assert drawn(fates)[-1].tolist() == codes_of(run)[-1].tolist()
    assert fates.shares(-1).recalled == 1
    assert run.requests[-1].tokens["recalled"] == len(run.log[4].content)


def test_a_running_summary_by_hand() -> None:
    """With a buffer of one, the third message not yet summarized leaves only itself: 3, 5 and 7 do so."""
    run = talked("summary", 4)
    fates = build_fate_map(run)
    assert run.generations()[-1].tolist() == [3, 3, 2, 2, 1, 1, 0, 0]
    assert drawn(fates)[-1].tolist() == [3, 3, 3, 3, 2, 2, 7, 0]
    assert fates.shares(3) == FateShares(
        7, verbatim=1, recalled=0, summarized=6, dropped=0, mean_generation=2.0
    )
    assert list_summary_versions(run, 3).tolist() == [3, 3, 3, 3, 3, 3, 0, 0]
    assert list_summary_versions(run, 0).tolist() == [0] * 8
    assert fates.life(1) == (
        at(2, 2, Fate.SUMMARIZED, 1),
        at(3, 3, Fate.SUMMARIZED, 2),
        at(4, 4, Fate.SUMMARIZED, 3),
    )
    assert fates.life(0)[0] == at(1, 1, Fate.VERBATIM, 0)
    assert fates.life(7) == (), "no request came after it"


def test_each_entry_of_a_list_of_summaries_holds_its_own_messages() -> None:
    run = talked("summary_only", 3)
    assert list_summary_versions(run, 2).tolist() == [1, 1, 2, 2, 0, 0]
    assert build_fate_map(run).life(0)[-1] == at(2, 3, Fate.SUMMARIZED, 1)


def test_a_life_with_a_recall_in_it() -> None:
    run = talked("window", 5, {4: Recall(messages=[0])}, window_size=3)
    assert build_fate_map(run).life(0) == (
        at(1, 2, Fate.VERBATIM, 0),
        at(3, 3, Fate.DROPPED, 0),
        at(4, 4, Fate.RECALLED, 0),
        at(5, 5, Fate.DROPPED, 0),
    )


@pytest.mark.slow
def test_a_run_is_mapped_once_and_forgotten_with_its_map() -> None:
    run = talked("window", 3)
    first = build_fate_map(run)
    assert build_fate_map(run) is first
    other = memviz.replay(talk(4), small("window"), counter="chars4")
    assert build_fate_map(other) is not first
    address = ref(run)
    del run
    gc.collect()
    assert address() is None, "the map does not keep its run alive"


def test_a_chat_that_went_on_is_mapped_anew() -> None:
    chat = memviz.Chat(small("window"), model=Digest(), counter="chars4")
    chat.send("One.")
    run = chat.run
    assert drawn(build_fate_map(run)).shape == (1, 2)
    chat.send("Two.")
    assert drawn(build_fate_map(run)).shape == (1, 4)
    assert drawn(build_fate_map(chat.run)).shape == (2, 4)


def test_a_chat_that_has_not_begun() -> None:
    fates = build_fate_map(
        memviz.Chat(memviz.strategy("summary"), counter="chars4").run
    )
    assert drawn(fates).shape == fates.counts.shape[:1] * 2 == (0, 0)
    assert fates.present == ()


@pytest.mark.parametrize("id", REPRESENTATIVES)
@given(messages=conversations(), plan=outcomes, data=st.data())
def test_agrees_with_the_runs_own_fates(
    id: str, messages: list[Message], plan: list[str], data: st.DataObject
) -> None:
    picked = data.draw(
        st.lists(st.integers(0, len(messages) - 1), min_size=1, max_size=4)
    )
    recalls = {turn: Recall(messages=picked) for turn in (2, 4)}
    run = memviz.replay(
        messages, small(id), model=summarizer(plan), counter="chars4", recalls=recalls
    )
    fates, own, generations = build_fate_map(run), run.fates(), run.generations()
    codes = drawn(fates)
    assert codes.tolist() == codes_of(run).tolist()
    for request, record in enumerate(run.requests):
        counted = Counter(Fate(fate) for fate in own[request].tolist())
        assert [fates.counts[request, fate] for fate in Fate] == [
            counted[fate] for fate in Fate
        ]
        versions = list_summary_versions(run, request)
        for position, fate in enumerate(own[request].tolist()):
            step = STEPS[codes[request, position]]
            assert step.fate == fate
            assert step.generation <= generations[
                request, position
            ] <= 2 * step.generation or step.generation in (0, 8)
            if fate == Fate.SUMMARIZED:
                version = run.summaries[versions[position] - 1]
                assert position in version.covers
                assert versions[position] - 1 in record.parts.summaries
    for position in range(len(messages)):
        life = fates.life(position)
        told = {
            fates.number_at(place): (span.fate, span.generation)
            for span in life
            for place in range(span.first_place, span.last_place + 1)
        }
        real = {
            request: (own[request, position], generations[request, position])
            for request in range(len(run.requests))
            if own[request, position] != Fate.NOT_YET
        }
        assert {request: told[request] for request in real} == real
        assert all(one[2:4] != other[2:4] for one, other in pairwise(life)), (
            "spans are not cut in two"
        )
        for span in life:
            ends = [
                run.requests[fates.number_at(place)]
                for place in (span.first_place, span.last_place)
            ]
            assert [(one.turn, one.call) for one in ends] == [
                (span.first_turn, span.first_call),
                (span.last_turn, span.last_call),
            ]


@given(strategy=odd_strategies, messages=conversations(), plan=outcomes)
def test_forms_and_notes_in_any_place_are_mapped_as_the_run_says(
    strategy: Odd, messages: list[Message], plan: list[str]
) -> None:
    run = memviz.replay(messages, strategy, model=summarizer(plan), counter="chars4")
    fates, rows, generations = build_fate_map(run), run.fates(), run.generations()
    assert drawn(fates).tolist() == codes_of(run).tolist()
    for request, row in enumerate(rows):
        shares = fates.shares(request)
        assert (shares.cleared, shares.shortened) == (
            int((row == Fate.CLEARED).sum()),
            int((row == Fate.SHORTENED).sum()),
        )
        assert shares.messages == sum(shares[1:5]) + shares.cleared + shares.shortened
        summarized = generations[request][row == Fate.SUMMARIZED]
        assert shares.mean_generation == pytest.approx(
            summarized.mean() if len(summarized) else 0
        )
        told = list_summary_versions(run, request)
        assert (told[row == Fate.SUMMARIZED] > 0).all()
    for position in range(len(run.log)):
        lived = [
            (span.first_place, span.last_place, span.fate, span.generation)
            for span in fates.life(position)
        ]
        for first, last, fate, generation in lived:
            for place in range(first, last + 1):
                number = fates.number_at(place)
                assert (rows[number, position], generations[number, position]) == (
                    fate,
                    generation,
                )
