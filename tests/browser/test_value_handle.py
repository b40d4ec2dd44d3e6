"""The handle of a setting's main number: its curve moves while it is dragged."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

pytest.importorskip(
    "playwright", reason="The browser tests need playwright (pip install playwright)."
)

from playwright.sync_api import Page, expect

from tests.browser.journeys import TOKENS_CHART, drawn, go, quiet, stands

if TYPE_CHECKING:
    from tests.browser.dashboard import Dashboard

DRAGGED = f"{TOKENS_CHART} .memviz-dragged path"


@pytest.mark.slow
def test_the_curve_moves_without_the_server_and_the_setting_takes_the_value(
    page: Page, dashboard: Dashboard
) -> None:
    go(page, dashboard.url, "compare")
    drawn(page)
    handle = page.locator(".st-key-value-handle input")
    expect(page.locator(".st-key-value-handle output")).to_have_text("1,500 tokens")
    expect(page.locator(".st-key-value-handle .ticks span")).to_have_count(2)
    marks = page.locator(".st-key-value-handle :is(.ticks, .last)")
    expect(marks.filter(has_text="◆")).to_have_count(0)  # a diamond is a summary
    expect(page.locator(".st-key-value-handle .last.legend")).to_have_text("recorded")
    handle.hover()
    ready = page.locator(".st-key-value-handle .handle[data-missing='0']")
    expect(ready).to_have_count(1)  # replays are made ahead
    quiet(page)
    box = handle.bounding_box()
    assert box is not None
    at, last = int(handle.input_value()), int(handle.get_attribute("max") or 0)
    step = (box["width"] - 16) / last
    y = box["y"] + box["height"] / 2
    page.mouse.move(box["x"] + 8 + at * step, y)
    page.mouse.down()
    curves = []
    for steps in (-4, -8, -12):
        page.mouse.move(box["x"] + 8 + (at + steps) * step, y)
        expect(page.locator(DRAGGED)).to_have_count(2)
        page.wait_for_timeout(100)
        curves.append(page.locator(DRAGGED).first.get_attribute("d"))
    assert len(set(curves)) == 3, "another curve for each value"
    row = page.locator("[class*=st-key-edit-]").get_by_role(
        "button", name="Summary buffer"
    )
    assert "1,500 tokens" in row.inner_text(), "nothing is taken before it is let go"
    page.mouse.up()
    expect(row).not_to_contain_text("1,500 tokens")
    quiet(page)
    expect(page.locator(DRAGGED)).to_have_count(0)
    stands(page, "compare")
