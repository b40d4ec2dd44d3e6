"""Summaries: every version of one setting's summary, what made it and what it changed."""

from __future__ import annotations

import re
from html import unescape

import pytest
from streamlit.testing.v1 import AppTest

import memviz
from memviz.dashboard.markup import without_marks
from memviz.dashboard.words.compactions import (
    compaction_words,
    reason_words,
    size_words,
)
from memviz.engine.run import Run
from memviz.metrics.summaries.evolution import compare_versions
from memviz.storage.workspace import Workspace
from memviz.transcripts.samples import sample
from tests.pages.driving import (
    click,
    figures,
    first_seen,
    labelled,
    metric,
    numbers,
    open_page,
    sentences,
    texts,
)

pytestmark = pytest.mark.one_library


def replayed(id: str, **parameters: int) -> Run:
    trip = sample("trip")
    return memviz.replay(
        list(trip.messages),
        memviz.strategy(id, **parameters),
        system_prompt=trip.system_prompt,
    )


def first_setting(page: AppTest, strategy: str) -> AppTest:
    """The page with the first setting changed to ``strategy``, and shown."""
    labelled(page.selectbox, "Strategy").select(strategy).run()
    return labelled(page.segmented_control, "Setting").set_value(0).run()


def html(session: AppTest, mark: str) -> list[str]:
    bodies = [element.proto.body for element in session.get("html")]
    return [body for body in bodies if mark in body and "<style>" not in body]


def read(body: str, *tags: str) -> str:
    found = re.findall(rf"<({'|'.join(tags)})>(.*?)</\1>", body, re.DOTALL)
    return unescape("".join(text for _, text in found))


def facts(session: AppTest) -> dict[str, str]:
    (body,) = html(session, "memviz-facts")
    return {
        unescape(name): unescape(value)
        for name, value in re.findall(r"<dt>(.*?)</dt><dd>(.*?)</dd>", body)
    }


@pytest.fixture
def run() -> Run:
    return replayed("summary_buffer", max_token_limit=1500, summary_words=120)


@pytest.fixture
def page() -> AppTest:
    return open_page("summaries")


@pytest.fixture
def first_page() -> AppTest:
    """The same for tests that only look at it."""
    return first_seen("summaries")


def test_first_open_shows_the_setting_that_summarizes(
    first_page: AppTest, run: Run
) -> None:
    page = first_page
    assert "What its own program did" not in [head.value for head in page.header]
    marks = next(
        trace for trace in figures(page)[0]["data"] if trace["name"] == "summarized"
    )
    assert numbers(marks["y"]) == [version.tokens for version in run.summaries]
    assert any(
        f" of {len(run.summaries)}, before the request of turn " in title.value
        for title in page.header
    )
    assert metric(page, "Tokens at the end") == str(run.summaries[-1].tokens)
    assert metric(page, "Messages replaced") == str(len(run.summaries[-1].covers))
    assert metric(page, "Oldest content") == f"{len(run.summaries)}× summarized"
    assert not page.error
    assert not page.warning


def test_the_version_of_the_selected_request_is_open_with_what_it_changed(
    first_page: AppTest, run: Run
) -> None:
    page = first_page
    least = compare_versions(run)[
        1
    ]  # at first that of the first request whose summary took another one's place
    version = least.version
    diff = html(page, 'class="memviz-diff"')[-1]
    assert read(diff, "span", "del") == without_marks(
        run.summaries[version.version - 2].text
    )
    assert read(diff, "span", "ins") == without_marks(version.text)
    assert f"{least.kept_words} words kept" in html(page, "memviz-legend")[0]
    assert labelled(page.select_slider, "Version").value == least.event.number


def test_facts_are_the_records_own_and_any_two_versions_can_be_compared(
    page: AppTest, run: Run
) -> None:
    for number in (0, 4):
        labelled(page.select_slider, "Version").set_value(number).run()
        compaction, shown = run.compactions[number], facts(page)
        assert shown["When"] == compaction_words(compaction, run).where
        assert shown["Why"] == reason_words(compaction)
        assert (
            shown["Summarizer call"]
            == f"{compaction.prompt_tokens:,} tokens in, {compaction.output_tokens} out"
        )
        assert shown["The request"] == size_words(compaction, run)
        taken = compaction.summarized
        assert shown["Newly taken in"].startswith(
            f"messages {taken.start + 1} to {taken.stop} "
        )
        assert shown["Written by"] == "the summarizer (built-in model)"
        assert compaction.summary in texts(page)
        assert any(text and compaction.prompt.startswith(text) for text in texts(page))
        (block,) = html(page, "memviz-block")
        assert read(block, "p") == "".join(
            run.log[position].content for position in taken
        )

    labelled(page.select_slider, "Version").set_value(7).run()
    labelled(page.selectbox, "Compare").set_value(1).run()
    diff = html(page, 'class="memviz-diff"')[-1]
    assert read(diff, "span", "del") == without_marks(run.summaries[1].text)
    assert read(diff, "span", "ins") == without_marks(run.summaries[7].text)
    labelled(page.segmented_control, "View").set_value("Side by side").run()
    old, new = html(page, 'class="memviz-diff"')
    assert read(old, "span", "del") == without_marks(run.summaries[1].text)
    assert read(new, "span", "ins") == without_marks(run.summaries[7].text)


