"""Formats of other packages: found by their entry points, and kept from taking anything down."""

import importlib
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from memviz.core.errors import TranscriptError
from memviz.transcripts.loading import formats, load_file, load_transcript
from memviz.transcripts.readers import ENTRY_POINT_GROUP

READER = """
from memviz.transcripts.document import Reader


class Lines(Reader):
    name = "whatever it is called here"
    title = "Lines of a package"

    def recognise(self, document):
        return document.text.startswith("#lines")

    def conversations(self, document):
        return [document.text.split("\\n")[1:]]

    def read(self, piece, builder):
        for number, line in enumerate(piece):
            builder.add_text("assistant" if number % 2 else "user", line, f"line {number}")
        return builder.build(title="Lines")


class Unfinished(Reader):
    name = title = "unfinished"


class Failing(Lines):
    def recognise(self, document):
        raise RuntimeError("not today")

    def conversations(self, document):
        raise RuntimeError("not today")


class Odd(Lines):
    def read(self, piece, builder):
        return "no transcript"
"""
LINES = b"#lines\nHi.\nHello."
Install = Callable[[str], None]


@pytest.fixture
def install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Install]:
    """Install a package with these entry points for the length of a test."""

    def install(entries: str) -> None:
        (tmp_path / "package_of_readers.py").write_text(READER)
        about = tmp_path / "package_of_readers-1.0.dist-info"
        about.mkdir()
        metadata = "Metadata-Version: 2.1\nName: package-of-readers\nVersion: 1.0\n"
        (about / "METADATA").write_text(metadata)
        (about / "entry_points.txt").write_text(f"[{ENTRY_POINT_GROUP}]\n{entries}\n")
        monkeypatch.syspath_prepend(tmp_path)
        importlib.invalidate_caches()
        formats.cache_clear()

    yield install
    monkeypatch.undo()
    sys.modules.pop("package_of_readers", None)
    formats.cache_clear()


def test_a_format_of_another_package_is_recognised_and_listed(install: Install) -> None:
    own = set(formats())
    install("lines = package_of_readers:Lines")
    assert set(formats()) == own | {"lines"}
    assert (formats()["lines"].name, formats()["lines"].title) == (
        "lines",
        "Lines of a package",
    )
    transcript = load_transcript(LINES)
    assert transcript.format == "lines"
    assert [(m.role, m.content) for m in transcript.messages] == [
        ("user", "Hi."),
        ("assistant", "Hello."),
    ]


@pytest.mark.parametrize(
    "entry",
    [
        "lines = package_of_readers:Missing",
        "lines = no_such_package:Lines",
        "lines = package_of_readers:Unfinished",
        "lines = package_of_readers:READER",
        "csv = package_of_readers:Lines",
    ],
)
def test_a_reader_that_cannot_be_used_is_left_out_with_a_note_in_the_log(
    entry: str, install: Install, caplog: pytest.LogCaptureFixture
) -> None:
    own = {name: type(reader) for name, reader in formats().items()}
    install(entry)
    assert {name: type(reader) for name, reader in formats().items()} == own
    assert entry.partition(" ")[0] in caplog.text
    assert load_transcript(b'[{"role": "user", "content": "Hi."}]').messages


def test_a_reader_that_fails_over_files_leaves_them_to_the_others(
    install: Install, caplog: pytest.LogCaptureFixture
) -> None:
    install("failing = package_of_readers:Failing")
    assert load_transcript(b"User: hi\nAssistant: hello").format == "text"
    assert "failing" in caplog.text
    with pytest.raises(TranscriptError, match="of another package failed"):
        load_file(LINES, "failing")


def test_a_reader_that_makes_no_transcript_is_refused(install: Install) -> None:
    install("odd = package_of_readers:Odd")
    with pytest.raises(TranscriptError, match="of another package failed"):
        load_file(LINES)
