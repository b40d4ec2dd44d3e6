"""A setting of a sweep on its way to an export."""

from __future__ import annotations

import memviz
from memviz.code_export import Setting, targets
from memviz.dashboard.reporting.sweep_json import setting_to_export
from memviz.transcripts.samples import sample
from tests.tuning.random_sweeps import SETTINGS, UNPRICED, cell, sweep_of


def test_it_says_where_it_was_found_and_what_it_showed() -> None:
    sweep = sweep_of([cell(0, [100, 300], [4, 3])], [cell(0, [200], [4])])
    found = setting_to_export(sweep, 0, "worst", "chars4", "offline")
    assert found is not None
    assert found.strategy == SETTINGS[0]
    assert (found.counter, found.summarizer, found.model) == (
        "chars4",
        "offline",
        "made-up",
    )
    assert found.found == (
        "88% of the facts kept, at most 300 tokens a request, $0.0063 in all at the prices entered by hand for "
        "made-up; measured over 2 conversations on 8 known facts."
    )


def test_what_is_not_known_is_not_said() -> None:
    found = setting_to_export(
        sweep_of([cell(1, [100])], assumptions=UNPRICED),
        0,
        "median",
        "chars4",
        "offline",
    )
    assert found is not None
    assert found.model == "openai/gpt-5-mini"
    assert (
        found.found
        == "at most 100 tokens a request, 100 tokens; measured over 1 conversation."
    )


def test_a_setting_that_was_not_measured_cannot_be_taken() -> None:
    assert (
        setting_to_export(
            sweep_of([cell(0, [100]), None]), 1, "median", "chars4", "offline"
        )
        is None
    )


def exported(**options: object) -> Setting:
    sweep = memviz.sweep(sample("support"), {"window": {"window_size": [2]}}, **options)
    found = setting_to_export(sweep, 0, "median", "o200k_base", "offline")
    assert found is not None
    return found


def test_the_models_whose_prices_counted_are_those_that_are_asked() -> None:
    found = exported(model="openai/gpt-5", summarizer_model="openai/gpt-5-nano")
    assert (found.chat_model, found.summary_model) == (
        "openai/gpt-5",
        "openai/gpt-5-nano",
    )
    assert exported(model="openai/gpt-5").summary_model == "openai/gpt-5"


def test_what_a_provider_refuses_is_sent_as_it_was_measured_and_said() -> None:
    found = exported()
    assert not found.repair_tool_pairs
    assert "A provider refuses" in found.found
    whole = memviz.sweep(sample("trip"), {"window": {"window_size": [2]}})
    taken = setting_to_export(whole, 0, "median", "o200k_base", "offline")
    assert taken is not None
    assert taken.repair_tool_pairs
    assert "refuses" not in taken.found


def test_that_no_fact_comes_from_a_tool_is_in_the_exported_file() -> None:
    taken = exported()
    sentence = "None of these facts comes from what a tool returned: what is lost with 37 tool results is not measured."
    assert sentence in taken.found
    assert sentence in " ".join(
        targets()["plain_python"].write(taken).replace("\n#", "").split()
    )
    trip = setting_to_export(
        memviz.sweep(sample("trip"), {"window": {"window_size": [2]}}),
        0,
        "median",
        "o200k_base",
        "offline",
    )
    assert trip is not None
    assert "None of these facts" not in trip.found


class TestTheSystemPrompt:
    LEADING = memviz.Message("system", "You sell boats.")
    SAID = (memviz.Message("user", "Hi"), memviz.Message("assistant", "Hello"))

    def found(self, *transcripts: memviz.Transcript) -> Setting:
        sweep = memviz.sweep(list(transcripts), {"window": {"window_size": [2]}})
        found = setting_to_export(sweep, 0, "median", "o200k_base", "offline")
        assert found is not None
        return found

    def test_is_the_one_beside_the_conversation_and_what_it_begins_with(self) -> None:
        beside = memviz.Transcript(self.SAID, system_prompt="Be kind.")
        first = memviz.Transcript((self.LEADING, *self.SAID))
        both = memviz.Transcript((self.LEADING, *self.SAID), system_prompt="Be kind.")
        assert self.found(beside).system_prompt == "Be kind."
        assert self.found(first).system_prompt == "You sell boats."
        assert self.found(both).system_prompt == "Be kind.\n\nYou sell boats."
        assert self.found(memviz.Transcript(self.SAID)).system_prompt is None

    def test_is_in_every_export(self) -> None:
        found = self.found(memviz.Transcript((self.LEADING, *self.SAID)))
        for id, target in targets().items():
            assert "You sell boats." in target.write(found), id

    def test_of_several_conversations_is_the_first_ones_and_that_is_said(self) -> None:
        one = memviz.Transcript(self.SAID, title="One", system_prompt="Be kind.")
        other = memviz.Transcript(self.SAID, title="Other", system_prompt="Be brief.")
        assert self.found(one, other).system_prompt == "Be kind."
        assert (
            "2 different system prompts; the one here is that of the first, 'One'"
            in self.found(one, other).found
        )
        assert "different" not in self.found(one, one).found

    def test_a_log_that_begins_with_it_gets_no_second_one(self) -> None:
        transcript = memviz.Transcript(
            (self.LEADING, *self.SAID, memviz.Message("user", "And now?"))
        )
        names: dict[str, object] = {"__name__": "exported"}
        exec(targets()["plain_python"].write(self.found(transcript)), names)  # noqa: S102
        memory = names["Memory"]()  # type: ignore[operator]
        for message in transcript.messages:
            memory.append(message.to_request())
        assert [message["role"] for message in memory.context()].count("system") == 1
