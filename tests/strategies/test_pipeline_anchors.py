"""What a pipeline brings back whole behind its summary: each request against a slow reference, and line by line."""

from __future__ import annotations

import json

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import memviz
from memviz import Fate, Message, ParameterError
from memviz.metrics.memory_map.fate_map import build_fate_map
from memviz.metrics.requests.traffic import count_traffic
from memviz.strategies.anchors import Anchors
from memviz.strategies.steps import steps_from
from tests.metrics.memory_map.codes import codes_of, drawn
from tests.metrics.sent_messages import shared_by_turn
from tests.strategies.conversations import answered, text_of
from tests.strategies.read_talks import SlowReads, reading, talks, turn_of
from tests.strategies.slow_pipeline import contents, replay, said
from tests.tables import for_each

SUMMARIZE = "summarize at 10 messages, keep 2 messages"


class SlowAnchors(SlowReads):
    """The slow reference, with anchors."""

    anchors: Anchors

    def _summary(self) -> list[Message]:
        return [*super()._summary(), *(self.log[p] for p in sorted(self._back()))]

    def _request(self, log: memviz.Log, stop: int) -> list[Message]:
        self.stop = stop
        return super()._request(log, stop)

    def _back(self) -> set[int]:
        found: set[int] = set()
        left = self.anchors.tokens or 10**9
        for group in self._groups():
            tokens = sum(memviz.counter("chars4")(self.log[p].content) for p in group)
            if not group <= found and tokens <= left:
                left -= tokens
                found |= group
        return found

    def _groups(self) -> list[set[int]]:
        users = [p for p, m in enumerate(self.log) if m.role == "user"]
        groups = []
        if self.anchors.first_user_message and users[0] < self.cursor:
            groups.append({users[0]})
        plans = [p for p in range(self.stop) if self._called(p) == "TodoWrite"]
        if self.anchors.plan and plans and plans[-1] < self.cursor:
            groups.append(self._group(plans[-1]))
        newest = [
            p
            for p in range(self.cursor - 1, -1, -1)
            if self._file(p) and not self._is_older(p, self.stop)
        ]
        groups += [self._group(p) for p in newest[: self.anchors.files]]
        return [group for group in groups if not any(map(self._stays_away, group))]

    def _stays_away(self, position: int) -> bool:
        """A file that was read again, or is too large; nothing else of its message comes back then."""
        size = memviz.counter("chars4")(self.log[position].content)
        most = self.anchors.file_tokens if self.anchors.files else 0
        is_large = size > (most or size)
        is_read = self._file(position) is not None
        return is_read and (is_large or self._is_older(position, self.stop))

    def _called(self, position: int) -> str:
        if self.log[position].role != "tool":
            return ""
        caller = max(p for p in range(position) if self.log[p].role == "assistant")
        id = self.log[position].tool_call_id
        return next(c.name for c in self.log[caller].tool_calls if c.id == id)

    def _group(self, position: int) -> set[int]:
        caller = max(p for p in range(position) if self.log[p].role == "assistant")
        return {*range(caller, caller + 1 + len(self.log[caller].tool_calls))}


anchors = st.builds(
    Anchors,
    st.booleans(),
    st.booleans(),
    st.integers(0, 3),
    st.sampled_from([0, 10]),
    st.sampled_from([0, 5, 25]),
).filter(lambda one: one.first_user_message or one.plan or one.files)


def line_of(anchors: Anchors) -> str:
    each = f" of up to {anchors.file_tokens} tokens" if anchors.file_tokens else ""
    most = f", up to {anchors.tokens} tokens" if anchors.tokens else ""
    named = [
        *(["the first user message"] if anchors.first_user_message else []),
        *(["the plan"] if anchors.plan else []),
        *([f"{anchors.files} files{each}"] if anchors.files else []),
    ]
    return f"bring back {' and '.join(named)}{most}"


@given(
    messages=talks,
    anchors=anchors,
    deed=st.sampled_from(["drop", "summarize"]),
    at=st.integers(1, 60),
    kept=st.integers(1, 4),
    supersedes=st.booleans(),
)
@example(
    # A plan comes back with a long file that was read beside it: no limit of files holds where none is brought back.
    messages=answered([*turn_of(1, [0, 8], 20), *turn_of(2, [], 1)]),
    anchors=Anchors(False, True, 0, 10, 0),
    deed="drop",
    at=1,
    kept=1,
    supersedes=False,
)
def test_sends_what_the_slow_reference_sends(
    messages: list[Message],
    anchors: Anchors,
    deed: str,
    at: int,
    kept: int,
    supersedes: bool,
) -> None:
    older = ["supersede older reads at 1 tokens"] if supersedes else []
    taken = f"{deed} at {at} tokens, keep {kept} messages"
    run = replay(messages, "\n".join([*older, taken, line_of(anchors)]))
    lines = [("supersede older reads", 1, 0, "")] if supersedes else []
    slow = SlowAnchors(messages, [*lines, (deed, at, kept, "messages")])
    slow.anchors = anchors
    assert [list(one.context.messages) for one in run.requests] == slow.requests()
    assert count_traffic(run).shared_tokens.tolist() == shared_by_turn(run)
    assert drawn(build_fate_map(run)).tolist() == codes_of(run).tolist()


