"""A chat that is left, saved, opened, cut or asked again goes on as if nothing had happened, and pays for no summary
twice: under strategies of marks, of several kinds of notes, and that run a library."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any
from zlib import crc32

import pytest
from hypothesis import given
from hypothesis import strategies as st

import memviz
from memviz import Chat, Message, Model, Reply, ReviewError, Run, ScriptedModel
from memviz.core.counters import Counter
from memviz.engine.recording import RecordedSummaries
from memviz.storage.store import Store
from memviz.strategies.library import Ask, FromLibrary, LibraryStrategy
from memviz.transcripts.base import Transcript
from tests.engine.written_strategies import Folding, FoldingSix, Tracks, talk
from tests.own_strategies import OWN, known
from tests.tables import for_each


@pytest.fixture(scope="module", autouse=True)
def _own_strategies() -> Iterator[None]:
    with known():
        yield


@pytest.fixture(scope="module")
def store() -> Iterator[Store]:
    store = Store(":memory:")
    yield store
    store.close()


STRATEGIES = {
    **{id: cls() for id, cls in OWN.items()},
    "fifo_facts": memviz.strategy("fifo_facts", token_limit=80, max_facts=2),
    "threshold_summary": memviz.strategy(
        "threshold_summary", trigger_tokens=60, keep_messages=3
    ),
    "a threshold that the summary alone is over": memviz.strategy(
        "threshold_summary", trigger_tokens=12, keep_messages=1
    ),
    "langchain_summarization": memviz.strategy(
        "langchain_summarization", trigger_tokens=60, keep_messages=3
    ),
}


class Echo(Model):
    """Answers the same request the same way, keeps what it was asked, and fails when it is told to."""

    name = "echo"

    def __init__(self) -> None:
        self.requests: list[tuple[Message, ...]] = []
        self.fails = False

    def stream(self, messages: Sequence[Message], *_: Any) -> Iterator[str | Reply]:
        if self.fails:
            raise OSError("no network")
        self.requests.append(tuple(messages))
        yield Reply(
            f"<fact>{crc32(repr([message.to_request() for message in messages]).encode())}</fact>"
        )


class Holder:
    """A chat and what is done with it."""

    def __init__(self, id: str, store: Store | None) -> None:
        self.model, self.summarizer, self.store = Echo(), Echo(), store
        self.chat = Chat(
            STRATEGIES[id],
            model=self.model,
            summarizer=self.summarizer,
            counter="chars4",
        )
        self.said: list[str] = []
        self.conversation = (
            store.add_chat(Transcript(()), self.chat.run) if store else ""
        )

    def do(self, what: str, number: int) -> None:
        if what == "fail" or (what == "send" and self.chat.unanswered):
            self.model.fails = True
            self.say_in_vain(number)
            self.leave()
            self.model.fails = False
            list(self.chat.retry())
        elif what == "send":
            self.said.append(f"Question {number}?")
            self.chat.send(self.said[-1])
        elif what == "undo" and self.said:
            self.said.pop()
            self.chat.undo()
        elif what == "again" and self.said:
            list(self.chat.answer_again())
        self.leave()

    def say_in_vain(self, number: int) -> None:
        self.said.append(f"Question {number}?")
        with pytest.raises(OSError, match="no network"):
            self.chat.send(self.said[-1])

    def leave(self) -> None:
        """Save the chat and open it again, in a twin that is never left do nothing."""
        if self.store is None:
            return
        self.store.rewrite_chat(self.conversation, self.chat.run)
        run = self.store.chat_run(self.conversation)
        assert run is not None
        self.chat = Chat.resume(run, model=self.model, summarizer=self.summarizer)


def sent(run: Run) -> list[tuple[Message, ...]]:
    return [record.context.messages for record in run.requests]


def changes(run: Run) -> list[dict[str, Any]]:
    return [{**compaction.to_dict(), "seconds": 0} for compaction in run.compactions]


ACTION = st.sampled_from(["send", "send", "send", "send", "fail", "undo", "again"])
ACTIONS = st.lists(ACTION, min_size=6, max_size=16)


@pytest.mark.slow
@pytest.mark.parametrize("id", STRATEGIES)
@given(actions=st.lists(ACTION, min_size=6, max_size=10))
def test_a_chat_that_is_left_after_each_step_goes_on_the_same(
    id: str, store: Store, actions: list[str]
) -> None:
    left, stays = Holder(id, store), Holder(id, None)
    for number, action in enumerate(actions):
        left.do(action, number)
        stays.do(action, number)
    assert sent(left.chat.run) == sent(stays.chat.run)
    assert changes(left.chat.run) == changes(stays.chat.run)
    assert left.summarizer.requests == stays.summarizer.requests, (
        "nothing is asked and paid for twice"
    )


@for_each("id", STRATEGIES)
def test_a_chat_that_went_back_to_its_strategy_goes_on_the_same(
    id: str, store: Store
) -> None:
    left, stays = Holder(id, store), Holder(id, None)
    for number in range(12):
        for holder in (left, stays):
            if number in (5, 8):
                holder.chat.change_strategy(
                    memviz.strategy("window") if number == 5 else STRATEGIES[id]
                )
                holder.leave()
            holder.do("send", number)
    assert sent(left.chat.run) == sent(stays.chat.run)
    assert changes(left.chat.run) == changes(stays.chat.run)
    assert left.summarizer.requests == stays.summarizer.requests


@given(actions=ACTIONS)
@for_each("id", STRATEGIES)
def test_what_was_taken_back_leaves_nothing_behind(id: str, actions: list[str]) -> None:
    wandering, straight = Holder(id, None), Holder(id, None)
    for number, action in enumerate(actions):
        wandering.do(action, number)
    for text in wandering.said:
        straight.chat.send(text)
    assert sent(wandering.chat.run) == sent(straight.chat.run)
    assert changes(wandering.chat.run) == changes(straight.chat.run)
    turns = range(straight.chat.log.turn_count + 1)
    memories = [
        [run.memory_after(turn).state for turn in turns]
        for run in (wandering.chat.run, straight.chat.run)
    ]
    assert memories[0] == memories[1]


class AskingTwice(FoldingSix):
    """Asks for a summary and then for a shorter one."""

    def request(self) -> Sequence[FromLibrary]:
        if len(self.held) > 6:
            long = self.ask(
                [
                    Message(
                        "user",
                        " / ".join(one.message.content for one in self.held[:-2]),
                    )
                ]
            )
            self.held = [
                FromLibrary(Message("user", self.ask([Message("user", long)]))),
                *self.held[-2:],
            ]
        return self.held


class Forgetting(FoldingSix):
    """Forgets without asking anybody: how much depends on how often it was asked for a request."""

    def request(self) -> Sequence[FromLibrary]:
        self.held = self.held[-3:]
        return self.held


LIBRARIES = {"asking twice": AskingTwice, "forgetting": Forgetting}


class Lending(LibraryStrategy):
    """Runs one of these libraries."""

    library: str

    def open(self, ask: Ask, counter: Counter) -> Any:
        return LIBRARIES[self.library](ask, True)


@for_each("library", LIBRARIES)
def test_a_library_that_is_opened_again_gets_all_its_answers_and_asks_nobody(
    library: str,
) -> None:
    model, summarizer = Echo(), Echo()
    whole = Chat(
        Lending(library=library), model=model, summarizer=summarizer, counter="chars4"
    )
    again, paid = (
        Chat(
            Lending(library=library), model=Echo(), summarizer=Echo(), counter="chars4"
        ),
        Echo(),
    )
    for number in range(9):
        whole.send(f"Question {number}?")
        again = Chat.resume(again.run, model=model, summarizer=paid)
        again.send(f"Question {number}?")
    assert sent(again.run) == sent(whole.run)
    assert paid.requests == summarizer.requests


def test_the_answer_is_on_record_where_strategy_or_library_made_another_text_of_it() -> (
    None
):
    scripts = {
        Tracks(): ["A.", "B.", "Work 2.", "C.", "Work 3."],
        Folding(): ["one", "two", "three"],
    }
    for strategy, script in scripts.items():
        said = talk(3 if isinstance(strategy, Tracks) else 6)
        run = memviz.replay(said, strategy, model=ScriptedModel(script), counter=len)
        asked = [compaction for compaction in run.compactions if compaction.calls]
        assert [compaction.answered for compaction in asked] == script[: len(asked)]
        assert [compaction.output_tokens for compaction in asked] == [
            len(text) for text in script[: len(asked)]
        ]


@for_each("strategy", [Tracks(), Folding()])
def test_answers_on_record_make_the_same_run_again(strategy: memviz.Strategy) -> None:
    run = memviz.replay(talk(9), strategy, model=Echo(), counter=len)
    again = memviz.replay(
        run.log, strategy, model=RecordedSummaries(run, ScriptedModel(())), counter=len
    )
    assert sent(again) == sent(run)


def test_the_end_of_a_script_ends_a_replay_that_runs_a_library() -> None:
    with pytest.raises(memviz.core.model_errors.ScriptExhausted):
        memviz.replay(talk(6), Folding(), model=ScriptedModel(()), counter=len)


def test_summaries_that_a_library_keeps_cannot_be_changed_here() -> None:
    chat = Chat(Folding(), model=Echo(), summarizer=Echo(), counter="chars4")
    for number in range(5):
        chat.send(f"Question {number}?")
    with pytest.raises(ReviewError, match="keeps its summaries itself"):
        chat.undo_summary()
    with pytest.raises(ReviewError, match="keeps its summaries itself"):
        chat.edit_summary(1, "Nothing.")
    assert chat.undoable is None
