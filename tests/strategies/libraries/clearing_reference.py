"""Clearing of tool results once more, slow and obvious, with both rules on how much has to go.

LangChain's library knows the rule *stop* alone, and the tests hold this reference against it. Anthropic's API has the
rule *gate*, and no library that runs here.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from memviz import Message, ToolCall
from memviz.core.conversation import Log


def cleared_requests(
    messages: Sequence[Message],
    count: Callable[[str], int],
    rule: str,
    **parameters: object,
) -> list[list[Message]]:
    """What is sent with each request."""
    log = Log(messages)
    leading = list(messages[: log.system_stop])
    return [
        [
            *leading,
            *cleared(
                list(messages[log.system_stop : request.stop]),
                count,
                rule,
                **parameters,
            ),
        ]  # type: ignore[arg-type]
        for request in log.requests()
    ]


def cleared(
    messages: list[Message],
    count: Callable[[str], int],
    rule: str,
    *,
    trigger: int,
    keep: int,
    clear_at_least: int,
    clear_tool_inputs: bool,
    exclude_tools: Sequence[str],
    placeholder: str,
) -> list[Message]:
    """The messages with old results cleared, if their tokens are more than ``trigger``."""
    before = tokens_of(messages, count)
    if before <= trigger:
        return messages
    results = [i for i, message in enumerate(messages) if message.role == "tool"]
    now = list(messages)
    for i in results[: max(0, len(results) - keep)]:
        asked = asking(messages, i)
        if (
            asked is None
            or (messages[i].name or name_of(messages[asked], messages[i]))
            in exclude_tools
        ):
            continue
        now[i] = replace(messages[i], content=placeholder)
        if clear_tool_inputs:
            now[asked] = replace(
                now[asked], tool_calls=emptied(now[asked], messages[i].tool_call_id)
            )
        if (
            rule == "stop"
            and clear_at_least
            and before - tokens_of(now, count) >= clear_at_least
        ):
            break
    enough = before - tokens_of(now, count) >= clear_at_least
    return now if rule == "stop" or not clear_at_least or enough else messages


def tokens_of(messages: Sequence[Message], count: Callable[[str], int]) -> int:
    return sum(count(message.content) for message in messages)


def asking(messages: Sequence[Message], result: int) -> int | None:
    """Position of the message that called for this result: the assistant's newest before it, or none."""
    assistants = [i for i in range(result) if messages[i].role == "assistant"]
    ids = (
        [call.id for call in messages[assistants[-1]].tool_calls] if assistants else []
    )
    return assistants[-1] if (messages[result].tool_call_id or "") in ids else None


def name_of(caller: Message, result: Message) -> str:
    return next(
        call.name
        for call in caller.tool_calls
        if call.id == (result.tool_call_id or "")
    )


def emptied(message: Message, id: str | None) -> tuple[ToolCall, ...]:
    return tuple(
        replace(call, arguments="{}") if call.id == (id or "") else call
        for call in message.tool_calls
    )
