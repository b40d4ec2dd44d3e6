"""``memviz design``: the answer of the API, written, explained, and run again from its file."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

import memviz as api
from benchmarks.synthetic.generator import generate
from memviz.cli.design_report import MEANINGS, explain_part
from memviz.core.errors import SweepError
from memviz.engine.memory_config import load_memory_config, strategy_of
from memviz.strategies.presets import presets
from memviz.strategies.steps import lines_of
from memviz.transcripts.export import to_json
from memviz.tuning.cell import Cell
from memviz.tuning.sweeping import Sweeping
from tests.cli.terminal import memviz, refused
from tests.tables import for_each

QUICK = ("--counter", "chars4", "-s", "window:window_size=2,4,8")
TERMS = ("--usd-per-1000", 50, "--keep", "facts=30%")


@pytest.fixture
def chats(tmp_path: Path) -> Path:
    """A folder with five conversations, one of them in a folder of its own, and a file that is none."""
    folder = tmp_path / "chats"
    (folder / "older").mkdir(parents=True)
    for number in range(5):
        place = folder / "older" if number == 4 else folder
        chat = generate(4 + number, seed=number, facts_per_100_turns=50)
        (place / f"{number}.json").write_text(to_json(chat), encoding="utf-8")
    (folder / "broken.json").write_text('{"colour": "red"}', encoding="utf-8")
    (folder / ".hidden.json").write_text("x", encoding="utf-8")
    return folder


def test_is_the_design_of_the_api(chats: Path) -> None:
    shown = memviz("design", chats, *TERMS, *QUICK, "--seed", 2, "--json")
    transcripts: list[api.Transcript] = []
    for path in sorted(chats.rglob("[0-9].json")):
        transcripts += api.load_transcripts(path)
    grid = [api.strategy("window", window_size=size) for size in (2, 4, 8)]
    design = api.design(
        transcripts, 50, {"facts": 0.3}, settings=grid, counter="chars4", seed=2
    )
    assert design.best is not None
    assert design.holdout is not None
    setting = shown.json["best"]["setting"]
    assert setting["parameters"] == design.best.setting.model_dump()
    held_out = shown.json["holdout"]["usd_per_1000"]
    assert held_out["value"] == design.holdout.usd_per_1000.value
    assert held_out["high"] == design.holdout.usd_per_1000.high
    assert shown.json["holdout_titles"] == list(design.holdout_titles)
    assert shown.json["is_held"]
    assert "broken.json" in shown.err
    assert "hidden" not in shown.err


def test_the_file_gives_the_figures_that_were_reported(chats: Path) -> None:
    shown = memviz("design", chats, *TERMS, *QUICK)
    assert "design/memory.yaml, read again and run" in shown.err
    assert "gives the same figures" in shown.err
    label = shown.lines[0].removeprefix("Take ").removesuffix(".")
    setting = strategy_of(load_memory_config("design/memory.yaml"))
    assert setting.label == label
    assert "held out (95 % interval)" in shown.out
    assert "1. Sends the newest messages" in shown.out
    assert "Without it: " in shown.out


def test_a_file_that_gives_other_figures_fails(
    chats: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = api.strategy("window", window_size=1)
    monkeypatch.setattr("memviz.engine.memory_config.strategy_of", lambda _: other)
    shown = memviz("design", chats, *TERMS, *QUICK, code=1)
    assert "gives other figures" in shown.err


def test_code_is_written_beside_it(chats: Path, tmp_path: Path) -> None:
    folder = tmp_path / "here" / "out"
    memviz("design", chats, *TERMS, *QUICK, "--code", "plain", "-o", folder)
    assert {path.name for path in folder.iterdir()} == {"memory.yaml", "memory.py"}
    assert "held out" in (folder / "memory.py").read_text(encoding="utf-8")


def test_a_folder_that_cannot_be_written_is_refused_before_the_search(
    chats: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "file"
    file.touch()
    monkeypatch.setattr("memviz.cli.designing.prepare_conversations", None)
    for folder in (file, file / "out"):
        refused(
            "design",
            chats,
            *TERMS,
            "-o",
            folder,
            code=2,
            words=(str(folder), "cannot be made", f"{file} is no folder"),
        )


def test_only_settings_with_code_are_searched(chats: Path) -> None:
    both = (*QUICK, "-s", "head_and_tail:tail_size=4")
    shown = memviz("design", chats, *TERMS, *both, "--code", "openai_agents", "--json")
    assert shown.json["rounds"][0][0] == 3
    assert "OpenAI Agents SDK has no code for 1 setting: 3 settings left." in shown.err
    (chats / "broken.json").unlink()
    refused(
        "design",
        chats,
        *TERMS,
        "-s",
        "head_and_tail",
        "--code",
        "openai_agents",
        code=2,
        words=("head_and_tail", "OpenAI Agents"),
    )


def test_rules_are_read_off_plain_chats(chats: Path) -> None:
    asked = ["Never book a hotel beside a railway."]
    asked += [f"What of part {part}?" for part in range(12)]
    for number in range(4):
        turns = [{"role": "user", "content": f"This is trip {number}."}]
        for text in asked:
            turns.append({"role": "assistant", "content": "Done."})
            turns.append({"role": "user", "content": text})
        (chats / f"rules{number}.json").write_text(json.dumps(turns), encoding="utf-8")
    terms = ("--usd-per-1000", 50, "--keep", "rules=100%,facts=30%")
    shown = memviz("design", chats, *terms, *QUICK, "-s", "buffer", code=None)
    assert shown.lines[0].startswith("Take Full buffer")
    (row,) = [line for line in shown.lines if line.startswith("rules kept")]
    assert "100%" in row
    assert "state 3 rules: sentences with words such as never" in shown.out


def test_what_is_free_meets_any_budget(chats: Path) -> None:
    free = ("--usd-per-million", "0,0")
    shown = memviz("design", chats, *TERMS, *QUICK, *free)
    (verdict,) = [line for line in shown.lines if line.startswith("Over the")]
    assert "it does what was asked." in verdict
    assert "interval of $" not in verdict


def test_where_nothing_meets_the_terms_the_nearest_two_are_named(chats: Path) -> None:
    both = (*QUICK, "-s", "token_buffer")
    shown = memviz(
        "design", chats, "--usd-per-1000", 0.0001, "--keep", "facts=100%", *both, code=1
    )
    assert shown.lines[0] == "No setting does what was asked. The nearest:"
    assert "1,000 requests cost $" in shown.lines[1]
    assert ", not $0.0001" in shown.lines[1]
    assert "of facts are kept, not 100%" in shown.lines[2]
    assert not Path("design").exists()


def test_a_long_search_is_announced(
    chats: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("memviz.cli.designing.LONG_MESSAGES", 1)
    monkeypatch.setattr("memviz.cli.designing.LONG_SECONDS", 0.0)
    assert "3 settings take about 1 s in one process" in (
        memviz("design", chats, *TERMS, *QUICK).err
    )


@for_each(
    ("options", "words"),
    [
        (("--keep", "facts"), ("KIND=SHARE",)),
        (("--keep", "facts=many"), ("KIND=SHARE",)),
        (("--keep", "facts=150%"), ("keep", "from 0 to 1")),
        (("--keep", "jokes=50%"), ("keep", "jokes", "rules")),
        (("--usd-per-1000", "0"), ("usd_per_1000", "above 0")),
        (("--code", "nothing"), ("nothing", "plain_python")),
        (("--code", ""), ("plain_python",)),
    ],
)
def test_what_cannot_be_asked_is_refused(
    chats: Path, options: tuple[str, ...], words: tuple[str, ...]
) -> None:
    shown = memviz("design", chats, *TERMS, *QUICK, *options, code=2)
    for word in words:
        assert word in shown.err
    assert shown.out == ""


def test_an_error_is_no_finding(chats: Path, tmp_path: Path) -> None:
    nowhere = tmp_path / "nowhere"
    refused("design", nowhere, *TERMS, *QUICK, code=2, words=("nowhere",))
    (chats / "broken.json").rename(tmp_path / "broken.json")
    unknown = ("--model", "openai/nothing-such")
    shown = memviz("design", chats, *TERMS, *QUICK, *unknown, code=2)
    assert "A price is unknown" in shown.err
    shown = memviz("design", chats, *TERMS, *QUICK, "-o", chats / "0.json", code=2)
    assert "0.json cannot be made" in shown.err
    for number in (1, 2):
        (chats / f"{number}.json").unlink()
    shown = memviz("design", chats, *TERMS, *QUICK, code=2)
    assert "Found: 3." in shown.err


def test_a_search_that_cannot_be_brought_to_its_end_is_an_error(
    chats: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = Sweeping.__iter__

    def fail(sweeping: Sweeping) -> Iterator[Cell]:
        yield next(whole(sweeping))
        raise SweepError("The workers are gone.")

    monkeypatch.setattr("memviz.tuning.sweeping.Sweeping.__iter__", fail)
    shown = memviz("design", chats, *TERMS, *QUICK, code=2)
    assert "The workers are gone." in shown.err


def test_every_step_of_a_product_is_explained() -> None:
    explained = set()
    for id, preset in presets().items():
        setting = api.strategy(id)
        steps = preset.parameters.get("steps", "")
        for line in lines_of(steps):
            explained.add(explain_part(setting, line).partition(": ")[2])
            assert "of the window" not in explain_part(setting, line)
    assert explained <= {meaning for _, meaning in MEANINGS}
    assert len(explained) > 5
    pipeline = api.strategy("pipeline", window_tokens=3200)
    line = "clear tool results at 0.2 of the window, keep 2 results"
    assert explain_part(pipeline, line) == (
        "clear tool results at 640 tokens, keep 2 results: a few words stand in the place of what tools returned."
    )
