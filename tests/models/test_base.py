"""Which failures end a replay at once, and which it survives."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import pytest

import memviz
from memviz.core.messages import Message
from memviz.core.model_errors import (
    BadKeyError,
    ConnectionRefusedModelError,
    ContextTooLongError,
    MissingKeyError,
    ModelError,
    ModelTimeoutError,
    RateLimitError,
    ServerError,
    UnknownModelError,
    UnusableSummarizerError,
)
from memviz.models.base import FirstFailureEnds, Model, Reply, ToolChoice
from memviz.models.tools import Tool
from tests.tables import for_each

SAID = [
    {"role": role, "content": f"Message {n}."}
    for n in range(12)
    for role in ("user", "assistant")
]


class Failing(Model):
    name = "failing"

    def __init__(self, error: ModelError) -> None:
        self.error, self.calls = error, 0

    def stream(
        self,
        messages: Sequence[Message],
        tools: Sequence[Tool] = (),
        tool_choice: ToolChoice = "auto",
    ) -> Iterator[str | Reply]:
        self.calls += 1
        raise self.error
        yield ""


@for_each(
    "kind",
    [BadKeyError, MissingKeyError, UnknownModelError, ConnectionRefusedModelError],
)
def test_what_every_call_would_fail_in_ends_the_replay_at_the_first(
    kind: type[ModelError],
) -> None:
    failing = Failing(kind("No."))
    with pytest.raises(UnusableSummarizerError, match=r"No\."):
        memviz.replay(
            SAID,
            memviz.strategy("summary", buffer_size=1),
            model=FirstFailureEnds(failing),
        )
    assert failing.calls == 1


@for_each("kind", [ModelTimeoutError, RateLimitError, ContextTooLongError, ServerError])
def test_what_may_pass_is_recorded_and_the_replay_goes_on(
    kind: type[ModelError],
) -> None:
    failing = Failing(kind("Not now."))
    run = memviz.replay(
        SAID, memviz.strategy("summary", buffer_size=1), model=FirstFailureEnds(failing)
    )
    assert len(run.turns) == 12
    assert failing.calls == len(run.compactions) > 1
