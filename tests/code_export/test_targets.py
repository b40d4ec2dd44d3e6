"""All targets: every strategy can be exported to each, as a file that holds what was chosen and nothing else."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path
from typing import ClassVar

import pytest

import memviz
from memviz.code_export import NoCodeError, Setting, Target, targets
from memviz.core.counters import COUNTERS
from memviz.core.pieces import Piece
from memviz.strategies.base import Strategy
from memviz.strategies.parameters import whole_number
from tests.code_export.running import load, setting, with_code
from tests.tables import for_each

PYTHON = [id for id, target in targets().items() if target.language == "python"]
CHANGES = {
    "system_prompt": "Be kind.",
    "found": "Trip to Lisbon: 41 of 44 facts for 0.012 USD",
}
EVERY = [(target, id) for target in targets() for id in with_code(target)]
HOSTILE = 'Trip """ \n import os\r\nos.abort()\u2028x = 1 \u202e \\ \x00 \ud800 # end'


def test_every_file_of_the_folder_is_a_target_or_serves_one() -> None:
    assert list(targets()) == [
        "memory_yaml",
        "memviz_code",
        "llamaindex",
        "langchain_middleware",
        "openai_agents",
        "plain_python",
    ]
    names = [target.file_name for target in targets().values()]
    assert (
        len(set(names))
        == len(names)
        == len({target.title for target in targets().values()})
    )


every_file = for_each(("target", "id"), EVERY)


class TestEveryFile:
    @every_file
    def test_is_the_same_each_time_and_says_where_it_was_found(
        self, target: str, id: str
    ) -> None:
        wanted = setting(id, **CHANGES)
        text = targets()[target].write(wanted)
        assert text == targets()[target].write(setting(id, **CHANGES))
        assert f"# Found with memviz: {CHANGES['found']}" in text
        assert wanted.strategy.label in text.partition("\n")[0]

    @every_file
    def test_names_what_differs_or_says_that_nothing_does(
        self, target: str, id: str
    ) -> None:
        text = targets()[target].write(setting(id))
        assert target == "memory_yaml" or ("# Where it differs" in text) != (
            "# It sends what memviz simulated" in text
        )

    @every_file
    def test_a_text_from_outside_stays_a_comment(self, target: str, id: str) -> None:
        plain, hostile = (
            targets()[target].write(setting(id, found=found)) for found in ("", HOSTILE)
        )
        added = [
            line for line in hostile.splitlines() if line not in plain.splitlines()
        ]
        assert len(added) == len(hostile.splitlines()) - len(plain.splitlines()) > 0
        assert all(line.startswith("# ") and line.isprintable() for line in added)

    @every_file
    def test_an_unprintable_system_prompt_comes_back_as_it_was(
        self, target: str, id: str
    ) -> None:
        if target in PYTHON:
            wanted = setting(id, system_prompt=HOSTILE * 3)
            assert constants(target, wanted)["SYSTEM_PROMPT"] == HOSTILE * 3


def constants(target: str, wanted: Setting) -> dict[str, object]:
    """The constants at the top of a file, read without running it."""
    tree = ast.parse(targets()[target].write(wanted))
    return {
        node.targets[0].id: ast.literal_eval(node.value)
        for node in tree.body
        if isinstance(node, ast.Assign)
        and isinstance(node.targets[0], ast.Name)
        and is_literal(node.value)
    }


def is_literal(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant)


