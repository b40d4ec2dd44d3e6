"""What axe, the accessibility checker, finds on every page, in both themes.

Rules that are broken by what Streamlit itself draws stand in ``OF_STREAMLIT``, each with the elements it may find there
and the reason. The list may only become shorter: a rule that finds nothing there any more has to be taken out.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from importlib.resources import files
from typing import TYPE_CHECKING, Any, NamedTuple

import pytest
from playwright.sync_api import expect

from tests.browser.journeys import QUESTIONS, bubbles, go, say, sees, turn_to
from tests.browser.script_runs import quiet

if TYPE_CHECKING:
    from playwright.sync_api import BrowserContext, Page

    from tests.browser.dashboard import Dashboard

pytestmark = pytest.mark.slow
SEVERE = {"critical", "serious", "moderate"}


class Exempt(NamedTuple):
    """Elements of Streamlit's that a rule finds, and why they are left as they are."""

    elements: str
    reason: str


OF_STREAMLIT = {
    "scrollable-region-focusable": Exempt(
        '[data-testid="stVerticalBlock"], pre',
        "Boxes of a fixed height and code take no tabindex. Browsers let the keyboard scroll them all the same.",
    ),
}


class Finding(NamedTuple):
    """One element that breaks a rule."""

    page: str
    rule: str
    impact: str
    html: str
    is_exempt: bool


def findings(page: Page, name: str) -> Iterator[Finding]:
    """What axe finds on the page as it stands."""
    broken: list[dict[str, Any]] = page.evaluate(
        """async exempt => {
            const found = await axe.run(document, { resultTypes: ["violations"] });
            return found.violations.flatMap(rule => rule.nodes.map(node => {
                const target = [node.target[0]].flat()[0], element = document.querySelector(target);
                return { rule: rule.id, impact: rule.impact, html: node.html.slice(0, 300),
                         exempt: Boolean(exempt[rule.id] && element && element.matches(exempt[rule.id])) };
            }));
        }""",
        {rule: exempt.elements for rule, exempt in OF_STREAMLIT.items()},
    )
    for node in broken:
        yield Finding(name, node["rule"], node["impact"], node["html"], node["exempt"])


def ask_every_setting(page: Page) -> None:
    """Put the question of Compare to all settings, and open what the sidebar keeps under More."""
    page.get_by_role("textbox", name="One question to all settings").fill("What is the budget?")
    page.get_by_role("button", name="Ask 3 settings").click()
    sees(page.get_by_text("Asked: "))
    page.get_by_role("button", name="More", exact=True).click()
    sees(page.get_by_text("Recall turns into requests"))


def chat(page: Page) -> None:
    """Say something, and ask for it."""
    for number, text in enumerate(("My budget is 3,000 euros.", "What is my budget?"), 1):
        say(page, text)
        expect(bubbles(page)).to_have_count(2 * number)


OPENED = {"compare": ask_every_setting, "chat": chat}
"""What is done on a page before it is looked at once more."""


def test_no_page_breaks_a_rule(open_context: Callable[..., BrowserContext], dashboard: Dashboard) -> None:
    found: list[Finding] = []
    for scheme in ("light", "dark"):
        page = open_context(color_scheme=scheme, viewport={"width": 1280, "height": 720}).new_page()
        page.add_init_script(files("axe_playwright_python").joinpath("axe.min.js").read_text())
        go(page, dashboard.url, "compare")
        for name in QUESTIONS:
            turn_to(page, name)
            quiet(page)
            page.wait_for_timeout(500)  # what is drawn fades in, and half faded its contrast is too low
            found += findings(page, f"{name}, {scheme}")
            if name in OPENED:
                OPENED[name](page)
                quiet(page)
                page.wait_for_timeout(500)
                found += findings(page, f"{name}, used, {scheme}")
    ours = [one for one in found if not one.is_exempt and one.impact in SEVERE]
    assert not ours, "\n".join(f"{one.page}: {one.rule} ({one.impact}): {one.html}" for one in ours)
    assert {one.rule for one in found if one.is_exempt} == set(OF_STREAMLIT), "take out what is found no more"


UNMARKED = """() => {
    const found = [], texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    while (texts.nextNode()) {
        const element = texts.currentNode.parentElement, text = texts.currentNode.data;
        const around = element.closest("[lang]")?.getAttribute("lang");
        if (/[\\u4e00-\\u9fff]{2}/.test(text) && !element.closest("script, style") && around !== "zh") found.push(text);
    }
    return found;
}"""


@pytest.mark.parametrize("name", ["compare", "retention", "summaries"])
def test_every_chinese_text_is_marked_as_chinese(page: Page, dashboard: Dashboard, name: str) -> None:
    go(page, f"{dashboard.url}/{name}?conversation=sample-chinese", name)
    expect(page.locator("[data-memviz-lang]").first).to_be_attached()
    quiet(page)
    assert page.evaluate(UNMARKED) == []
