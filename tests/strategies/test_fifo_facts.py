"""First in, first out, with facts, against LlamaIndex's own Memory, request by request, and the surprising cases."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

import memviz
from memviz import Fate, Log, Message, ModelError, ScriptedModel

pytest.importorskip("llama_index.core")

from tests.strategies.conversations import answered
from tests.strategies.libraries import llama_index_fifo
from tests.strategies.libraries.fact_scripts import (
    PLAN,
    answers,
    talk,
    words,
)
from tests.strategies.libraries.library_run import LibraryRun
from tests.strategies.libraries.talks import talks
from tests.tables import for_each


def of_library(
    messages: list[Message], strategy: memviz.Strategy, plan: list[str]
) -> LibraryRun:
    script = answers(plan)
    parameters = llama_index_fifo.Parameters(
        strategy.token_limit,
        strategy.history_percent / 100,
        strategy.flush_tokens,
        strategy.max_facts,
        strategy.static_text or "",
    )
    return llama_index_fifo.requests(
        messages, parameters, lambda sent: next(script), words
    )


def expected(
    messages: list[Message], theirs: list[list[Message]]
) -> list[list[Message]]:
    """What LlamaIndex sends, with two differences: what it put before the words of a system message stands in a
    message of its own in front, and an input that it took out is sent."""
    log, sent = Log(messages), []
    for request, found in zip(log.requests(), theirs, strict=True):
        written, history = apart(found[log.system_stop :])
        first = request.stop - len(history)
        assert history == messages[first : request.stop], (
            "what LlamaIndex holds are the newest messages"
        )
        taken_out = messages[min(first, log.input_start(request.stop)) : first]
        sent.append([*messages[: log.system_stop], *written, *taken_out, *history])
    return sent


def apart(sent: list[Message]) -> tuple[list[Message], list[Message]]:
    """The text of the memory blocks, if there is one, and the messages without it."""
    for place, message in enumerate(sent):
        if message.content.startswith("<memory>"):
            text, end, own = message.content.partition("</memory>")
            kept = [replace(message, content=own[1:])] if own else []
            return [Message("system", text + end)], [
                *sent[:place],
                *kept,
                *sent[place + 1 :],
            ]
    return [], sent


@given(
    messages=talks(),
    plan=PLAN,
    limit=st.integers(1, 80),
    history=st.sampled_from([10, 50, 70, 100]),
    flush=st.sampled_from([1, 10, 40]),
    most=st.integers(1, 4),
    static=st.sampled_from([None, "Be kind.\n  <b>"]),
)
def test_sends_and_asks_what_llama_index_does(
    messages: list[Message],
    plan: list[str],
    limit: int,
    history: int,
    flush: int,
    most: int,
    static: str | None,
) -> None:
    strategy = memviz.strategy(
        "fifo_facts",
        token_limit=limit,
        history_percent=history,
        flush_percent=flush,
        max_facts=most,
        static_text=static,
    )
    model = ScriptedModel(answers(plan))
    run = memviz.replay(messages, strategy, model=model, counter=words)
    library = of_library(messages, strategy, plan)
    assert [list(record.context.messages) for record in run.requests] == expected(
        messages, library.requests
    )
    for mine, theirs in zip(asked_of(run), library.asked, strict=True):
        assert mine == (
            theirs.before_request,
            theirs.messages[:-1],
            known_to(theirs.messages[-1]),
        )


def asked_of(run: memviz.Run) -> Iterator[tuple[int, list[Message], str]]:
    """Of each call of the summarizer: the request that it came before, the messages that it read, and the facts."""
    stops = [request.stop for request in run.log.requests()]
    for compaction in run.compactions:
        if not stops or compaction.after_message >= stops[-1]:
            return
        before = next(
            number
            for number, stop in enumerate(stops)
            if compaction.after_message < stop
        )
        read = run.log[compaction.summarized.start : compaction.summarized.stop]
        yield before, list(read), known_to(compaction.request[0])


def known_to(prompt: Message) -> str:
    """The facts that a prompt holds."""
    return prompt.content.partition("<existing_facts>\n")[2].partition(
        "\n</existing_facts>"
    )[0]


def replay(
    messages: list[Message], *answers: object, **parameters: object
) -> memviz.Run:
    strategy = memviz.strategy(
        "fifo_facts", **{"token_limit": 10, "history_percent": 100, **parameters}
    )
    return memviz.replay(
        messages,
        strategy,
        model=ScriptedModel(answers) if answers else None,
        counter=words,
    )


def test_takes_out_the_oldest_up_to_the_next_user_message() -> None:
    """After message 2: 3 + 3 + 5 = 11 > 10. One token has to go at least, which is a; b follows, for a user message is
    the first that stays."""
    messages = talk(3, 3, 5, 1, 1)
    run = replay(messages, "<fact>a is said</fact>")
    assert [
        (c.after_message, list(c.summarized), c.reason) for c in run.compactions
    ] == [(2, [0, 1], "11 tokens > 10")]
    facts = Message(
        "system",
        "<memory>\n<ExtractedFacts>\n<fact>a is said</fact>\n</ExtractedFacts>\n</memory>",
    )
    assert list(run.requests[1].context.messages) == [facts, messages[2]]
    assert [Fate(code) for code in run.fates()[1, :3]] == [
        Fate.SUMMARIZED,
        Fate.SUMMARIZED,
        Fate.VERBATIM,
    ]


def test_one_message_can_set_off_several_rounds_and_each_knows_the_facts_of_the_one_before() -> (
    None
):
    """2 + 2 + 2 + 2 + 9 = 17 > 10: a and b go, 13 are left, c and d go. 9 are left."""
    run = replay(
        talk(2, 2, 2, 2, 9), "<fact>one</fact>", "<fact>two</fact><fact>one</fact>"
    )
    done = [
        (c.after_message, list(c.summarized), c.reason, c.summary)
        for c in run.compactions
    ]
    assert done == [
        (4, [0, 1], "17 tokens > 10", "<fact>one</fact>"),
        (4, [2, 3], "13 tokens > 10", "<fact>one</fact>\n<fact>two</fact>"),
    ]
    assert known_to(run.compactions[1].request[0]) == "<fact>one</fact>"


def test_the_newest_message_stays_however_much_is_to_be_taken_out() -> None:
    """All 10 tokens of the limit are to go at least; a and b are 6, and c would make 11."""
    messages = talk(3, 3, 5, 1, 1)
    run = replay(messages, "<facts></facts>", flush_percent=100)
    assert [list(c.summarized) for c in run.compactions] == [[0, 1]]
    assert list(run.requests[1].context.messages) == [messages[2]]


def test_what_has_to_go_at_least_may_be_just_enough() -> None:
    """2 + 2 + 2 + 6 = 12 > 10, and 2 have to go: the first message is that much, and the user's second one stays."""
    messages = [
        Message("user", "a a"),
        Message("user", "b b"),
        Message("assistant", "c c"),
        Message("user", "d " * 6),
    ]
    run = replay(messages, "<facts></facts>", flush_percent=20)
    assert [(c.after_message, list(c.summarized)) for c in run.compactions] == [
        (3, [0])
    ]


