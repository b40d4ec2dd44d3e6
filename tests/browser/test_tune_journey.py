"""A visitor finds a setting on a map of many, takes it home as a file, and brings it back."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlencode

import pytest

pytest.importorskip(
    "playwright", reason="The browser tests need playwright (pip install playwright)."
)

from playwright.sync_api import Page, Route, expect

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
FEW = urlencode({"try": '["window", "summary"]', "share": "0.95"})
"""Two strategies, of which the next values are tried as well, for the best lies at the edge."""


def metric(page: Page, label: str) -> str:
    box = page.get_by_test_id("stMetric").filter(
        has=page.get_by_text(label, exact=True)
    )
    return box.get_by_test_id("stMetricValue").inner_text()


def click_on_a_point(page: Page) -> None:
    """Point at the last setting of the sliding window, and look at it."""
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


MOST_QUESTIONS = """window.mostQuestions = 0;
new MutationObserver(() => {
    const asked = [...document.querySelectorAll("label")].filter(
        (label) => label.textContent.startsWith("Which strategy?") && label.offsetParent);
    window.mostQuestions = Math.max(window.mostQuestions, asked.length);
}).observe(document, { childList: true, subtree: true });"""


def test_controls_whose_code_comes_late_are_asked_once_and_a_setting_is_looked_at_taken_home_and_brought_back(
    page: Page, fresh_dashboard: Dashboard, tmp_path: Path
) -> None:
    # The page runs once more by itself, with the next values to try, before a slow browser has the controls' code.
    page.add_init_script(MOST_QUESTIONS)
    late: list[Route] = []
    requested: list[str] = []
    page.on("request", lambda request: requested.append(request.url))
    for code in ("Multiselect", "Slider", "Selectbox"):
        page.route(f"**/{code}.*.js", lambda route: late.append(route))
    go(page, f"{fresh_dashboard.url}/tune?{FEW}", "tune")
    drawn(page, CHART)
    quiet(page)
    assert late
    for route in late:
        route.continue_()
    quiet(page)

    # The controls hold what the page began with, also when it runs once more.
    sees(page.get_by_text("Tried as well, because the best value lay at the edge"))
    chosen = page.get_by_role("button", name="Remove Two weeks in Portugal")
    sees(chosen)
    expect(page.get_by_role("slider", name="Keep at least")).to_have_attribute(
        "aria-valuetext", "95%"
    )
    page.get_by_role("button", name="Copy link").click()
    quiet(page)
    sees(chosen)
    assert page.evaluate("window.mostQuestions") == 1

    # A setting is advised, and another one looked at by a click on its point.
    answer = page.get_by_test_id("stAlert").filter(
        has_text=re.compile("Take |does best")
    )
    expect(answer).to_have_count(1)
    click_on_a_point(page)
    title = page.get_by_role("heading", name=re.compile("^Sliding window · "))
    strategy, _, parameters = title.inner_text().replace("\u2060", "").partition(" · ")
    peak = metric(page, "Largest request")
    quiet(page)

    # Its file gives the same setting again. It is made on the click: one that was made before may be gone by then.
    files = f"{fresh_dashboard.url}/media/"
    assert not [url for url in requested if url.startswith(files)]
    with page.expect_download() as download:
        page.get_by_role("button", name="Save as memory.yaml").click()
    file = tmp_path / "memory.yaml"
    download.value.save_as(file)
    page.get_by_role("link", name="Compare").click()
    stands(page, "compare")
    open_models(page)
    page.get_by_test_id("stFileUploaderDropzoneInput").set_input_files(file)
    drawn(page)
    name = names_of_lines(page).filter(has_text=strategy).filter(has_text=parameters)
    expect(name.first).to_be_visible()
    quiet(page)
    row = page.get_by_role("row").filter(
        has_text=re.compile(r"Largest request(?! at turn)")
    )
    assert row.get_by_role("cell").last.inner_text() == peak
    page.goto("about:blank")  # the server ends before the page
