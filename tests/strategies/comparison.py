"""Hold a replay against the slow reference, field by field."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from itertools import takewhile
from typing import Any

import memviz
from memviz import Fate, Message, Run
from tests.strategies.conversations import answers, summarizer
from tests.strategies.reference import REFERENCES, Reference, Request


def compare(
    id: str,
    parameters: dict[str, Any],
    messages: list[Message],
    plan: list[str],
    counter: str = "chars4",
    system_prompt: str = "",
) -> tuple[Run, Reference]:
    """Replay ``messages`` and check that everything is as the reference says; give back both."""
    strategy = memviz.strategy(id, **parameters)
    run = memviz.replay(
        messages,
        strategy,
        model=summarizer(plan),
        counter=counter,
        system_prompt=system_prompt or None,
    )
    count = memviz.counter(counter)
    reference = REFERENCES[id](
        messages, count, answers(plan), system_prompt, strategy.model_dump()
    ).walk()
    assert_same_requests(run, reference)
    assert_same_compactions(run, reference)
    assert_same_fates(run, reference)
    return run, reference


def assert_same_requests(run: Run, reference: Reference) -> None:
    assert [record.turn for record in run.requests] == [
        request.turn for request in reference.requests
    ]
    for record, request in zip(run.requests, reference.requests, strict=True):
        assert list(record.context.messages) == expected_messages(request, reference), (
            f"request {request.turn}"
        )
        assert_blocks(record.context, request, reference)
        assert_tokens(record, reference)


def expected_messages(request: Request, reference: Reference) -> list[Message]:
    system = (
        [Message("system", reference.system_prompt)] if reference.system_prompt else []
    )
    system += [reference.messages[i] for i in reference.leading]
    said = request.summary
    texts = [said] if isinstance(said, str) else said or []
    summary = [Message("system", text) for text in texts]
    return [
        *system,
        *summary,
        *(reference.messages[i] for i in request.history),
        *(reference.messages[i] for i in request.recalled),
        *(reference.messages[i] for i in request.input),
    ]


def assert_blocks(
    context: memviz.Context, request: Request, reference: Reference
) -> None:
    found: dict[str, list[int]] = {}
    for block in context.blocks:
        found.setdefault(block.kind, []).extend(block.indices)
    expected = {
        "system": request.leading,
        "history": request.history,
        "summary": request.covered,
        "recalled": request.recalled,
        "input": request.input,
    }
    for kind, positions in expected.items():
        assert sorted(found.get(kind, ())) == sorted(positions), kind
    for block in context.blocks:
        assert block.messages, "an empty block is left out"
        assert block.tokens == sum(
            reference.count(message.content) for message in block.messages
        ), block.kind


def assert_tokens(record: memviz.TurnRecord, reference: Reference) -> None:
    blocks: Counter[str] = Counter()
    for block in record.context.blocks:
        blocks[block.kind] += block.tokens
    for kind in ("system", "summary", "recalled", "history", "input"):
        assert record.tokens[kind] == blocks[kind], kind
    sent = record.context.messages
    assert record.tokens["overhead"] == 4 * len(sent) + 3
    assert ("tools" in record.tokens) == any(message.tool_calls for message in sent)
    names = [message.name for message in sent if message.name]
    assert record.tokens.get("names", 0) == sum(
        reference.count(name) + 1 for name in names
    )
    assert record.reply_tokens == sum(
        written_tokens(m, reference.count)
        for m in replies_to(record, reference.messages)
    )


def replies_to(record: memviz.TurnRecord, messages: list[Message]) -> list[Message]:
    behind = messages[record.memory.length :]
    return list(takewhile(lambda message: message.role == "assistant", behind))


def written_tokens(message: Message, count: Callable[[str], int]) -> int:
    calls = sum(count(call.name) + count(call.arguments) for call in message.tool_calls)
    return count(message.content) + calls


def assert_same_compactions(run: Run, reference: Reference) -> None:
    got = [
        (c.after_message, c.turn, list(c.summarized), c.summary)
        for c in run.compactions
    ]
    assert got == [
        (c.after_message, c.turn, c.summarized, c.text) for c in reference.compactions
    ]
    assert all(bool(c.error) == (c.summary is None) for c in run.compactions)
    written = [c for c in reference.compactions if c.text is not None]
    assert [version.text for version in run.summaries] == [c.text for c in written]
    assert [version.version for version in run.summaries] == list(
        range(1, len(written) + 1)
    )
    assert [version.tokens for version in run.summaries] == [
        reference.count(c.text) for c in written
    ]
    previous = -1
    for record, request in zip(run.requests, reference.requests, strict=True):
        due = [
            c
            for c in run.compactions
            if previous < c.after_message <= request.input[-1]
        ]
        assert list(record.compactions) == due, (
            f"compactions since the request before request {request.turn}"
        )
        previous = request.input[-1]


def assert_same_fates(run: Run, reference: Reference) -> None:
    fates, generations = run.fates(), run.generations()
    shape = (len(reference.requests), len(reference.messages))
    assert fates.shape == generations.shape == shape
    for row, request in enumerate(reference.requests):
        for position in range(shape[1]):
            fate = request.fate(position)
            assert Fate(fates[row, position]).name == fate, (row, position)
            expected = request.generations[position] if fate == "SUMMARIZED" else 0
            assert generations[row, position] == expected, (row, position)
