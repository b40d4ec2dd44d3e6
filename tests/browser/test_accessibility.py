"""What axe, the accessibility checker, finds on every page, in both themes and both languages.

Rules that are broken by what Streamlit itself draws stand in ``OF_STREAMLIT`` of ``axe_findings``, each with the
elements it may find there and the reason. The list may only become shorter: a rule that finds nothing there any more
has to be taken out.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib.resources import files
from typing import TYPE_CHECKING, Literal

import pytest
from playwright.sync_api import expect

from memviz.core.translation import ENGLISH, _, pgettext, use_language
from tests.browser.axe_findings import (
    OF_STREAMLIT,
    SEVERE,
    Finding,
    all_findings,
    findings,
    unfold,
)
from tests.browser.journeys import (
    address_of,
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
    from playwright.sync_api import BrowserContext, Page, ViewportSize

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
    page.add_init_script(
        files("axe_playwright_python").joinpath("axe.min.js").read_text()
    )
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
    ours = [one for one in found if not one.is_exempt and one.impact in SEVERE]
    assert not ours, "\n".join(
        f"{one.page}: {one.rule} ({one.impact}): {one.html}" for one in ours
    )
    if scheme == "dark":  # Summaries is among them
        assert {one.rule for one in found if one.is_exempt} == set(OF_STREAMLIT), (
            "take out what is found no more"
        )


LOST = "conversation=sample-trip&setting=buffer&setting=window&look=1&turn=38"
"""A request that some facts are lost from."""
BARE = {
    "light": ("facts?present=on&view=kept", "compare?view=minimal&show=dollars", f"compare?present=on&stage=on&{LOST}"),
    "dark": ("chat?present=on", f"compare?view=minimal&stage=on&{LOST}", "lessons?lesson=first-look&step=2&present=on"),
}  # fmt: skip
"""One of each kind, for what is presented or framed is what the page shows, without what stands around it. The last of
each scheme is presented, and has notes for the speaker."""
SHOWN = ".js-plotly-plot .main-svg, .memviz-stage canvas, [data-testid=stChatInput]"


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_nothing_that_is_presented_or_framed_breaks_a_rule(
    page: Page, dashboard: Dashboard, scheme: Literal["light", "dark"]
) -> None:
    found: list[Finding] = []
    axe = files("axe_playwright_python").joinpath("axe.min.js").read_text()
    page.set_viewport_size(VIEWPORT)
    page.add_init_script(axe)
    page.emulate_media(color_scheme=scheme)
    for address in BARE[scheme]:
        page.goto(f"{dashboard.url}/{address}")
        sees(page.locator(SHOWN))
        quiet(page)
        found += findings(page, f"{address}, {scheme}")
    with page.context.expect_page() as opened:
        page.get_by_role("button", name="Notes", exact=True).click()
    notes = opened.value
    notes.emulate_media(color_scheme=scheme)
    sees(notes.get_by_role("timer"))
    notes.evaluate(axe)
    found += findings(notes, f"notes, {scheme}")
    notes.close()
    ours = [one for one in found if not one.is_exempt and one.impact in SEVERE]
    assert not ours, "\n".join(
        f"{one.page}: {one.rule} ({one.impact}): {one.html}" for one in ours
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


def test_the_keyboard_comes_to_the_navigation_first_and_one_sees_where_it_is(
    page: Page, dashboard: Dashboard
) -> None:
    go(page, f"{dashboard.url}/chat", "chat")
    page.wait_for_function(STYLED)
    reached = []
    while "Your message" not in reached and len(reached) < MOST_STEPS:
        page.keyboard.press("Tab")
        here = page.evaluate(REACHED)
        reached.append(here["name"])
        if here[
            "link"
        ]:  # within a moment: a page that is just drawn again puts its style in anew
            page.wait_for_function(f"() => ({REACHED})().seen")
    assert reached[1:10] == [
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
    assert "Your message" in reached, reached
    assert "New chat" not in reached, "the page comes before the sidebar"


def test_a_low_window_shows_navigation_picture_and_the_field_to_write_in(
    open_context: Callable[..., BrowserContext], dashboard: Dashboard
) -> None:
    """1280 x 720 pixels at 125 % zoom."""
    page = open_context(viewport=LOW, device_scale_factor=1.25).new_page()
    go(page, dashboard.url, "compare")
    for name in (
        "Compare",
        "Facts",
        "Tune",
        "Fleet",
        "Chat",
        "Live",
        "Lessons",
        "Library",
        "Guide",
    ):
        expect(page.get_by_role("link", name=name, exact=True)).to_be_in_viewport(
            ratio=1
        )
    drawn(page)
    assert marker_places(page)[0]["y"] < LOW["height"]
    turn_to(page, "chat")
    expect(page.get_by_role("heading", name=QUESTIONS["chat"])).to_be_in_viewport(
        ratio=1
    )
    expect(page.get_by_test_id("stChatInput")).to_be_in_viewport(ratio=1)


UNMARKED = """() => {
    const found = [], texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    while (texts.nextNode()) {
        const element = texts.currentNode.parentElement, text = texts.currentNode.data;
        const around = element.closest("[lang]")?.getAttribute("lang");
        if (/[\\u4e00-\\u9fff]{2}/.test(text) && !element.closest("script, style") && around !== "zh") found.push(text);
    }
    return found;
}"""


def test_every_chinese_text_is_marked_as_chinese(
    page: Page, dashboard: Dashboard
) -> None:
    """On the page that shows most kinds of texts of a conversation."""
    name = "retention"
    go(page, dashboard.url + address_of(name, "conversation=sample-chinese"), name)
    expect(page.locator("[data-memviz-lang]").first).to_be_attached()
    quiet(page)
    assert page.evaluate(UNMARKED) == []
