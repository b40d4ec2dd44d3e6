"""Messages that were sent with less in them than was said, words of the strategy's own, and what memory put into the
system prompt: each shown as what it is, where it was sent."""

from __future__ import annotations

import memviz
from memviz import Message, ScriptedModel
from memviz.core.context import Fate
from memviz.core.messages import ToolCall
from memviz.dashboard.charts.palette import STEP_COLORS
from memviz.dashboard.ui.controls.block_html import block_html
from memviz.dashboard.ui.controls.inspector import folded_label, in_reading_order
from memviz.dashboard.ui.controls.sent_forms import sent_instead
from memviz.engine.records import TurnRecord
from memviz.metrics.memory_map.stretches import encode_fate
from tests.reducing import Clearing, FactsInside, HeadAndTail, fact_writer
from tests.strategies.read_talks import reading
from tests.tables import for_each

MARKUP = "<b>fat</b>"


def tool_talk(turns: int = 4) -> list[Message]:
    said = []
    for n in range(turns):
        call = ToolCall(f"c{n}", "look_up", '{"day": "Monday"}')
        said += [
            Message("user", f"Question {n}"),
            Message("assistant", "", tool_calls=(call,)),
            Message("tool", f"{MARKUP} result {n} " * 20, tool_call_id=f"c{n}"),
            Message("assistant", f"Answer {n}."),
        ]
    return said


def last_record(
    strategy: memviz.Strategy, model: object = None, **options: object
) -> TurnRecord:
    return memviz.replay(
        tool_talk(), strategy, model=model, counter="chars4", **options
    ).requests[-1]  # type: ignore[arg-type]


def shown(record: TurnRecord) -> list[str]:
    return [block_html(block, record) for block in in_reading_order(record)]


def test_a_cleared_result_shows_the_placeholder_and_what_was_said_on_a_click() -> None:
    record = last_record(Clearing())
    html = shown(record)[0]
    assert html.count('class="memviz-formed"') == html.count("<details>") == 3
    assert STEP_COLORS[encode_fate(Fate.CLEARED)] in html
    formed = html[html.index('class="memviz-formed"') :]
    assert "tool · message 3 · 2 tokens · sent as a placeholder" in formed
    placeholder, said = (
        formed.index("<p>[cleared]</p>"),
        formed.index("&lt;b&gt;fat&lt;/b&gt; result 0"),
    )
    assert (
        placeholder
        < formed.index("<summary>As it was said, 100 tokens</summary>")
        < said
    )
    assert MARKUP not in html
    assert "3 of them sent as a placeholder" in html
    assert "3 of them sent as a placeholder" in folded_label(
        in_reading_order(record)[0], record
    )


def test_a_recalled_result_is_shown_first_and_whole_and_the_history_around_it_as_one() -> (
    None
):
    record = last_record(Clearing(), recalls={4: memviz.Recall(messages=[2])})
    blocks, (recalled, history, _) = in_reading_order(record), shown(record)
    assert [block.kind for block in blocks] == ["recalled", "history", "input"]
    assert blocks[1].tokens == record.tokens["history"]
    assert "100 tokens · 1 message, in full at its place in the history" in recalled
    assert (
        "tool · message 3 · 100 tokens · in full at its place in the history"
        in recalled
    )
    assert "memviz-formed" not in recalled
    assert "2 of them sent as a placeholder" in history
    assert sent_instead(record, 2) is None


def test_a_summary_says_how_much_of_its_size_is_its_heading() -> None:
    """chars4: the text has 10 tokens, "Summary of earlier conversation: " before it 8 more."""
    strategy = memviz.strategy("summary", buffer_size=2)
    record = last_record(strategy, ScriptedModel(["s" * 40] * 9))
    (block,) = (block for block in in_reading_order(record) if block.kind == "summary")
    assert block.tokens == 18
    assert "10 tokens and 8 of its heading" in block_html(block, record)
    assert (
        folded_label(block, record)
        == "**Summary**, all of it · 10 tokens and 8 of its heading"
    )


def test_emptied_arguments_are_said_and_shown_as_sent() -> None:
    html = shown(last_record(Clearing(arguments=True)))[0]
    assert (
        "assistant · message 2 · 1 token · sent without the arguments of its calls"
        in html
    )
    assert html.index("<code>look_up({})</code>") < html.index(
        "<code>look_up({&#34;day&#34;: &#34;Monday&#34;})"
    )


def test_blocks_stand_as_they_were_sent_and_words_of_the_strategy_as_such() -> None:
    record = last_record(
        HeadAndTail(), ScriptedModel(["A summary."]), system_prompt="Be kind."
    )
    blocks = in_reading_order(record)
    assert [block.kind for block in blocks] == [
        "history",
        "history",
        "history",
        "summary",
        "input",
        "system",
    ]
    sent = [message.content for block in blocks[:-1] for message in block.messages]
    assert ["Be kind.", *sent] == [
        message.content for message in record.context.messages
    ]
    _, line, *_, summary, _, _ = shown(record)
    assert "Skipped 11 messages." in line
    assert "<b>The strategy&#39;s own words</b> 5 tokens · 1 message" in line
    assert "user · in no message of the conversation" in line
    assert "sent as a message of the user" in summary


