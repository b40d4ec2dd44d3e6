"""Another instruction on the same messages."""

from __future__ import annotations

import memviz
from memviz import ModelError, Reply, ScriptedModel, Usage
from memviz.engine.prompt_trial import try_prompt
from memviz.strategies.prompts import PROMPTS
from memviz.transcripts.samples import bundled
from tests.engine.probes import SUMMARIZING, Digest, small, talk, timeless
from tests.tables import for_each


@for_each("id", SUMMARIZING)
def test_the_same_messages_and_the_same_summary_are_sent_under_the_other_instruction(
    id: str,
) -> None:
    run = memviz.replay(talk(9), small(id), model=Digest(), counter="chars4")
    before = timeless(run)
    compaction = run.compactions[-1]
    summarizer = ScriptedModel(["a summary"])
    trial = try_prompt(compaction, "List the facts.", summarizer)
    asked = "\n\n".join(message.content for message in summarizer.requests[0])
    assert asked == compaction.prompt.replace(
        run.strategy.instruction, "List the facts."
    )
    assert (trial.instruction, trial.draft.text, trial.tokens) == (
        "List the facts.",
        "a summary",
        2,
    )
    sent = (
        sum(run.counter(message.content) + 4 for message in summarizer.requests[0]) + 3
    )
    assert (trial.draft.prompt_tokens, trial.output_tokens) == (sent, 2)
    assert timeless(run) == before


def test_the_strategys_own_instruction_gives_the_summary_again() -> None:
    run = memviz.replay(talk(9), small("summary"), model=Digest())
    trial = try_prompt(run.compactions[1], None, Digest())
    assert trial.draft.text == run.compactions[1].summary
    assert trial.instruction == run.strategy.instruction


def test_what_the_provider_billed_counts() -> None:
    run = memviz.replay(talk(9), small("summary"), model=Digest())
    trial = try_prompt(
        run.compactions[0],
        "x",
        ScriptedModel([Reply("text", usage=Usage(70, 5), cost_usd=0.25)]),
    )
    assert (trial.draft.prompt_tokens, trial.output_tokens, trial.draft.cost) == (
        70,
        5,
        0.25,
    )


def test_a_failure_is_the_drafts_error() -> None:
    run = memviz.replay(talk(9), small("summary"), model=Digest())
    trial = try_prompt(
        run.compactions[0], "x", ScriptedModel([ModelError("the line is dead")])
    )
    assert (trial.draft.text, trial.draft.error, trial.tokens) == (
        "",
        "the line is dead",
        0,
    )


def test_the_bundled_prompts_differ_in_what_the_offline_model_makes_of_them() -> None:
    run = memviz.replay(bundled()["trip"], memviz.strategy("summary_buffer"))
    texts = {
        try_prompt(
            run.compactions[-1], prompt.instruction, memviz.model("offline")
        ).draft.text
        for prompt in PROMPTS
    }
    assert len(texts) >= 3
    assert all(len(text.split()) <= 300 for text in texts)
