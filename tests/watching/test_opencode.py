"""The library of opencode, as it fills row by row."""

from __future__ import annotations

from pathlib import Path

from memviz.watching.opencode import OpencodeLibrary
from tests.watching.growing import (
    add_row,
    begin_opencode,
    keeper_in,
    kept,
    opencode_rows,
)


def test_a_session_that_fills_row_by_row_is_kept_whole(tmp_path: Path) -> None:
    path = tmp_path / "opencode.db"
    begin_opencode(path)
    keeper = keeper_in(tmp_path)
    library = OpencodeLibrary(path, keeper)
    for number, (table, row) in enumerate(opencode_rows()):
        add_row(path, table, row)
        library.read_on()
        if number % 4 == 1:
            library = OpencodeLibrary(path, keeper)
    messages = kept(keeper, "opencode/ses_1")
    assert [one.role for one in messages] == [
        "user", "assistant", "tool", "assistant", "user", "assistant", "user", "assistant",
    ]  # fmt: skip
    assert "3,600 euros" in messages[0].content
    assert [one.name for one in messages[1].tool_calls] == ["bash"]
    assert messages[2].content.strip() == "hello from the tool"
    assert messages[2].tool_call_id == messages[1].tool_calls[0].id
    watched = keeper.store.find_watched("opencode/ses_1")
    assert watched is not None
    assert watched.state["context_tokens"] == 1027
    assert not OpencodeLibrary(tmp_path / "none.db", keeper).read_on()
    (tmp_path / "broken.db").write_bytes(b"SQLite format 3\x00" + b"x" * 5000)
    assert not OpencodeLibrary(tmp_path / "broken.db", keeper).read_on()
