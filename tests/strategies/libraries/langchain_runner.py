"""LangChain's middleware driven through a whole conversation, request by request, as an agent drives it.

An agent calls ``before_model`` of its middleware before each call of the model, puts the update into its state with
the reducer ``add_messages``, and then sends the state through ``wrap_model_call``. The system prompt is no part of the
state.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, cast

from langchain.agents.middleware import (
    ContextEditingMiddleware,
    ModelRequest,
    SummarizationMiddleware,
)
from langchain.agents.middleware.context_editing import ClearToolUsesEdit
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, BaseMessage
from langchain_core.outputs import ChatGeneration, ChatResult
from langgraph.graph.message import add_messages

from memviz import Message
from memviz.core.conversation import Log
from tests.strategies.libraries.langchain_messages import (
    content_counter,
    from_langchain,
    to_langchain,
)

Summarizer = Callable[[list[Message]], str]
OWN = {"lc_source": "summarization"}
"""What marks the summary among a state's messages."""


class FunctionModel(BaseChatModel):
    """A chat model that answers with what a function makes of what it was sent."""

    answer: Callable[[list[BaseMessage]], str]

    @property
    def _llm_type(self) -> str:
        return "function"

    def _generate(
        self,
        messages: list[BaseMessage],
        stop: Any = None,
        run_manager: Any = None,
        **_: Any,
    ) -> ChatResult:
        return ChatResult(
            generations=[ChatGeneration(message=AIMessage(self.answer(messages)))]
        )


@dataclass
class Reading:
    """What reached the summarizer before one request (0-based), and what it answered; None: it failed."""

    request: int
    messages: list[Message]
    answer: str | None = None


@dataclass
class Seen:
    """What the library sends with each request, the leading system messages first; the log positions of those that it
    kept; and what its summarizer read."""

    requests: list[list[Message]] = field(default_factory=list)
    kept: list[list[int]] = field(default_factory=list)
    readings: list[Reading] = field(default_factory=list)


def arrivals(messages: Sequence[Message]) -> Iterable[list[BaseMessage]]:
    """For each request what was said since the one before it, with the log position as id. Leading system messages are
    the system prompt, so they are left out."""
    log = Log(messages)
    start = log.system_stop
    for request in log.requests():
        yield [to_langchain(messages[i], str(i)) for i in range(start, request.stop)]
        start = max(start, request.stop)


def cleared_requests(
    messages: Sequence[Message], count: Callable[[str], int], **parameters: Any
) -> list[list[Message]]:
    """What ``ContextEditingMiddleware`` with ``ClearToolUsesEdit(**parameters)`` sends with each request."""
    middleware = ContextEditingMiddleware(
        edits=[ClearToolUsesEdit(**parameters)], token_counter=content_counter(count)
    )
    state: list[BaseMessage] = []
    requests = []
    for said in arrivals(messages):
        state = cast("list[BaseMessage]", add_messages(state, said))
        sent: list[BaseMessage] = []
        request = ModelRequest(model=FunctionModel(answer=lambda _: ""), messages=state)
        middleware.wrap_model_call(
            request, lambda edited, sent=sent: sent.extend(edited.messages)
        )
        requests.append([*leading(messages), *map(from_langchain, sent)])
    return requests


def summarized_requests(
    messages: Sequence[Message],
    summarizer: Summarizer,
    count: Callable[[str], int],
    *,
    trigger: Any = None,
    keep: Any = ("messages", 20),
    trim: int | None = 4000,
    window: int | None = None,
    through_model: bool = False,
) -> Seen:
    """What ``SummarizationMiddleware`` sends with each request and what its summarizer read.

    ``summarizer`` reads the messages that are left after the trim; ``through_model``: one message with the whole
    prompt, as a chat model is sent it. Where it fails, the library raises; the program goes on with the state as it
    was, and the next request tries again.
    """
    seen = Seen()

    def write(read: Sequence[BaseMessage]) -> str:
        seen.readings.append(
            Reading(len(seen.requests), [from_langchain(message) for message in read])
        )
        seen.readings[-1].answer = summarizer(seen.readings[-1].messages)
        return seen.readings[-1].answer

    middleware = SummarizationMiddleware(
        FunctionModel(
            answer=write, profile={"max_input_tokens": window} if window else None
        ),
        trigger=trigger,
        keep=keep,
        trim_tokens_to_summarize=trim,
        token_counter=content_counter(count),
        summarizer=None if through_model else write,
    )
    state: list[BaseMessage] = []
    for said in arrivals(messages):
        state = cast("list[BaseMessage]", add_messages(state, said))
        state = _after_summary(middleware, state)
        seen.requests.append([*leading(messages), *map(from_langchain, state)])
        seen.kept.append(
            [
                int(message.id or "")
                for message in state
                if message.additional_kwargs != OWN
            ]
        )
    return seen


def _after_summary(
    middleware: SummarizationMiddleware, state: list[BaseMessage]
) -> list[BaseMessage]:
    try:
        update = middleware.before_model({"messages": state}, None)
    except RuntimeError:  # what the tests' summarizers fail with
        return state
    return (
        cast("list[BaseMessage]", add_messages(state, update["messages"]))
        if update
        else state
    )


def leading(messages: Sequence[Message]) -> Sequence[Message]:
    """The system messages that the conversation begins with."""
    return messages[: Log(messages).system_stop]
