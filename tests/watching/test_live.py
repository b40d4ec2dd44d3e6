"""A watched conversation that is played on: what became another is played as it is now."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

import memviz
from memviz.core.messages import Message, ToolCall
from memviz.dashboard.words.live import removed_words
from memviz.storage.watched import Growth
from memviz.transcripts.base import RecordedEvent
from memviz.watching.exchanges import Exchange
from memviz.watching.keeper import Keeper
from memviz.watching.live import LiveConversation, RemovedMessages
from memviz.watching.recorder import Recorder
from tests.tables import for_each
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


def test_the_calls_of_a_message_take_of_the_window(tmp_path: Path) -> None:
    keeper = keeper_in(tmp_path)
    call = ToolCall("1", "read", '{"path": "memory/notes.md"}')
    calling = Message("assistant", "", tool_calls=(call,))
    write(keeper, [ASKED, calling, Message("tool", "Done.", tool_call_id="1")])
    view = LiveConversation(keeper.store, KEY).look()
    assert view is not None
    items = {item.position: item for item in view.largest}
    assert items[1].text == 'read {"path": "memory/notes.md"}'
    assert items[1].tokens > items[0].tokens > 0
    # The format of a request takes some tokens besides.
    assert view.used_tokens >= sum(item.tokens for item in view.largest)


@for_each("text", ["", "They spoke of rooms."])
def test_of_a_part_it_does_not_say_that_all_of_it_was_taken_out(text: str) -> None:
    event = RecordedEvent("compaction", 4, text, part="up_to")
    assert removed_words(RemovedMessages(event, 4, 20, 5, [])) == (
        "After message 4 the program compacted a part of 4 messages with 20 tokens. "
        "Which of them stayed is not known."
    )


@pytest.mark.parametrize(
    ("before", "words"),
    [
        (
            (Message("user", "They spoke of rooms."),),
            "After message 8 the program put a summary of 5 tokens in the place of 6 messages",
        ),
        ((), "After message 8 the program left out 6 messages"),
    ],
)
def test_what_stayed_in_a_request_with_less_is_not_taken_out(
    tmp_path: Path, before: tuple[Message, ...], words: str
) -> None:
    keeper = keeper_in(tmp_path)
    recorder = Recorder(keeper, "proxy")
    history: list[Message] = []
    for number in range(6):
        history.append(Message("user", f"Room {number} costs {200 + number} euros."))
        if number == 4:
            history = [*before, *history[-3:]]
        said = Message("assistant", f"Room {number} it is.")
        recorder.take(Exchange(tuple(history), (said,), "one"))
        history.append(said)
    view = LiveConversation(keeper.store, "proxy/one").look()
    assert view is not None
    assert view.removed is not None
    assert removed_words(view.removed).startswith(words)
    positions = {one.position for one in view.largest}
    assert positions - {-1} == set(range(6, 12))
    assert {one.position for one in view.removed.largest} < set(range(6))
    transcript = keeper.store.conversation(view.watched.id)
    (lost,) = memviz.why(transcript, "Room 1 costs 201 euros.")
    (stayed,) = memviz.why(transcript, "Room 3 costs 203 euros.")
    assert lost.is_recorded
    assert (lost.is_lost, lost.without) == (True, 2)
    assert not stayed.is_lost


def test_first_messages_that_stayed_are_in_the_window(tmp_path: Path) -> None:
    keeper = keeper_in(tmp_path)
    recorder = Recorder(keeper, "proxy")
    history: list[Message] = []
    for number in range(6):
        history.append(Message("user", f"Room {number} costs {200 + number} euros."))
        if number == 4:
            history = [*history[:2], *history[-3:]]
        said = Message("assistant", f"Room {number} it is.")
        recorder.take(Exchange(tuple(history), (said,), "one"))
        history.append(said)
    view = LiveConversation(keeper.store, "proxy/one").look()
    assert view is not None
    assert view.removed is not None
    assert removed_words(view.removed).startswith(
        "After message 8 the program left out 4 messages"
    )
    assert {one.position for one in view.removed.largest} < set(range(2, 6))
    assert {one.position for one in view.largest} == {0, 1, *range(6, 12)}
    transcript = keeper.store.conversation(view.watched.id)
    for number, is_lost in enumerate([False, True, True, False]):
        phrase = f"Room {number} costs {200 + number} euros."
        (told,) = memviz.why(transcript, phrase)
        assert told.is_lost is is_lost
    assert memviz.verify(told.run, events=transcript.events) == ()


TURNS = [
    message
    for number in range(40)
    for message in (
        Message("user", f"Room {number}?"),
        Message("user", "It is for two."),
        Message("assistant", f"Room {number} costs {200 + number} euros."),
    )
]


def grown(keeper: Keeper, messages: Sequence[Message], start: int = 0) -> None:
    """Keep a session of which every message is certain, and which compacted after its message 100."""
    event = RecordedEvent("compaction", 100, "They spoke of rooms.", kept_newest=0)
    state = {"source": "claude_code"}
    events = () if start else (event,)
    keeper.write_rows(KEY, Growth(start, messages, state, events))


def test_of_a_long_conversation_the_newest_turns_are_played(tmp_path: Path) -> None:
    keeper = keeper_in(tmp_path)
    grown(keeper, TURNS)
    live = LiveConversation(keeper.store, KEY, newest=40)
    view = live.look()
    assert view is not None
    assert view.start == 81, "the first turn that begins among the newest 40"
    assert all(list(run.log) == TURNS[81:] for _preset, run in view.runs)
    assert view.removed is not None
    assert view.removed.messages == 100 - 81

    behind = LiveConversation(keeper.store, KEY, newest=15).look()
    assert behind is not None
    assert (behind.start, behind.removed) == (108, None)
    assert "They spoke of rooms." in {item.text for item in behind.largest}

    whole = LiveConversation(keeper.store, KEY).look()
    assert whole is not None
    assert whole.removed is not None
    assert (whole.start, whole.removed.messages) == (0, 100)
    assert whole.used_tokens == view.used_tokens
    assert whole.tokens_per_turn == view.tokens_per_turn
    of_whole = [(item.position, item.text) for item in whole.largest]
    assert [(item.position, item.text) for item in view.largest] == of_whole


def test_the_newest_turns_are_played_on_and_begin_anew_where_they_are_gone(
    tmp_path: Path,
) -> None:
    keeper = keeper_in(tmp_path)
    grown(keeper, TURNS)
    live = LiveConversation(keeper.store, KEY, newest=40)
    assert live.look() is not None
    said = [Message("user", "And breakfast?"), Message("assistant", "Included.")]
    grown(keeper, said, start=120)
    view = live.look()
    assert view is not None
    assert view.start == 81, "what was played is not left out again"
    assert all(list(run.log) == [*TURNS[81:], *said] for _preset, run in view.runs)
    grown(keeper, said, start=45)
    view = live.look()
    assert view is not None
    assert view.start == 9
    assert all(list(run.log) == [*TURNS[9:45], *said] for _preset, run in view.runs)


def test_two_other_rules_stand_beside_that_of_the_program(tmp_path: Path) -> None:
    keeper = keeper_in(tmp_path)
    said = [Message("user", "Fix the tests."), Message("assistant", "Done.")]
    rules = {}
    for program in ("claude_code", "codex", "gemini_cli", "proxy"):
        keeper.append(program, "one", said)
        view = LiveConversation(keeper.store, f"{program}/one").look()
        assert view is not None
        rules[program] = [forecast.preset.id for forecast in view.forecasts]
    assert rules == {
        "claude_code": ["claude_code", "codex", "anthropic_clearing"],
        "codex": ["codex", "claude_code", "anthropic_clearing"],
        "gemini_cli": ["gemini_cli", "claude_code", "codex"],
        "proxy": ["claude_code", "codex"],
    }
