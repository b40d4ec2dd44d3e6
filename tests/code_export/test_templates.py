"""The templates of exported code: Python files like any other, each used, and none imported by memviz."""

from __future__ import annotations

import ast
import subprocess
import sys
from contextlib import suppress
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType
from typing import ClassVar

import pytest

import memviz
from memviz.code_export import NoCodeError, Setting, targets, template_files
from memviz.code_export.program import find_template, list_values_of_setting
from memviz.core.memory import Memory
from memviz.core.pieces import Piece
from memviz.strategies.base import Strategy
from tests.code_export.running import setting, with_code
from tests.tables import for_each

FOLDER = Path(memviz.__file__).parent / "code_export" / "templates"
NAMES = [
    ".".join(path.relative_to(FOLDER).with_suffix("").parts)
    for path in sorted(FOLDER.rglob("*.py"))
    if path.name != "__init__.py"
]
MODELS = ("openai/gpt-5-mini", "anthropic/claude-sonnet-4-5")


def foreign_packages(name: str, visited: set[str]) -> set[str]:
    """The packages that a template imports, and those that it imports from other templates."""
    file = template_files.read_template(name)
    found = {
        (module or imported).partition(".")[0]
        for module, imported in file.imports.values()
    }
    for other in set(file.templates) - visited:
        found |= foreign_packages(other, visited | {other})
    return found


