"""Conversations out of files that are read row by row: what is one, what is left out, and what cannot be read."""

from __future__ import annotations

import gzip
import json
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from pyarrow import parquet

from memviz.core.errors import ParameterError, TranscriptError
from memviz.transcripts.base import Transcript
from memviz.transcripts.fleet.reading import read_item
from memviz.transcripts.fleet.source import Fleet, Place
from memviz.transcripts.limits import Limits
from memviz.transcripts.loading import load_file
from tests.tables import for_each
from tests.transcripts.fleet.chats import (
    TICKETS,
    chat,
    lines,
    message_rows,
    packed_chats,
)


def outcomes(fleet: Fleet) -> list[tuple[Place, Transcript | TranscriptError]]:
    return [outcome for item in fleet.items() for outcome in read_item(item, fleet)]


def codes(fleet: Fleet) -> list[str]:
    """The code of each conversation, or the error."""
    found = []
    for _place, outcome in outcomes(fleet):
        if isinstance(outcome, Transcript):
            found.append(outcome.messages[0].content[-5:-1])
        else:
            found.append(str(outcome))
    return found


def wrong(fleet: Fleet) -> list[str]:
    failures = [one for _place, one in outcomes(fleet)]
    return [str(one) for one in failures if isinstance(one, TranscriptError)]


@pytest.mark.parametrize("name", ["chats.jsonl", "chats.jsonl.gz", "chats.ndjson.xz"])
def test_each_line_is_a_conversation_also_packed(tmp_path: Path, name: str) -> None:
    import lzma

    data = lines([chat(n) for n in range(120)])
    pack: dict[str, Any] = {".gz": gzip.compress, ".xz": lzma.compress}
    file = tmp_path / name
    file.write_bytes(pack.get(file.suffix, bytes)(data))
    found = outcomes(Fleet(file))
    assert [place for place, _one in found] == [Place(0, n, 1) for n in range(1, 121)]
    whole = load_file(data, name="chats.jsonl").transcripts
    assert [one.messages for _place, one in found] == [one.messages for one in whole]


def test_all_frames_of_zstandard_are_read_and_its_damage_is_a_sentence(
    tmp_path: Path,
) -> None:
    frames = []
    for first in (0, 60):
        data = lines([chat(first + n) for n in range(60)])
        frame = pa.BufferOutputStream()
        with pa.CompressedOutputStream(frame, "zstd") as stream:
            stream.write(data)
        frames.append(frame.getvalue().to_pybytes())
    file = tmp_path / "chats.jsonl.zst"
    file.write_bytes(b"".join(frames))
    assert [int(code) for code in codes(Fleet(file))] == list(range(120))
    file.write_bytes(frames[0] + frames[1][:-9])
    assert "cannot be read on from here" in codes(Fleet(file))[-1]


@pytest.mark.parametrize("packed", [".gz", ".xz", ".bz2", ".zst"])
def test_a_whole_file_that_is_damaged_is_a_sentence(
    tmp_path: Path, packed: str
) -> None:
    """A session of many lines is read whole; its middle is noise."""
    import bz2
    import lzma

    data = lines(chat(4, turns=3_000)["messages"])
    pack = {
        ".gz": gzip.compress,
        ".xz": lzma.compress,
        ".bz2": bz2.compress,
        ".zst": lambda data: pa.compress(data, "zstd", asbytes=True),
    }[packed](data)
    middle = len(pack) // 2
    noise = b"\xff" * 40
    file = tmp_path / f"session.jsonl{packed}"
    file.write_bytes(pack[:middle] + noise + pack[middle + 40 :])
    assert len(wrong(Fleet(file))) == 1


def test_each_row_of_parquet_is_a_conversation(tmp_path: Path) -> None:
    table = pa.Table.from_pylist([chat(n) for n in range(5)])
    parquet.write_table(table, tmp_path / "chats.parquet", row_group_size=2)
    assert codes(Fleet(tmp_path)) == ["0000", "0001", "0002", "0003", "0004"]


def test_rows_of_one_conversation_that_follow_each_other_are_joined(
    tmp_path: Path,
) -> None:
    (tmp_path / "log.jsonl").write_bytes(lines(message_rows([7, 3, 9])))
    found = outcomes(Fleet(tmp_path, mapping=TICKETS))
    assert [place.row for place, _one in found] == [1, 5, 9]
    assert codes(Fleet(tmp_path, mapping=TICKETS)) == ["0007", "0003", "0009"]


