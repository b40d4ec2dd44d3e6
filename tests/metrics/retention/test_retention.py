"""What is retained: by hand, and against a plain search of every request's texts."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import memviz
from memviz import Log, Message, ModelError, Recall, Run, ToolCall
from memviz.core.pieces import Notes
from memviz.core.summaries import SummaryLog, SummaryVersion, SummaryWording
from memviz.metrics.requests.request_table import (
    list_versions_in_block,
    mark_held_in_summaries,
)
from memviz.metrics.retention import probe_texts
from memviz.metrics.retention.knowledge import Freshness, Knowledge, Retention
from memviz.metrics.retention.probe_texts import ProbeTexts
from memviz.metrics.retention.retention import measure_ceiling, measure_floor, retention
from memviz.transcripts.base import Probe
from tests.engine.probes import REPRESENTATIVES, Digest, small
from tests.metrics.naive_retention import STATES, cell
from tests.metrics.random_probes import probed_odd_runs, probed_runs, probes_of, runs
from tests.metrics.retention.stated_facts import BUDGET, CODE, SAID, run_of
from tests.tables import for_each

BOTH = Probe("Both?", ("QX7R4M",), (0, 2), "multi-evidence")
NO, LOST, SYSTEM, SUMMARY, RECALLED, VERBATIM, CONTRADICTED, _ = Knowledge


def column(found: Retention, probe: int = 0) -> list[Knowledge]:
    return [Knowledge(state) for state in found.states[:, probe]]


def test_summaries_are_read_once_for_all_metrics_of_a_run_until_the_talk_goes_on() -> (
    None
):
    run = run_of("summary", buffer_size=1)
    log = run.log.prefix(len(run.log))
    texts = ProbeTexts(log, [CODE, BUDGET])
    held = texts.find_in_versions(run.space.summaries)
    assert texts.find_in_versions(run.space.summaries) is held
    log.append(Message("user", "That is all."))
    texts.extend()
    anew = texts.find_in_versions(run.space.summaries)
    assert anew is not held
    np.testing.assert_equal(anew.answers, held.answers)


def test_a_window_forgets_what_leaves_it() -> None:
    found = retention(run_of("window", window_size=3), [CODE, BUDGET])
    assert column(found) == [NO, VERBATIM, VERBATIM, LOST, LOST]
    assert column(found, 1) == [NO, NO, VERBATIM, VERBATIM, LOST]
    assert found.retained[:, 0].tolist() == [False, True, True, False, False]
    np.testing.assert_equal(found.share(found.retained), [np.nan, 1, 1, 0.5, 0])
    assert found.turns.tolist() == [1, 2, 3, 4, 5]


def test_a_summary_keeps_what_it_says() -> None:
    run = run_of("summary", "The code is qx7r4m.", "Nothing.", buffer_size=2)
    found = retention(run, [CODE, BUDGET])
    assert [c.after_message for c in run.compactions] == [4, 7]
    assert column(found) == [NO, VERBATIM, SUMMARY, SUMMARY, LOST]
    assert found.evidence[:, 0].tolist() == [False, True, False, False, False]
    assert found.contained[:, 0].tolist() == [False, True, True, True, False]


@for_each("id", ["recent_only", "summary_only"])
def test_an_accumulated_list_keeps_what_any_entry_says(id: str) -> None:
    options = {"recent_rounds": 1} if id == "recent_only" else {}
    script = (
        "Small talk.",
        "Code QX7R4M.",
        ModelError("off"),
        "Nothing.",
        "Budget 3600 euros.",
        "More.",
    )
    run = run_of(id, *script, **options)
    found = retention(run, [CODE, BUDGET])
    late = VERBATIM if id == "recent_only" else SUMMARY
    assert column(found)[1:3] == [VERBATIM, late]
    assert column(found)[4] == SUMMARY
    assert all(found.retained[1:, 0])


def test_the_words_around_a_summary_are_no_knowledge() -> None:
    probes = [
        Probe("?", (answer,), (), "number")
        for answer in ("turn 1", "summaries", "1", "small")
    ]
    found = retention(run_of("summary_only", "Small talk.", "a", "b", "c", "d"), probes)
    assert found.contained[1].tolist() == [False, False, False, True]


def test_a_list_with_a_replaced_entry_says_what_the_newest_one_says() -> None:
    run = run_of("summary_only", "Code QX7R4M.", "Two.", "Three.", "Four.", "Five.")
    first = run.space.summaries.versions[0]
    edited = SummaryVersion(
        6, first.turn, "No code.", first.covers, first.added, run.counter, replaces=1
    )
    run.space.summaries.append(edited)
    last = run.requests[-1]
    left = [piece for piece in last.parts.pieces if not isinstance(piece, Notes)]
    sent = replace(last, parts=last.parts._replace(pieces=(Notes(0, 6), *left)))
    changed = Run(run.strategy, run.space, (*run.requests, sent), run.compactions)
    probes = [
        Probe("?", ("QX7R4M",), (), "name"),
        Probe("?", ("no code",), (), "name"),
        Probe("?", ("two",), (), "name"),
    ]
    found = retention(changed, probes)
    assert found.contained[-2].tolist() == [True, False, True]
    assert found.contained[-1].tolist() == [False, True, True]
    assert "QX7R4M" not in sent.context.block("summary").messages[0].content  # type: ignore[union-attr]
    assert list_versions_in_block(changed.space.summaries, 0, 6) == [5, 1, 2, 3, 4]


@given(numbers=st.lists(st.integers(0, 4), min_size=1, max_size=9), data=st.data())
def test_any_range_of_summaries_holds_what_its_versions_hold(
    numbers: list[int], data: st.DataObject
) -> None:
    run = run_of("summary_only", "x", "x", "x", "x", "x")
    summaries = SummaryLog(
        run.counter, SummaryWording("heading", run.strategy.summary_entry)
    )
    for at, number in enumerate(numbers):
        positions = range(number, number + 1)
        summaries.append(
            SummaryVersion(
                at + 1, number, f"text {at}", positions, positions, run.counter
            )
        )
    bounds = st.tuples(st.integers(0, len(numbers)), st.integers(0, len(numbers))).map(
        sorted
    )
    sent = [
        range(*pair) for pair in data.draw(st.lists(bounds, min_size=1, max_size=6))
    ]
    starts, stops = np.array([[part.start, part.stop] for part in sent]).T
    held = mark_held_in_summaries(
        summaries, starts, stops, np.eye(len(numbers), dtype=bool)
    )
    for row, part in zip(held, sent, strict=True):
        text = summaries.text(part.start, part.stop)
        assert [f"text {at}" in text for at in range(len(numbers))] == row.tolist()


def test_of_several_places_the_best_counts() -> None:
    found = retention(
        run_of(
            "window",
            window_size=1,
            system_prompt="The code is QX7R4M.",
            recalls={4: Recall(messages=[2])},
        ),
        [CODE],
    )
    assert column(found) == [NO, VERBATIM, SYSTEM, RECALLED, SYSTEM]
    assert found.evidence[:, 0].tolist() == [False, True, False, True, False]


def test_evidence_in_other_words_than_the_answer_still_counts() -> None:
    other = Probe("Code?", ("the Mike code",), (2,), "single fact")
    run = run_of("window", window_size=3, recalls={5: Recall(messages=[2])})
    found = retention(run, [other])
    assert column(found) == [NO, VERBATIM, VERBATIM, LOST, RECALLED]
    assert not found.contained.any()
    assert found.retained[:, 0].tolist() == [False, True, True, False, True]


def test_all_of_the_evidence_is_needed() -> None:
    found = retention(
        run_of("window", window_size=3, recalls={3: Recall(messages=[0])}), [BOTH]
    )
    assert found.evidence[:, 0].tolist() == [False, True, True, False, False]
    assert column(found) == [NO, VERBATIM, VERBATIM, LOST, LOST]


def test_an_updated_fact_is_new_both_stale_or_neither() -> None:
    run = run_of("buffer")
    assert retention(run, [BUDGET]).freshness[:, 0].tolist() == [
        0,
        0,
        Freshness.BOTH,
        Freshness.BOTH,
        Freshness.BOTH,
    ]
    window = retention(run_of("window", window_size=3), [BUDGET, CODE])
    assert window.freshness[:, 0].tolist() == [
        0,
        0,
        Freshness.NEW_ONLY,
        Freshness.NEW_ONLY,
        Freshness.NEITHER,
    ]
    assert not window.freshness[:, 1].any()
    stale = retention(
        run_of("summary", "Budget 3000.", "Budget 3000 still.", buffer_size=2), [BUDGET]
    )
    assert stale.freshness[-1, 0] == Freshness.STALE_ONLY
    assert stale.stale[:, 0].tolist() == [False, False, True, True, True]


@for_each(
    ("text", "answers", "old", "right", "stale"),
    [
        ("on 26 June 2027", ("26 June 2027",), ("26 June",), True, False),
        ("on 26 June 2027, or on 26 June", ("26 June 2027",), ("26 June",), True, True),
        ("on 26 June 2027", ("26 June",), ("26 June 2027",), False, True),
        ("on 26 June", ("26 June",), ("26 June 2027",), True, False),
        ("on 26 June", ("26 June",), ("26 june",), True, False),
        ("26 June or 28 June", ("28 June",), ("26 June",), True, True),
    ],
)
def test_a_part_of_the_other_answer_does_not_count(
    text: str, answers: tuple[str, ...], old: tuple[str, ...], right: bool, stale: bool
) -> None:
    held = ProbeTexts(
        Log(), [Probe("?", answers, (), "updated fact", old)]
    ).find_answers([text])
    assert (bool(held.answers[0, 0]), bool(held.stale[0, 0])) == (right, stale)


def test_what_makes_no_sense_makes_no_error() -> None:
    run = run_of("buffer")
    nowhere, beyond, before = (
        Probe("?", ("QX7R4M",), evidence, "name") for evidence in ((), (99,), (-1,))
    )
    odd = [
        nowhere,
        beyond,
        before,
        Probe("?", ("", "!"), (0,), "name"),
        Probe("?", (), (), "name"),
    ]
    found = retention(run, odd)
    assert column(found, 0) == [LOST, VERBATIM, VERBATIM, VERBATIM, VERBATIM]
    assert not found.evidence[:, 0].any()
    assert set(column(found, 1)) == set(column(found, 2)) == {NO}
    assert set(column(found, 3)) == {VERBATIM}
    assert not found.contained[:, 3].any()
    assert set(column(found, 4)) == {LOST}
    empty = retention(run, [])
    assert empty.states.shape == (5, 0)
    assert np.isnan(empty.share(empty.retained)).all()
    assert empty.frame()["born"].tolist() == [0] * 5


def test_texts_built_once_serve_all_runs_over_the_conversation_and_no_other() -> None:
    run = run_of("buffer")
    texts = ProbeTexts(run.log, (CODE,))
    same = Run(run.strategy, run.space, run.requests)
    assert np.array_equal(
        retention(same, [CODE], texts).states, retention(run, [CODE]).states
    )
    equal = run_of("window", window_size=3)
    assert np.array_equal(
        retention(equal, [CODE], texts).states, retention(equal, [CODE]).states
    )
    with pytest.raises(ValueError, match="another conversation"):
        retention(run_of("buffer", said=SAID[:4]), [CODE], texts)
    with pytest.raises(ValueError, match="other probes"):
        retention(run, [BUDGET], texts)


def test_messages_that_join_the_log_are_read_then() -> None:
    log = Log([Message(role, text) for role, text in SAID[:4]])
    texts = ProbeTexts(log, [CODE, BUDGET])
    assert (
        retention(
            memviz.replay(log, memviz.strategy("buffer"), counter="chars4"),
            [CODE, BUDGET],
            texts,
        ).born.sum()
        == 1
    )
    log.extend(Message(role, text) for role, text in SAID[4:])
    whole = memviz.replay(log, memviz.strategy("buffer"), counter="chars4")
    grown, anew = (
        retention(whole, [CODE, BUDGET], texts),
        retention(whole, [CODE, BUDGET]),
    )
    assert np.array_equal(grown.states, anew.states)
    assert np.array_equal(grown.stale, anew.stale)
    assert texts.length == len(log)


def test_texts_are_read_alike_in_batches_of_any_size(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    log = run_of("buffer").log
    at_once = ProbeTexts(log, [CODE, BUDGET])
    monkeypatch.setattr(probe_texts, "TEXTS_AT_ONCE", 2)
    in_batches = ProbeTexts(log, [CODE, BUDGET])
    assert len(SAID) > 4
    for one, other in zip(at_once.counts, in_batches.counts, strict=True):
        np.testing.assert_array_equal(one, other)


def test_the_ceiling_is_the_full_buffer() -> None:
    run = run_of("window", window_size=1, system_prompt="Hi")
    probes = [CODE, BUDGET, BOTH, Probe("?", ("never said",), (0,), "name")]
    top, buffer = (
        measure_ceiling(run, probes),
        retention(run_of("buffer", system_prompt="Hi"), probes),
    )
    for name in ("states", "evidence", "contained", "stale"):
        assert np.array_equal(getattr(top, name), getattr(buffer, name))
    assert not top.contained[:, 3].any()


def test_the_floor_is_what_another_conversation_holds_by_chance() -> None:
    run = run_of("buffer")
    other = run_of(
        "buffer",
        said=[
            ("user", "QX7R4M by chance"),
            ("assistant", "3,000?"),
            ("user", "So?"),
            ("assistant", "?"),
        ],
    )
    found = measure_floor(run, [CODE, BUDGET], other)
    assert column(found) == [NO, VERBATIM, VERBATIM, VERBATIM, VERBATIM]
    assert column(found, 1) == [NO, NO, LOST, LOST, LOST]
    assert found.stale[:, 1].tolist() == [False, False, True, True, True]
    assert not found.evidence.any()


def test_the_frame_has_the_shares_by_source() -> None:
    run = run_of("summary", "The code is qx7r4m.", "Nothing.", buffer_size=2)
    frame = retention(run, [CODE, BUDGET]).frame()
    assert frame["born"].tolist() == [0, 1, 2, 2, 2]
    assert frame["summary_share"].tolist()[1:] == [0, 0.5, 0.5, 0]
    assert frame["lost_share"].tolist()[1:] == [0, 0, 0, 1]
    assert frame.loc[0].isna().sum() == 11
    parts = frame[
        [
            "verbatim_share",
            "recalled_share",
            "summary_share",
            "system_share",
            "lost_share",
        ]
    ]
    assert parts.loc[1:].sum(axis=1).tolist() == pytest.approx([1] * 4)


def same(
    found: Retention,
    run: Run,
    at: int,
    probe: int,
    probes: tuple[Probe, ...],
    other: object = None,
) -> None:
    wanted = cell(run, run.requests[at], probes[probe], other)  # type: ignore[arg-type]
    assert STATES[found.states[at, probe]] == wanted.state
    assert bool(found.evidence[at, probe]) == wanted.evidence
    assert bool(found.contained[at, probe]) == wanted.contained
    assert bool(found.stale[at, probe]) == wanted.stale


def test_of_a_recalled_message_whose_call_is_left_out_only_the_text_is_known() -> None:
    call = ToolCall("call", "look_up", '{"what": "seaweed"}')
    messages = [
        Message("user", "So?"),
        Message("assistant", "One moment, said Odete.", tool_calls=(call,)),
        Message("tool", "", tool_call_id="call"),
        Message("assistant", "Done."),
        Message("user", "Again?"),
        Message("assistant", "Done again."),
    ]
    run = memviz.replay(
        messages,
        memviz.strategy("window", window_size=1),
        counter="chars4",
        recalls={2: Recall(messages=[1])},
        repair_tool_pairs=True,
    )
    (recalled,) = [
        block for block in run.requests[-1].context.blocks if block.kind == "recalled"
    ]
    assert not any(message.tool_calls for message in recalled.messages)
    probes = [Probe("?", (answer,), (0,), "name") for answer in ("seaweed", "Odete")]
    states = [STATES[state] for state in retention(run, probes).states[-1]]
    assert states == ["LOST", "RECALLED"]


@pytest.mark.parametrize("id", REPRESENTATIVES)
@given(data=st.data())
def test_every_cell_is_that_of_a_plain_search(id: str, data: st.DataObject) -> None:
    run, probes = data.draw(probed_runs(id))
    found = retention(run, probes)
    for at in range(len(run.requests)):
        for probe in range(len(probes)):
            same(found, run, at, probe, probes)


@given(probed=probed_odd_runs())
def test_of_what_is_cleared_or_cut_counts_what_is_left_and_notes_and_lines_count_wherever_they_stand(
    probed: tuple[Run, tuple[Probe, ...]],
) -> None:
    run, probes = probed
    found = retention(run, probes)
    for at in range(len(run.requests)):
        for probe in range(len(probes)):
            same(found, run, at, probe, probes)


@pytest.mark.parametrize("id", ["window", "summary", "summary_only"])
@given(data=st.data())
def test_the_floor_is_a_plain_search_of_the_other_requests(
    id: str, data: st.DataObject
) -> None:
    run, other = data.draw(runs(id)), data.draw(runs(id))
    probes = data.draw(probes_of(list(run.log) + list(other.log)))
    found = measure_floor(run, probes, other)
    for at in range(len(run.requests)):
        for probe in range(len(probes)):
            if other.requests:
                same(
                    found,
                    run,
                    at,
                    probe,
                    probes,
                    other.requests[min(at, len(other.requests) - 1)],
                )
            else:
                wanted = cell(run, run.requests[at], probes[probe]).state == "NOT_BORN"
                assert found.states[at, probe] == (NO if wanted else LOST)
                assert not any(
                    held[at, probe]
                    for held in (found.contained, found.stale, found.evidence)
                )


@pytest.mark.parametrize(
    "id", ["recent_only", "summary_only", "summary", "summary_buffer"]
)
@given(
    steps=st.lists(st.sampled_from(["say", "say", "edit", "undo"]), max_size=12),
    data=st.data(),
)
def test_of_a_chat_with_edited_and_undone_summaries_is_the_naive_one(
    id: str, steps: list[str], data: st.DataObject
) -> None:
    chat = memviz.Chat(
        small(id),
        model=memviz.ScriptedModel(f"m{n} Lisbon" for n in range(99)),
        summarizer=Digest(),
        counter="chars4",
    )
    for number, step in enumerate(steps):
        if step == "say":
            chat.send(f"The code of place {number} is QX{number}R.")
        elif step == "undo" and chat.undoable is not None:
            chat.undo_summary()
        elif step == "edit" and chat.summaries_in_force:
            version = data.draw(st.sampled_from(chat.summaries_in_force)).version
            chat.edit_summary(
                version, f"QX{max(0, number - 1)}R and QX{max(0, number - 2)}R"
            )
    probes = [
        memviz.Probe(f"code {n}?", (f"QX{n}R",), (), "single fact")
        for n in range(len(steps))
    ]
    found = retention(chat.run, probes)
    for row, record in enumerate(chat.run.requests):
        sent_texts = [message.content for message in record.context.messages]
        assert found.contained[row].tolist() == [
            any(f"qx{n}r" in text.casefold() for text in sent_texts)
            for n in range(len(steps))
        ]
