"""What products do, as strategies: each is built under its own id, says how it is known, and acts once it is scaled."""

from __future__ import annotations

import re

import pytest

import memviz
from memviz.strategies import strategies, strategy_class
from memviz.strategies.presets import preset_of, presets
from memviz.transcripts.samples import sample
from memviz.tuning.scaling import scale_presets
from tests.strategies.conversations import looked_up
from tests.tables import for_each

IDS = list(presets())
HOW_KNOWN = re.compile(r"(run with|read in|documentation of) .+")


@for_each("id", IDS)
def test_is_a_strategy_with_its_parameters(id: str) -> None:
    preset = presets()[id]
    built = memviz.strategy(id)
    assert type(built) is strategies()[preset.strategy]
    assert preset.parameters.items() <= built.model_dump().items()
    assert HOW_KNOWN.fullmatch(preset.known)


@for_each("id", IDS)
def test_acts_on_a_conversation_that_it_is_scaled_to(id: str) -> None:
    preset = presets()[id]
    talk = [*sample("trip").messages, *(m for n in range(40) for m in looked_up(n))]
    whole = memviz.replay(talk, memviz.strategy("buffer")).columns.largest
    scale = scale_presets(strategy_class(id), int(whole), preset.parameters)
    run = memviz.replay(talk, memviz.strategy(id, **(scale.values if scale else {})))
    assert run.columns.largest < whole


def test_ids_and_titles_are_nobody_elses() -> None:
    assert not strategies().keys() & presets().keys()
    titles = [one.title for one in (*strategies().values(), *presets().values())]
    assert len(set(titles)) == len(titles)


def test_a_pipeline_with_the_steps_of_a_product_has_its_name_in_any_window() -> None:
    mine = memviz.strategy("gemini_cli", window_tokens=9000)
    assert mine.label == "Gemini CLI · 9,000 tokens"
    other = memviz.strategy("pipeline", steps="drop at 20 messages, keep 10 messages")
    assert other.label == "Pipeline · own steps · 128,000 tokens"
    assert preset_of("pipeline", None) is None


def test_parameters_given_take_the_place_of_a_presets() -> None:
    assert (
        memviz.strategy("langchain_clearing", keep_results=1).model_dump()[
            "keep_results"
        ]
        == 1
    )


def test_an_unknown_id_is_answered_with_those_of_presets_too() -> None:
    with pytest.raises(memviz.UnknownStrategyError, match="gemini_cli"):
        memviz.strategy("gemini")
