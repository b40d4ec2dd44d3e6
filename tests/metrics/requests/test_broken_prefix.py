"""What compactions cost the prompt cache: by hand, and against the messages that would have been sent without them."""

from __future__ import annotations

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

import memviz
from memviz import Chat, Message, Run, ScriptedModel, Strategy
from memviz.core.context import TOKENS_PER_MESSAGE
from memviz.engine.assembly import assemble
from memviz.engine.blocks import build_context
from memviz.engine.compaction import Compaction
from memviz.engine.part_tokens import count_tokens_by_part
from memviz.engine.records import TurnRecord
from memviz.metrics.requests.traffic import count_broken_cache_tokens, count_traffic
from tests.engine.probes import SUMMARIZING, Digest, small
from tests.metrics.odd_strategies import odd_strategies
from tests.metrics.sent_messages import said, shared
from tests.strategies.conversations import conversations, outcomes, summarizer

strategies = st.sampled_from(SUMMARIZING).map(small) | odd_strategies


def said_without(
    record: TurnRecord, compaction: Compaction
) -> list[tuple[str, Message]]:
    """The request as it would have been had the memory stayed as it was before a compaction."""
    memory = compaction.before.appended(record.memory.length)
    parts = assemble(memory, compaction.strategy.select(memory))
    blocks = build_context(memory, parts, count_tokens_by_part(memory, parts)).blocks
    return [(block.kind, message) for block in blocks for message in block.messages]


def by_comparing(run: Run, per_message: int) -> list[int]:
    found = []
    for number, record in enumerate(run.requests):
        before = said(run.requests[number - 1]) if number else []
        requests = [
            said_without(record, compaction) for compaction in record.compactions
        ]
        in_common = [
            shared(run.counter, before, request, per_message)
            for request in [*requests, said(record)]
        ]
        found += [max(0, one - other) for one, other in pairwise(in_common)]
    return found


@given(
    strategy=strategies,
    messages=conversations(),
    plan=outcomes,
    prompt=st.sampled_from([None, "Be brief."]),
    counter=st.sampled_from(["chars4", "o200k_base"]),
)
def test_it_is_what_is_shared_without_a_compaction_and_not_with_it(
    strategy: Strategy,
    messages: list[Message],
    plan: list[str],
    prompt: str | None,
    counter: str,
) -> None:
    run = memviz.replay(
        messages,
        strategy,
        model=summarizer(plan),
        counter=counter,
        system_prompt=prompt,
    )
    found = count_broken_cache_tokens(run)
    sent = [one for record in run.requests for one in record.compactions]
    numbers = [run.number_of(one) for one in sent]
    assert [found[number] for number in numbers] == by_comparing(
        run, TOKENS_PER_MESSAGE
    )
    assert all(broken >= 0 for broken in found)
    assert not any(found[number] for number in set(range(len(found))) - set(numbers))
    assert all(
        found[number] == 0
        for number, one in zip(numbers, sent, strict=True)
        if not one.changes_memory
    )
    if run.requests:
        assert not any(found[run.number_of(one)] for one in run.requests[0].compactions)


def test_a_summary_that_moves_breaks_all_but_the_system_prompt() -> None:
    """Each message has 10 tokens and 3 of overhead. Request 3 would have begun as request 2 did (the prompt and three
    messages); summarized, it has in common the prompt alone."""
    talk = [
        Message(role, f"{number:040}")
        for number in range(4)
        for role in ("user", "assistant")
    ]
    run = memviz.replay(
        talk,
        memviz.strategy("summary", buffer_size=2),
        model=Digest(),
        counter="chars4",
        system_prompt="Be brief",
    )
    (first, *_), shared_now = (
        count_broken_cache_tokens(run),
        count_traffic(run).shared_tokens,
    )
    assert [run.request_number(one) for one in run.compactions][:1] == [2]
    assert shared_now[2] == 2 + 4
    assert first == 3 * (10 + 4)


def test_a_failure_and_what_no_request_came_after_cost_nothing() -> None:
    talk = [
        Message(role, f"{number:040}")
        for number in range(4)
        for role in ("user", "assistant")
    ]
    run = memviz.replay(
        talk,
        memviz.strategy("summary", buffer_size=2),
        model=summarizer(["raise"]),
        counter="chars4",
    )
    assert run.compactions
    assert not any(count_broken_cache_tokens(run))


def test_in_a_chat_it_knows_of_recalls_and_edits() -> None:
    model = ScriptedModel(f"answer {number} is long enough" for number in range(99))
    chat = Chat(
        small("summary"),
        model=model,
        summarizer=Digest(),
        counter="chars4",
        recall_tool=False,
    )
    for number in range(5):
        chat.recall(messages=[0])
        chat.send(f"question {number} about the trip")
    chat.edit_summary(chat.summaries_in_force[-1].version, "in my words")
    chat.send("one more")
    found = count_broken_cache_tokens(chat.run)
    assert len(found) == len(chat.run.compactions)
    edit = next(
        number for number, one in enumerate(chat.run.compactions) if one.kind == "edit"
    )
    assert found[edit] >= 0
    assert any(found)
