"""Compare: one conversation under several settings."""

from __future__ import annotations

from html import unescape

import pytest
from streamlit.testing.v1 import AppTest

import memviz
from memviz.dashboard.words.compactions import reason_words, size_words
from memviz.transcripts.samples import sample
from tests.pages.comparing import FIRST, replayed, sent
from tests.pages.driving import (
    click,
    figures,
    first_seen,
    labelled,
    markers,
    numbers,
    open_page,
    page_of,
    sentences,
    token_lines,
)

pytestmark = pytest.mark.one_library


@pytest.fixture
def compare() -> AppTest:
    return open_page("compare")


@pytest.fixture
def first_page() -> AppTest:
    """The same for tests that only look at it."""
    return first_seen("compare")


def test_first_open_draws_a_bundled_conversation_under_three_strategies(
    first_page: AppTest,
) -> None:
    assert token_lines(first_page) == {
        label: sent(replayed(strategy)) for label, strategy in FIRST.items()
    }
    assert not first_page.error
    assert not first_page.warning


def test_every_summarization_has_a_marker_with_its_reason_in_numbers(
    first_page: AppTest,
) -> None:
    compactions = []
    for strategy in FIRST.values():
        run = replayed(strategy)
        compactions += [(compaction, run) for compaction in run.compactions]
    tooltips = [unescape(tooltip) for tooltip in markers(first_page)]
    assert len(tooltips) == len(compactions) > 3
    for tooltip, (compaction, run) in zip(tooltips, compactions, strict=True):
        assert any(digit in compaction.reason for digit in "0123456789")
        assert reason_words(compaction) in tooltip
        assert f"after message {compaction.after_message + 1}<" in tooltip
        assert size_words(compaction, run) in tooltip


def test_the_limit_is_a_bracket_over_what_it_limits(first_page: AppTest) -> None:
    figure = figures(first_page)[0]
    (bracket,) = [trace for trace in figure["data"] if trace["name"].endswith(" limit")]
    low, high = min(numbers(bracket["y"])), max(numbers(bracket["y"]))
    assert high - low == 1500
    assert low > 0, "a request holds more than what the limit counts"
    assert "summarizes when messages pass 1,500 tokens" in bracket["hovertemplate"]
    notes = [note["text"] for note in figure["layout"]["annotations"]]
    assert (
        sum("limit 1,500 of messages" in note.replace("<br>", " ") for note in notes)
        == 1
    )


def test_key_numbers_and_table_equal_the_replay(first_page: AppTest) -> None:
    table = first_page.table[0].value
    assert list(table.columns) == list(FIRST)
    assert table.map(lambda text: text == f"{int(text.replace(',', '')):,}").all(
        axis=None
    ), "with thousands set apart"
    count = memviz.counter("o200k_base")
    for label, strategy in FIRST.items():
        run, column = (
            replayed(strategy),
            {name: int(text.replace(",", "")) for name, text in table[label].items()},
        )
        tokens = sent(run)
        written = sum(count(compaction.summary) for compaction in run.compactions)
        read = sum(
            sum(count(message.content) + 4 for message in compaction.request) + 3
            for compaction in run.compactions
        )
        assert labelled(first_page.metric, label).value == f"{sum(tokens):,} tokens"
        assert column["Tokens sent to the chat model"] == sum(tokens)
        assert column["Mean request"] == round(sum(tokens) / len(tokens))
        assert column["Largest request"] == max(tokens)
        assert column["Largest request at turn"] == 1 + tokens.index(max(tokens))
        assert (
            column["Summaries written"]
            == column["Summarizer calls"]
            == len(run.compactions)
        )
        assert (
            column["Tokens sent to the summarizer"],
            column["Tokens the summarizer wrote"],
        ) == (read, written)
        assert column["All tokens, both models"] == sum(tokens) + read + written
        assert (
            column["Failed calls (messages kept)"]
            == column["Requests over their limit"]
            == 0
        )


def test_change_against_the_first_setting(first_page: AppTest) -> None:
    buffer, window = (
        sum(sent(replayed(strategy))) for strategy in list(FIRST.values())[:2]
    )
    assert [metric.delta for metric in first_page.metric][:2] == [
        "",
        f"{window / buffer - 1:+.0%} tokens",
    ]