def test_of_a_turn_that_the_user_began_twice_the_first_message_goes() -> None:
    """3 + 3 + 6 = 12 > 10, and 6 have to go; but no user message follows, so the user's newest one is kept."""
    messages = [
        Message("user", "a a a"),
        Message("user", "b b b"),
        Message("assistant", "c " * 6),
        Message("user", "d"),
    ]
    run = replay(messages, "<facts></facts>", flush_percent=60)
    assert [(c.after_message, list(c.summarized)) for c in run.compactions] == [
        (2, [0])
    ]


def test_a_system_message_between_two_of_the_user_hides_neither() -> None:
    """The newest message of the user stays and the one before goes, also where a system message parts them."""
    alert = Message("system", "b")
    messages = [
        Message("user", "a a a"),
        alert,
        Message("user", "c"),
        Message("assistant", "d " * 9),
    ]
    run = replay(messages, "<facts></facts>", flush_percent=60)
    assert [(c.after_message, list(c.summarized)) for c in run.compactions] == [
        (3, [0, 1])
    ]
    run = replay(messages, "<facts></facts>", flush_percent=30)
    assert [(c.after_message, list(c.summarized)) for c in run.compactions] == [
        (3, [0, 1])
    ]


def test_a_turn_in_progress_stays_whole_however_large() -> None:
    """The call and its result are 1 + 20 with their question's 2, which is over 10 at once; only the turn before goes,
    and the summarizer is not asked again until the user speaks."""
    call = {"id": "a", "function": {"name": "look_up", "arguments": "{}"}}
    turn = [
        Message("user", "q q"),
        Message("assistant", "", tool_calls=(call,)),
        Message("tool", "r " * 20, tool_call_id="a"),
        Message("assistant", "s " * 20),
        Message("user", "next"),
    ]
    messages = [*talk(2, 2), *turn]
    run = replay(messages, "<facts></facts>", "<facts></facts>")
    assert [(c.after_message, list(c.summarized)) for c in run.compactions] == [
        (4, [0, 1]),
        (6, [2, 3, 4, 5]),
    ]
    assert list(run.requests[2].context.messages) == turn[:3]
    assert run.requests[2].flags == ("over_budget",)


def test_messages_without_facts_are_gone() -> None:
    run = replay(answered(talk(3, 3, 5)), "Nothing worth keeping.")
    assert [Fate(code) for code in run.fates()[1, :3]] == [
        Fate.DROPPED,
        Fate.DROPPED,
        Fate.VERBATIM,
    ]


