"""What axe, the accessibility checker, finds on every page, in both themes and both languages.

Rules that are broken by what Streamlit itself draws stand in ``OF_STREAMLIT`` of ``axe_findings``, each with the
elements it may find there and the reason. The list may only become shorter: a rule that finds nothing there any more
has to be taken out.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

import pytest
from playwright.sync_api import expect

from memviz.core.translation import ENGLISH, _, pgettext, use_language
from tests.browser.axe_findings import (
    AXE,
    OF_STREAMLIT,
    Finding,
    all_findings,
    assert_no_rule_is_broken,
    check_as_it_stands,
    unfold,
)
from tests.browser.journeys import (
    bubbles,
    drawn,
    go,
    marker_places,
    open_models,
    say,
    sees,
    turn_to,
)
from tests.browser.script_runs import quiet
from tests.page_names import QUESTIONS

if TYPE_CHECKING:
    from playwright.sync_api import Locator, Page, ViewportSize

    from tests.browser.dashboard import Dashboard

pytestmark = pytest.mark.slow
VIEWPORT: ViewportSize = {"width": 1280, "height": 720}
LOW: ViewportSize = {"width": 1024, "height": 576}
MOST_STEPS = 40


def ask_every_setting(page: Page) -> None:
    """Put the question of Compare to all settings, and open what the sidebar keeps in its menu."""
    page.get_by_role("textbox", name="One question to all settings").fill(
        "What is the budget?"
    )
    page.get_by_role("button", name="Ask 3 settings").click()
    sees(page.get_by_text("Asked: "))
    open_models(page)
    sees(page.get_by_text("Recall turns into requests"))
    page.get_by_text("Code to embed the picture").click()
    sees(page.get_by_label("Code to embed the picture"))


def export_code(page: Page) -> None:
    """Look at one strategy, and at a setting as Python code."""
    # The next values are tried by themselves, and a list that is open before would close.
    tried = _("Tried as well, because the best value lay at the edge: {values}.")
    sees(page.get_by_text(tried.partition("{")[0]))
    quiet(page)
    chooser = page.get_by_role("combobox", name=_("Which strategy?"))
    chooser.click()
    buffer = _("Summary buffer")
    chooser.fill(buffer)
    page.get_by_role("option", name=buffer, exact=True).click()
    quiet(page)
    page.get_by_role("radio", name=_("Plain Python"), exact=True).click()
    sees(page.get_by_test_id("stCode"))


def chat(page: Page) -> None:
    """Say something, and ask for it."""
    for number, text in enumerate(
        ("My budget is 3,000 euros.", "What is my budget?"), 1
    ):
        say(page, text)
        expect(bubbles(page)).to_have_count(2 * number)
    quiet(page)
    page.get_by_role("heading", name=QUESTIONS["chat"]).click()
    page.keyboard.press("p")
    bar = page.get_by_role("navigation", name="Presentation")
    expect(bar).to_be_visible()
    quiet(page)
    check_as_it_stands(page, "a chat that is presented")
    page.keyboard.press("Escape")
    expect(bar).to_have_count(0)


def read(page: Page) -> None:
    """Read the newest conversation of the library, and open what imports pasted text."""
    page.get_by_role("button", name="Read").first.click()
    quiet(page)
    page.get_by_role("button", name="Paste text").click()
    sees(page.get_by_role("textbox", name="A conversation as text"))


def look_up(page: Page) -> None:
    """Open the page of a strategy, all of it, and see what a word means."""
    page.get_by_role("link", name=_("Summary buffer"), exact=True).click()
    sees(page.get_by_role("heading", name=_("Who uses it")))
    unfold(page)
    page.get_by_role("radio", name=_("Glossary"), exact=True).click()
    sees(page.get_by_role("textbox", name=_("Search the glossary")))


def learn(page: Page) -> None:
    """Play a lesson to a question, and answer it."""
    page.locator(".st-key-lesson-first-look").get_by_role(
        "button", name=_("Begin")
    ).click()
    forward = pgettext("step of a lesson", "Next")
    page.get_by_role("button", name=forward, exact=True).click()
    yes = pgettext("it will", "Yes")
    page.get_by_role("radiogroup").filter(has_text=yes).locator("label").last.click()
    sees(page.locator(".st-key-lesson-verdict"))
    sees(page.locator(".memviz-stage canvas"))


USED = {
    "compare": ask_every_setting, "costs": unfold, "memory_map": unfold, "retention": unfold, "summaries": unfold,
    "tune": export_code, "chat": chat, "lessons": learn, "library": read, "guide": look_up,
    "live": quiet, "fleet": quiet,
}  # fmt: skip
"""What is done on a page before it is looked at: more of it is seen then, and nothing is gone."""


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_no_page_breaks_a_rule_and_each_is_reached_by_click(
    page: Page, dashboard: Dashboard, scheme: Literal["light", "dark"]
) -> None:
    found: list[Finding] = []
    page.set_viewport_size(VIEWPORT)
    page.add_init_script(AXE)
    page.emulate_media(color_scheme=scheme)
    code = "zh" if scheme == "dark" else ENGLISH
    with use_language(code):
        go(page, f"{dashboard.url}/?lang={code}", "compare")
        # A page takes seconds: half of them in each scheme, with a language of its own.
        for name in list(QUESTIONS)[scheme == "dark" :: 2]:
            page.set_viewport_size(VIEWPORT)
            turn_to(page, name)
            quiet(page)
            USED[name](page)
            found += all_findings(page, f"{name}, {scheme}, {code}")
    assert_no_rule_is_broken(found)
    if scheme == "dark":  # Summaries is among them
        assert {one.rule for one in found if one.is_exempt} == set(OF_STREAMLIT), (
            "take out what is found no more"
        )


FRAME = "[data-testid=stAppViewContainer]"
STYLED = f"() => getComputedStyle(document.querySelector('{FRAME}')).readingFlow !== 'normal'"
"""Whether memviz's style is in force; on a busy machine a page may stand a moment before it."""
REACHED = """() => {
    const here = document.activeElement, { outlineStyle, boxShadow } = getComputedStyle(here);
    return {
        name: here.getAttribute("aria-label") || here.innerText.split("\\n").pop(), link: here.href,
        seen: outlineStyle !== "none" || boxShadow !== "none",
    };
}"""
"""What the keyboard is at, and whether one sees that."""


