"""Random conversations with tools, orderly and odd, for tests against other libraries."""

from __future__ import annotations

from collections.abc import Sequence

from hypothesis import strategies as st

from memviz import Message, ToolCall

TOOLS = ("look_up", "book", "pay")
LINES = (
    "the budget is 42",
    "Lisbon, not Porto",
    "naïve 搬家 <b>&",
    "",
    "yes",
    "a rather long line with many words in it",
)


@st.composite
def texts(draw: st.DrawFn) -> str:
    """Up to four lines, often one, sometimes none."""
    return "\n".join(draw(st.lists(st.sampled_from(LINES), max_size=4)))


@st.composite
def loops(draw: st.DrawFn, number: int) -> list[Message]:
    """One step of the assistant with up to four calls at once and what came of them: mostly one result a call, in
    order; sometimes a result is missing, without a call, or late. Ids repeat from step to step now and then."""
    base = draw(st.sampled_from([number, number, number, 0]))
    ids = [f"call{base}-{i}" for i in range(draw(st.integers(1, 4)))]
    calls = tuple(
        ToolCall(id, draw(st.sampled_from(TOOLS)), f'{{"q": "{id}"}}') for id in ids
    )
    answered = list(ids)
    if draw(st.integers(0, 3)) == 0:
        answered = draw(st.permutations([*ids, "nobody's"]))[
            : draw(st.integers(0, len(ids) + 1))
        ]
    names = {call.id: call.name for call in calls}
    results = [
        Message(
            "tool",
            draw(texts()),
            tool_call_id=id,
            name=draw(st.sampled_from([None, names.get(id)])),
        )
        for id in answered
    ]
    return [Message("assistant", draw(texts()), tool_calls=calls), *results]


ODD = ("user", "assistant", "system", "tool")


@st.composite
def turns(draw: st.DrawFn, number: int) -> list[Message]:
    """A question, any number of loops, and mostly an answer; sometimes a message that does not belong there."""
    found = [
        Message("user", draw(texts()))
        for _ in range(draw(st.sampled_from([1, 1, 1, 2])))
    ]
    for step in range(draw(st.sampled_from([0, 0, 1, 1, 2, 4]))):
        found += draw(loops(10 * number + step))
        found += draw(odd_messages)
    if draw(st.integers(0, 5)):
        found.append(Message("assistant", draw(texts())))
    return [*found, *draw(odd_messages)]


def odd_message(role: str, text: str) -> Message:
    return Message(role, text, tool_call_id="nobody's" if role == "tool" else None)


odd_messages = st.one_of(
    st.just([]),
    st.just([]),
    st.just([]),
    st.lists(st.builds(odd_message, st.sampled_from(ODD), texts()), max_size=2),
)


@st.composite
def conversations(draw: st.DrawFn, max_turns: int = 6) -> list[Message]:
    """A conversation with tools of up to ``max_turns`` turns, at least one message of it the user's. Every second one
    begins with system messages, a greeting, or something odder."""
    leading: Sequence[Message] = draw(st.one_of(st.just([]), odd_messages))
    system = [Message("system", draw(texts()))] if draw(st.integers(0, 3)) == 0 else []
    return [
        *system,
        *leading,
        *(m for n in range(draw(st.integers(1, max_turns))) for m in draw(turns(n))),
    ]