def test_a_cut_message_is_called_shortened() -> None:
    said = [Message("user", "The first message of all."), *tool_talk()]
    record = memviz.replay(said, HeadAndTail(), counter="chars4").requests[-1]
    html = shown(record)[0]
    assert "shortened" in html
    assert STEP_COLORS[encode_fate(Fate.SHORTENED)] in html
    assert html.index("<p>The firs…all.</p>") < html.index(
        "<p>The first message of all.</p>"
    )


@for_each("other", ["", "cut arguments over 5 characters to 2\n"])
def test_an_older_read_is_called_so_and_what_is_shortened_beside_it_is_not(
    other: str,
) -> None:
    steps = f"{other}supersede older reads"
    strategy = memviz.strategy("pipeline", steps=steps)
    record = memviz.replay(reading([0], [0], [2]), strategy).requests[-1]
    older = sent_instead(record, 2)
    assert older is not None
    assert older[0].content == "[an older read of this file]"
    assert older[1] == "an older read of this file, sent as a placeholder"
    assert sent_instead(record, 6) is None
    call = sent_instead(record, 1)
    assert (call and call[1]) == ("shortened" if other else None)
    assert "an older read of this file" in "".join(shown(record))


@for_each("prompt", [None, "Be kind."])
def test_notes_in_the_system_prompt_are_marked_as_what_memory_added(
    prompt: str | None,
) -> None:
    record = last_record(FactsInside(), fact_writer(), system_prompt=prompt)
    first, block = shown(record)[0], in_reading_order(record)[0]
    assert block.kind == "system", (
        "where memory wrote something into it, it stands where it was sent"
    )
    version = record.parts.notes[0].stop
    assert f"added by memory: facts, version {version}" in first
    assert "added by memory: words of the strategy&#39;s own" in first
    assert first.count('class="memviz-formed"') == 2
    assert ("the system prompt&#39;s own words" in first) is (prompt is not None)
    for text in (
        "Mira is allergic to nuts.",
        "Always be brief.",
        *([prompt] if prompt else []),
    ):
        assert first.count(text) == 1
    assert "with what memory added" in folded_label(block, record)


def test_nothing_is_marked_where_all_was_sent_as_it_was_said() -> None:
    html = "".join(
        shown(last_record(memviz.strategy("buffer"), system_prompt="Be kind."))
    )
    assert "memviz-formed" not in html
    assert "<details>" not in html


def test_what_was_sent_instead_of_a_message_can_be_asked_of_each() -> None:
    record = last_record(Clearing())
    cleared = sent_instead(record, 2)
    assert cleared is not None
    assert (cleared[0].content, cleared[1]) == ("[cleared]", "sent as a placeholder")
    assert [
        sent_instead(record, position)
        for position in (0, 1, len(record.memory.log) - 1)
    ] == [None] * 3


def test_facts_that_were_looked_up_stand_with_scores_and_old_beside_new() -> None:
    facts = [
        f"<fact>The {MARKUP} office is in Turin.</fact>",
        '<fact replaces="1">The office is in Milan.</fact>',
    ]
    talk = [
        message
        for text in ("We are in Turin.", "Now in Milan.", "Where is the office?")
        for message in (Message("user", text), Message("assistant", "Noted."))
    ]
    html = {}
    for rule in ("add", "supersede"):
        run = memviz.replay(
            talk,
            memviz.strategy("facts_store", newest_messages=1, rule=rule),
            model=ScriptedModel([*facts, "<facts></facts>"]),
            counter="chars4",
        )
        record = run.requests[-1]
        facts_block, *_ = (b for b in record.context.blocks if b.kind == "summary")
        html[rule] = block_html(facts_block, record)
        assert folded_label(facts_block, record).startswith("**Facts**, all of it")
        assert not block_html(facts_block, record, 1).count("Milan")
    old = html["add"].index("fact 1, from turn 1 · score 0.")
    new = html["add"].index("fact 2, from turn 2 · score 0.")
    assert new < old
    assert "replaces fact 1, which is sent beside it with score 0." in html["add"]
    assert "outdated: fact 2, which is sent beside it with score" in html["add"]
    assert html["add"].count('class="memviz-formed"') == 2
    assert "&lt;b&gt;fat&lt;/b&gt; office is in Turin." in html["add"]
    assert "Turin" not in html["supersede"]
    assert 'class="memviz-formed"' not in html["supersede"]


def test_a_fact_whose_newer_one_is_not_sent_is_said_to_be_outdated() -> None:
    facts = [
        "<fact>The office is in Turin.</fact>",
        '<fact replaces="1">Milan it is.</fact>',
    ]
    talk = [
        message
        for text in ("In Turin.", "In Milan.", "Where is the office?")
        for message in (Message("user", text), Message("assistant", "Noted."))
    ]
    run = memviz.replay(
        talk,
        memviz.strategy("facts_store", newest_messages=1),
        model=ScriptedModel([*facts, "<facts></facts>"]),
    )
    html = shown(run.requests[-1])[0]
    assert "outdated: fact 2, which is not sent, replaces it" in html
