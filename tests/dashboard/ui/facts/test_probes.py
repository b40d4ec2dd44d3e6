"""What Facts says of where its facts come from."""

from __future__ import annotations

import pytest

from memviz import Probe
from memviz.core.conversation import Log
from memviz.dashboard.ui.controls.known_facts import Facts
from memviz.dashboard.ui.facts.probes import without_tool_results
from memviz.metrics.retention.proposed_probes import propose_probes
from memviz.transcripts.samples import sample


@pytest.mark.slow
def test_facts_that_leave_out_what_tools_returned_are_known_as_such() -> None:
    support, trip = Log(sample("support").messages), Log(sample("trip").messages)
    results = {*support.tools.results}
    proposed = tuple(
        probe for probe in propose_probes(support) if results.isdisjoint(probe.evidence)
    )
    from_result = Probe("?", ("x",), (support.tools.results[0],), "single fact")
    assert 0 < len(proposed) < len(propose_probes(support)), (
        "some are proposed from results"
    )
    assert not without_tool_results(
        Facts(support, (), propose_probes(support), (), True)
    )
    assert without_tool_results(Facts(support, (), proposed, (), True))
    assert not without_tool_results(Facts(support, (), proposed, (from_result,), True))
    assert not without_tool_results(Facts(support, (), proposed, (), False)), (
        "none is looked for"
    )
    assert not without_tool_results(
        Facts(trip, trip_facts := propose_probes(trip), trip_facts, (), True)
    )
