"""Files that wait for a choice lie on disk, and not for ever."""

from __future__ import annotations

from memviz.dashboard.ui.library.waiting import WaitingFiles
from memviz.transcripts.background import NamedBytes

FILE = NamedBytes("talks.json", b"[]" * 50)


def test_a_file_is_found_by_its_secret_name_until_it_is_let_go() -> None:
    waiting = WaitingFiles()
    one, other = waiting.keep(FILE, None), waiting.keep(FILE, "json")
    assert one != other
    assert waiting.find(one) == (FILE, None)
    waiting.let_go(one)
    assert waiting.find(one) is None
    assert waiting.find(other) == (FILE, "json")
    assert waiting.find("../../etc/passwd") is None


def test_old_ones_go_by_time_and_by_size() -> None:
    late = WaitingFiles(kept_seconds=-1)
    assert late.find(late.keep(FILE, None)) is None
    small = WaitingFiles(kept_bytes=250)
    names = [small.keep(FILE, None) for _ in range(3)]
    assert [small.find(name) is not None for name in names] == [False, True, True]