def plan_of(number: int) -> list[Message]:
    """A turn in which a plan is written down, by its arguments."""
    todos = json.dumps({"todos": [f"step {number}"]})
    call = {"id": "p", "function": {"name": "TodoWrite", "arguments": todos}}
    return [
        Message("user", text_of(100 + number, 3)),
        Message("assistant", "", tool_calls=(call,)),
        Message("tool", f"noted {number}", tool_call_id="p"),
        Message("assistant", "Done."),
    ]


def test_plan_and_first_message_come_back_whole_with_the_call() -> None:
    talk = [*plan_of(1), *plan_of(2), *said(1), *said(2), *said(3)]
    step = "bring back the first user message and the plan"
    run = replay(talk, f"{SUMMARIZE}\n{step}")
    last = run.requests[-1]
    assert [one.content for one in last.context.messages][:4] == [
        "Summary of earlier conversation: summary 1",
        talk[0].content,
        "",
        "noted 2",
    ]
    assert "step 2" in last.context.messages[2].tool_calls[0].arguments
    fates = run.fates()[-1].tolist()
    assert [at for at in range(8) if fates[at] == Fate.VERBATIM] == [0, 5, 6]
    assert not last.flags


def test_nothing_comes_back_before_something_was_taken_out() -> None:
    talk = [*plan_of(1), *said(1)]
    run = replay(talk, f"{SUMMARIZE}\nbring back the plan and 5 files")
    assert contents(run) == [one.content for one in talk[:-1]]


def test_the_newest_files_come_back_and_one_that_is_read_again_does_not() -> None:
    talk = [*reading([0], [2], [3]), *said(1), *said(2)]
    bring = f"{SUMMARIZE}\nbring back 2 files"
    assert [talk[at].content in contents(replay(talk, bring)) for at in (2, 6, 10)] == [
        False,
        True,
        True,
    ]
    again = [*talk, *reading([2]), *said(3)]
    found = [again[at].content in contents(replay(again, bring)) for at in (2, 6, 10)]
    assert found == [True, False, True]


def test_what_does_not_fit_stays_away_and_the_newest_file_counts_first() -> None:
    talk = [*reading([0], [2], [3]), *(m for n in range(1, 7) for m in said(n))]
    sizes = [memviz.counter("chars4")(talk[at].content) for at in (2, 6, 10)]

    def found(line: str) -> list[bool]:
        sent = contents(replay(talk, f"{SUMMARIZE}\n{line}"))
        return [talk[at].content in sent for at in (2, 6, 10)]

    call = memviz.counter("chars4")("")
    two = sizes[1] + sizes[2] + 2 * call
    assert found(f"bring back 3 files, up to {two} tokens") == [False, True, True]
    assert found(f"bring back 2 files, up to {two - 1} tokens") == [False, False, True]
    assert found(f"bring back 3 files of up to {min(sizes) - 1} tokens") == [False] * 3


def test_a_file_that_is_still_sent_is_none_of_those_that_come_back() -> None:
    talk = reading([0], [2], [3])
    run = replay(talk, "drop at 10 messages, keep 3 messages\nbring back 1 files")
    sent = contents(run)
    assert [talk[at].content in sent for at in (2, 6, 10)] == [False, True, True]


def test_what_is_brought_back_is_counted_by_the_steps() -> None:
    talk = [m for n in range(1, 9) for m in said(n)]
    small = replay(talk, "summarize at 60 tokens, keep 2 messages")
    large = replay(
        talk,
        "summarize at 60 tokens, keep 2 messages\nbring back the first user message",
    )
    assert len(large.compactions) > len(small.compactions)


def test_a_line_is_read_word_by_word() -> None:
    line = (
        "bring back the plan and 5 files of up to 5,000 tokens, up to 0.1 of the window"
    )
    assert steps_from(line, 1000)[0].anchors == Anchors(
        plan=True, files=5, file_tokens=5000, tokens=100
    )
    assert line_of(Anchors(True, True, 2, 10, 30)) == (
        "bring back the first user message and the plan and 2 files of up to 10 tokens, up to 30 tokens"
    )


@for_each(
    "line",
    [
        "bring back",
        "bring back everything",
        "bring back the plan at 10 messages",
        "bring back 5 files, keep 3 results",
        "bring back 5 files, up to 3 messages",
        "bring back files",
    ],
)
def test_a_line_that_brings_back_something_else_is_refused(line: str) -> None:
    with pytest.raises(ParameterError):
        memviz.strategy("pipeline", steps=line)


@for_each(
    "line",
    [
        "bring back 0 files",
        "bring back the plan and 00 files",
        "bring back 5 files of up to 0 tokens",
        "bring back 5 files, up to 0 tokens",
        "bring back the plan, up to 0.0 of the window",
    ],
)
def test_a_limit_of_nothing_is_refused_and_the_sentence_says_why(line: str) -> None:
    with pytest.raises(ParameterError) as refused:
        memviz.strategy("pipeline", steps=line)
    assert line in str(refused.value)
    assert "at least 1 file and 1 token" in str(refused.value)


def test_limits_with_a_nought_in_them_are_limits() -> None:
    (step,) = steps_from(
        "bring back 10 files of up to 5,000 tokens, up to 20,000 tokens", 1
    )
    assert step.anchors == Anchors(files=10, file_tokens=5000, tokens=20_000)
