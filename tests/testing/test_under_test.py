"""An object's requests as a run: where each message is from, its summaries, and what it leaves out."""

from __future__ import annotations

from functools import partial
from typing import Any

import pytest

import memviz
from memviz import testing
from memviz.core.context import Fate
from memviz.engine.drafts import ANOTHER_MODEL
from tests.tables import for_each
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


def test_what_stands_behind_the_system_prompt_in_one_message_is_the_objects_own() -> (
    None
):
    class Behind(Summary):
        def load(self) -> list[dict[str, Any]]:
            sent = super().load()
            if sent[1]["role"] != "system":
                return sent
            text = f"{PROMPT}\n\n{self.words}"
            return [{"role": "system", "content": text}, *sent[2:]]

    run = testing.replay(talk(), Behind, keep=4, counter="chars4")
    assert run.verify()
    (behind,) = run.runs
    last = [message.content for message in behind.requests[-1].context.messages]
    assert last[:2] == [PROMPT, Behind.words]
    assert [summary.text for summary in behind.summaries] == [Behind.words]
    assert (
        run.tokens == testing.replay(talk(), Summary, keep=4, counter="chars4").tokens
    )


def test_a_note_behind_the_system_prompt_is_no_summary() -> None:
    def cut(messages: list[dict[str, Any]]) -> list[dict[str, Any]]:
        note = f"{PROMPT} {'Answer in one short sentence. ' * 2}"
        return [{"role": "system", "content": note}, *messages[-3:]]

    assert len(replayed(cut).summaries) == 0


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


def test_the_newest_message_may_stand_in_a_longer_text() -> None:
    def wrapped(messages: list[Any], words: str = "Question: ") -> list[Any]:
        newest = {"role": "user", "content": words + messages[-1]["content"]}
        return [*messages[:-1], newest]

    def cut(messages: list[Any]) -> list[Any]:
        half = {"role": "user", "content": messages[-1]["content"][:10]}
        return [*messages[:-1], half]

    assert testing.replay(talk(), wrapped, counter="chars4").verify()
    (line,) = testing.replay(talk(), cut, counter="chars4").verify().reasons
    assert line.endswith("the newest message is left out.")


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
    # What is seen to lose it is run no further: 8 at turn 5, 16 at turn 9.
    assert [len(memory.all) for memory in made] == [20, 20, 10, 18, 20]


def test_a_larger_setting_that_was_run_to_its_middle_is_run_afresh_for_the_next_question() -> (
    None
):
    made: list[LastMessages] = []

    def make(keep: int) -> LastMessages:
        made.append(Rolling(keep))
        return made[-1]

    class Rolling(Summary):
        """Its summary tells how often it was asked."""

        def __init__(self, keep: int) -> None:
            super().__init__(keep)
            self.asked = 0

        def load(self) -> list[dict[str, Any]]:
            self.asked += 1
            sent = super().load()
            if len(sent) < len(self.all):
                text = f"{self.words}, number {self.asked}"
                sent[1] = {"role": "system", "content": text}
            return sent

    run = testing.replay(talk(), make, keep=2, counter="chars4")
    assert not run.keeps(RULE, kind="rule")
    question = "What does a hotel in Alfama cost?"
    second = run.keeps(question, kind="rule")
    alone = testing.replay(talk(), make, keep=2, counter="chars4")
    assert second.reasons == alone.keeps(question, kind="rule").reasons
    assert all(memory.asked * 2 == len(memory.all) for memory in made)


def test_an_object_forgets_before_its_next_conversation_and_not_before_its_first() -> (
    None
):
    before = {"role": "user", "content": "The door code is 7742."}
    memory = [before]
    run = testing.replay([talk(), talk()], memory, counter="chars4")
    first, second = (one.requests[-1].context.messages for one in run.runs)
    assert "The door code is 7742." in [message.content for message in first]
    assert "The door code is 7742." not in [message.content for message in second]


def test_an_object_that_is_called_forgets_too_and_is_awaited_where_it_has_to_be() -> (
    None
):
    class Called:
        def __init__(self) -> None:
            self.newest: list[dict[str, Any]] = []

        def __call__(self, messages: list[dict[str, Any]]) -> list[dict[str, Any]]:
            self.newest = [*self.newest, messages[-1]][-30:]
            return self.newest

        def reset(self) -> None:
            self.newest = []

    class CalledLater(Called):
        async def reset(self) -> None:  # type: ignore[override]
            self.newest = []

    for memory in (Called(), CalledLater()):
        run = testing.replay([talk(), talk()], memory, counter="chars4")
        first, second = (one.requests[-1].context.messages for one in run.runs)
        assert len(first) == len(second) == 1 + 10


def test_a_middleware_that_can_forget_does() -> None:
    middleware = pytest.importorskip("langchain.agents.middleware")

    class Counting(middleware.AgentMiddleware):  # type: ignore[misc, name-defined]
        requests = 0

        def wrap_model_call(self, request: Any, handler: Any) -> Any:
            self.requests += 1
            return handler(request)

        def clear(self) -> None:
            self.requests = 0

    counting = Counting()
    testing.replay([talk(), talk()], counting, counter="chars4")
    assert counting.requests == len(talk()) // 2


def test_an_object_that_cannot_forget_gets_no_second_conversation() -> None:
    assert testing.replay(talk(), LastMessages(4), counter="chars4")
    with pytest.raises(testing.UnknownMemoryError, match="neither reset nor clear"):
        testing.replay([talk(), talk()], LastMessages(4), counter="chars4")


@for_each(
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


def test_a_setting_below_1_stays_as_it_is() -> None:
    settings: list[int] = []

    def make(max_tokens: int, keep: int) -> LastMessages:
        settings.append(max_tokens)
        return LastMessages(keep)

    run = testing.replay(talk(), make, max_tokens=-1, keep=4, counter="chars4")
    assert run.label.endswith("make(max_tokens=-1, keep=4)")
    assert not run.keeps(RULE)
    assert {*settings} == {-1}
    assert len(settings) > 1, "keep was made larger"


@for_each(
    ("memory", "settings"),
    [
        (memviz.strategy("window"), {"window_size": 4}),
        (LastMessages(4), {"keep": 6}),
    ],
)
def test_an_object_that_is_made_already_takes_no_settings(
    memory: Any, settings: dict[str, Any]
) -> None:
    with pytest.raises(memviz.ParameterError, match="with those that it has"):
        testing.replay(talk(), memory, **settings)


def test_a_function_of_the_messages_gets_the_settings_too() -> None:
    def trim(messages: list[Any], keep: int) -> list[Any]:
        return messages[-keep:]

    run = testing.replay([talk(), talk()], trim, keep=4, counter="chars4")
    assert run.label == "trim(keep=4)"
    assert len(run.runs[0].requests[-1].context.messages) == 1 + 4
    reasons = run.keeps(RULE, kind="rule").reasons
    assert any("trim(keep=32)" in reason for reason in reasons)
    with pytest.raises(TypeError, match="keeps"):
        testing.replay(talk(), trim, keeps=4)
