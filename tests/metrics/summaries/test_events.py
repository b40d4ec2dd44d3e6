"""Who wrote the summaries of a run."""

from __future__ import annotations

from dataclasses import replace

import memviz
from memviz import Model, Run, ScriptedModel, Strategy
from memviz.metrics.summaries.events import has_offline_summary
from memviz.models.names import OFFLINE
from memviz.models.registry import model
from tests.engine.probes import talk

RULE = memviz.strategy("summary", buffer_size=2)


def run_by(summarizer: Model | None, setting: Strategy = RULE) -> Run:
    return memviz.replay(talk(9), setting, model=summarizer)


def test_the_offline_model_is_named_where_it_wrote_a_summary() -> None:
    assert has_offline_summary(run_by(model(OFFLINE)))


def test_another_summarizer_or_none_at_all_is_not() -> None:
    assert not has_offline_summary(run_by(ScriptedModel(["summary"] * 9)))
    assert not has_offline_summary(run_by(model(OFFLINE), memviz.strategy("window")))
    assert not has_offline_summary(run_by(None))


def test_a_summary_that_the_user_reworded_is_the_users() -> None:
    run = run_by(model(OFFLINE))
    reworded = [replace(one, proposed="as it was proposed") for one in run.compactions]
    assert not has_offline_summary(replace(run, compactions=tuple(reworded)))
