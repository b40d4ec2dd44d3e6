"""A block of a request as HTML: everything in it, and nothing of it as markup."""

from __future__ import annotations

import json

from markupsafe import escape

import memviz
from memviz import Reply, ToolCall
from memviz.core.context import Block
from memviz.dashboard.ui.controls.block_html import block_html
from memviz.dashboard.ui.controls.message_html import MAX_CHARS_SHOWN
from memviz.engine.records import TurnRecord
from tests.tables import for_each

MARKUP = "<script>alert(1)</script> & <b>fat</b>"
CALL = {"id": "c", "name": "look_up", "arguments": '{"q": "<i>"}'}
STOP = '{"continue_thinking": false, "summary": "A question."}'


def record_of(
    *messages: dict[str, object], system_prompt: str | None = None
) -> TurnRecord:
    """The request that these messages end with, which somebody answered."""
    answered = [*messages, {"role": "assistant", "content": "An answer."}]
    return memviz.replay(
        answered,
        memviz.strategy("buffer"),
        counter="chars4",
        system_prompt=system_prompt,
    ).turns[-1]


def block_of(record: TurnRecord, kind: str) -> Block:
    return next(block for block in record.context.blocks if block.kind == kind)


def test_text_is_never_markup() -> None:
    record = record_of({"role": "user", "content": MARKUP}, system_prompt=MARKUP)
    for kind in ("system", "input"):
        html = block_html(block_of(record, kind), record)
        assert (
            "<p>&lt;script&gt;alert(1)&lt;/script&gt; &amp; &lt;b&gt;fat&lt;/b&gt;</p>"
            in html
        )
        assert "<script>" not in html


def test_messages_say_where_they_stand_and_what_they_cost() -> None:
    record = record_of(
        *({"role": role, "content": "x" * 40} for role in ("user", "assistant", "user"))
    )
    html = block_html(block_of(record, "history"), record)
    assert "<b>History</b> 20 tokens · 2 messages" in html
    assert "user · message 1 · 10 tokens" in html
    assert "assistant · message 2 · 10 tokens" in html
    short = record_of({"role": "user", "content": "Hello"})
    assert "<b>Input</b> 1 token · 1 message<" in block_html(
        block_of(short, "input"), short
    )


def test_the_beginning_can_be_left_out() -> None:
    record = record_of(
        *(
            {"role": "user" if n % 2 == 0 else "assistant", "content": f"text {n}"}
            for n in range(5)
        )
    )
    html = block_html(block_of(record, "history"), record, first=3)
    assert "text 2" not in html
    assert "text 3" in html


def test_tool_calls_are_shown_with_their_arguments() -> None:
    record = record_of(
        {"role": "user", "content": "Look."},
        {"role": "assistant", "content": "", "tool_calls": [CALL]},
        {"role": "tool", "content": "found", "tool_call_id": "c"},
        {"role": "assistant", "content": ""},
        {"role": "user", "content": "And?"},
    )
    html = block_html(block_of(record, "history"), record)
    assert "<code>look_up({&#34;q&#34;: &#34;&lt;i&gt;&#34;})</code>" in html
    assert html.count("<p>") == 2  # an empty content is no paragraph


def test_a_long_message_is_cut_and_says_so() -> None:
    record = record_of({"role": "user", "content": "y" * (MAX_CHARS_SHOWN + 1234)})
    html = block_html(block_of(record, "input"), record)
    assert html.count("y" * 100) == MAX_CHARS_SHOWN // 100
    assert "1,234 more characters" in html


def tools_block(thought: str, arguments: str) -> str:
    """The tools block of a turn in which the model thinks twice, recalls, and answers; its calls hold ``arguments``."""
    think, stop = (
        ToolCall("t1", "continue_thinking", arguments),
        ToolCall("t2", "continue_thinking", STOP),
    )
    recall = ToolCall("c1", "recall_conversation", arguments)
    second = (
        Reply(thought, tool_calls=(think,)),
        Reply("", tool_calls=(stop,)),
        Reply("", tool_calls=(recall,)),
        "5.",
    )
    chat = memviz.Chat(
        memviz.strategy("summary_only", enable_reflective_thinking=True),
        summarizer="offline",
        model=memviz.ScriptedModel(["A greeting.", "Hello.", *second]),
    )
    chat.send("Hi.")
    record = chat.send("How many?")
    return block_html(block_of(record, "tools"), record)


def test_thoughts_stand_before_the_exchange_and_only_that_has_numbers() -> None:
    html = tools_block("Hm.", '{"last_n": 1}')
    assert "offered: continue_thinking, recall_conversation" in html
    said = (
        "<p>Hm.</p>",
        "assistant · message 4",
        "<code>recall_conversation",
        "tool · message 5",
        "<p>Recalled 1 ",
    )
    places = [html.index(piece) for piece in said]
    assert places == sorted(places)
    assert (
        html.count("· message ") == 2
    )  # thoughts, and what they were told, are no messages of the conversation


@for_each(
    "arguments", [MARKUP, json.dumps({MARKUP: 1}), json.dumps({"last_n": MARKUP})]
)
def test_nothing_of_thoughts_calls_and_results_is_markup(arguments: str) -> None:
    html = tools_block(MARKUP, arguments)
    assert "<script" not in html
    assert "<b>fat" not in html
    assert f"<p>{escape(MARKUP)}</p>" in html
    for name in ("continue_thinking", "recall_conversation"):
        assert f"<code>{name}({escape(arguments)})</code>" in html


def test_a_call_of_an_unknown_name_is_text() -> None:
    record = record_of(
        {"role": "user", "content": "Look."},
        {"role": "assistant", "content": "", "tool_calls": [CALL | {"name": MARKUP}]},
        {"role": "tool", "content": MARKUP, "tool_call_id": "c"},
        {"role": "user", "content": "And?"},
    )
    html = block_html(block_of(record, "history"), record)
    assert "<script" not in html
    assert f"<code>{escape(MARKUP)}(" in html
