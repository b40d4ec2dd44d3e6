"""How much work something is, in a number that is the same on every machine."""

from __future__ import annotations

import sys
from collections.abc import Callable
from cProfile import Profile
from types import FrameType


def calls_of(work: Callable[[], object]) -> int:
    """How many Python functions ``work`` calls, those it calls indirectly included, and each step of a generator."""
    profile = Profile(builtins=False)
    profile.runcall(work)
    return sum(function.callcount for function in profile.getstats())


def steps_of(work: Callable[[], object]) -> int:
    """How many steps of the interpreter ``work`` takes; loops that call nothing are counted as well."""
    count = 0

    def tick(frame: FrameType, event: str, argument: object) -> Callable[..., object]:
        nonlocal count
        frame.f_trace_lines, frame.f_trace_opcodes = False, True
        count += event == "opcode"
        return tick

    before = sys.gettrace()
    sys.settrace(tick)
    try:
        work()
    finally:
        sys.settrace(before)
    return count
