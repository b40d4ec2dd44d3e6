"""What a run sent and got: against the messages that were really built, and by hand."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import memviz
from memviz import Chat, Message, ModelError, Recall, Reply, Run, ScriptedModel, Usage
from memviz.metrics.requests.shared_prefix import find_common_beginning
from memviz.metrics.requests.token_use import count_token_use
from memviz.metrics.requests.traffic import Traffic, count_traffic
from tests.engine.calling import (
    CHARS4,
    Caller,
    caller_of,
    chat_after,
    content_tokens,
    decide,
    offered,
    recall,
    says,
)
from tests.engine.probes import REPRESENTATIVES, SUMMARIZING, Digest, small, talk
from tests.metrics.sent_messages import shared_by_turn, shared_tokens, words_in_common
from tests.strategies.conversations import conversations, outcomes, summarizer
from tests.tables import for_each

every_kind = for_each("id", REPRESENTATIVES)
texts = st.text(alphabet="ab \n", max_size=12)
recalls = st.dictionaries(
    st.integers(1, 8),
    st.builds(
        Recall,
        turns=st.lists(st.integers(1, 8), min_size=1, max_size=3),
        last_n=st.none() | st.integers(1, 4),
    ),
    max_size=4,
)


@given(
    messages=conversations(),
    plan=outcomes,
    recalled=recalls,
    prompt=st.sampled_from([None, "Be brief."]),
    repair=st.booleans(),
    edits=st.dictionaries(st.integers(1, 4), st.just("summary 1, new")),
)
@every_kind
@for_each("counter", ["chars4", "o200k_base"])
def test_what_is_shared_is_what_comparing_the_real_messages_gives(
    id: str,
    counter: str,
    messages: list[Message],
    plan: list[str],
    recalled: dict[int, Recall],
    prompt: str | None,
    repair: bool,
    edits: dict[int, str],
) -> None:
    run = memviz.replay(
        messages,
        small(id),
        model=summarizer(plan),
        counter=counter,
        system_prompt=prompt,
        recalls=recalled,
        repair_tool_pairs=repair,
        edits=edits,
    )
    found = count_traffic(run)
    assert found.shared_tokens.tolist() == shared_by_turn(run)
    assert (found.shared_tokens <= found.input_tokens).all()


@pytest.mark.parametrize("id", SUMMARIZING)
@given(
    steps=st.lists(
        st.sampled_from(["say", "say", "edit", "undo"]), min_size=3, max_size=14
    ),
    data=st.data(),
)
def test_edited_and_undone_summaries_are_compared_as_they_are_sent(
    id: str, steps: list[str], data: st.DataObject
) -> None:
    chat = Chat(
        small(id),
        model=ScriptedModel(f"answer {i} is long enough" for i in range(99)),
        summarizer=Digest(),
        counter="chars4",
        recall_tool=False,
    )
    for number, step in enumerate(steps):
        versions = chat.summaries_in_force
        if step == "edit" and versions:
            chat.edit_summary(
                data.draw(st.sampled_from(versions)).version,
                f"digest edited in step {number}",
            )
        elif step == "undo" and chat.undoable is not None:
            chat.undo_summary()
        else:
            chat.send(f"question {number} about the trip")
    assert count_traffic(chat.run).shared_tokens.tolist() == shared_by_turn(chat.run)


def test_a_list_that_lost_its_end_keeps_its_beginning() -> None:
    model = ScriptedModel(f"answer {i}" for i in range(9))
    chat = Chat(
        small("recent_only"),
        model=model,
        summarizer=Digest(),
        counter="chars4",
        recall_tool=False,
    )
    for number in range(5):
        chat.send(f"question {number}")
    chat.undo_summary()
    chat.undo_summary()
    chat.send("question 5")
    found, shorter = (
        count_traffic(chat.run).shared_tokens,
        chat.run.turns[-1].tokens["summary"],
    )
    assert shorter < chat.run.turns[-2].tokens["summary"]
    assert found.tolist() == shared_by_turn(chat.run)
    assert found[-1] == shorter


def test_equal_messages_at_other_positions_are_the_same_prefix() -> None:
    """Behind a system message a window of two holds "yes", then again "yes"."""
    yes = [Message("user", "go on"), Message("assistant", "yes")] * 3
    run = memviz.replay(
        [*yes, Message("user", "the end"), Message("assistant", "bye")],
        memviz.strategy("window", window_size=2),
        counter="chars4",
    )
    assert (
        count_traffic(run).shared_tokens.tolist()
        == [0, 0, 0 + (1 + 4) + (1 + 4), 1 + 4]
        == shared_by_turn(run)
    )


def test_messages_that_differ_in_more_than_their_text_are_not_the_same() -> None:
    """Behind a window of two stand results of two different calls, with the same text."""
    calls = [{"id": id, "function": {"name": "look_up"}} for id in ("a", "b")]
    asked = [Message("assistant", "", tool_calls=(call,)) for call in calls]
    told = [Message("tool", "found", tool_call_id=id) for id in ("a", "b")]
    said = [
        Message("user", "go on"),
        asked[0],
        told[0],
        Message("user", "go on"),
        asked[1],
        told[1],
        Message("user", "?"),
        Message("assistant", "!"),
    ]
    run = memviz.replay(
        said, memviz.strategy("window", window_size=2), counter="chars4"
    )
    assert [record.context.messages[0].content for record in run.turns] == [
        "go on",
        "found",
        "found",
    ]
    assert count_traffic(run).shared_tokens.tolist() == [0, 0, 0] == shared_by_turn(run)


def test_a_growing_list_of_summaries_keeps_all_of_its_beginning() -> None:
    run = memviz.replay(
        talk(5), small("summary_only"), model=Digest(), counter="o200k_base"
    )
    listed = [record.tokens["summary"] for record in run.turns]
    found = count_traffic(run)
    assert listed[1] > 10
    assert found.shared_tokens.tolist() == [0, 0, *listed[1:-1]] == shared_by_turn(run)


class Counting:
    """A counter of words that knows how much it was given to read."""

    def __init__(self) -> None:
        self.chars = 0

    def __call__(self, text: str) -> int:
        self.chars += len(text)
        return len(text.split())


@for_each("id", ["recent_only", "summary_only"])
@for_each("is_edited", [False, True])
def test_no_summary_of_a_growing_list_is_counted_in_every_turn(
    id: str, is_edited: bool
) -> None:
    counting = Counting()
    model = ScriptedModel(f"answer {i}" for i in range(99))
    chat = Chat(
        small(id), model=model, summarizer=Digest(), counter=counting, recall_tool=False
    )
    for number in range(60):
        chat.send(f"question {number}")
        if number == 1 and is_edited:
            chat.edit_summary(1, "edited by hand")
    count_token_use(chat.run)  # counts the prompts
    counting.chars = 0
    found = count_traffic(chat.run)
    assert counting.chars <= 2 * sum(
        len(version.text) + 20 for version in chat.run.summaries
    )
    assert found.shared_tokens.tolist() == shared_by_turn(chat.run)


@given(one=texts, other=texts)
def test_common_words_end_where_a_word_does(one: str, other: str) -> None:
    found = find_common_beginning(one, other)
    assert found == words_in_common(one, other) == find_common_beginning(other, one)
    assert one.startswith(found)
    assert find_common_beginning(one, one) == one.rstrip()


def test_common_words_of_long_texts() -> None:
    words = " ".join(f"word{i}" for i in range(99))
    assert find_common_beginning(f"{words} one", f"{words} other") == words
    assert find_common_beginning(f"{words} one", f"{words} one more") == f"{words} one"


# Tokens as chars4 counts them: 10, 20, 10, 20, 1, 20.
ROLES = ("user", "assistant") * 3
MESSAGES = [
    Message(role, "x" * 4 * size)
    for role, size in zip(ROLES, (10, 20, 10, 20, 1, 20), strict=True)
]


def test_a_full_buffer_by_hand() -> None:
    run = memviz.replay(
        MESSAGES, memviz.strategy("buffer"), counter="chars4", system_prompt="Be brief"
    )
    assert count_traffic(run).to_dict() == {
        "turns": [1, 2, 3],
        "input_tokens": [
            2 + 10 + 11,
            2 + 10 + 20 + 10 + 19,
            2 + 10 + 20 + 10 + 20 + 1 + 27,
        ],
        "shared_tokens": [0, 2 + 4 + 10 + 4, 2 + 10 + 20 + 10 + 16],
        "output_tokens": [20, 20, 20],
        "summarizer_turns": [],
        "summarizer_input_tokens": [],
        "summarizer_output_tokens": [],
        "summarizer_requests": [],
        "by_chat_model": [],
    }


def test_summaries_count_as_billed_and_failures_do_not() -> None:
    """Messages 1-2 are summarized for turn 2 (billed 100 in, 7 out); 3-4 would be for turn 3, in vain."""
    answers = [Reply("s" * 8, usage=Usage(100, 7)), ModelError("down")]
    run = memviz.replay(
        MESSAGES, small("summary"), model=ScriptedModel(answers), counter="chars4"
    )
    found = count_traffic(run)
    assert found.summarizer_turns.tolist() == [run.compactions[0].turn] == [2]
    assert (
        found.summarizer_input_tokens.tolist(),
        found.summarizer_output_tokens.tolist(),
    ) == ([100], [7])


@for_each("id", SUMMARIZING)
def test_a_prompt_is_its_content_and_what_the_format_adds(id: str) -> None:
    model = ScriptedModel(f"summary {i}" for i in range(99))
    run = memviz.replay(talk(12), small(id), model=model, counter="chars4")
    content = [
        sum(CHARS4(message.content) for message in request)
        for request in model.requests
    ]
    added = [4 * len(request) + 3 for request in model.requests]
    assert (
        count_traffic(run).summarizer_input_tokens.tolist()
        == np.add(content, added).tolist()
    )


@for_each("text", [None, "My own words."])
def test_every_draft_of_a_reviewed_summary_counts(text: str | None) -> None:
    chat = Chat(
        small("summary"),
        model=ScriptedModel("answer" for _ in range(9)),
        summarizer=ScriptedModel(["first draft", "second draft"]),
        counter="chars4",
    )
    chat.review = True
    while chat.proposal is None:
        list(chat.stream("a question about the trip"))
    chat.propose()
    chat.propose()
    if text is None:
        chat.accept()
    else:
        chat.skip()
    (compaction,), found = chat.run.compactions, count_traffic(chat.run)
    assert found.summarizer_input_tokens.tolist() == [compaction.prompt_tokens]
    (request,) = {tuple(messages) for messages in chat._session.summarizer.requests}  # type: ignore[union-attr]
    content = sum(CHARS4(message.content) for message in request)
    assert compaction.prompt_tokens == 2 * (content + 4 * len(request) + 3)
    assert found.summarizer_output_tokens.tolist() == [
        CHARS4("first draft") + CHARS4("second draft")
    ]


@given(messages=conversations(), plan=outcomes, recalled=recalls)
@every_kind
def test_totals_are_those_of_token_use(
    id: str, messages: list[Message], plan: list[str], recalled: dict[int, Recall]
) -> None:
    run = memviz.replay(
        messages, small(id), model=summarizer(plan), counter="chars4", recalls=recalled
    )
    found, use = count_traffic(run), count_token_use(run)
    assert len(found.turns) == use.requests
    assert found.input_tokens.sum() == use.sent_tokens
    assert found.output_tokens.sum() == use.reply_tokens
    assert found.summarizer_input_tokens.sum() == use.summarizer_prompt_tokens
    assert found.summarizer_output_tokens.sum() == use.summarizer_output_tokens


class TestCalls:
    """Calls before a reply, against the requests that the model got."""

    def chats(self) -> Iterator[Chat]:
        thinker = memviz.strategy("summary_only", enable_reflective_thinking=True)
        look, bad = recall(turn_numbers=[1]), recall("c9", turn_numbers=["no"])
        newest, second, half = (
            recall("c2", last_n=2),
            recall("c3", turn_numbers=[2]),
            recall("c4", message_indices=[7]),
        )
        only_summaries = memviz.strategy("summary_only")
        scripts: list[tuple[memviz.Strategy, list[Any]]] = [
            (only_summaries, [says(look), "Blue.", "Yes."]),
            (
                only_summaries,
                [says(look, bad), says(newest), "Blue.", says(look), "Red."],
            ),
            (
                only_summaries,
                [says(look), "Blue.", says(half), says(second), "Red."],
            ),  # 7 is half of a tool's call
            (
                memviz.strategy("summary_only", max_recalled_messages=2),
                [says(look), says(newest), "Blue."],
            ),
            (
                thinker,
                [
                    says(newest, decide(True)),
                    says(decide(False, "Sum.")),
                    says(look),
                    "Blue.",
                ],
            ),
            (
                small("summary"),
                [says(look, text="Let me look."), says(second), "Blue.", "Red."],
            ),
            (
                memviz.strategy("window", window_size=2),
                [says(look), "Blue.", says(look), "Red."],
            ),
        ]
        for strategy, script in scripts:
            begun_under = only_summaries if strategy is thinker else strategy
            chat = chat_after(
                3, begun_under, script, recall_tool=True, system_prompt="Be brief."
            )
            if strategy is thinker:
                saved = chat.run.to_dict()
                saved["strategy"]["parameters"] = thinker.model_dump()
                model = caller_of(chat)
                chat = Chat.resume(
                    Run.from_dict(saved), model=model, summarizer=Digest()
                )
            chat.recall(messages=[1])
            for _ in range(sum(isinstance(item, str) for item in script)):
                chat.send("Which colour?")
            yield chat

    def test_every_call_is_a_request_of_its_own(self) -> None:
        for chat in self.chats():
            model, found = caller_of(chat), count_traffic(chat.run)
            got = slice(-len(model.requests), None)
            assert len(found.turns) == len(model.requests) + 3
            added = [4 * len(messages) + 3 for messages in model.requests]
            content = [
                sum(map(content_tokens, messages)) for messages in model.requests
            ]
            schemas = [offered(*names, has_system_prompt=True) for names in model.tools]
            assert (
                found.input_tokens[got].tolist()
                == np.sum([content, added, schemas], axis=0).tolist()
            )
            assert found.shared_tokens[got].tolist()[1:] == self.shared(model, 4)

    def shared(self, model: Caller, per_message: int) -> list[int]:
        sent: list[tuple[Sequence[Message], tuple[str, ...]]] = list(
            zip(model.requests, model.tools, strict=True)
        )
        return [
            offered(*tools, has_system_prompt=True)
            + shared_tokens(
                CHARS4, one, other, has_summaries=True, per_message=per_message
            )
            for (one, _), (other, tools) in pairwise(sent)
        ]

    def test_what_was_written_is_counted_once(self) -> None:
        for chat in self.chats():
            found, requests = count_traffic(chat.run).output_tokens, chat.run.requests
            kinds = {record.kind for record in requests}
            assert kinds > {"answer"}
            if "thinking" not in kinds:
                wrote = [message for message in chat.log if message.role == "assistant"]
                assert found.tolist() == [content_tokens(message) for message in wrote]
            assert found[-1] == CHARS4(requests[-1].reply)

    def test_other_tools_share_nothing(self) -> None:
        chat = chat_after(2, memviz.strategy("buffer"), ["Blue."])
        chat.recall_tool = True
        chat.send("Which colour?")
        assert count_traffic(chat.run).shared_tokens.tolist() == [
            0,
            CHARS4("question 0") + 4,
            0,
        ]


def test_no_requests_no_traffic() -> None:
    found = count_traffic(Chat(memviz.strategy("buffer"), model=ScriptedModel([])).run)
    assert found.to_dict() == Traffic.nothing().to_dict()
    assert not any(found.to_dict().values())


@every_kind
def test_it_survives_being_written_down(id: str) -> None:
    found = count_traffic(
        memviz.replay(talk(8), small(id), model=Digest(), counter="chars4")
    )
    text = json.dumps(found.to_dict())
    again = Traffic.from_dict(json.loads(text))
    assert again.to_dict() == found.to_dict()
    assert all(values.dtype == np.int64 for values in vars(again).values())


def test_a_saved_run_has_the_same_traffic() -> None:
    run = memviz.replay(talk(12), small("summary"), model=Digest(), counter="chars4")
    assert (
        count_traffic(Run.from_dict(run.to_dict())).to_dict()
        == count_traffic(run).to_dict()
    )