PICTURES = {
    "compare": ["compare-tokens"],
    "costs": ["costs-curve"],
    "memory_map": ["map-0", "map-1", "map-2"],
}
"""The charts of each view of Compare."""
LINKS = [
    "Compare",
    "Facts",
    "Tune",
    "Fleet",
    "Chat",
    "Live",
    "Lessons",
    "Library",
    "Guide",
]


def test_the_keyboard_comes_to_the_navigation_first_and_a_low_window_shows_what_it_comes_to_and_every_picture(
    page: Page, dashboard: Dashboard
) -> None:
    """The low window is that of 1280 x 720 pixels at 125 % zoom."""
    page.set_viewport_size(LOW)
    go(page, f"{dashboard.url}/chat", "chat")
    page.wait_for_function(STYLED)
    reached = []
    while "Your message" not in reached and len(reached) < MOST_STEPS:
        page.keyboard.press("Tab")
        here = page.evaluate(REACHED)
        reached.append(here["name"])
        # Within a moment: a page that is just drawn again puts its style in anew.
        if here["link"]:
            page.wait_for_function(f"() => ({REACHED})().seen")
    assert reached[1:10] == LINKS
    assert "Your message" in reached, reached
    assert "New chat" not in reached, "the page comes before the sidebar"

    # The chat is seen with the field to write in, and the way to every page.
    title = page.get_by_role("heading", name=QUESTIONS["chat"])
    expect(title).to_be_in_viewport(ratio=1)
    expect(page.get_by_test_id("stChatInput")).to_be_in_viewport(ratio=1)
    for name in LINKS:
        link = page.get_by_role("link", name=name, exact=True)
        expect(link).to_be_in_viewport(ratio=1)

    # Each picture of Compare is seen with its player.
    for name, keys in PICTURES.items():
        turn_to(page, name)
        for key in keys:
            picture = page.locator(f".st-key-{key} .js-plotly-plot")
            assert_seen_whole(picture, 180 if name == "memory_map" else 50)
        assert_seen_whole(page.locator(".st-key-compare-player"), 50)
        if name == "compare":
            drawn(page)
            assert marker_places(page)[0]["y"] < LOW["height"]


def assert_seen_whole(place: Locator, least_pixels: int) -> None:
    """It is higher than so many pixels, and ends above the lower edge of the low window."""
    expect(place).to_be_visible()
    quiet(place.page)
    box = place.bounding_box()
    assert box is not None
    assert box["height"] > least_pixels
    assert box["y"] + box["height"] <= LOW["height"], f"{place} is below the fold"
