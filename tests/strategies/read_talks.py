"""Talks in which files are read and read again, and which reads are older, found the slow way."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace

from hypothesis import strategies as st

from memviz import Message
from tests.strategies.conversations import answered, text_of
from tests.strategies.slow_pipeline import Slow

OLDER = "[an older read of this file]"
STEP = "supersede older reads"


CALLS = (
    ("read_file", {"path": "a.py"}),
    ("read_file", {"path": "a.py"}),
    ("read_file", {"path": "b.py"}),
    ("read_file", {"path": "a.py", "offset": 10}),
    ("mcp__files__Read", {"file_path": "a.py"}),
    ("run", {"path": "a.py"}),
    ("read_file", {"id": 3}),
    ("read_file", {"path": ""}),
    ("TodoWrite", {"todos": ["x"]}),
)
"""Twice the same, another file, other lines, another tool, one that reads nothing, two without a file, and a plan."""


def turn_of(number: int, calls: list[int], size: int) -> list[Message]:
    """A question, calls at once, their results of so many words and an answer."""
    made = []
    for place, call in enumerate(calls):
        name, arguments = CALLS[call]
        function = {"name": name, "arguments": json.dumps(arguments)}
        made.append({"id": f"c{number % 3}.{place}", "function": function})
    first = 10 * number
    asked = Message("user", text_of(first, 3))
    said = [Message("assistant", text_of(first + 9, 4))]
    if not made:
        return [asked, *said]
    caller = Message("assistant", "", tool_calls=tuple(made))
    results = [
        Message("tool", text_of(first + 2 + place, size), tool_call_id=call["id"])
        for place, call in enumerate(made)
    ]
    return [asked, caller, *results, *said]


def reading(*turns: list[int], size: int = 20) -> list[Message]:
    return [
        m for number, calls in enumerate(turns, 1) for m in turn_of(number, calls, size)
    ]


turns = st.lists(
    st.tuples(
        st.lists(st.integers(0, len(CALLS) - 1), max_size=3),
        st.sampled_from([1, 8, 20]),
    ),
    min_size=1,
    max_size=8,
)


talks = turns.map(
    lambda drawn: answered(
        [
            m
            for number, (calls, size) in enumerate(drawn, 1)
            for m in turn_of(number, calls, size)
        ]
    )
)


class SlowReads(Slow):
    """The slow reference, with older reads."""

    def _file(self, position: int) -> object:
        if self.log[position].role != "tool":
            return None
        caller = next(m for m in reversed(self.log[:position]) if m.role == "assistant")
        id = self.log[position].tool_call_id
        call = next(call for call in caller.tool_calls if call.id == id)
        if call.name == "run" or ".py" not in call.arguments:
            return None
        return call.name, call.arguments

    def _is_older(self, position: int, stop: int) -> bool:
        file = self._file(position)
        return file is not None and any(
            self._file(later) in (file, self._whole(position))
            for later in range(position + 1, stop)
        )

    def _whole(self, position: int) -> object:
        """The whole file of which a part was read."""
        name, arguments = self._file(position)  # type: ignore[misc]  # it reads a file
        path = {k: v for k, v in json.loads(arguments).items() if "path" in k}
        return name, json.dumps(path)

    def _supersedes(self, number: int, deed: str, stop: int) -> bool:
        if deed != STEP:
            return False
        before = self.marks[number]
        if any(
            self._is_older(p, stop) and not self._is_older(p, before)
            for p in range(self.cursor, stop)
        ):
            self.marks[number] = stop
        return True

    def _formed(
        self, deed: str, position: int, mark: int
    ) -> Callable[[Message], Message]:
        if deed == STEP and self._is_older(position, mark):
            return lambda message: replace(message, content=OLDER)
        return super()._formed(deed, position, mark)
