"""A summarizer that fails is asked again after waits that grow with its failures in a row."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice, pairwise, repeat
from typing import Any

import pytest

import memviz
from memviz import Log, Message, ModelError, ScriptedModel
from memviz.engine.backoff import find_next_try
from memviz.engine.chat import Chat
from memviz.engine.chat_memory import ChatMemory
from memviz.engine.free_run import free_run
from memviz.engine.run import Run
from memviz.models.litellm_client import LiteLLMModel
from tests.engine.probes import SUMMARIZING, small, talk, timeless
from tests.tables import for_each

every_summarizing = for_each("id", SUMMARIZING)
DOWN = ModelError("down")


class Named(ScriptedModel):
    """A scripted summarizer of its own name."""

    def __init__(
        self, script: Iterable[str | BaseException], name: str = "scripted"
    ) -> None:
        super().__init__(script)
        self.name = name


def failing(times: int | None = None) -> Named:
    """Fails ``times`` times, or always; then it writes."""
    down: Iterator[Any] = repeat(DOWN) if times is None else repeat(DOWN, times)
    return Named(item for part in (down, repeat("fine")) for item in part)


def tries(run: Run) -> list[int]:
    """The turns in which a summarizer was asked."""
    return [compaction.turn for compaction in run.compactions]


def a_chat(id: str, summarizer: memviz.Model) -> Chat:
    return Chat(
        small(id),
        model=Named(f"answer {i}" for i in range(999)),
        summarizer=summarizer,
        counter="chars4",
    )


def say(chat: Chat, turns: int) -> None:
    for _ in range(turns):
        chat.send(f"question {chat.log.turn_count + 1}")


@every_summarizing
def test_after_n_failures_in_a_row_it_waits_2_to_the_n_turns_and_at_most_32(
    id: str,
) -> None:
    run = memviz.replay(talk(200), small(id), model=failing(), counter="chars4")
    first, *rest = tries(run)
    waits = [after - before for before, after in pairwise([first, *rest])]
    assert waits == [2, 4, 8, 16, *[32] * (len(waits) - 4)]
    assert len(waits) > 6


@every_summarizing
def test_a_summary_ends_the_row(id: str) -> None:
    script = [DOWN, DOWN, "fine", DOWN, *["fine"] * 200]
    run = memviz.replay(
        talk(60), small(id), model=ScriptedModel(script), counter="chars4"
    )
    failed = [
        number for number, compaction in enumerate(run.compactions) if compaction.error
    ]
    turns = tries(run)
    assert [turns[number + 1] - turns[number] for number in failed] == [2, 4, 2]


@pytest.mark.slow
@every_summarizing
def test_it_is_the_same_in_a_replay_a_free_run_a_chat_and_a_memory(id: str) -> None:
    chat = a_chat(id, failing(3))
    say(chat, 40)
    again = memviz.replay(
        list(chat.log),
        small(id),
        model=failing(3),
        counter="chars4",
        repair_tool_pairs=True,
    )
    model = Named(f"answer {i}" for i in range(999))
    free = free_run(
        list(chat.log), small(id), model=model, summarizer=failing(3), counter="chars4"
    )
    memory = ChatMemory(small(id), model=failing(3), counter="chars4")
    memory.set(chat.log)
    assert timeless(chat.run) == timeless(again) == timeless(free)
    if id != "chat_summary_buffer":  # which looks when somebody asks for the request
        assert tries(memory.run)[:3] == tries(again)[:3]


@every_summarizing
def test_a_chat_that_is_resumed_goes_on_waiting(id: str) -> None:
    chat = a_chat(id, failing())
    say(chat, 12)
    before = tries(chat.run)
    resumed = Chat.resume(chat.run, model=Named(["answer"] * 99), summarizer=failing())
    due = find_next_try(chat.run.compactions, chat.run.compactions[-1])
    say(resumed, due - 12)
    assert tries(resumed.run) == [*before, due]


@every_summarizing
def test_another_model_is_asked_at_once(id: str) -> None:
    chat = a_chat(id, failing())
    say(chat, 12)
    number = len(chat.run.compactions)
    assert find_next_try(chat.run.compactions, chat.run.compactions[-1]) > 13
    chat.use(chat.model, Named(repeat("fine"), "another"))
    say(chat, 1)
    assert chat.run.compactions[number].summary == "fine"
    assert (
        chat.run.compactions[number].turn <= 13
    )  # a turn that is over is summarized before the next one begins


def test_the_same_model_with_another_key_is_another_one() -> None:
    one, other = (
        LiteLLMModel("openai/gpt-4o-mini", api_key=key)
        for key in ("sk-one", "sk-other")
    )
    same = LiteLLMModel("openai/gpt-4o-mini", api_key="sk-one")
    assert (one.asks_like(same), one.asks_like(other), one.asks_like(failing())) == (
        True,
        False,
        False,
    )


@every_summarizing
def test_try_again_asks_at_once(id: str) -> None:
    writer = failing(2)
    chat = a_chat(id, writer)
    while len(chat.run.compactions) < 2:
        say(chat, 1)
    say(chat, 1)
    asked, turn = len(writer.requests), chat.log.turn_count
    list(chat.retry())
    assert len(writer.requests) > asked
    assert [c.summary for c in chat.run.compactions if c.turn == turn][:1] == ["fine"]


@every_summarizing
def test_try_again_is_one_try_not_an_end_of_the_wait(id: str) -> None:
    writer = failing()
    chat = a_chat(id, writer)
    while len(chat.run.compactions) < 2:
        say(chat, 1)
    list(chat.retry())
    turn = chat.log.turn_count
    say(chat, 7)
    assert not [c for c in chat.run.compactions if turn < c.turn < turn + 4]


def test_a_summarization_that_the_user_skips_is_due_again_in_the_next_turn() -> None:
    chat = a_chat("summary", failing(0))
    chat.review = True
    skipped: list[int] = []
    for _ in range(5):
        say_until_asked(chat)
        if chat.proposal is not None:
            skipped.append(chat.log.turn_count)
            chat.skip()
            list(chat.go_on())
    assert len(skipped) > 2
    assert [after - before for before, after in pairwise(skipped)] == [1] * (
        len(skipped) - 1
    )


def say_until_asked(chat: Chat) -> None:
    for _ in chat.stream(f"question {chat.log.turn_count + 1}"):
        pass


@every_summarizing
def test_a_replay_with_a_summarizer_that_always_fails_asks_it_seldom(id: str) -> None:
    """Asked in every turn, and with ever longer prompts, 1,000 messages took 3.5 seconds and 2,000 took 13."""
    writer = failing()
    memviz.replay(Log(talk(500)), small(id), model=writer, counter="chars4")
    assert len(writer.requests) <= 5 + 500 // 32


def test_a_strategy_that_looks_after_each_message_is_not_asked_while_it_waits(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    strategy = small("summary")
    asked: list[int] = []
    plan = type(strategy).plan

    def counting(self: Any, memory: Any) -> Any:
        asked.append(memory.length)
        return plan(self, memory)

    monkeypatch.setattr(type(strategy), "plan", counting)
    memviz.replay(talk(500), strategy, model=failing(), counter="chars4")
    assert len(asked) < 100


def test_the_words_say_when_it_is_tried_again() -> None:
    run = memviz.replay(talk(30), small("summary"), model=failing(), counter="chars4")
    for failed, tried in pairwise(run.compactions):
        assert find_next_try(run.compactions, failed) == tried.turn


def test_messages_before_the_first_turn_count_as_turn_0() -> None:
    messages = [Message("assistant", f"greeting {i}") for i in range(9)] + talk(5)
    run = memviz.replay(messages, small("summary"), model=failing(), counter="chars4")
    assert list(islice(tries(run), 2)) == [0, 2]