def test_rows_that_come_back_later_are_told_and_never_joined(tmp_path: Path) -> None:
    (tmp_path / "log.jsonl").write_bytes(lines(message_rows([7, 3, 7])))
    found = codes(Fleet(tmp_path, mapping=TICKETS))
    assert found[:2] == ["0007", "0003"]
    assert "log.jsonl, line 9: earlier rows" in found[2]
    assert "Sort the file" in found[2]


def test_a_broken_line_belongs_to_the_conversation_before_it(tmp_path: Path) -> None:
    rows: list[Any] = [*message_rows([7, 3, 9])]
    rows.insert(5, "{")
    (tmp_path / "log.jsonl").write_bytes(lines(rows))
    first, second, third = codes(Fleet(tmp_path, mapping=TICKETS))
    assert (first, third) == ("0007", "0009")
    assert "log.jsonl, line 6" in second


def test_the_conversation_before_the_damage_is_not_measured_as_whole(
    tmp_path: Path,
) -> None:
    file = tmp_path / "log.jsonl.gz"
    file.write_bytes(gzip.compress(lines(message_rows(range(3_000)))))
    file.write_bytes(file.read_bytes()[:-9])
    *others, last = codes(Fleet(tmp_path, mapping=TICKETS))
    assert [int(code) for code in others] == list(range(len(others)))
    assert "cannot be read on from here" in last
    small = codes(Fleet(tmp_path, mapping=TICKETS, sample=0.001))
    assert last in small


def test_a_conversation_of_too_many_rows_is_not_held_in_memory(tmp_path: Path) -> None:
    (tmp_path / "log.jsonl").write_bytes(lines(message_rows([7, 3, 3, 3, 9])))
    for limits in (Limits(messages=10), Limits(file_bytes=600)):
        first, second, third = codes(Fleet(tmp_path, mapping=TICKETS, limits=limits))
        assert (first, third) == ("0007", "0009")
        assert "log.jsonl, line 5: it holds more than the limit" in second


@pytest.mark.parametrize("rows", ["*", "traces.* | data.* | *"])
def test_rows_that_a_mapping_joins_wherever_they_stand_are_read_whole(
    tmp_path: Path, rows: str
) -> None:
    """Each message is a conversation by itself, until another of its session comes."""
    mapping = f"{TICKETS}rows: '{rows}'\n"
    log = message_rows([7, 3])[::2] + message_rows([7])[2:3]
    log[0], log[1] = log[1], log[0]
    (tmp_path / "log.jsonl").write_bytes(lines(log[:2] + message_rows([7])[:2]))
    outcome_count = len(outcomes(Fleet(tmp_path, mapping=mapping)))
    assert outcome_count == 1


def test_a_file_that_is_one_conversation_stays_one(tmp_path: Path) -> None:
    (tmp_path / "session.jsonl").write_bytes(lines(chat(4, turns=30)["messages"]))
    ((place, one),) = outcomes(Fleet(tmp_path))
    assert place == Place(0, 0, 1)
    assert isinstance(one, Transcript)
    assert len(one.messages) == 60


def test_other_files_of_a_folder_are_read_whole(tmp_path: Path) -> None:
    (tmp_path / "a.json").write_bytes(b"[" + lines([chat(1)]) + b"]")
    (tmp_path / "b.txt").write_text("User: Hello\nAssistant: Hi\n", encoding="utf-8")
    assert len(codes(Fleet(tmp_path))) == 2
    assert wrong(Fleet(tmp_path)) == []


HOSTILE = [
    chat(0), "{", "42", '"text"', "[]", "null", '{"messages": 5}', '{"messages": []}', "\x00\x01",
    '{"messages": [{"role": "assistant", "content": "alone"}]}', "[" * 5_000, chat(1),
    '{"messages": [{"role": "user"}]}', "NaN", chat(2),
]  # fmt: skip


def test_hostile_lines_are_sentences_and_the_others_are_read(tmp_path: Path) -> None:
    file = tmp_path / "hostile.jsonl"
    file.write_bytes(lines([chat(9)] * 60) + lines(HOSTILE) + b"\xff\xfe{\xe9}\n")
    found = codes(Fleet(file))
    assert found[:61] == ["0009"] * 60 + ["0000"]
    assert [one for one in found[61:] if len(one) == 4] == ["0001", "0002"]
    failures = wrong(Fleet(file))
    assert len(failures) == len(HOSTILE) + 1 - 3
    where = re.compile(r"hostile\.jsonl, (from )?line \d+")
    assert [one for one in failures if not where.search(one)] == []


