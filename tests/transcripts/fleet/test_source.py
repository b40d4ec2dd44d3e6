"""Conversations out of files that are read row by row: what is one, what is left out, and what cannot be read."""

from __future__ import annotations

import gzip
import re
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

    @pytest.mark.parametrize("share", [0, -1, 1.1, float("nan")])
    def test_another_share_is_refused(self, share: float) -> None:
        with pytest.raises(ParameterError, match="sample"):
            Fleet("x", sample=share)
