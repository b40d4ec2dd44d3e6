"""What axe, the accessibility checker, finds on a page as it stands, and what of it is Streamlit's own."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

from tests.browser.journeys import show_all
from tests.browser.script_runs import quiet

if TYPE_CHECKING:
    from playwright.sync_api import Page

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


def all_findings(page: Page, name: str) -> Iterator[Finding]:
    """What axe finds on the whole page. It judges no contrast outside of what the window shows."""
    quiet(page)
    show_all(page)
    quiet(page)
    yield from findings(page, name)


def unfold(page: Page) -> None:
    """Open everything that is folded in the page."""
    folded = page.get_by_test_id("stMain").locator("details:not([open]) > summary")
    while folded.count():
        folded.first.click()
        quiet(page)
