"""A visitor brings a conversation, sweeps settings over it, takes the recommended one home, and brings it back."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

pytest.importorskip(
    "playwright", reason="The browser tests need playwright (pip install playwright)."
)

from playwright.sync_api import Page, Route, expect

import memviz
from benchmarks.synthetic.generator import generate
from memviz.transcripts.base import Transcript
from tests.browser.journeys import (
    drawn,
    go,
    names_of_lines,
    open_models,
    quiet,
    sees,
    stands,
)

if TYPE_CHECKING:
    from tests.browser.dashboard import Dashboard

pytestmark = pytest.mark.slow

CHART = ".st-key-tune-pareto .js-plotly-plot"


def bring(page: Page, url: str, conversation: Transcript) -> None:
    """Import the conversation and open it."""
    said = [
        {"role": message.role, "content": message.content}
        for message in conversation.messages
    ]
    go(page, f"{url}/library", "library")
    page.get_by_test_id("stFileUploaderDropzoneInput").set_input_files(
        {
            "name": "own.json",
            "mimeType": "application/json",
            "buffer": json.dumps({"messages": said}).encode(),
        }
    )
    sees(page.get_by_text(f"Imported own.json: {len(said)} messages in "))
    # Not simply the first one: a chat that another test has just left may be saved after this import.
    row = (
        page.locator("[class*='st-key-conversation-']")
        .filter(has=page.get_by_text("own", exact=True))
        .first
    )
    row.get_by_role("button", name="Compare").click()
    stands(page, "compare")
    page.get_by_role("link", name="Tune").click()
    stands(page, "tune")
    drawn(page, CHART)


def only_summaries(page: Page) -> None:
    """Try buffer_size of the running summary and token_limit of the chat summary buffer, and nothing else."""
    others = (
        "Full buffer",
        "Sliding window",
        "Head and tail",
        "Token buffer",
        "Summary buffer",
        "Clear tool results",
        "Threshold summary",
        "Hand-off",
    )
    page.get_by_role("button", name="Strategies and values").click()
    panel = page.get_by_test_id("stPopoverBody")
    for title in others:
        panel.get_by_role("button", name=title, exact=True).click()
        quiet(page)
    panel.get_by_text("Running summary · ").click()
    values = page.get_by_role("combobox", name="Buffer size")
    values.fill("5")
    values.press("Enter")
    quiet(page)
    page.keyboard.press("Escape")
    sees(page.get_by_text(re.compile(r"^\d+ settings\. ")))


def metric(page: Page, label: str) -> str:
    box = page.get_by_test_id("stMetric").filter(
        has=page.get_by_text(label, exact=True)
    )
    return box.get_by_test_id("stMetricValue").inner_text()


def click_on_a_point(page: Page) -> None:
    """Point at the last setting of the sliding window, and look at it."""
    quiet(page)  # while the sweep goes on, one chart takes the place of another
    chart = drawn(page, CHART)
    chart.scroll_into_view_if_needed()
    quiet(page)
    x, y = chart.evaluate(
        """chart => {
            const { xaxis, yaxis } = chart._fullLayout, box = chart.getBoundingClientRect();
            const trace = chart._fullData.find(t => t.mode === 'markers' && t.name === 'Sliding window');
            const at = trace.x.length - 1;
            return [box.left + xaxis._offset + xaxis.d2p(trace.x[at]),
                    box.top + yaxis._offset + yaxis.d2p(trace.y[at])];
        }"""
    )
    page.mouse.move(x, y)
    tooltip = page.locator(".hoverlayer .hovertext").first
    expect(tooltip).to_contain_text("Sliding window")
    page.mouse.click(x, y)
    sees(page.get_by_role("heading", name=re.compile("^Sliding window · ")))
    quiet(page)


def test_a_point_is_looked_at_and_a_setting_is_found_taken_home_and_brought_back(
    page: Page,
    dashboard: Dashboard,
    tmp_path: Path,
) -> None:
    bring(page, dashboard.url, generate(60, seed=5))
    click_on_a_point(page)
    only_summaries(page)
    answer = page.get_by_test_id("stAlert").filter(
        has_text=re.compile("Take |does best")
    )
    expect(answer).to_have_count(1)
    found = re.search(
        r"(Running summary|Chat summary buffer) · ([\d,]+) \w+(?:\.| does best)",
        answer.inner_text(),
    )
    value = int(found.group(2).replace(",", ""))
    id = {"Running summary": "summary", "Chat summary buffer": "chat_summary_buffer"}[
        found.group(1)
    ]
    main = memviz.strategies()[id].main_parameter
    label = memviz.strategy(id, **{main: value}).label
    peak = metric(page, "Largest request")
    with page.expect_download() as download:
        page.get_by_role("button", name="Save as memory.yaml").click()
    file = tmp_path / "memory.yaml"
    download.value.save_as(file)
    page.get_by_role("link", name="Compare").click()
    stands(page, "compare")
    open_models(page)
    page.get_by_test_id("stFileUploaderDropzoneInput").set_input_files(file)
    drawn(page)
    strategy, _, parameters = label.partition(" · ")
    name = names_of_lines(page).filter(has_text=strategy).filter(has_text=parameters)
    expect(name.first).to_be_visible()
    quiet(page)
    row = page.get_by_role("row").filter(
        has_text=re.compile(r"Largest request(?! at turn)")
    )
    assert row.get_by_role("cell").last.inner_text() == peak


MOST_QUESTIONS = """window.mostQuestions = 0;
new MutationObserver(() => {
    const asked = [...document.querySelectorAll("label")].filter(
        (label) => label.textContent.startsWith("Which strategy?") && label.offsetParent);
    window.mostQuestions = Math.max(window.mostQuestions, asked.length);
}).observe(document, { childList: true, subtree: true });"""


def test_a_control_whose_code_comes_late_holds_what_the_page_began_with_and_is_asked_once(
    page: Page, fresh_dashboard: Dashboard
) -> None:
    """The page runs once more by itself, with the next values to try, before a slow browser has the controls' code."""
    page.add_init_script(MOST_QUESTIONS)
    late: list[Route] = []
    for code in ("Multiselect", "Slider", "Selectbox"):
        page.route(f"**/{code}.*.js", lambda route: late.append(route))
    go(page, f"{fresh_dashboard.url}/tune", "tune")
    drawn(page, CHART)
    quiet(page)
    assert late
    for route in late:
        route.continue_()
    quiet(page)
    chosen = page.get_by_role("button", name="Remove Two weeks in Portugal")
    sees(chosen)
    expect(page.get_by_role("slider", name="Keep at least")).to_have_attribute(
        "aria-valuetext", "90%"
    )
    page.get_by_role("button", name="Copy link").click()  # the page runs once more
    quiet(page)
    sees(chosen)
    assert page.evaluate("window.mostQuestions") == 1
    page.goto("about:blank")  # the server ends before the page
