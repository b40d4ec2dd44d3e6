"""The button that tests a model as it was chosen, and what it found. Nobody is asked without a click."""

from __future__ import annotations

import streamlit as st

from memviz.dashboard.ui.controls.pickers import ModelChoice
from memviz.dashboard.ui.controls.resumable_job import stoppable
from memviz.dashboard.ui.controls.spending import (
    bound_caption,
    heed_clicks_and_tell,
    paid,
)
from memviz.dashboard.ui.shell.errors import error_shown
from memviz.dashboard.ui.shell.state import Tested, spending_shown
from memviz.dashboard.ui.shell.text import plain
from memviz.models.connection_check import (
    ConnectionReport,
    answer_tokens,
    check_bound,
    check_connection,
    served_models,
)
from memviz.models.registry import model

ICONS = {
    "yes": ":green[:material/check_circle:]",
    "no": ":red[:material/error:]",
    "unsure": ":gray[:material/help:]",
}
HELP = "Asks this model one or two very small things, with this key at this address."


def offer_test(choice: ModelChoice, picker: str) -> None:
    """Test ``choice``, which was made with this ``picker``, on a click. What was found stays until something else is
    chosen."""
    if choice.is_free:
        return
    tests = spending_shown().tests
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        is_asked = st.button(
            "Test the connection",
            icon=":material/network_check:",
            key=f"{picker}-test",
            help=HELP,
        )
        bound_caption(check_bound(choice.name))
    if is_asked:
        with error_shown(), stoppable(f"Asking {choice.name}", f"{picker}-test-stop"):
            tests[picker] = Tested(choice, _tested(choice))
    tested = tests.get(picker)
    if tested is not None and tested.made_with == choice:
        lines = (
            f"{ICONS[finding.verdict]} {plain(finding.words)}"
            for finding in tested.found.findings
        )
        st.markdown("  \n".join(lines))


def _tested(choice: ModelChoice) -> ConnectionReport:
    asked = model(choice.name, retries=0, **choice.options)
    writer = paid(asked, heed_clicks_and_tell, answer_tokens(choice.name))

    def served() -> tuple[str, ...] | None:
        options = choice.options
        return served_models(
            choice.name,
            api_key=options["api_key"],
            api_base=options["api_base"],
            access=options["access"],
        )

    return check_connection(writer, served)
