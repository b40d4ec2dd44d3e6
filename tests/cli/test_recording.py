"""``memviz record``: within its budget, gone on with after whatever ended it, and played again."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from pathlib import Path
from time import monotonic, sleep

import pytest

from memviz.models.recordings.files import read_recording
from tests.cli.terminal import MEMVIZ, ROOT, SECONDS, memviz, refused
from tests.models.openai_server import OpenAIServer, openai_server, slow, text

SETTING = ("-s", "summary:buffer_size=1")
PAID = ("--model", "openai/gpt-5-mini", "--budget", "1", "-y")


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[OpenAIServer]:
    with openai_server() as running:
        running.otherwise = text("A summary ", "of it.")
        monkeypatch.setenv("OPENAI_API_KEY", "sk-test-0123456789abcdef")
        monkeypatch.setenv("OPENAI_API_BASE", running.api_base)
        yield running


@pytest.mark.slow
def test_what_is_recorded_is_played_without_key_and_network(
    chat: Path, server: OpenAIServer, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    out = tmp_path / "chat.recording"
    done = memviz("record", chat, *SETTING, *PAID, "-o", out)
    calls = len(server.requests)
    assert (
        f"{out} holds 1 setting; {calls} requests made now. Spent on openai/gpt-5-mini: $"
        in done.out
    )
    assert f"asked about {calls} times, for at most about $" in done.err
    recording = read_recording(out)
    assert len(recording.replies) == calls
    assert recording.cost_usd is not None
    assert recording.seconds is not None
    assert "sk-test" not in out.read_text()
    monkeypatch.delenv("OPENAI_API_KEY")
    monkeypatch.setenv("OPENAI_API_BASE", "http://127.0.0.1:9")
    run = memviz("replay", chat, *SETTING, "--model", f"recording:{out}", "--json").json
    assert {compaction["recorded"] for compaction in run["compactions"]} == {True}
    swept = memviz(
        "sweep",
        chat,
        *SETTING,
        "--summarizer",
        f"recording:{out}",
        "--json",
        "--no-keep",
    )
    assert swept.json
    assert len(server.requests) == calls


def test_given_again_it_asks_for_nothing(
    chat: Path, server: OpenAIServer, tmp_path: Path
) -> None:
    for _ in range(2):
        done = memviz(
            "record", chat, *SETTING, *PAID, "-o", tmp_path / "chat.recording"
        )
    assert "0 requests made now" in done.out


def test_a_spent_budget_ends_it_and_a_larger_one_goes_on(
    chat: Path, server: OpenAIServer, tmp_path: Path
) -> None:
    out = tmp_path / "chat.recording"
    command = (
        "record",
        chat,
        *SETTING,
        "--model",
        "openai/gpt-5-mini",
        "--yes",
        "-o",
        out,
    )
    prices = ("--usd-per-million", "1000,1000")
    server.otherwise = text(
        "A summary.",
        usage={"prompt_tokens": 3000, "completion_tokens": 1000, "total_tokens": 4000},
    )
    ended = memviz(*command, *prices, "--budget", "6", code=1)
    held = len(read_recording(out).replies)
    assert held
    assert (
        f"What was answered is in {out}: the same command goes on from there. Spent on openai/gpt-5-mini: $"
        in ended.err
    )
    memviz(*command, *prices, "--budget", "1000")
    assert len(read_recording(out).replies) == len(server.requests) > held


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (("--model", "offline"), "no model to record"),
        (("--model", "recording:trip"), "no model to record"),
        (("--model", "openai/gpt-5-mini"), "Give --budget USD"),
        (("--model", "openai/gpt-5-mini", "--budget", "1e10"), "less than or equal to"),
    ],
)
def test_what_cannot_be_recorded_is_refused(
    options: tuple[str, ...],
    words: str,
    chat: Path,
    server: OpenAIServer,
    tmp_path: Path,
) -> None:
    assert (
        words
        in memviz(
            "record",
            chat,
            *SETTING,
            *options,
            "-o",
            tmp_path / "x.recording",
            code=None,
        ).err
    )


def test_the_conversation_itself_is_not_written_over(
    chat: Path, server: OpenAIServer
) -> None:
    before = chat.read_bytes()
    shown = memviz("record", chat, *SETTING, *PAID, "-o", chat, code=None)
    assert "is the conversation itself" in shown.err
    assert chat.read_bytes() == before


def test_nobody_agrees_without_a_terminal(
    chat: Path, server: OpenAIServer, tmp_path: Path
) -> None:
    shown = memviz(
        "record",
        chat,
        *SETTING,
        "--model",
        "openai/gpt-5-mini",
        "--budget",
        "1",
        "-o",
        tmp_path / "x.recording",
        code=1,
    )
    assert "Nothing was spent" in shown.err
    assert not server.requests


def test_a_server_of_ones_own_has_no_price_and_needs_no_budget(
    chat: Path, server: OpenAIServer, tmp_path: Path
) -> None:
    memviz(
        "record",
        chat,
        *SETTING,
        "--model",
        "openai/my-model",
        "--api-base",
        server.api_base,
        "-o",
        tmp_path / "x.recording",
    )
    assert read_recording(tmp_path / "x.recording").settings


def test_a_server_of_ones_own_is_named_without_an_address_too(
    chat: Path, server: OpenAIServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOSTED_VLLM_API_BASE", server.api_base)
    shown = memviz(
        "record",
        chat,
        *SETTING,
        "--model",
        "hosted_vllm/mine",
        "-o",
        tmp_path / "x.recording",
    )
    assert "its price is not known, so no budget holds it." in shown.err
    assert read_recording(tmp_path / "x.recording").settings
    refused = memviz(
        "record",
        chat,
        *SETTING,
        "--model",
        "openai/of-tomorrow",
        "-o",
        tmp_path / "y.recording",
        code=2,
    )
    assert (
        "The price of openai/of-tomorrow is not known. Give --usd-per-million IN,OUT"
        in refused.err
    )


def test_a_file_that_is_no_recording_is_refused(chat: Path, tmp_path: Path) -> None:
    wrong = tmp_path / "notes.txt"
    wrong.write_text("Buy milk.\n")
    refused(
        "replay",
        chat,
        *SETTING,
        "--model",
        f"recording:{wrong}",
        code=1,
        words=("no recording of memviz",),
    )


@pytest.mark.slow
@pytest.mark.skipif(os.name != "posix", reason="processes are killed otherwise there")
def test_killed_in_the_midst_it_goes_on_and_pays_nothing_twice(
    chat: Path, server: OpenAIServer, tmp_path: Path
) -> None:
    out = tmp_path / "chat.recording"
    server.then(text("One."), text("Two."), slow(55))
    command = [*MEMVIZ, "record", str(chat), *SETTING, *PAID, "-o", str(out)]
    environment = os.environ | {"PYTHONPATH": str(ROOT)}
    started = subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment
    )
    until = monotonic() + SECONDS
    while len(server.requests) < 3:
        assert monotonic() < until
        sleep(0.05)
    started.kill()
    started.communicate()
    assert [one.reply.text for one in read_recording(out).replies.values()] == [
        "One.",
        "Two.",
    ]
    with out.open("ab") as file:
        file.write(b'{"request": [1')  # what a kill in the midst of writing leaves
    before = len(server.requests)
    memviz("record", chat, *SETTING, *PAID, "-o", out)
    whole = read_recording(out)
    assert list(whole.replies.values())[1].reply.text == "Two."
    assert len(server.requests) - before == len(whole.replies) - 2
    assert whole.settings
