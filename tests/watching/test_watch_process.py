"""The command in a process of its own: asked, killed, and started again."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from time import monotonic, sleep

import pytest

from memviz.transcripts.loading import load_transcript
from tests.cli.terminal import memviz
from tests.watching.growing import (
    SAMPLES,
    append,
    begin_opencode,
    keeper_in,
    kept,
    lines_of,
    said,
)

SECONDS = 30


@contextmanager
def watching(folder: Path, *options: str) -> Iterator[subprocess.Popen[str]]:
    """``memviz watch`` at work, from when it says so."""
    command = [sys.executable, "-m", "memviz", "watch", *options]
    environment = {**os.environ, "HOME": str(folder), "MEMVIZ_DB": ""}
    for name in ("CLAUDE_CONFIG_DIR", "CODEX_HOME", "XDG_DATA_HOME", "COPILOT_HOME"):
        environment.pop(name, None)
    process = subprocess.Popen(
        [*command, "--db", str(folder / "library.db")],
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        stdin=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    try:
        for line in process.stdout:
            if line.startswith("Watching"):
                break
        yield process
    finally:
        process.kill()
        process.communicate()


def becomes_true(says: Callable[[], bool]) -> bool:
    end = monotonic() + SECONDS
    while monotonic() < end:
        if says():
            return True
        sleep(0.1)
    return False


@pytest.mark.slow
def test_a_killed_watcher_loses_nothing_and_goes_on(tmp_path: Path) -> None:
    folder = tmp_path / ".claude" / "projects" / "trip"
    folder.mkdir(parents=True)
    path = folder / "one.jsonl"
    lines = lines_of("claude_code")
    store = keeper_in(tmp_path).store

    def has(messages: int) -> bool:
        watched = store.find_watched("claude_code/one")
        return watched is not None and watched.message_count >= messages

    with watching(tmp_path, "--yes") as process:
        append(path, b"".join(lines[:5]) + lines[5][:40])
        assert becomes_true(lambda: has(1))
        process.send_signal(signal.SIGKILL)
        process.wait()
    append(path, lines[5][40:] + b"".join(lines[6:9]))
    with watching(tmp_path, "--yes"):
        assert becomes_true(lambda: has(4))
        append(path, b"".join(lines[9:]))
        assert becomes_true(lambda: has(6))
    whole = load_transcript(SAMPLES / "claude_code.jsonl", "claude_code")
    assert kept(keeper_in(tmp_path), "claude_code/one") == whole.messages


@pytest.mark.slow
def test_a_folder_of_any_programs_is_watched_and_ends_with_ctrl_c(
    tmp_path: Path,
) -> None:
    folder = tmp_path / "sessions"
    (folder / "below").mkdir(parents=True)
    keeper = keeper_in(tmp_path)
    with watching(tmp_path, "--folder", str(folder), "--redact", "euros") as process:
        for program in ("claude_code", "codex", "gemini_cli"):
            append(folder / "below" / f"{program}.jsonl", b"".join(lines_of(program)))
        (folder / "copilot").mkdir()
        append(folder / "copilot" / "events.jsonl", b"".join(lines_of("copilot_cli")))
        append(folder / "notes.json", b"{}")
        begin_opencode(folder / "opencode.db")
        assert becomes_true(lambda: len(keeper.store.newest_watched()) == 4)
        process.send_signal(signal.SIGINT)
        assert process.wait(SECONDS) == 0
    texts = " ".join(text for _, text in said(kept(keeper, "codex/codex")))
    assert "3,600 ***" in texts


def test_each_folder_is_asked_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    for name in ("CLAUDE_CONFIG_DIR", "CODEX_HOME", "XDG_DATA_HOME", "COPILOT_HOME"):
        monkeypatch.delenv(name, raising=False)
    assert "There is no folder to watch" in memviz("watch", code=2).err
    nowhere = memviz("watch", "--folder", tmp_path / "none", code=2)
    assert "There is no folder" in nowhere.err
    (tmp_path / ".codex" / "sessions").mkdir(parents=True)
    declined = memviz("watch", stdin="n\n", code=2)
    assert "Watch the sessions of Codex in" in declined.out
