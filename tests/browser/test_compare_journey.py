"""A visitor compares strategies."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

import pytest

pytest.importorskip(
    "playwright", reason="The browser tests need playwright (pip install playwright)."
)

from playwright.sync_api import Locator, Page, expect

from tests.browser.journeys import (
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
def test_the_chart_is_there_without_a_click_follows_a_parameter_and_survives_a_reload(
    page: Page, dashboard: Dashboard
) -> None:
    go(page, dashboard.url, "compare")
    drawn(page)
    names = names_of_lines(page).filter(has_text="Sliding window")
    expect(names.filter(has_text="10 messages").first).to_be_visible()
    for name in ("Full buffer", "Summary buffer"):
        expect(names_of_lines(page).filter(has_text=name)).to_be_visible()
    window = page.get_by_test_id("stMetric").nth(1)
    before = window.get_by_test_id("stMetricValue").inner_text()
    box = page.get_by_role("spinbutton", name="Window size (messages)")
    row = page.locator("[class*=st-key-edit-]").get_by_role(
        "button", name="Sliding window"
    )
    row.click()
    box.fill("4")
    box.press("Enter")
    expect(names.filter(has_text="4 messages").first).to_be_visible()
    expect(window.get_by_test_id("stMetricValue")).not_to_have_text(before)
    stands(page, "compare")

    expect(page).to_have_url(re.compile("window_size"))
    page.reload()
    stands(page, "compare")
    expect(
        names.filter(has_text="4 messages").first
    ).to_be_visible()  # the address holds what was shown
    row.click()
    box.fill("5")
    box.press("Enter")
    expect(
        names.filter(has_text="5 messages").first
    ).to_be_visible()  # and does not bring it back
    expect(page).to_have_url(re.compile("window_size%22%3A\\+5"))
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
def test_keys_play_and_a_click_on_a_summarization_lead_to_a_turn_and_typing_does_not(
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


def import_seven_turns(page: Page, url: str) -> None:
    """Bring a conversation and open it."""
    messages = [
        {"role": role, "content": f"{role} says number {number}."}
        for number in range(7)
        for role in ("user", "assistant")
    ]
    content = json.dumps({"title": "Seven numbers", "messages": messages}).encode()
    go(page, f"{url}/library", "library")
    page.get_by_test_id("stFileUploaderDropzoneInput").set_input_files(
        {"name": "seven.json", "mimeType": "application/json", "buffer": content}
    )
    sees(
        page.get_by_text(
            "Imported seven.json: 14 messages in 7 turns, read as OpenAI chat request."
        )
    )
    page.get_by_role("button", name="Compare").first.click()
    stands(page, "compare")


@pytest.mark.slow
def test_each_setting_answers_for_itself_and_can_be_stopped(
    page: Page, dashboard: Dashboard
) -> None:
    import_seven_turns(page, dashboard.url)
    open_models(page)
    page.get_by_role("radio", name="Free run").click()
    sees(page.get_by_text("0 of 21 turns answered so far."))
    with openai_server() as server:
        server.then(*[text(f"Reply {number}.") for number in range(4)], endless)
        choose_model(page, "Chat model", "openai/own", server.api_base)
        page.keyboard.press("Escape")
        page.get_by_role("button", name="Answer with openai/own").click()
        sees(page.get_by_text("turn 5 of 7"))
        page.get_by_role("button", name="Stop").click()
        sees(page.get_by_text("4 of 21 turns answered so far."))
        assert server.client_gone.wait(60)
        page.get_by_role("button", name="Go on with openai/own").click()
        expect(page.get_by_text("turns answered so far.")).to_have_count(0)
    sees(page.get_by_text("What each setting answered at turn"))
    stands(page, "compare")


@pytest.mark.slow
def test_each_idea_of_a_first_hour_is_seen_after_one_action_at_most(
    page: Page, dashboard: Dashboard
) -> None:
    page.set_viewport_size({"width": 1280, "height": 720})
    go(page, f"{dashboard.url}/compare", "compare")
    drawn(page)
    # The full buffer only grows, and when the summary was written, without any.
    full = names_of_lines(page).filter(has_text="Full buffer")
    expect(full).to_contain_text("13,686")
    expect(full).to_be_in_viewport()
    why = page.locator(".st-key-compare-at-request").get_by_text("1,535 tokens > 1,500")
    expect(why).to_be_in_viewport()
    # A fact that is lost, and what it costs to bring it back.
    quiet(page)  # what is still drawn moves the button away from the pointer
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
    # What the prompt cache saves.
    page.get_by_role("link", name="Compare", exact=True).click()
    stands(page, "compare")
    page.get_by_role("radio", name="Dollars", exact=True).click()
    legend = page.locator(".st-key-costs-curve .legendtext")
    expect(legend.filter(has_text="Without the cache")).to_be_in_viewport()


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