def test_tokens_can_be_counted_in_percent_and_by_another_counter(
    compare: AppTest,
) -> None:
    def axis_title() -> str:
        return str(figures(compare)[0]["layout"]["yaxis"]["title"]["text"])

    lines, in_tokens = token_lines(compare), axis_title()
    labelled(compare.selectbox, "The chart counts in").set_value("largest")
    compare.run()
    assert (
        axis_title() == f"% of the largest request ({max(map(max, lines.values())):,})"
    )
    assert token_lines(compare) == lines, (
        "the picture stays: only what stands at the axis changes"
    )
    labelled(compare.selectbox, "The chart counts in").set_value("window")
    compare.run()
    assert axis_title() == "% of openai/gpt-5-mini's window (272,000)"
    labelled(compare.selectbox, "The chart counts in").set_value(None)
    compare.run()
    assert axis_title() == in_tokens
    labelled(compare.selectbox, "Token counter").select("chars4").run()
    after = token_lines(compare)
    assert after == {
        label: sent(replayed(strategy, "chars4")) for label, strategy in FIRST.items()
    }
    assert all(after[label] != lines[label] for label in FIRST)


def test_changing_a_strategy_or_a_parameter_changes_the_run(compare: AppTest) -> None:
    labelled(compare.selectbox, "Strategy").select("window").run()
    lines = token_lines(compare)
    twins = [
        label for label in lines if label.startswith("Sliding window · 10 messages")
    ]
    assert len(twins) == 2, "the very same setting twice goes by two names"
    window = sent(replayed(FIRST["Sliding window · 10 messages"]))
    assert lines[twins[0]] == lines[twins[1]] == window
    labelled(compare.selectbox, "Strategy").select("buffer").run()
    labelled(compare.number_input, "Window size").set_value(4).run()
    lines = token_lines(compare)
    assert list(lines) == [
        "Full buffer",
        "Sliding window · 4 messages",
        "Summary buffer · 1,500 tokens · 120 words",
    ]
    assert lines["Sliding window · 4 messages"] == sent(
        replayed(memviz.strategy("window", window_size=4))
    )
    assert lines["Full buffer"] == sent(replayed(memviz.strategy("buffer")))
    assert page_of(compare) == "compare"


@pytest.mark.slow
def test_up_to_six_settings_and_no_seventh(compare: AppTest) -> None:
    for count in (4, 5, 6):
        click(compare, "Add a setting")
        assert len(token_lines(compare)) == count
    assert labelled(compare.button, "Add a setting").disabled
    lines = [
        trace
        for trace in figures(compare)[0]["data"]
        if trace["name"] in token_lines(compare)
    ]
    assert len({trace["line"]["color"] for trace in lines}) == 6
    assert len({trace["line"]["dash"] for trace in lines}) == 6
    assert len(compare.metric) == 6


def colors(session: AppTest) -> dict[str, str]:
    traces = figures(session)[0]["data"]
    return {one["name"]: one["line"]["color"] for one in traces if "line" in one}


def test_removing_a_setting_leaves_the_others_their_colours_and_the_last_one_stays(
    compare: AppTest,
) -> None:
    before = colors(compare)
    click(compare, "Remove")
    del before["Full buffer"]
    assert colors(compare) == before
    click(compare, "Remove")
    assert len(token_lines(compare)) == 1
    assert labelled(compare.button, "Remove").disabled


@pytest.mark.slow
def test_another_conversation_replaces_every_line(compare: AppTest) -> None:
    labelled(compare.selectbox, "Conversation").select("sample-tutoring").run()
    tutoring = sample("tutoring")
    run = memviz.replay(
        list(tutoring.messages),
        FIRST["Full buffer"],
        system_prompt=tutoring.system_prompt,
    )
    assert token_lines(compare)["Full buffer"] == sent(run)
    assert page_of(compare) == "compare"


def test_a_setting_becomes_what_a_product_does_scaled_to_the_conversation(
    compare: AppTest,
) -> None:
    compare.selectbox(key="preset-2").set_value("gemini_cli").run()
    count = memviz.counter("o200k_base")
    needed = sum(
        count(one.content) for one in sample("trip").messages if one.role != "system"
    )
    setting = memviz.strategy("gemini_cli", window_tokens=needed // 2)
    run = replayed(setting)
    assert run.compactions
    assert token_lines(compare)[setting.label] == sent(run)
    assert any("read in gemini-cli 0.61.0" in one for one in sentences(compare.caption))
    compare.selectbox(key="strategy-2").set_value("window").run()
    assert "Sliding window · 10 messages" in token_lines(compare)
    assert not any("gemini" in one for one in sentences(compare.caption))
