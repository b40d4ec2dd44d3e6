"""Archives: what is inside is read, in memory, and never more than allowed."""

from __future__ import annotations

import gzip
import io
import json
import zipfile
import zlib
from pathlib import Path

import pytest

from memviz.core.errors import TranscriptError, UnclearUserError
from memviz.transcripts.limits import Limits
from memviz.transcripts.loading import LoadedFile, load_file, load_transcript
from tests.tables import for_each
from tests.transcripts.sample_files import sample_files

TALK = json.dumps(
    [{"role": "user", "content": "hi"}, {"role": "assistant", "content": "hello"}]
).encode()
SMALL = Limits(inflated_bytes=100_000, archive_files=5)


def packed(*files: tuple[str, bytes], compression: int = zipfile.ZIP_DEFLATED) -> bytes:
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w", compression) as archive:
        for name, content in files:
            archive.writestr(name, content)
    return target.getvalue()


def refused(data: bytes, reason: str, limits: Limits | None = None) -> TranscriptError:
    with pytest.raises(TranscriptError, match=reason) as caught:
        load_file(data, name="export.zip", limits=limits)
    assert caught.value.remedy
    return caught.value


def titles(loaded: LoadedFile) -> list[str]:
    return [transcript.title for transcript in loaded.transcripts]


def test_every_file_inside_is_read_in_the_order_of_names() -> None:
    loaded = load_file(
        packed(
            ("b/talk 2.json", TALK),
            ("a.jsonl", TALK.strip(b"[]").replace(b"}, {", b"}\n{")),
        )
    )
    assert titles(loaded) == ["a", "talk 2"]
    assert loaded.warnings == ()


def test_numbered_parts_of_an_export_come_together() -> None:
    export = next(
        content
        for name, content in sample_files().items()
        if name.startswith("chatgpt_export__")
    )
    loaded = load_file(
        packed(("conversations-001.json", export), ("conversations-000.json", export))
    )
    once = load_file(export)
    assert len(loaded.transcripts) == 2 * len(once.transcripts)
    assert {transcript.format for transcript in loaded.transcripts} == {
        "chatgpt_export"
    }


def test_what_lies_beside_the_conversations_is_passed_over() -> None:
    beside = [
        ("user.json", b'{"id": 1}'),
        ("chat.html", b"<html>"),
        ("image.png", b"\x89PNG"),
        ("README.txt", b"Hello."),
        ("__MACOSX/._talk.json", b"\0\5\x16\7"),
        (".DS_Store", b"\0"),
        ("folder/", b""),
    ]
    loaded = load_file(packed(("talk.json", TALK), *beside))
    assert titles(loaded) == ["talk"]
    assert loaded.warnings == ()


def test_a_broken_file_inside_is_said_and_the_others_are_read() -> None:
    loaded = load_file(packed(("talk.json", TALK), ("torn.json", TALK[:-9])))
    assert titles(loaded) == ["talk"]
    (warning,) = loaded.warnings
    assert "not imported: JSON, torn.json, line 1" in warning


def test_a_file_inside_that_is_nearly_a_conversation_is_said() -> None:
    nearly = json.dumps(
        [{"role": "user", "content": [{"type": "video_url"}]}, *json.loads(TALK)]
    ).encode()
    (warning,) = load_file(
        packed(("nearly.json", nearly), ("talk.json", TALK))
    ).warnings
    assert (
        "not imported: nearly.json: no known format, but nearly role_content: 2 of 3 messages fit"
        in warning
    )


def test_nothing_inside_is_an_error_that_lists_what_was_found() -> None:
    error = refused(
        packed(("user.json", b'{"id": 1}'), ("notes.txt", b"Dear diary")),
        "no conversation inside",
    )
    assert "user.json" in str(error)
    assert "notes.txt" in str(error)
    assert "found an object with 'id'" in str(error)
    refused(packed(("picture.png", b"\x89PNG")), "holds nothing but picture.png")
    refused(packed(), "it is empty")
    assert "user.json" in str(
        refused(packed(("user.json", b'{"id": 1}')), "no known format")
    )