def test_a_hostile_head_hides_no_conversation(tmp_path: Path) -> None:
    (tmp_path / "x.jsonl").write_bytes(lines([*HOSTILE, *map(chat, range(3, 40))]))
    found = codes(Fleet(tmp_path))
    assert [int(one) for one in found if len(one) == 4] == list(range(40))


def test_a_damaged_file_is_read_up_to_the_damage(tmp_path: Path) -> None:
    file = packed_chats(tmp_path / "cut.jsonl.gz", 3_000)
    whole = file.read_bytes()
    file.write_bytes(whole[: len(whole) // 2])
    packed_chats(tmp_path / "other.jsonl.gz", 1)
    found = codes(Fleet(tmp_path))
    assert found[0] == "0000"
    assert len(found) > 100
    (failure,) = wrong(Fleet(tmp_path))
    assert "cannot be read on from here" in failure
    assert found[-1] == "0000"


@pytest.mark.parametrize("name", ["x.parquet", "x.jsonl.gz", "x.jsonl", "x.json"])
def test_no_such_file_is_a_sentence(tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_bytes(b"\x00\x01 no such thing")
    (failure,) = wrong(Fleet(tmp_path))
    assert failure.startswith(f"{name.removesuffix('.gz')}")


def test_a_line_without_an_end_is_not_held_in_memory(tmp_path: Path) -> None:
    limits = Limits(file_bytes=2_000)
    file = tmp_path / "x.jsonl"
    file.write_bytes(lines([chat(0), chat(1), " " * 10_000 + "x", chat(2)]))
    found = codes(Fleet(file, limits=limits))
    assert found[:2] == ["0000", "0001"]
    assert "2,000 bytes" in found[2]
    assert found[3:] == ["0002"]


class TestSample:
    def test_it_is_the_same_each_time_and_another_by_another_seed(
        self, tmp_path: Path
    ) -> None:
        file = packed_chats(tmp_path / "chats.jsonl.gz", 2_000)
        first = codes(Fleet(file, sample=0.1, seed=1))
        assert first == codes(Fleet(file, sample=0.1, seed=1))
        assert first != codes(Fleet(file, sample=0.1, seed=2))
        assert 150 < len(first) < 250

    def test_a_smaller_one_is_a_part_of_a_larger_one(self, tmp_path: Path) -> None:
        file = packed_chats(tmp_path / "chats.jsonl.gz", 500)
        small = set(codes(Fleet(file, sample=0.1)))
        assert small < set(codes(Fleet(file, sample=0.5)))

    def test_it_chooses_conversations_of_whole_files_too(self, tmp_path: Path) -> None:
        rows = b",".join(lines([chat(n)]).strip() for n in range(200))
        (tmp_path / "chats.json").write_bytes(b"[" + rows + b"]")
        assert 5 < len(codes(Fleet(tmp_path, sample=0.1))) < 40

    def test_it_hides_no_damage_and_has_failures_in_its_share(
        self, tmp_path: Path
    ) -> None:
        file = packed_chats(tmp_path / "cut.jsonl.gz", 3_000)
        file.write_bytes(file.read_bytes()[:-9])
        (failure,) = wrong(Fleet(file, sample=0.001))
        assert "cannot be read on from here" in failure
        good = [chat(1)]
        bad = [{"messages": [{"role": "user"}]}] * 200
        (tmp_path / "chats.json").write_bytes(json.dumps(good + bad).encode())
        whole = Fleet(tmp_path / "chats.json")
        assert len(wrong(whole)) == 200
        assert 5 < len(wrong(replace(whole, sample=0.1))) < 40

    def test_files_of_one_name_have_samples_of_their_own(self, tmp_path: Path) -> None:
        first = packed_chats(tmp_path / "a" / "x.jsonl.gz", 200)
        second = packed_chats(tmp_path / "b" / "x.jsonl.gz", 200)
        places = [place for place, _ in outcomes(Fleet([first, second], sample=0.3))]
        rows = [{place.row for place in places if place.file == n} for n in (0, 1)]
        assert rows[0] != rows[1]

    @for_each("share", [0, -1, 1.1, float("nan")])
    def test_another_share_is_refused(self, share: float) -> None:
        with pytest.raises(ParameterError, match="sample"):
            Fleet("x", sample=share)
