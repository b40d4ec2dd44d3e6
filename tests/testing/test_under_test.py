"""An object's requests as a run: where each message is from, its summaries, and what it leaves out."""

from __future__ import annotations

from functools import partial
from typing import Any

import pytest

import memviz
from memviz import testing
from memviz.core.context import Fate
from memviz.engine.drafts import ANOTHER_MODEL
from tests.testing.memories import PROMPT, RULE, LastMessages, Summary, talk


def replayed(memory: Any, **settings: Any) -> Any:
    return testing.replay(talk(), memory, counter="chars4", **settings).runs[0]


def test_a_message_that_was_said_twice_is_the_newer_one() -> None:
    messages = [{"role": "user", "content": "Yes."}]
    for number in range(4):
        messages.append({"role": "assistant", "content": f"Question {number}?"})
        messages.append({"role": "user", "content": "Yes."})
    copies = lambda given: [dict(message) for message in given[-3:]]  # noqa: E731
    run = testing.replay(messages, copies, counter="chars4").runs[0]
    fates = run.fates_at(run.requests[-1])
    assert [*fates[:7]] == [Fate.DROPPED] * 4 + [Fate.VERBATIM] * 3


def test_new_words_of_its_own_are_a_summary_with_what_they_stand_for() -> None:
    run = replayed(Summary, keep=4)
    (first, *_) = run.compactions
    assert first.is_summarization
    assert first.summary == Summary.words
    assert [message.content for message in first.request] == [
        message["content"] for message in talk()[1:2]
    ]
    assert first.prompt_tokens > 0
    assert first.output_tokens == memviz.counter("chars4")(Summary.words)
    assert first.model == ANOTHER_MODEL
    assert len(run.summaries) == 1, "the same words are the same summary"


def test_a_note_of_its_own_is_no_summary() -> None:
    def cut(messages: list[dict[str, Any]]) -> list[dict[str, Any]]:
        note = {"role": "system", "content": f"[{len(messages) - 4} omitted]"}
        return [messages[0], note, *messages[-3:]]

    run = replayed(cut)
    assert len(run.summaries) == 0
    contents = [one.content for one in run.requests[-1].context.messages]
    assert contents[:2] == [PROMPT, "[16 omitted]"]


def test_a_history_as_one_text_is_no_summary() -> None:
    def told(messages: list[dict[str, Any]]) -> list[Any]:
        lines = [f"{one['role']}: {one['content']}" for one in messages[1:-1]]
        return [messages[0], "\n".join(lines), messages[-1]]

    run = testing.replay(talk(), told, counter="chars4")
    assert len(run.runs[0].summaries) == 0
    assert run.keeps("1,400 euros", kind="value")
    assert run.has_no_thrash()


def test_the_system_prompt_and_the_newest_message_are_missed() -> None:
    run = testing.replay(talk(), LastMessages, keep=4, counter="chars4")
    verdict = run.verify()
    assert not verdict
    (line,) = verdict.reasons
    assert line.startswith("turns 3, 4, 5, 6, 7, 8, 9")
    assert line.endswith("the system prompt is left out.")
    deaf = testing.replay(talk(), lambda messages: messages[:-1], counter="chars4")
    (line,) = deaf.verify().reasons
    assert line.endswith("the newest message is left out.")
    assert testing.replay(talk(), lambda messages: messages).verify()


def test_what_the_object_raises_is_raised() -> None:
    def broken(messages: list[Any]) -> list[Any]:
        if len(messages) > 6:
            raise ZeroDivisionError("at the fourth")
        return messages

    with pytest.raises(ZeroDivisionError, match="at the fourth"):
        testing.replay(talk(), broken)


def test_it_is_run_once_for_each_conversation_and_afresh() -> None:
    made: list[LastMessages] = []

    def make(keep: int) -> LastMessages:
        made.append(LastMessages(keep))
        return made[-1]

    run = testing.replay([talk(), talk()], make, keep=4, counter="chars4")
    assert [memory.keep for memory in made] == [4, 4]
    assert not run.keeps(RULE)
    # Only larger settings are tried, over the first conversation that loses it.
    assert [memory.keep for memory in made] == [4, 4, 8, 16, 32]
    assert [len(memory.all) for memory in made[:2]] == [20, 20]
    # Those are followed no further than to where they lose it as well, the last one to the end.
    *losing, keeping = (len(memory.all) for memory in made[2:])
    assert keeping == 20
    assert max(losing) < 20


def test_an_object_forgets_before_its_next_conversation_and_not_before_its_first() -> (
    None
):
    before = {"role": "user", "content": "The door code is 7742."}
    memory = [before]
    run = testing.replay([talk(), talk()], memory, counter="chars4")
    first, second = (one.requests[-1].context.messages for one in run.runs)
    assert "The door code is 7742." in [message.content for message in first]
    assert "The door code is 7742." not in [message.content for message in second]


def test_an_object_that_cannot_forget_gets_no_second_conversation() -> None:
    assert testing.replay(talk(), LastMessages(4), counter="chars4")
    with pytest.raises(testing.UnknownMemoryError, match="neither reset nor clear"):
        testing.replay([talk(), talk()], LastMessages(4), counter="chars4")


@pytest.mark.parametrize(
    ("memory", "settings", "name"),
    [
        (LastMessages, {"keep": 4}, "LastMessages(keep=4)"),
        (LastMessages(4), {}, "LastMessages"),
        ([], {}, "list"),
        (lambda messages: messages, {}, "<lambda>"),
        (partial(partial(sorted), key=str), {}, "sorted"),
    ],
)
def test_its_name_is_what_is_written_in_code(
    memory: Any, settings: dict[str, Any], name: str
) -> None:
    assert testing.replay(talk(), memory, counter="chars4", **settings).label == name