@pytest.mark.slow
def test_a_version_lists_its_facts_and_a_click_opens_the_life_of_one(
    page: AppTest, run: Run
) -> None:
    labelled(page.select_slider, "Version").set_value(2).run()
    lost = next(group for group in page.button_group if "Lost" in group.label)
    assert lost.label.endswith("Lost: 1 fact")
    assert [option.content for option in lost.proto.options] == [
        "cashews and pistachios"
    ]
    number = next(
        n
        for n, probe in enumerate(sample("trip").probes)
        if probe.answers[0] == "cashews and pistachios"
    )
    lost.set_value(number).run()
    assert page.title[0].value == "Which facts could the model still know?"
    assert labelled(page.selectbox, "The story of one fact").value == number
    assert any("◆ Version 3 ·" in said for said in sentences(page.markdown))


@pytest.mark.slow
def test_a_fact_opened_from_an_earlier_version_shows_the_one_that_lost_it(
    page: AppTest,
) -> None:
    labelled(page.select_slider, "Version").set_value(0).run()
    held = next(group for group in page.button_group if "New" in group.label)
    number = next(
        n
        for n, probe in enumerate(sample("trip").probes)
        if probe.answers[0] == "cashews and pistachios"
    )
    held.set_value(number).run()
    assert any("◆ Version 3 ·" in said for said in sentences(page.markdown))


@pytest.mark.slow
def test_a_setting_without_summaries_says_so_and_offers_one_and_a_list_is_compared_whole(
    page: AppTest,
) -> None:
    labelled(page.segmented_control, "Setting").set_value(1).run()
    assert "never summarizes" in sentences(page.info)[0]
    assert not figures(page)
    click(page, "Add a summary buffer")
    assert not page.info
    run = replayed("summary_buffer", max_token_limit=500)
    assert any(
        f" of {len(run.summaries)}, before the request of turn " in title.value
        for title in page.header
    )
    assert labelled(page.segmented_control, "Setting").value == 3
    first_setting(page, "summary")
    labelled(page.number_input, "Buffer size").set_value(90).run()
    assert (
        "had no reason to summarize in this conversation: 89 more messages"
        in sentences(page.info)[0]
    )
    first_setting(page, "clear_tool_results")
    assert (
        "had no reason to clear or shorten messages in this conversation"
        in sentences(page.info)[0]
    )
    first_setting(page, "summary_only")
    run = replayed("summary_only")
    assert any(f" of {len(run.summaries)}, " in title.value for title in page.header)
    labelled(page.select_slider, "Entry").set_value(2).run()
    diff = html(page, 'class="memviz-diff"')[-1]
    assert read(diff, "span", "del") == without_marks(run.space.summaries.text(0, 2))
    assert read(diff, "span", "ins") == without_marks(run.space.summaries.text(0, 3))
    assert run.summaries[2].text in texts(page)
    assert run.space.summaries.text(0, 3) in texts(page)
    assert len(figures(page)) == 3  # nothing of an entry lives on or nests


@pytest.mark.one_library(False)
def test_a_failing_summarizer_leaves_its_attempts_and_no_version(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    down = memviz.ScriptedModel(memviz.ModelError("<b>no</b> line") for _ in range(999))
    monkeypatch.setattr(Workspace, "free_summarizer", lambda *_, **__: down)
    page = open_page("summaries")
    attempts = next(
        trace for trace in figures(page)[0]["data"] if trace["name"] == "failed"
    )
    assert "Nothing was lost" in sentences(page.warning)[0]
    assert "<b>no</b> line" in sentences(page.error)[0]
    assert len(figures(page)) == 1
    assert len(numbers(attempts["x"])) > 1
    assert "Written by" not in facts(page)
    labelled(page.select_slider, "Version").set_value(0).run()
    assert facts(page)["When"].startswith("before the request of turn ")


@pytest.mark.slow
def test_another_conversation_opens_its_own_first_replaced_version(
    page: AppTest,
) -> None:
    labelled(page.select_slider, "Version").set_value(9).run()
    labelled(page.selectbox, "Conversation").select("sample-tutoring").run()
    tutoring = sample("tutoring")
    strategy = memviz.strategy(
        "summary_buffer", max_token_limit=1500, summary_words=120
    )
    run = memviz.replay(
        list(tutoring.messages), strategy, system_prompt=tutoring.system_prompt
    )
    assert labelled(page.select_slider, "Version").value == 1
    assert facts(page)["Why"] == reason_words(run.compactions[1])


@pytest.mark.slow
@pytest.mark.one_library(False)
def test_nothing_of_a_text_is_markup(monkeypatch: pytest.MonkeyPatch) -> None:
    evil = "<script>alert(1)</script> **bold** &lt; <b>fat</b>"
    writer = memviz.ScriptedModel(f"{evil} number {n}" for n in range(999))
    monkeypatch.setattr(Workspace, "free_summarizer", lambda *_, **__: writer)
    page = open_page("summaries")
    labelled(page.select_slider, "Version").set_value(2).run()
    for body in html(page, "memviz-"):
        assert "<script" not in body
        assert "<b>" not in body
    assert f"{evil} number 2" in texts(page)
    assert not any(
        "**bold**" in element.value for element in (*page.markdown, *page.caption)
    )


def test_of_a_block_that_nobody_can_read_no_text_is_shown_and_its_facts_are_unknown() -> (
    None
):
    sealed = (
        'hand_off {"trigger_tokens": 3000, "keep_user_tokens": 0, "opaque_tokens": 800}'
    )
    page = open_page("summaries", conversation="sample-trip", setting=sealed)
    said = "\n".join(sentences([*page.caption, *page.markdown]))
    assert "which facts it holds, is unknown" in said
    tabs = [tab.label for tab in page.tabs]
    assert "Full text" not in tabs
    assert "Numbers" in tabs
