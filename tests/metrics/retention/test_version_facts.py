"""What each version of a summary kept, took in and lost of the facts."""

from __future__ import annotations

import memviz
from memviz.core.text.containment import contains
from memviz.metrics.retention.life_lines import (
    VersionProbes,
    compare_version_probes,
    life_lines,
    list_fact_losses,
)
from memviz.metrics.retention.probe_texts import ProbeTexts
from memviz.metrics.retention.retention import retention
from memviz.transcripts.samples import sample


def found_in(
    run: memviz.Run, probes: tuple[memviz.Probe, ...]
) -> tuple[VersionProbes, ...]:
    texts = ProbeTexts(run.log, probes)
    kept = retention(run, probes, texts)
    return compare_version_probes(
        run, list_fact_losses(run, kept, life_lines(run, kept, texts), texts), texts
    )


def test_every_version_against_its_text_and_the_one_before() -> None:
    trip = sample("trip")
    run = memviz.replay(trip, memviz.strategy("summary_buffer", max_token_limit=1500))
    found = found_in(run, trip.probes)
    assert len(found) == len(run.compactions)
    before: set[int] = set()
    for version, probes in zip(run.summaries, found, strict=True):
        holds = {
            n
            for n, probe in enumerate(trip.probes)
            if any(contains(version.text, a) for a in probe.answers)
        }
        assert set(probes.kept) == holds & before
        assert set(probes.new) == holds - before
        assert not set(probes.lost) & holds
        before = holds
    assert sum(len(probes.lost) for probes in found) > 5


def test_dropping_without_a_summary_only_loses() -> None:
    strategy = memviz.strategy("summary", buffer_size=1)
    run = memviz.replay(
        [
            {"role": "user", "content": "The code is QX7R4M."},
            {"role": "assistant", "content": "Noted."},
            {"role": "user", "content": "And now?"},
            {"role": "assistant", "content": "Well."},
            {"role": "user", "content": "Which code?"},
        ],
        strategy,
        model=memviz.ScriptedModel(["Nothing."] * 9),
    )
    found = found_in(run, (memviz.Probe("Code?", ("QX7R4M",), (0,), "number"),))
    assert any(probes.lost == (0,) for probes in found)
    assert all(not probes.kept and not probes.new for probes in found)
