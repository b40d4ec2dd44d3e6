"""A visitor compares strategies."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

import pytest

pytest.importorskip(
    "playwright", reason="The browser tests need playwright (pip install playwright)."
)

from playwright.sync_api import Locator, Page, ViewportSize, expect

from tests.browser.journeys import (
    TOKENS_CHART,
    choose_model,
    drawn,
    go,
    marker_places,
    names_of_lines,
    open_models,
    quiet,
    read_request,
    sees,
    stands,
)
from tests.models.openai_server import endless, openai_server, text

if TYPE_CHECKING:
    from tests.browser.dashboard import Dashboard


WIDE: ViewportSize = {"width": 1280, "height": 720}
COSTS_CHART = ".st-key-costs-curve .js-plotly-plot"
DRAGGED = f"{TOKENS_CHART} .memviz-dragged path"


def request_of(page: Page, turn: int) -> None:
    sees(page.get_by_text(f"Request of turn {turn}", exact=True))


FROM_NOTHING = (
    "chart => Plotly.newPlot(chart, chart.data, { ...chart.layout, height: 200 })"
)
IS_ON_ITS_LINE = """() => {
    const chart = document.querySelector(".st-key-compare-tokens .js-plotly-plot");
    const dot = chart.querySelector(".memviz-turn-dot"), radius = 7;
    const { m41, m42 } = new DOMMatrix(dot.style.transform), { xaxis, yaxis } = chart._fullLayout;
    const turn = Math.round(xaxis.p2d(m41 + radius - xaxis._offset)), tokens = yaxis.p2d(m42 + radius - yaxis._offset);
    const isNear = ({ x, y }) => Math.abs(y[Array.prototype.indexOf.call(x, turn)] - tokens) < 5;
    return chart._fullData.filter(({ mode }) => mode?.startsWith("lines")).some(isNear);
}"""
"""Whether the ring that marks the turn stands on a line of the chart, to five tokens."""


@pytest.mark.slow
def test_a_setting_is_changed_in_place_in_a_panel_that_stays_open_and_survives_a_reload(
    page: Page, dashboard: Dashboard
) -> None:
    page.set_viewport_size(WIDE)
    go(page, dashboard.url, "compare")
    drawn(page)

    # The chart, why it changed and the settings are in sight without a click.
    names = names_of_lines(page).filter(has_text="Sliding window")
    expect(names.filter(has_text="10 messages").first).to_be_visible()
    for name in ("Full buffer", "Summary buffer"):
        expect(names_of_lines(page).filter(has_text=name)).to_be_visible()
    expect(page.locator(".st-key-compare-at-request")).to_be_in_viewport()
    sidebar = page.get_by_test_id("stSidebarUserContent")
    for name in (
        "Full buffer",
        "Summary buffer",
        "Add a setting",
        "Models, sharing and more",
    ):
        expect(sidebar.get_by_role("button", name=name)).to_be_in_viewport()

    # A number is typed at once after the click on its setting.
    tokens = page.get_by_test_id("stMetric").nth(1).get_by_test_id("stMetricValue")
    before = tokens.inner_text()
    page.get_by_role("button", name="Sliding window 10 messages").click()
    expect(page.get_by_role("spinbutton", name="Window size")).to_be_focused()
    page.keyboard.type("4")
    page.keyboard.press("Enter")
    expect(names.filter(has_text="4 messages")).to_have_count(1)
    expect(tokens).not_to_have_text(before)
    stands(page, "compare")

    # The panel stays open for another strategy and its number.
    page.get_by_role("combobox", name="Strategy", exact=True).click()
    page.get_by_role("option", name="Token buffer", exact=True).click()
    quiet(page)
    limit = page.get_by_role("spinbutton", name="Max tokens (tokens)")
    limit.fill("1200")
    limit.press("Enter")
    quiet(page)
    expect(limit).to_have_value("1200")
    row = page.get_by_role("button", name="Token buffer 1,200 tokens")
    expect(row).to_have_attribute("aria-expanded", "true")
    row.click()
    quiet(page)
    expect(limit).to_have_count(0)

    # The address holds what was shown, and does not bring it back when it is changed once more.
    expect(page).to_have_url(re.compile("1200"))
    page.reload()
    stands(page, "compare")
    line = names_of_lines(page).filter(has_text="Token buffer")
    expect(line.filter(has_text="1,200 tokens").first).to_be_visible()
    row.click()
    limit.fill("900")
    limit.press("Enter")
    expect(line.filter(has_text="900 tokens").first).to_be_visible()
    expect(page).to_have_url(re.compile("%3A\\+900"))
    quiet(page)
    page.wait_for_function(IS_ON_ITS_LINE)
    drawn(page).evaluate(FROM_NOTHING)  # which takes away whoever listens to the chart
    page.wait_for_function(IS_ON_ITS_LINE)


def line_turn(page: Page) -> int:
    """The turn at which the line stands on the chart."""
    turn: float = drawn(page).evaluate(
        """chart => {
            const line = chart.querySelector('.memviz-turn-line'), axis = chart._fullLayout.xaxis;
            return axis.p2d(new DOMMatrix(line.style.transform).m41 + 1 - axis._offset);
        }"""
    )
    return round(turn)


@pytest.mark.slow
def test_keys_play_and_a_click_on_a_summarization_lead_to_a_turn_and_dragging_to_another_value(
    page: Page, dashboard: Dashboard
) -> None:
    page.emulate_media(reduced_motion="no-preference")  # the line glides
    go(page, dashboard.url, "compare")
    drawn(page)
    quiet(page)
    turns = [place["turn"] for place in marker_places(page)]
    turn = turns[1]  # it opens at the first summary that replaced another
    read_request(page)
    request_of(page, turn)
    page.get_by_role("heading", name="What does each strategy send?").click()
    for key, reached in (
        ("ArrowRight", turn + 1),
        ("ArrowLeft", turn),
        ("n", turns[2]),
    ):
        page.keyboard.press(key)
        request_of(page, reached)
        assert line_turn(page) == reached
    page.get_by_role("textbox", name="One question to all settings").press_sequentially(
        "n n"
    )
    assert line_turn(page) == turns[2]

    page.get_by_role("button", name="Play").click()
    page.get_by_text(f"turn {turns[2] + 2} of 46").wait_for()
    page.get_by_role(
        "heading", name="What does each strategy send?"
    ).click()  # any click stops it
    sees(page.get_by_role("button", name="Play"))
    quiet(page)
    request_of(page, line_turn(page))

    # The arrow keys would choose another view, were they still its own after the click.
    page.get_by_role("radio", name="Tokens", exact=True).click()
    place = marker_places(page)[2]
    page.mouse.move(place["x"], place["y"])
    tooltip = page.locator(".hoverlayer .hovertext")
    expect(tooltip).to_contain_text("Summarized messages")
    expect(tooltip).to_contain_text("tokens > 1,500")
    page.mouse.click(place["x"], place["y"])
    request_of(page, place["turn"])
    quiet(page)  # until then the player before stands beside the one that follows
    expect(page.get_by_role("slider", name="Turn", exact=True)).to_have_attribute(
        "aria-valuetext", f"turn {place['turn']} of 46, summarized"
    )
    assert line_turn(page) == place["turn"]
    below_words = """chart => {
        const line = chart.querySelector('.memviz-turn-line'), words = chart.querySelector('.infolayer');
        return Boolean(line.compareDocumentPosition(words) & Node.DOCUMENT_POSITION_FOLLOWING);
    }"""
    assert drawn(page).evaluate(below_words), "the line runs through labels"
    page.keyboard.press("ArrowRight")
    request_of(page, place["turn"] + 1)
    expect(page.get_by_role("radio", name="Tokens", exact=True)).to_be_checked()
    stands(page, "compare")
    the_curve_moves_without_the_server_and_the_setting_takes_the_value(page)


def the_curve_moves_without_the_server_and_the_setting_takes_the_value(
    page: Page,
) -> None:
    """Drag the handle of the main number of the summary buffer."""
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


def import_four_turns(page: Page, url: str) -> None:
    """Bring a conversation and open it."""
    messages = [
        {"role": role, "content": f"{role} says number {number}."}
        for number in range(4)
        for role in ("user", "assistant")
    ]
    content = json.dumps({"title": "Four numbers", "messages": messages}).encode()
    go(page, f"{url}/library", "library")
    page.get_by_test_id("stFileUploaderDropzoneInput").set_input_files(
        {"name": "four.json", "mimeType": "application/json", "buffer": content}
    )
    sees(
        page.get_by_text(
            "Imported four.json: 8 messages in 4 turns, read as OpenAI chat request."
        )
    )
    page.get_by_role("button", name="Compare").first.click()
    stands(page, "compare")


@pytest.mark.slow
def test_each_setting_answers_for_itself_and_can_be_stopped(
    page: Page, dashboard: Dashboard
) -> None:
    import_four_turns(page, dashboard.url)
    open_models(page)
    page.get_by_role("radio", name="Free run").click()
    sees(page.get_by_text("0 of 12 turns answered so far."))
    with openai_server() as server:
        server.then(*[text(f"Reply {number}.") for number in range(2)], endless)
        choose_model(page, "Chat model", "openai/own", server.api_base)
        page.keyboard.press("Escape")
        page.get_by_role("button", name="Answer with openai/own").click()
        sees(page.get_by_text("turn 3 of 4"))
        page.get_by_role("button", name="Stop").click()
        sees(page.get_by_text("2 of 12 turns answered so far."))
        assert server.client_gone.wait(60)
        page.get_by_role("button", name="Go on with openai/own").click()
        expect(page.get_by_text("turns answered so far.")).to_have_count(0)
    sees(page.get_by_text("What each setting answered at turn"))
    stands(page, "compare")


@pytest.mark.slow
def test_each_idea_of_a_first_hour_is_seen_after_one_action_at_most(
    page: Page, dashboard: Dashboard
) -> None:
    page.set_viewport_size(WIDE)
    go(page, f"{dashboard.url}/compare", "compare")
    drawn(page)

    # The full buffer only grows, and when the summary was written, without any.
    full = names_of_lines(page).filter(has_text="Full buffer")
    expect(full).to_contain_text("13,686")
    expect(full).to_be_in_viewport()
    event = page.locator(".st-key-compare-at-request .memviz-why")
    expect(event.get_by_text("1,535 tokens > 1,500")).to_be_in_viewport()
    expect(event).to_be_in_viewport(ratio=1)
    the_camera_covers_no_word(page, ".st-key-compare-tokens")

    # A fact that is lost, and what it costs to bring it back.
    page.get_by_role("button", name="Ask 3 settings").click()
    expect(page.get_by_text("Not sent since turn 42.")).to_be_in_viewport()
    price = page.get_by_role("button", name=re.compile(r"Bring turn .*\+294 tokens"))
    expect(price.first).to_be_in_viewport()
    asked = page.get_by_text("Asked: ")
    expect(asked).to_be_in_viewport()
    answers_stay_where_they_are(page, asked)

    # How it was lost.
    go(page, f"{dashboard.url}/compare", "compare")
    page.get_by_role("link", name="Facts", exact=True).click()
    expect(page.get_by_text("Lost at turn 31.")).to_be_in_viewport()
    page.get_by_role("link", name="Compare", exact=True).click()
    stands(page, "compare")

    # What the prompt cache saves.
    page.get_by_role("radio", name="Dollars", exact=True).click()
    stands(page, "costs")
    legend = page.locator(".st-key-costs-curve .legendtext")
    expect(legend.filter(has_text="Without the cache")).to_be_in_viewport()
    the_camera_covers_no_word(page, ".st-key-costs-curve")
    a_click_on_a_line_opens_the_request_of_its_setting_and_turn(page)


COVERED = """chart => {
    const camera = chart.querySelector(".modebar-btn").getBoundingClientRect();
    const meets = (box) => box.left < camera.right && camera.left < box.right;
    const covers = (box) => meets(box) && box.top < camera.bottom && camera.top < box.bottom;
    const words = [...chart.querySelectorAll("text")];
    return words.filter(text => covers(text.getBoundingClientRect())).map(text => text.textContent);
}"""
"""The words of a chart over which the button stands that saves it."""


def the_camera_covers_no_word(page: Page, place: str) -> None:
    """Where the pointer is over the chart at ``place``, and the button that saves it is seen."""
    chart = page.locator(f"{place} .js-plotly-plot")
    expect(chart.locator(".modebar-btn")).to_have_count(1)
    chart.hover()
    assert chart.evaluate(COVERED) == []


def a_click_on_a_line_opens_the_request_of_its_setting_and_turn(page: Page) -> None:
    """On the chart of dollars, at turn 40 of the full buffer."""
    x, y = drawn(page, COSTS_CHART).evaluate(
        """chart => {
            const { xaxis, yaxis } = chart._fullLayout, box = chart.getBoundingClientRect();
            const line = chart._fullData.find(t => t.name === "Full buffer");
            return [box.left + xaxis._offset + xaxis.d2p(40), box.top + yaxis._offset + yaxis.d2p(line.y[39])];
        }"""
    )
    page.mouse.move(x - 2, y)
    page.mouse.move(x, y)
    expect(page.locator(f"{COSTS_CHART} .hovertext")).to_contain_text("turn 40")
    page.mouse.click(x, y)
    request_of(page, 40)
    setting = page.get_by_role("combobox", name="Setting", exact=True)
    expect(setting).to_have_value("Full buffer")


def answers_stay_where_they_are(page: Page, asked: Locator) -> None:
    """They came into view once, and not again when a setting changes."""
    page.wait_for_timeout(500)  # what comes a little later is brought into view as well
    page.get_by_role(
        "heading", name=re.compile("^What does each strategy send")
    ).scroll_into_view_if_needed()
    expect(asked).not_to_be_in_viewport()
    page.locator("[class*=st-key-edit-]").get_by_role(
        "button", name="Sliding window"
    ).click()
    for size in ("12", "10"):
        page.get_by_role("spinbutton", name="Window size (messages)").fill(size)
        page.keyboard.press("Enter")
        quiet(page)
        expect(asked).not_to_be_in_viewport()
    page.keyboard.press("Escape")
