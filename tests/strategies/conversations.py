"""Random conversations, orderly and odd, and random summarizers, for property tests."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import cycle

from hypothesis import strategies as st

from memviz import Message, ModelError, ScriptedModel, strategies

COUNTERS = ("chars4", "o200k_base")
WORDS = ("budget", "Lisbon", "naïve", "搬家", "42", "the", "cat", "sat")


def text_of(number: int, size: int) -> str:
    """A text of ``size`` words that no other message of the conversation has; empty for size 0."""
    return (
        " ".join(
            [f"m{number}", *(WORDS[(number + i) % len(WORDS)] for i in range(size - 1))]
        )
        if size
        else ""
    )


def message_of(number: int, role: str, size: int) -> Message:
    """One message. Its number decides which of three call ids it uses, so ids repeat."""
    text = text_of(number, size)
    if role == "caller":
        call = {
            "id": f"call{number % 3}",
            "function": {"name": "look_up", "arguments": '{"q": "rain"}'},
        }
        return Message("assistant", text, tool_calls=(call,))
    if role == "tool":
        return Message("tool", text, tool_call_id=f"call{(number - 1) % 3}")
    return Message(role, text, name="Dr. Ada" if number % 7 == 5 else None)


def answered(messages: Sequence[Message]) -> list[Message]:
    """The messages with a reply without tokens behind them, so that the last request has one and is counted."""
    return [*messages, Message("assistant", "")]


def looked_up(number: int) -> list[Message]:
    """A turn in which a tool returns 100 tokens."""
    id = f"c{number}"
    call = {"id": id, "function": {"name": "find", "arguments": '{"q": "x"}'}}
    return [
        Message("user", f"question {number:02} ".ljust(40, "q")),
        Message("assistant", "", tool_calls=(call,)),
        Message("tool", f"result {number} ".ljust(400, "r"), tool_call_id=id),
        Message("assistant", f"answer {number:02} ".ljust(40, "a")),
    ]


SIZES = (0, 1, 2, 3, 5, 8, 13, 40)
ODD_ROLES = ("user", "assistant", "user", "assistant", "caller", "tool", "system")
ORDERLY_TURNS = (
    ("user", "assistant"),
    ("user", "assistant"),
    ("user", "user", "assistant"),
    ("user", "caller", "tool", "assistant"),
)
OUTCOMES = ("good", "good", "good", "long", "raise", "crash", "empty", "blank")


def conversations(max_messages: int = 30) -> st.SearchStrategy[list[Message]]:
    """Up to ``max_messages`` messages (and a few more), at least one of them the user's.

    Roles, turns and sizes are drawn as bytes. To draw bytes is one step of Hypothesis, and each step takes as long as a
    replay; fewer and smaller bytes are a simpler conversation, so that examples are made simple as ever.
    """
    odd = st.binary(min_size=1, max_size=max_messages).map(odd_roles)
    orderly = st.binary(min_size=1, max_size=max_messages // 3).map(orderly_roles)
    sizes = st.binary(min_size=1, max_size=max_messages)
    return st.builds(conversation_of, st.one_of(odd, orderly), sizes)


def odd_roles(drawn: bytes) -> list[str]:
    return [ODD_ROLES[byte % len(ODD_ROLES)] for byte in drawn]


def orderly_roles(drawn: bytes) -> list[str]:
    turns = [ORDERLY_TURNS[byte % len(ORDERLY_TURNS)] for byte in drawn]
    return [role for turn in turns for role in turn]


def conversation_of(roles: list[str], drawn_sizes: bytes) -> list[Message]:
    """A message of each role; where there are more of them than sizes, the sizes begin again."""
    if "user" not in roles:
        roles = [*roles, "user"]
    sizes = [SIZES[byte % len(SIZES)] for byte in drawn_sizes]
    return [
        message_of(number, role, size)
        for number, (role, size) in enumerate(zip(roles, cycle(sizes), strict=False))
    ]


outcomes = st.binary(min_size=1).map(
    lambda drawn: [OUTCOMES[byte % len(OUTCOMES)] for byte in drawn]
)


def answers(plan: list[str]) -> Iterator[str | BaseException]:
    """What a summarizer with this plan answers, call after call, for ever. Same plan, same answers."""
    for number, outcome in enumerate(cycle(plan), start=1):
        yield {
            "good": f"summary {number}",
            "long": f"summary {number} " + "with very many details " * 8 + "end",
            "raise": ModelError(f"no connection {number}"),
            "crash": RuntimeError(f"bug {number}"),
            "empty": "",
            "blank": " \n ",
        }[outcome]


def summarizer(plan: list[str]) -> ScriptedModel:
    """A model that answers by ``plan``."""
    return ScriptedModel(answers(plan))


RUN_HERE = [id for id, cls in strategies().items() if not cls().reason_not_to_run()]
"""The strategies that can be run here: those that run a library only where that is installed."""


def small_parameters(id: str) -> dict[str, int]:
    """Parameters so small that a short conversation makes the strategy act."""
    small = {
        "window": {"window_size": 3},
        "token_buffer": {"max_tokens": 20},
        "recent_only": {"recent_rounds": 2},
        "summary": {"buffer_size": 1},
        "summary_buffer": {"max_token_limit": 20},
        "chat_summary_buffer": {"token_limit": 30},
        "clear_tool_results": {"trigger_tokens": 10, "keep_results": 1},
        "threshold_summary": {
            "trigger_tokens": 20,
            "keep_messages": 2,
            "summarizer_reads_tokens": 30,
        },
        "head_and_tail": {"head_size": 1, "tail_size": 2},
        "fifo_facts": {"token_limit": 30, "max_facts": 1},
        "pipeline": {"window_tokens": 40},
        "hand_off": {"trigger_tokens": 30, "keep_user_tokens": 10},
        "retrieval": {"top_k": 1, "newest_messages": 2, "neighbours": 0},
        "importance": {"max_tokens": 10, "newest_messages": 2},
        "fact_graph": {"top_k": 2, "newest_messages": 2},
        "facts_store": {"top_k": 2, "newest_messages": 2},
        "observations": {"observe_tokens": 20, "reflect_tokens": 30},
        "working_memory": {"newest_messages": 2, "every_messages": 2},
        "summary_tree": {"span_turns": 1, "branches": 2, "recent_turns": 1},
        "memory_blocks": {"newest_tokens": 20, "block_characters": 60, "top_k": 1},
        "agent_framework_compaction": {"keep_messages": 2, "spare_messages": 1},
        "langchain_context_editing": {"trigger_tokens": 10, "keep_results": 1},
        "llama_index": {"token_limit": 30},
        "pydantic_ai_compaction": {"trigger_tokens": 20, "keep_messages": 2},
        "strands_managers": {"window_tokens": 30, "keep_messages": 2},
    }
    return small.get(id, {})
