"""What axe, the accessibility checker, finds on a page as it stands, and what of it is Streamlit's own."""

from __future__ import annotations

from collections.abc import Iterator
from importlib.resources import files
from typing import TYPE_CHECKING, Any, NamedTuple

from tests.browser.journeys import show_all
from tests.browser.script_runs import quiet

if TYPE_CHECKING:
    from playwright.sync_api import Frame, Page

AXE = files("axe_playwright_python").joinpath("axe.min.js").read_text()
"""The script of axe, which a page has to have run before it is checked."""
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


def findings(page: Page | Frame, name: str) -> Iterator[Finding]:
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


def assert_no_rule_is_broken(found: list[Finding]) -> None:
    """Nothing of memviz's is found that hinders somebody."""
    ours = [each for each in found if not each.is_exempt and each.impact in SEVERE]
    assert not ours, "\n".join(
        f"{each.page}: {each.rule} ({each.impact}): {each.html}" for each in ours
    )


def check_as_it_stands(page: Page | Frame, name: str) -> None:
    """Nothing that the window shows breaks a rule. ``name`` says in a failure what was looked at."""
    page.evaluate(AXE)
    assert_no_rule_is_broken(list(findings(page, name)))


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
