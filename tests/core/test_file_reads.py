"""Which results hold a file, and where the same was read again."""

from __future__ import annotations

import json

from hypothesis import given
from hypothesis import strategies as st

from memviz import Log, Message
from memviz.core.file_reads import reads_files
from tests.tables import for_each


@for_each(
    "name",
    ["Read", "read_file", "readFile", "mcp__disk__read_text_file", "view", "cat"],
)
def test_tools_that_read_files(name: str) -> None:
    assert reads_files(name)


@for_each("name", ["read_files", "write_file", "grep", "read__run", ""])
def test_tools_that_do_something_else(name: str) -> None:
    assert not reads_files(name)


def called(*arguments: str) -> Log:
    """A log of calls of one tool with these arguments, one a message, each with its result."""
    log = Log([Message("user", "Read.")])
    for number, text in enumerate(arguments):
        call = {"id": f"c{number}", "name": "Read", "arguments": text}
        log.append(Message("assistant", "", tool_calls=(call,)))
        log.append(Message("tool", f"text {number}", tool_call_id=f"c{number}"))
    return log


def superseded(log: Log, length: int | None = None) -> list[int]:
    length = len(log) if length is None else length
    return log.file_reads().superseded(length).tolist()


def test_the_order_of_arguments_does_not_matter_and_other_lines_are_something_else() -> (
    None
):
    one = '{"path": "a", "limit": 5}'
    other = '{"limit": 5, "path": "a"}'
    log = called(one, other, '{"path": "a", "limit": 6}')
    assert superseded(log) == [2]
    assert superseded(log, 4) == []
    assert superseded(log, 5) == [2]


def test_a_whole_file_takes_the_place_of_its_parts_and_a_part_of_no_whole() -> None:
    parts = ['{"path": "a", "limit": 5}', '{"path": "a", "limit": 6}']
    log = called(*parts, '{"path": "b", "limit": 5}', '{"path": "a"}', parts[0])
    assert superseded(log) == [2, 4]
    assert superseded(log, 8) == []
    assert list(log.file_reads().superseded_since(8, 9)) == [2, 4]
    assert list(log.file_reads().newest(len(log), len(log))) == [10, 8, 6]
    assert list(log.file_reads().newest(6, len(log))) == []
    again = called('{"path": "a", "offset": null}', '{"path": "a"}')
    assert superseded(again) == [2]


@for_each("text", ["no JSON", "[1]", '{"path": 1}', '{"id": "a"}', "[" * 9999])
def test_calls_that_name_no_file_are_never_superseded(text: str) -> None:
    log = called(text, text)
    assert superseded(log) == []
    assert not log.file_reads().has_older(0, len(log))
    assert list(log.file_reads().newest(len(log), len(log))) == []


def test_a_log_that_grows_is_read_on() -> None:
    log = called('{"path": "a"}')
    assert superseded(log) == []
    log.extend(called('{"path": "a"}')[1:])
    assert superseded(log) == [2]
    assert log.file_reads().is_superseded(2, len(log))
    assert not log.file_reads().is_superseded(4, len(log))
    assert not log.file_reads().is_superseded(3, len(log))
    assert list(log.file_reads().superseded_since(3, 5)) == [2]
    assert list(log.file_reads().newest(4, 4)) == [2]
    assert list(log.file_reads().newest(4, 5)) == []


@given(
    reads=st.lists(
        st.tuples(st.sampled_from(["a", "b", "c"]), st.sampled_from([0, 0, 5, 6])),
        max_size=20,
    ),
    data=st.data(),
)
def test_the_newest_are_those_that_a_plain_search_finds(
    reads: list[tuple[str, int]], data: st.DataObject
) -> None:
    """A part of 0 lines is the whole file."""
    log = called(
        *(
            json.dumps({"path": file, "limit": part} if part else {"path": file})
            for file, part in reads
        )
    )
    length = data.draw(st.integers(0, len(log)))
    stop = data.draw(st.integers(0, length))
    read = {2 * (number + 1): one for number, one in enumerate(reads)}
    seen = {position: one for position, one in read.items() if position < length}
    newest = [
        position
        for position, (file, part) in seen.items()
        if not any(
            later > position and other in ((file, part), (file, 0))
            for later, other in seen.items()
        )
    ]
    expected = sorted((p for p in newest if p < stop), reverse=True)
    assert list(log.file_reads().newest(stop, length)) == expected


def test_the_newest_plan_is_that_of_the_messages_there_are() -> None:
    call = {"id": "c", "name": "write_todos", "arguments": "{}"}
    turn = [
        Message("assistant", "", tool_calls=(call,)),
        Message("tool", "noted", tool_call_id="c"),
    ]
    reads = Log([*turn, *turn]).file_reads()
    assert [reads.newest_plan(length) for length in range(5)] == [None, None, 1, 1, 3]
