"""What reaches a terminal is text, whatever it was."""

from __future__ import annotations

import json
import os
import unicodedata
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memviz.core.text.visible import put_on_one_line, remove_control_characters
from tests.cli.terminal import MEMVIZ, NASTY, ROOT, memviz, process
from tests.tables import for_each


@given(st.text())
def test_nothing_that_a_terminal_obeys_is_left(text: str) -> None:
    shown = put_on_one_line(text)
    assert not any(unicodedata.category(c) in ("Cc", "Cs", "Zl", "Zp") for c in shown)
    assert not set(shown) & set(
        "\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"
    )
    assert shown == put_on_one_line(shown)


@for_each(
    "mark", "\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\x00\x1b\x7f\x9b"
)
def test_no_mark_turns_the_rest_of_the_line_round(mark: str) -> None:
    assert put_on_one_line(f"a{mark}b") == "ab"


@given(st.text(st.characters(categories=("L", "N", "P", "S"))))
def test_letters_of_any_script_stay(text: str) -> None:
    assert remove_control_characters(text) == text


def test_what_is_kept_is_kept() -> None:
    assert remove_control_characters("a\tb\nc\rd\x1b[0m", keep="\n\t") == "a\tb\ncd[0m"


@pytest.mark.slow
def test_an_encoding_without_the_letters_is_no_error(tmp_path: Path) -> None:
    ascii_only = {"PYTHONIOENCODING": "ascii", "MEMVIZ_DB": str(tmp_path / "a.db")}
    shown = process("list", folder=tmp_path, environment=ascii_only)
    assert shown.code == 0
    assert "\\u" in shown.out


def test_errors_are_text_too() -> None:
    shown = memviz("replay", "no-such\x1b[2J\nthing", "-s", "buffer", code=1)
    assert shown.err.count("\n") == 1
    assert "\x1b" not in shown.err


@pytest.mark.skipif(os.name != "posix", reason="no pseudo-terminals here")
def test_an_export_on_a_terminal_shows_only_what_is_visible(tmp_path: Path) -> None:
    path = tmp_path / "nasty.json"
    path.write_text(
        json.dumps(
            [
                {"role": "user", "content": NASTY},
                {"role": "assistant", "content": "No."},
            ]
        )
    )
    on_terminal = _on_a_terminal("export", str(path), "--to", "markdown")
    assert b"Plan[2J" in on_terminal
    assert b"\x1b" not in on_terminal
    assert b"\x07" not in on_terminal


def _on_a_terminal(*arguments: str) -> bytes:
    import pty
    import subprocess

    control, terminal = pty.openpty()
    environment = os.environ | {"PYTHONPATH": str(ROOT)}
    with subprocess.Popen(
        [*MEMVIZ, *arguments], stdout=terminal, stderr=terminal, env=environment
    ) as command:
        os.close(terminal)
        shown = b""
        while chunk := _read(control):
            shown += chunk
        os.close(control)
        assert command.wait(60) == 0
    return shown


def _read(control: int) -> bytes:
    try:
        return os.read(control, 65_536)
    except OSError:  # Linux: the last writer has gone
        return b""
