"""Random conversations with loops of tools, orderly and damaged, small enough to drive a library through."""

from __future__ import annotations

from hypothesis import strategies as st

from memviz import Message
from tests.strategies.conversations import text_of

EMPTY_LOOPS = (
    ("system",),
    ("assistant",),
    ("tool",),
    ("caller",),
    ("two callers",),
    ("user",),
)
ORDERLY = (
    ("user", "assistant"),
    ("user", "caller", "tool", "assistant"),
    ("user", "two callers", "tool", "tool", "caller", "tool", "assistant"),
    ("user", "user", "assistant"),
    ("system", "user", "caller", "tool", "caller", "tool"),
)
pieces = st.lists(
    st.sampled_from((*ORDERLY, *ORDERLY, *EMPTY_LOOPS)), min_size=1, max_size=8
)
sizes = st.sampled_from([0, 1, 2, 3, 5, 8, 13, 40])


@st.composite
def talks(draw: st.DrawFn) -> list[Message]:
    """Up to 56 messages, one of them the user's at least; calls without results and results without a call too."""
    roles = [role for piece in draw(pieces) for role in piece]
    if "user" not in roles:
        roles.append("user")
    lengths = draw(st.lists(sizes, min_size=len(roles), max_size=len(roles)))
    return [
        said(i, role, size)
        for i, (role, size) in enumerate(zip(roles, lengths, strict=True))
    ]


def said(number: int, role: str, size: int) -> Message:
    """Message ``number``, of ``size`` words; a result names the call of one of the two messages before it."""
    text = text_of(number, size)
    if role in ("caller", "two callers"):
        ids = [f"call{number}", f"call{number}b"][: 2 if role == "two callers" else 1]
        calls = tuple(
            {
                "id": id,
                "function": {"name": "look_up", "arguments": f'{{"q": {number}}}'},
            }
            for id in ids
        )
        return Message("assistant", text, tool_calls=calls)
    if role == "tool":
        return Message(
            "tool",
            text,
            tool_call_id=f"call{number - 1}",
            name="look_up" if number % 3 == 0 else None,
        )
    return Message(
        role, text, name="Ada" if role == "user" and number % 5 == 4 else None
    )