@pytest.mark.parametrize(
    "name",
    [
        # That library takes two seconds to load; test_langchain_middleware.py runs what is written with it.
        pytest.param(
            name, marks=[pytest.mark.slow] if name == "langchain_middleware" else []
        )
        for name in NAMES
    ],
)
class TestEveryTemplate:
    def test_runs_as_it_stands(
        self, name: str, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setenv(
            "LITELLM_LOCAL_MODEL_COST_MAP", "True"
        )  # else the package asks the network for prices
        memviz.counter("o200k_base")(
            "warm"
        )  # tiktoken keeps the encoding that memviz found offline
        models = ModuleType("llama_index.llms.litellm")
        models.LiteLLM = None  # type: ignore[attr-defined]
        monkeypatch.setitem(
            sys.modules, "llama_index.llms.litellm", models
        )  # a package of its own
        missing = [
            package
            for package in foreign_packages(name, {name})
            if find_spec(package) is None
        ]
        if missing:
            pytest.skip(f"{', '.join(missing)}: not installed")
        import_module(f"{template_files.PACKAGE}{name}")

    def test_holds_nothing_that_the_reader_overlooks(self, name: str) -> None:
        source = (
            FOLDER.joinpath(*name.split("."))
            .with_suffix(".py")
            .read_text(encoding="utf-8")
        )
        for node in ast.parse(source).body[1:]:
            if isinstance(node, ast.Import | ast.ImportFrom):
                assert all(alias.asname is None for alias in node.names)
            else:
                assert isinstance(
                    node,
                    ast.FunctionDef
                    | ast.AsyncFunctionDef
                    | ast.ClassDef
                    | ast.Assign
                    | ast.AnnAssign
                    | ast.If,
                )
        assert "noqa" not in source
        assert "type: ignore" not in source


def test_a_template_that_defines_a_name_twice_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = "if True:\n    LIMIT = 1\n\nif __name__ == '__main__':\n    print(LIMIT)\n"
    (tmp_path / "two_ifs.py").write_text(source)
    monkeypatch.setattr(template_files, "FOLDER", tmp_path)
    with pytest.raises(ValueError, match=r"two_ifs\.py, line 4: __main__"):
        template_files.read_template("two_ifs")


def test_every_template_is_used(monkeypatch: pytest.MonkeyPatch) -> None:
    read, used = template_files.read_template, set[str]()

    def reading(name: str) -> template_files.Template:
        used.add(name)
        return read(name)

    monkeypatch.setattr(template_files, "read_template", reading)
    template_files.join_templates.cache_clear()  # else what was joined is not read again
    for id in memviz.strategies():
        for target in targets().values():
            for model in MODELS:
                for counter in ("o200k_base", "chars4", "bytes4"):
                    with suppress(NoCodeError):
                        target.write(setting(id, counter=counter, summarizer=model))
    assert used == set(NAMES)


@for_each("target", [id for id in targets() if id != "memory_yaml"])
def test_every_value_on_top_of_a_file_is_the_settings(target: str) -> None:
    for id in with_code(target):
        wanted = setting(id)
        known = {
            "MODEL",
            "SUMMARIZER_MODEL",
            "SUMMARIZER",
            "TEMPERATURE",
            *list_values_of_setting(wanted),
        }
        for node in ast.parse(targets()[target].write(wanted)).body:
            if isinstance(node, ast.Assign) and isinstance(node.value, ast.Constant):
                assert isinstance(node.targets[0], ast.Name)
                assert node.targets[0].id in known


@for_each("target", [id for id in targets() if id != "memory_yaml"])
def test_a_program_has_none_of_the_templates_own_names(target: str) -> None:
    shared = set(template_files.read_template("rules").definitions) - {"Memory"}
    for id in with_code(target):
        tree = ast.parse(targets()[target].write(setting(id, counter="bytes4")))
        for node in ast.walk(tree):
            name = str(getattr(node, "name", None) or getattr(node, "id", ""))
            assert "_for_" not in name
            assert name.isupper() or name not in shared


@pytest.mark.slow
def test_no_template_is_imported_when_code_is_written() -> None:
    code = (
        "import contextlib, sys, memviz\n"
        "from memviz.code_export import NoCodeError, Setting, targets\n"
        "for target in targets().values():\n"
        "    for cls in memviz.strategies().values():\n"
        "        with contextlib.suppress(NoCodeError):\n"
        "            target.write(Setting(cls()))\n"
        "print([name for name in sys.modules if name.startswith('memviz.code_export.templates')])\n"
        "print([name for name in ('langchain', 'langchain_core', 'llama_index', 'agents') if name in sys.modules])\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    assert done.stdout == "[]\n[]\n"


class Unwritten(Strategy):
    """Sends nothing."""

    title: ClassVar[str] = "Unwritten"

    def select(self, memory: Memory) -> tuple[Piece, ...]:
        return ()


@pytest.fixture
def unwritten(monkeypatch: pytest.MonkeyPatch) -> Setting:
    """A strategy of memviz that nobody wrote a template for."""
    monkeypatch.setattr(Unwritten, "__module__", "memviz.strategies.unwritten")
    monkeypatch.setattr(Unwritten, "id", "unwritten")
    monkeypatch.setitem(memviz.strategies(), "unwritten", Unwritten)
    return Setting(Unwritten())


def test_without_a_template_the_error_says_that_there_is_no_code(
    unwritten: Setting,
) -> None:
    for id, target in targets().items():
        if id in ("memory_yaml", "memviz_code"):
            assert "unwritten" in target.write(unwritten)
        else:
            assert find_template(unwritten, id) is None
            with pytest.raises(
                NoCodeError,
                match=r"There is no code for .* that does what the strategy 'unwritten'",
            ):
                target.write(unwritten)


def test_another_packages_strategy_gets_no_template_by_its_name(
    unwritten: Setting, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Unwritten, "id", "window")
    assert find_template(unwritten, "plain_python") is None
    with pytest.raises(NoCodeError, match="comes from another package"):
        targets()["plain_python"].write(unwritten)


def test_a_strategy_named_like_a_part_of_a_program_gets_no_template(
    unwritten: Setting, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Unwritten, "__module__", "memviz.strategies.summarizer")
    monkeypatch.setattr(Unwritten, "id", "summarizer")
    assert [find_template(unwritten, target) for target in targets()] == [None] * len(
        targets()
    )
