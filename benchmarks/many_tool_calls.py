"""Reading a file with very many tool calls: seconds of the processor, and how they grow.

    python -m benchmarks.many_tool_calls [--calls 20000 100000]

The same calls in one message, one a message in a single turn, and five in each of many turns. ``growth`` is how many
times the time of a call grows from the smallest number to the largest: 1 where time grows with the calls, 5 where it
grows with their square and there are five times as many.
"""

from __future__ import annotations

import argparse
import gc
import json
from collections.abc import Callable, Iterator
from time import process_time
from typing import Any

from memviz import load_transcript

Item = dict[str, Any]
CALLS_A_TURN = 5


def call_of(number: int) -> Item:
    """One call, in the shape of the OpenAI chat API."""
    arguments = json.dumps({"command": f"pytest tests/test_{number}.py -x"})
    return {
        "id": f"call_{number}",
        "type": "function",
        "function": {"name": "run_shell", "arguments": arguments},
    }


def caller(numbers: range) -> Item:
    """The message that makes these calls."""
    return {
        "role": "assistant",
        "content": None,
        "tool_calls": [call_of(number) for number in numbers],
    }


def result(number: int) -> Item:
    """The result of a call."""
    return {
        "role": "tool",
        "tool_call_id": f"call_{number}",
        "content": f"{number} passed in {number % 7} seconds",
    }


def in_one_message(calls: int) -> Iterator[Item]:
    """All calls at once, then all results."""
    yield {"role": "user", "content": "Run all the tests."}
    yield caller(range(calls))
    yield from map(result, range(calls))


def in_one_turn(calls: int) -> Iterator[Item]:
    """One call after the other."""
    yield {"role": "user", "content": "Run all the tests."}
    for number in range(calls):
        yield caller(range(number, number + 1))
        yield result(number)


def in_many_turns(calls: int) -> Iterator[Item]:
    """A few calls, then an answer, then the next question."""
    for first in range(0, calls, CALLS_A_TURN):
        yield {"role": "user", "content": f"Go on with number {first}."}
        for number in range(first, min(first + CALLS_A_TURN, calls)):
            yield caller(range(number, number + 1))
            yield result(number)
        yield {"role": "assistant", "content": "All green."}


SHAPES: tuple[Callable[[int], Iterator[Item]], ...] = (
    in_one_message,
    in_one_turn,
    in_many_turns,
)


def seconds_to_read(data: bytes) -> float:
    """Time to read a file of these bytes."""
    gc.collect()
    started = process_time()
    load_transcript(data)
    return process_time() - started


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--calls", type=int, nargs="+", default=[20_000, 100_000])
    numbers = parser.parse_args().calls
    load_transcript(b'[{"role": "user", "content": "loads the readers"}]')
    print(f"{'':16}" + "".join(f"{number:>12,}" for number in numbers) + "   calls")
    for shape in SHAPES:
        seconds = [
            seconds_to_read(json.dumps(list(shape(number))).encode())
            for number in numbers
        ]
        a_call = [
            taken / number for taken, number in zip(seconds, numbers, strict=True)
        ]
        cells = "".join(f"{taken:>10.2f} s" for taken in seconds)
        print(f"{shape.__name__:16}{cells}   growth {a_call[-1] / a_call[0]:.2f}")


if __name__ == "__main__":
    main()