@pytest.mark.parametrize("counter", COUNTERS)
def test_all_files_pass_the_linter_and_are_formatted(
    tmp_path: Path, counter: str
) -> None:
    for target, id in EVERY:
        if target in PYTHON:
            wanted = setting(id, counter=counter, **CHANGES)
            (tmp_path / f"{target}_{id}.py").write_text(
                targets()[target].write(wanted), encoding="utf-8"
            )
    assert len(list(tmp_path.iterdir())) == sum(target in PYTHON for target, _ in EVERY)
    ruff = [sys.executable, "-m", "ruff"]
    for command in (
        ["check", "--select", "E,F,I,B,UP,SIM,RET,C4"],
        ["format", "--check"],
    ):
        options = ["--isolated", "--line-length", "120", str(tmp_path)]
        done = subprocess.run(
            [*ruff, *command, *options], capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stdout + done.stderr


@for_each("target", PYTHON)
def test_every_parameter_that_a_replay_heeds_is_in_the_file(target: str) -> None:
    for id in with_code(target):
        for parameter in memviz.strategies()[id].parameters():
            if (
                parameter.is_number
                and not parameter.live_only
                and not parameter.replay_only
                and parameter.name != "max_recalled_messages"
            ):
                value = 7431 if parameter.maximum is None else parameter.maximum - 7
                parameters = {
                    parameter.name: value,
                    **(
                        {"trigger_percent": 100}
                        if parameter.name == "window_tokens"
                        and memviz.strategies()[id].has_parameter("trigger_percent")
                        else {}
                    ),
                }
                text = targets()[target].write(setting(id, parameters=parameters))
                assert str(value) in text


def test_what_can_only_be_replayed_is_no_program() -> None:
    sealed = setting("hand_off", parameters={"opaque_tokens": 800})
    assert "opaque_tokens: 800" in targets()["memory_yaml"].write(sealed)
    with pytest.raises(memviz.ParameterError, match="can only be replayed"):
        targets()["memviz_code"].write(sealed)


@for_each("target", PYTHON)
def test_models_are_values_to_edit_in_the_librarys_own_spelling(target: str) -> None:
    openai, other = (
        constants(
            target,
            setting(
                "summary",
                model=name,
                summarizer=name,
            ),
        )
        for name in ("openai/gpt-5-mini", "anthropic/claude-sonnet-4-5")
    )
    spelled = {
        "memviz_code": ("openai/gpt-5-mini", "anthropic/claude-sonnet-4-5"),
        "llamaindex": ("openai/gpt-5-mini", "anthropic/claude-sonnet-4-5"),
        "langchain_middleware": (
            "openai:gpt-5-mini",
            "litellm:anthropic/claude-sonnet-4-5",
        ),
        "openai_agents": ("gpt-5-mini", "litellm/anthropic/claude-sonnet-4-5"),
        "plain_python": ("gpt-5-mini", "claude-sonnet-4-5"),
    }
    if target in spelled:
        assert (openai["MODEL"], other["MODEL"]) == spelled[target]


def test_the_offline_model_is_nobody_elses() -> None:
    for target in [target for target in PYTHON if "summary" in with_code(target)]:
        found = constants(
            target, setting("summary", model="offline", summarizer="offline")
        )
        assert "offline" not in found.values()


@for_each("target", [target for target in targets() if "summary" in with_code(target)])
@for_each("wrote", ["offline", "recording:trip"])
def test_every_target_summarizes_with_the_same_model_and_says_so(
    target: str, wrote: str
) -> None:
    wanted = setting(
        "summary",
        model="openai/gpt-5",
        summarizer=wrote,
        summarizer_model="openai/gpt-5-nano",
    )
    text = targets()[target].write(wanted)
    said = " ".join(
        line.removeprefix("#").strip()
        for line in text.splitlines()
        if line.startswith("#")
    )
    writer = "memviz's built-in model" if wrote == "offline" else wrote
    assert (
        f"{writer} wrote the summaries there; here openai/gpt-5-nano writes them"
        in said
    )
    code = "\n".join(line for line in text.splitlines() if not line.startswith("#"))
    assert "gpt-5-nano" in code
    assert wrote not in code


def test_without_a_summarizer_of_its_own_the_chat_model_writes_the_summaries() -> None:
    assert setting("summary", model="openai/gpt-5").summary_model == "openai/gpt-5"
    assert (
        setting("summary", summarizer="anthropic/claude-sonnet-4-5").summary_model
        == "anthropic/claude-sonnet-4-5"
    )


def test_a_counter_without_a_known_name_is_refused() -> None:
    with pytest.raises(memviz.UnknownCounterError):
        setting("buffer", counter="my_own")


class EveryOther(Strategy):
    """Sends every other message."""

    title: ClassVar[str] = "Every other"
    step: int = whole_number(2, "messages", "Distance.", (1, 5))

    def select(self, memory: memviz.core.memory.Memory) -> tuple[Piece, ...]:  # type: ignore[name-defined]
        return ()


@pytest.fixture
def foreign(monkeypatch: pytest.MonkeyPatch) -> Setting:
    EveryOther.id = "every_other_of_a_package"
    monkeypatch.setitem(memviz.strategies(), EveryOther.id, EveryOther)
    return Setting(EveryOther(step=3), **CHANGES)


def test_a_strategy_from_another_package_can_only_be_run_by_memviz(
    foreign: Setting,
) -> None:
    for id, target in targets().items():
        if id in ("memory_yaml", "memviz_code"):
            text = target.write(foreign)
            assert EveryOther.id in text
            assert "3" in text
        else:
            with pytest.raises(NoCodeError, match="comes from another package"):
                target.write(foreign)
    assert load("memviz_code", foreign)["strategy"] == foreign.strategy


def test_a_target_is_a_value() -> None:
    target = Target("Here", "here.txt", "python", "", lambda wanted: wanted.counter)
    assert target.write(setting("buffer", counter="chars4")) == "chars4"
