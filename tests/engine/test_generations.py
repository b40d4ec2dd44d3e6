"""Generations from the chain of summaries, against doing to a row of numbers what each summary does to them."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from memviz.core.counters import counter
from memviz.core.facts import FACTS
from memviz.core.summaries import SUMMARY, SummaryVersion
from memviz.engine.generations import Generations

LENGTH = 12
STEPS = (1, 2, 4, 8)


@st.composite
def versions(draw: st.DrawFn) -> list[SummaryVersion]:
    """Summaries, or lists of facts, of which each may take in any one before it, and add any messages or the same once
    more: also chains that no run makes."""
    found: list[SummaryVersion] = []
    is_orderly = draw(st.booleans())
    track = draw(st.sampled_from([SUMMARY, FACTS]))
    for number in range(1, draw(st.integers(1, 14)) + 1):
        replaces = draw(st.none() | st.integers(1, number - 1)) if number > 1 else None
        start = draw(st.integers(0, LENGTH - 1))
        if is_orderly and number > 1:
            replaces = number - 1
            start = found[-1].added.stop
        added = range(start, min(LENGTH, start + draw(st.integers(1, 4))))
        if track == FACTS and replaces and draw(st.booleans()):
            added = found[replaces - 1].added
        made = SummaryVersion(
            number, number, "", added, added, counter("chars4"), replaces, track=track
        )
        found.append(made)
    return found


def by_hand(written: list[SummaryVersion]) -> list[list[int]]:
    rows: list[list[int]] = []
    for version in written:
        before = rows[version.replaces - 1] if version.replaces else [0] * LENGTH
        rows.append(
            [_passed(at, passed, version, written) for at, passed in enumerate(before)]
        )
    return rows


def _passed(
    at: int, before: int, version: SummaryVersion, written: list[SummaryVersion]
) -> int:
    replaced = written[version.replaces - 1] if version.replaces else None
    if (
        version.track == FACTS
        and replaced is not None
        and version.added == replaced.added
    ):
        return before + (before > 0)  # condensed: nothing is new in it
    if at in version.added:
        return 1
    return before if version.track == FACTS else before + (before > 0)


@given(versions())
def test_every_version_and_every_message_agrees_with_doing_it_by_hand(
    written: list[SummaryVersion],
) -> None:
    found, rows = Generations(written), by_hand(written)
    assert [found.row(number, LENGTH).tolist() for number in range(len(rows))] == rows
    assert [found.of(position) for position in range(LENGTH)] == [
        list(column) for column in zip(*rows, strict=True)
    ]


@given(versions(), st.integers(0, LENGTH), st.integers(0, LENGTH), st.data())
def test_rows_of_a_part_of_the_log(
    written: list[SummaryVersion], first: int, stop: int, data: st.DataObject
) -> None:
    wanted = data.draw(st.sets(st.integers(0, len(written) - 1)))
    rows = {
        number: row.tolist()
        for number, row in Generations(written).rows(
            wanted, range(first, max(first, stop))
        )
    }
    assert rows == {
        number: by_hand(written)[number][first:stop] for number in sorted(wanted)
    }


@given(versions())
def test_stretches_say_the_step_that_each_message_has_reached(
    written: list[SummaryVersion],
) -> None:
    found = Generations(written)
    for number, row in enumerate(by_hand(written)):
        stretches = found.stretches(number, STEPS)
        if stretches is not None:
            told = {
                position: step
                for start, stop, step in stretches
                for position in range(start, stop)
            }
            reached = {
                at: max(step for step in STEPS if step <= passed)
                for at, passed in enumerate(row)
                if passed
            }
            assert told == reached
