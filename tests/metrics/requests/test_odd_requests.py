"""What strategies that use everything pieces allow send and share, against the messages that are really built."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

import memviz
from memviz import Message
from memviz.core.context import TOKENS_PER_MESSAGE, TOKENS_PER_REQUEST
from memviz.engine.part_tokens import count_message_tokens
from memviz.engine.requests import Requests
from memviz.metrics.requests.traffic import count_traffic
from tests.metrics.odd_strategies import Odd, odd_strategies
from tests.metrics.sent_messages import shared_by_turn
from tests.strategies.conversations import conversations, outcomes, summarizer
from tests.tables import for_each


@given(
    strategy=odd_strategies,
    messages=conversations(),
    plan=outcomes,
    prompt=st.sampled_from([None, "Be brief."]),
    repair=st.booleans(),
)
@for_each("counter", ["chars4", "o200k_base"])
def test_what_is_shared_is_what_comparing_the_real_messages_gives(
    counter: str,
    strategy: Odd,
    messages: list[Message],
    plan: list[str],
    prompt: str | None,
    repair: bool,
) -> None:
    run = memviz.replay(
        messages,
        strategy,
        model=summarizer(plan),
        counter=counter,
        system_prompt=prompt,
        repair_tool_pairs=repair,
    )
    found = count_traffic(run)
    assert found.shared_tokens.tolist() == shared_by_turn(run)
    assert (found.shared_tokens <= found.input_tokens).all()
    sent = [
        sum(
            count_message_tokens(run.counter, message) + TOKENS_PER_MESSAGE
            for message in record.context.messages
        )
        for record in run.requests
    ]
    assert count_traffic(run).input_tokens.tolist() == [
        tokens + TOKENS_PER_REQUEST for tokens in sent
    ]
    again = replace(run, requests=Requests.of([*run.requests]))
    assert count_traffic(again).to_dict() == found.to_dict()