def test_a_conversation_of_which_the_user_is_unclear_is_asked_about_and_never_passed_over() -> (
    None
):
    talk = ("talk.txt", b"Ana: a\nBen: b\nAna: c\nBen: d")
    with pytest.raises(
        UnclearUserError, match=r"export.zip, talk.txt: it is not clear who the user is"
    ) as caught:
        load_file(packed(("user.json", b'{"id": 1}'), talk), name="export.zip")
    assert caught.value.names == ("Ana", "Ben")
    (warning,) = load_file(packed(("talk.json", TALK), talk)).warnings
    assert "not imported: talk.txt: it is not clear who the user is" in warning
    assert titles(load_file(packed(("talk.json", TALK), talk), user="Ana")) == [
        "talk",
        "talk",
    ]


@for_each(
    ("inner", "kind"),
    [
        ("xl/workbook.xml", "an Excel workbook"),
        ("word/document.xml", "a Word document"),
        ("META-INF/manifest.xml", "an Op"),
    ],
)
def test_a_document_that_is_packed_as_a_zip_is_called_what_it_is(
    inner: str, kind: str
) -> None:
    assert "damaged" not in str(refused(packed((inner, b"<x/>")), f"this is {kind}"))


def test_a_limit_names_its_variable_and_calls_nothing_damaged() -> None:
    large = refused(packed(("a.json", b" " * 200_000)), "limit of 100,000 bytes", SMALL)
    many = refused(
        packed(*((f"{number}.json", TALK) for number in range(6))),
        "more than the limit of 5",
        SMALL,
    )
    assert "MEMVIZ_IMPORT_INFLATED_BYTES" in large.remedy
    assert "MEMVIZ_IMPORT_ARCHIVE_FILES" in many.remedy
    assert "damaged" not in str(large) + str(many)


def test_gzip_is_opened_too() -> None:
    transcript = load_transcript(gzip.compress(TALK), name="talk.json.gz")
    assert (transcript.title, len(transcript.messages)) == ("talk", 2)


@for_each("compression", [zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_a_bomb_is_not_inflated_further_than_allowed(compression: int) -> None:
    refused(
        packed(("a.json", b" " * 3_000_000), compression=compression),
        "inflates to more than the limit",
        SMALL,
    )
    many = [(f"{number}.json", b" " * 40_000) for number in range(4)]
    refused(packed(*many), "inflates to more than the limit", SMALL)


def test_a_stated_size_is_not_believed() -> None:
    data = bytearray(packed(("a.json", b" " * 3_000_000)))
    at = data.rindex(b"PK\x01\x02")
    data[at + 24 : at + 28] = (10).to_bytes(
        4, "little"
    )  # the size in the list of files: 10 bytes
    with pytest.raises(TranscriptError):
        load_file(bytes(data), limits=SMALL)


def test_a_gzip_bomb_is_not_inflated_further_than_allowed() -> None:
    refused(gzip.compress(b" " * 3_000_000), "inflates to more than the limit", SMALL)


def test_too_many_files_are_refused() -> None:
    refused(
        packed(*((f"{number}.json", TALK) for number in range(6))),
        "lists 6 files",
        SMALL,
    )


def test_damage_is_a_sentence() -> None:
    whole = packed(("talk.json", TALK))
    refused(whole[:-30], "it is damaged")
    refused(b"PK\x03\x04", "it is damaged")
    refused(gzip.compress(TALK)[:-12], "ends in the middle")
    refused(gzip.compress(TALK)[:12] + b"\xff\xff\xff\xff", "damaged|middle")
    torn = bytearray(packed(("talk.json", TALK * 50)))
    torn[60:70] = b"\xff" * 10
    refused(bytes(torn), "it is damaged")


def test_a_password_is_asked_for_in_a_sentence() -> None:
    data = bytearray(packed(("talk.json", TALK)))
    for mark, offset in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        data[data.index(mark) + offset] |= 1  # the flag of an encrypted file
    refused(bytes(data), "encrypted")


def test_an_archive_inside_an_archive_stays_closed() -> None:
    refused(
        packed(("inner.zip", packed(("talk.json", TALK)))), "archive inside an archive"
    )


def test_a_name_that_leads_elsewhere_writes_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    loaded = load_file(packed(("../../etc/talk.json", TALK), ("/absolute.json", TALK)))
    assert titles(loaded) == ["talk", "absolute"]
    assert list(tmp_path.parent.glob("etc")) == []
    assert list(tmp_path.iterdir()) == []


def test_zlib_without_a_header_is_no_archive() -> None:
    with pytest.raises(TranscriptError):
        load_file(zlib.compress(TALK))
