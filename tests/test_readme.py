"""What the README promises, held against the code."""

from __future__ import annotations

import re
import tomllib
from dataclasses import fields
from inspect import signature
from pathlib import Path
from typing import Any

import pytest

import memviz
from docs.strategies_table import END, START, anchor, with_table
from memviz.cli import app
from memviz.transcripts.limits import PREFIX, Limits
from memviz.transcripts.loading import formats

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")
ROWS = {
    cells[0].strip("`"): cells[1:]
    for line in README.partition("## Strategies")[2].partition("\n## ")[0].splitlines()
    if len(cells := [cell.strip() for cell in line.strip("|").split(" | ")]) == 4
    and cells[0].startswith("`")
}


def commands_under(heading: str) -> list[str]:
    """The lines of the first shell block under a heading."""
    section = README.partition(f"## {heading}\n")[2].partition("\n## ")[0]
    return section.partition("```sh\n")[2].partition("```")[0].splitlines()


def test_the_table_is_what_the_strategies_declare() -> None:
    assert with_table(README) == README, (
        "make the table again: python -m docs.strategies_table README.md"
    )
    assert README.count(START) == README.count(END) == 1


def test_the_table_names_every_strategy_in_order() -> None:
    assert list(ROWS) == list(memviz.strategies())


@pytest.mark.parametrize("id", memviz.strategies())
class TestStrategies:
    def test_has_its_title(self, id: str) -> None:
        title = memviz.strategies()[id].title
        assert ROWS[id][0] == f"[{title}](docs/field-guide.md#{anchor(title)})"

    def test_names_every_parameter_that_a_replay_heeds_with_its_default(
        self, id: str
    ) -> None:
        promised = dict(re.findall(r"`(\w+)`(?: (\d+))?", ROWS[id][2]))
        known = {
            parameter.name: parameter
            for parameter in memviz.strategies()[id].parameters()
        }
        assert set(promised) >= {
            name for name, parameter in known.items() if not parameter.live_only
        }
        for name, default in promised.items():
            assert default == (
                str(known[name].default) if known[name].is_number else ""
            )

    def test_units_are_the_parameters_own(self, id: str) -> None:
        units = {
            parameter.name: parameter.unit
            for parameter in memviz.strategies()[id].parameters()
        }
        for name, unit in re.findall(r"`(\w+)` \d+ (\w+)", ROWS[id][2]):
            assert unit == units[name]


def test_one_line_starts_it() -> None:
    (command,) = commands_under("Start it")
    assert command.endswith(".venv/bin/memviz ui")
    scripts = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))[
        "project"
    ]["scripts"]
    assert scripts == {"memviz": "memviz.cli:app"}


def test_one_line_tests_it() -> None:
    (command,) = commands_under("Test it")
    assert command.endswith("-m pytest")
    assert "'.[dev]'" in command


def test_both_make_their_own_environment() -> None:
    for heading in ("Start it", "Test it"):
        assert commands_under(heading)[0].startswith(
            "python3 -m venv --upgrade-deps .venv && .venv/bin/pip install "
        )


def test_the_continuous_integration_runs_the_same_command() -> None:
    script = (ROOT / ".ci" / "run").read_text(encoding="utf-8")
    assert "<!-- tests -->" in script
    assert README.count("<!-- tests -->\n```sh\n") == 1


def test_the_address_is_where_the_server_listens() -> None:
    config = tomllib.loads(
        (ROOT / ".streamlit" / "config.toml").read_text(encoding="utf-8")
    )
    assert (
        f"http://{config['server']['address']}:{config['server'].get('port', 8501)}"
        in README
    )


def test_pictures_and_names_exist() -> None:
    for picture in re.findall(r"!\[.*?\]\((.*?)\)", README):
        assert (ROOT / picture).is_file(), picture
    for name in re.findall(r"`memviz\.((?!db`)[A-Za-z_]+)[`(]", README + OWN_LOOP):
        assert hasattr(memviz, name), name
    for path in re.findall(r"`((?:memviz|configs|benchmarks)/[\w./]*)`", README):
        assert (ROOT / path).exists(), path


