"""The page Fleet: from how settings do over all conversations to one of the worst, in both themes and languages."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

pytest.importorskip(
    "playwright", reason="The browser tests need playwright (pip install playwright)."
)

from playwright.sync_api import expect

import memviz
from memviz.core.translation import _, use_language
from memviz.tuning.fleet.opening import FLEET_VARIABLE
from tests.browser.axe_findings import (
    AXE,
    all_findings,
    assert_no_rule_is_broken,
    unfold,
)
from tests.browser.journeys import drawn, go, stands
from tests.browser.lessons import Scheme
from tests.transcripts.fleet.chats import chat, lines

if TYPE_CHECKING:
    from playwright.sync_api import Page

    from tests.browser.dashboard import Dashboard

pytestmark = pytest.mark.slow

LOOKS: tuple[tuple[Scheme, str], ...] = (("light", "en"), ("dark", "zh"))


@pytest.fixture
def swept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A sweep that the server which is started next shows."""
    rows = ["{", *(chat(turns, turns) for turns in range(2, 10))]
    (tmp_path / "chats.jsonl").write_bytes(lines(rows))
    grid = {"window": {"window_size": [2, 4]}}
    memviz.sweep(tmp_path / "chats.jsonl", grid, write=tmp_path / "swept")
    monkeypatch.setenv(FLEET_VARIABLE, str(tmp_path / "swept"))


@pytest.mark.usefixtures("swept")
def test_a_click_on_one_of_the_worst_opens_it_and_no_rule_is_broken(
    page: Page, fresh_dashboard: Dashboard
) -> None:
    page.add_init_script(AXE)
    for scheme, code in LOOKS:
        page.emulate_media(color_scheme=scheme)
        with use_language(code):
            go(page, f"{fresh_dashboard.url}/fleet?lang={code}", "fleet")
            page.get_by_role("radio", name=_("Tokens sent"), exact=True).click()
            drawn(page, ".st-key-fleet-distributions .js-plotly-plot")
            unfold(page)
            assert_no_rule_is_broken(list(all_findings(page, f"fleet, {code}")))
    page.locator(".st-key-fleet-worst-0 button").click()
    with use_language(code):
        stands(page, "compare")
        chosen = page.get_by_role("combobox", name=_("Conversation"), exact=True)
        expect(chosen).to_have_value(re.compile("^swept · "))
    page.goto("about:blank")  # its server ends before it does
