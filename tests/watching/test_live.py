"""A watched conversation that is played on: what became another is played as it is now."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from memviz.core.messages import Message, ToolCall
from memviz.storage.watched import Growth
from memviz.watching.keeper import Keeper
from memviz.watching.live import LiveConversation
from tests.watching.growing import keeper_in

KEY = "opencode/one"
ASKED = Message("user", "Read them all.")
CALLS = 9


def reply(last_arguments: str) -> list[Message]:
    """A reply with many calls at once, of which the last one has no result as yet."""
    made = [ToolCall(str(number), "read", "{}") for number in range(CALLS - 1)]
    made.append(ToolCall(str(CALLS), "read", last_arguments))
    results = [Message("tool", "Done.", tool_call_id=call.id) for call in made[:-1]]
    return [Message("assistant", "", tool_calls=tuple(made)), *results]


def write(keeper: Keeper, messages: Sequence[Message]) -> None:
    """Keep a session of which only the first message is certain."""
    place = {"certain": "msg_1", "messages": 1, "events": 0}
    keeper.write_rows(KEY, Growth(0, messages, {"source": "opencode", "place": place}))


def played(keeper: Keeper, live: LiveConversation) -> bool:
    """Return whether what is played is what the library has."""
    view = live.look()
    assert view is not None
    kept = list(keeper.store.conversation(view.watched.id).messages)
    return all(list(run.log) == kept for _preset, run in view.runs)


def test_what_was_not_certain_is_played_as_it_is_now(tmp_path: Path) -> None:
    keeper = keeper_in(tmp_path)
    write(keeper, [ASKED, *reply("{}")])
    live = LiveConversation(keeper.store, KEY)
    assert played(keeper, live)
    result = Message("tool", "Done.", tool_call_id=str(CALLS))
    write(keeper, [ASKED, *reply('{"path": "a.py"}'), result])
    assert played(keeper, live)
    write(keeper, [ASKED, Message("assistant", "Shorter.")])
    assert played(keeper, live)
