"""Whether what answers a question is in the request, counted on a conversation small enough to count by hand."""

from __future__ import annotations

from pathlib import Path

import pytest

import memviz
from benchmarks.evidence import SETTINGS, ask, questions, table, with_embeddings
from memviz import Log, Message, Probe, Transcript
from memviz.transcripts.samples import bundled

PAGE = (Path(__file__).parents[2] / "docs" / "findings.md").read_text(encoding="utf-8")


@pytest.mark.slow
def test_the_table_is_what_the_command_makes() -> None:
    assert f"\n{table(list(bundled().values()))}\n" in PAGE


def test_evidence_is_looked_up_in_the_request_for_the_question() -> None:
    probe = Probe("Which code?", ("7731",), (0, 2), "numbers")
    messages = (
        Message("user", "The code is 7731."),
        Message("assistant", "Noted."),
        Message("user", "Of the gate."),
        Message("assistant", "Fine."),
    )
    log = Log([*messages, Message("user", probe.question)])
    newest = ask(memviz.strategy("window", window_size=3), log, probe)
    assert (newest.evidence, newest.held) == (2, 1)
    sent = memviz.replay(log, memviz.strategy("window", window_size=3)).pending
    assert sent is not None
    assert newest.tokens == sent.total_tokens
    found = ask(
        memviz.strategy("retrieval", top_k=1, newest_messages=1, neighbours=0),
        log,
        probe,
    )
    assert found.held == 1
    assert ask(memviz.strategy("buffer"), log, probe).held == 2
    other = Probe("Who?", ("Ana",), (), "names")
    assert [
        one for _, one in questions([Transcript(messages, probes=(other, probe))])
    ] == [probe]


def test_each_retrieval_is_asked_with_each_share_of_an_embedding() -> None:
    plain = [one.code_label for one in SETTINGS if one.id == "retrieval"]
    assert [one.code_label for one in with_embeddings([30, 100])] == [
        f"{label} · embedding_percent={percent}"
        for percent in (30, 100)
        for label in plain
    ]