def test_the_python_example_runs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    code = README.partition("```python\n")[2].partition("```")[0]
    talk = [
        {"role": role, "content": "word " * 600}
        for _ in range(4)
        for role in ("user", "assistant")
    ]
    (tmp_path / "chat.json").write_text(str(talk).replace("'", '"'), encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    exec(code, {})  # noqa: S102
    assert "tokens > 1,500" in capsys.readouterr().out


OWN_LOOP = (ROOT / "docs" / "chat-loop.md").read_text(encoding="utf-8")
EXAMPLES = re.findall(r"```python\n(.*?)```", OWN_LOOP, re.DOTALL)
PRINTED = {
    "running summary": r"'content': 'Summary of earlier conversation: .*My name is Ada.*'role': 'assistant'",
    "summary buffer": r"^36 more tokens until .*\[\(3, '61 tokens > 50'\)\]\nSummary of earlier conversation: - \w",
    "LlamaIndex's chat summary buffer": r"^\['Ada has two cats .*', 'Their names are .*'\]\nSum up. 3$",
    "summary only with recall": r"^\[\]\n2 messages recalled.*: \(\)\n.*\[Turn 1\].*\nuser: Note 1: The alarm code",
    "chat engine of LlamaIndex": r"^text text text 2$",
}
"""What the examples of docs/chat-loop.md print, in their order."""


@pytest.mark.parametrize(("name", "code"), list(zip(PRINTED, EXAMPLES, strict=True)))
def test_the_examples_of_a_chat_loop_run_word_for_word(
    name: str,
    code: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    if "llama_index" in code:
        pytest.importorskip("llama_index.core")
    monkeypatch.chdir(tmp_path)
    exec(code, {})  # noqa: S102
    assert re.search(PRINTED[name], capsys.readouterr().out.strip(), re.DOTALL)
    assert not any(tmp_path.iterdir()), "nothing is written that nobody asked for"


def test_the_example_of_the_summary_buffer_summarizes_within_six_messages() -> None:
    names: dict[str, Any] = {}
    exec(next(code for code in EXAMPLES if "max_token_limit=50" in code), names)  # noqa: S102
    memory = names["memory"]
    assert (memory.run.counter.name, len(memory.get_all())) == ("chars4", 6)
    assert len(memory.run.summaries) == 1
    assert memory.load()[0].content.startswith("Summary of earlier conversation: ")


def test_the_table_of_well_known_memories_names_what_there_is() -> None:
    rows = [
        [cell.strip() for cell in line.strip("|").split("|")]
        for line in OWN_LOOP.splitlines()
        if line[:1] == "|"
    ]
    assert len(rows) == 2 + 9
    for _, here, parameters in rows[2:]:
        first, *faces = re.findall(r"`(?:memviz\.)?(\w+)`", here)
        assert all(hasattr(memviz, face) for face in faces)
        if first not in memviz.strategies():
            assert hasattr(memviz, first)
            continue
        known = [
            *memviz.strategies()[first].model_fields,
            *signature(memviz.build_chat_memory).parameters,
        ]
        assert set(re.findall(r"`(\w+)`", parameters)) <= set(known)
        assert {face for face in faces if face.islower()} <= {"build_chat_memory"}


def first_cells(text: str) -> list[str]:
    """What stands in backquotes in the first column of the tables of a text."""
    return re.findall(r"^\| `(\w+)` \|", text, re.MULTILINE)


def test_the_formats_and_limits_are_all_described() -> None:
    text = (ROOT / "docs" / "formats.md").read_text(encoding="utf-8")
    formats_part, limits_part = text.split("## Limits")
    assert first_cells(formats_part) == list(formats())
    assert f"memviz opens {len(formats())} formats" in README
    defaults = {
        f"{PREFIX}{field.name.upper()}": field.default for field in fields(Limits)
    }
    assert first_cells(limits_part) == list(defaults)
    for variable, default in defaults.items():
        assert f"| `{variable}` | {default:,} |" in limits_part


def test_the_commands_that_it_shows_are_there() -> None:
    shown = re.findall(r"^\.venv/bin/memviz (\w+)", README, re.MULTILINE)
    known = {
        command.name or command.callback.__name__
        for command in app.registered_commands
        if command.callback
    }
    known |= {group.name or "" for group in app.registered_groups}
    assert shown
    assert set(shown) <= known