@for_each("failure", [ModelError("no connection"), " "])
def test_a_summarizer_that_fails_takes_nothing_out(failure: object) -> None:
    """Rule 1. LlamaIndex has the messages archived before it asks, so they are lost."""
    messages = talk(3, 3, 5)
    run = replay(answered(messages), failure)
    assert run.compactions[0].error
    assert list(run.requests[1].context.messages) == messages

    def fails(sent: list[Message]) -> str:
        raise ValueError("no connection")

    theirs = llama_index_fifo.requests(
        answered(messages), llama_index_fifo.Parameters(10, 1.0, 1), fails, words
    )
    assert theirs.requests[1] == [messages[2]]


def test_too_many_facts_are_condensed_by_a_second_call() -> None:
    """3 facts > 2: the second call reads the messages that went and all three facts; its list is taken as it is."""
    messages = talk(3, 3, 5)
    run = replay(
        messages,
        "<fact>1</fact><fact>2</fact><fact>3</fact>",
        "<fact>1 to 3</fact>",
        max_facts=2,
    )
    assert [c.reason for c in run.compactions] == ["11 tokens > 10", "3 facts > 2"]
    prompt = run.compactions[1].request[0]
    assert known_to(prompt) == "<fact>1</fact>\n<fact>2</fact>\n<fact>3</fact>"
    assert "fewer than 2" in prompt.content
    assert prompt.content.endswith("user: a a a\nassistant: b b b")
    assert run.compactions[1].summary == "<fact>1 to 3</fact>"
    assert list(run.compactions[1].summarized) == [0, 1]


def test_an_empty_condensed_list_leaves_the_facts_until_more_are_found() -> None:
    facts = "<fact>1</fact><fact>2</fact><fact>3</fact>"
    run = replay(talk(3, 3, 5, 1, 1), facts, "<facts></facts>", max_facts=2)
    assert [c.summary for c in run.compactions] == [facts.replace("><", ">\n<")] * 2


def test_a_fact_is_summarized_once_however_often_the_list_grows_and_again_where_it_is_condensed() -> (
    None
):
    messages = answered(talk(2, 2, 2, 2, 9))
    run = replay(messages, "<fact>one</fact>", "<fact>two</fact>")
    assert run.generations()[-1, :5].tolist() == [1, 1, 1, 1, 0]
    run = replay(
        messages,
        "<fact>one</fact>",
        "<fact>two</fact>",
        "<fact>one, two</fact>",
        max_facts=1,
    )
    assert run.generations()[-1, :5].tolist() == [2, 2, 2, 2, 0]


def test_a_list_that_the_user_wrote_without_tags_is_kept_by_lines() -> None:
    strategy = memviz.strategy("fifo_facts", token_limit=10, history_percent=100)
    script = ScriptedModel(["<fact>one</fact>", "<fact>two</fact>"])
    run = memviz.replay(
        talk(2, 2, 2, 2, 9),
        strategy,
        model=script,
        counter=words,
        edits={1: "first\n\nsecond"},
    )
    assert [c.summary for c in run.compactions] == [
        "first\n\nsecond",
        "<fact>first</fact>\n<fact>second</fact>\n<fact>two</fact>",
    ]


def test_facts_and_static_text_stand_behind_the_system_prompt_and_never_inside_a_later_system_message() -> (
    None
):
    """LlamaIndex puts them before the words of the first system message of its queue, which is message 3."""
    messages = [
        Message("system", "prompt"),
        *talk(1, 1),
        Message("system", "later"),
        Message("user", "x"),
    ]
    run = replay(answered(messages), "unused", static_text="Be kind.")
    static = Message(
        "system", "<memory>\n<StaticContent>\nBe kind.\n</StaticContent>\n</memory>"
    )
    assert list(run.requests[-1].context.messages) == [
        messages[0],
        static,
        *messages[1:],
    ]
    theirs = llama_index_fifo.requests(
        answered(messages),
        llama_index_fifo.Parameters(10, 1.0, 1, static_text="Be kind."),
        lambda sent: "",
        words,
    )
    merged = Message("system", static.content + "\nlater")
    assert theirs.requests[-1] == [*messages[:3], merged, messages[4]]


def test_of_two_user_messages_in_a_row_the_first_is_taken_out_and_sent_all_the_same() -> (
    None
):
    """Rule 2: both are the input. 3 + 3 + 4 + 4 = 14 > 10; a and b go, 8 are left; with 6 more c goes as well."""
    messages = [*talk(3, 3), Message("user", "c " * 4), Message("user", "d " * 7)]
    run = replay(answered(messages), "<fact>a</fact>", "<fact>c</fact>")
    assert [list(c.summarized) for c in run.compactions] == [[0, 1], [2]]
    assert list(run.requests[-1].context.messages)[1:] == messages[2:]


def test_without_a_summarizer_messages_go_and_no_facts_are_kept() -> None:
    messages = talk(3, 3, 5)
    strategy = memviz.strategy("fifo_facts", token_limit=10)
    run = memviz.replay(answered(messages), strategy, model=None, counter=words)
    assert [c.kind for c in run.compactions] == ["evicted"]
    assert list(run.requests[1].context.messages) == [messages[2]]
