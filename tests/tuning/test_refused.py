"""Settings whose requests a provider refuses: counted, and left out of the front and the answer unless asked for."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

import memviz
from memviz import Message
from memviz.metrics.requests.broken_pairs import count_refused_requests
from memviz.transcripts.samples import bundled, sample
from tests.cli.terminal import memviz as command
from tests.code_export.provider import Refused, refuse_broken_pairs
from tests.code_export.running import PARAMETERS
from tests.engine.probes import REPRESENTATIVES, Digest, small
from tests.tables import for_each
from tests.tool_loops import loops

CALL = {
    "id": "a",
    "type": "function",
    "function": {"name": "look_up", "arguments": "{}"},
}
UNANSWERED = [
    Message("user", "Rain?"),
    Message.of({"role": "assistant", "content": "", "tool_calls": [CALL]}),
    Message("user", "Never mind. Snow?"),
    Message("assistant", "No."),
    Message("user", "Sun?"),
    Message("assistant", "Yes."),
]
GRID = {"window": {"window_size": [2, 3, 4, 400]}, "buffer": None}


def refused_by_the_provider(run: memviz.Run) -> int:
    """How many requests of a run the provider of the tests refuses."""
    refused = 0
    for record in run.requests:
        try:
            refuse_broken_pairs(
                [message.to_request() for message in record.context.messages]
            )
        except Refused:
            refused += 1
    return refused


@for_each(
    "name",
    [
        name
        for name, each in bundled().items()
        if any(m.tool_calls for m in each.messages)
    ],
)
@for_each("id", REPRESENTATIVES)
def test_a_cell_counts_what_the_provider_refuses(name: str, id: str) -> None:
    run = memviz.replay(bundled()[name], memviz.strategy(id, **PARAMETERS.get(id, {})))
    assert count_refused_requests(run) == refused_by_the_provider(run)


@for_each(("size", "number"), [(1, 0), (2, 1), (3, 1), (40, 2)])
def test_a_call_that_nobody_answered_counts_as_well(size: int, number: int) -> None:
    run = memviz.replay(UNANSWERED, memviz.strategy("window", window_size=size))
    assert count_refused_requests(run) == refused_by_the_provider(run) == number


@for_each("size", [2, 3, 5, 8])
def test_with_pairs_repaired_nothing_is_refused(size: int) -> None:
    for name in ("support", "agent"):
        run = memviz.replay(
            bundled()[name],
            memviz.strategy("window", window_size=size),
            repair_tool_pairs=True,
        )
        assert count_refused_requests(run) == refused_by_the_provider(run) == 0


@given(call=st.integers(1, 5), messages=st.sets(st.integers(0, 19), min_size=1))
@for_each("id", REPRESENTATIVES)
@for_each("is_repaired", [False, True])
def test_what_is_recalled_in_a_tool_loop_parts_no_pair_that_is_repaired(
    id: str, is_repaired: bool, call: int, messages: set[int]
) -> None:
    run = memviz.replay(
        loops(3, 4),
        small(id),
        model=Digest(),
        counter="chars4",
        recalls={(3, call): memviz.Recall(messages=sorted(messages))},
        repair_tool_pairs=is_repaired,
    )
    refused = refused_by_the_provider(run)
    assert count_refused_requests(run) == refused
    assert not (refused and is_repaired)


def test_in_a_tool_loop_a_recall_stands_before_the_question_where_a_cache_keeps_it() -> (
    None
):
    run = memviz.replay(
        loops(3, 4),
        memviz.strategy("window", window_size=8),
        model=None,
        recalls={3: memviz.Recall(messages=[0])},
        repair_tool_pairs=True,
    )
    sent = [
        [i for block in one.context.blocks for i in block.indices]
        for one in run.turns[-1].requests[1:3]
    ]
    assert sent == [
        [15, 16, 17, 18, 19, 0, 20, 21, 22],
        [17, 18, 19, 0, 20, 21, 22, 23, 24],
    ]


class TestASweep:
    sweep = memviz.sweep(sample("support"), GRID)

    def test_leaves_them_out_of_the_front(self) -> None:
        refused = self.sweep.by_setting().set_index("setting")["refused"]
        assert refused[0] > 0
        assert refused[4] == 0
        assert (self.sweep.pareto()["refused"] == 0).all()
        assert len(self.sweep.pareto(allow_refused=True)) > len(self.sweep.pareto())

    def test_recommends_them_only_where_asked_and_says_how_many_were_left_out(
        self,
    ) -> None:
        best, any_of_them = (
            self.sweep.best(0.0),
            self.sweep.best(0.0, allow_refused=True),
        )
        left_out = int((self.sweep.by_setting()["refused"] > 0).sum())
        assert best.row is not None
        assert best.row["refused"] == 0
        assert (
            f"{left_out} settings are left out, for they send requests that a provider refuses"
            in best.sentence
        )
        assert any_of_them.row is not None
        assert any_of_them.row["refused"] > 0
        assert "left out, for" not in any_of_them.sentence
        assert "which a provider refuses" in any_of_them.sentence

    def test_of_refused_ones_alone_recommends_none(self) -> None:
        best = memviz.sweep(sample("support"), {"window": {"window_size": [2]}}).best(
            0.0
        )
        assert best.setting is None
        assert best.sentence.startswith("1 setting is left out")

    def test_without_tools_leaves_none_out(self) -> None:
        assert (
            "left out, for"
            not in memviz.sweep(sample("trip"), {"window": {"window_size": [2, 4]}})
            .best(0.0)
            .sentence
        )


def test_the_command_leaves_them_out_unless_asked() -> None:
    arguments = (
        "sweep",
        "sample-support",
        "-s",
        "window:window_size=2,400",
        "--keep",
        0,
        "--json",
        "--no-keep",
    )
    plain, allowed = (
        command(*arguments).json,
        command(*arguments, "--allow-refused").json,
    )
    assert plain["recommendation"]["parameters"] == {"window_size": 400}
    assert "1 setting is left out" in plain["recommendation"]["sentence"]
    assert allowed["recommendation"]["parameters"] == {"window_size": 2}
    assert not plain["settings"][0]["front"]
