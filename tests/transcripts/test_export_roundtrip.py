"""What is exported and imported again says the same: every message, whatever is in it."""

import csv
import io
import json
import os
import re
import unicodedata
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from memviz.core.messages import Message, ToolCall
from memviz.transcripts import Transcript, load_transcript
from memviz.transcripts.export import EXPORTS
from memviz.transcripts.loading import load_file
from tests.tables import for_each
from tests.transcripts.sample_files import sample_files

# Pieces that a format could take for its own signs, beside any text at all.
PIECES = st.sampled_from([
    "```", "~~~~", "```python\n", "\n", "\r", "\r\n", "\n\n", "\t", " ", "\0", '"', "'", ",", ";", "\\", "=1+1",
    "+", "-", "@SUM(A1)", "\uff1d1", "\ufeff", "\u200e", "\u2028", "\x85", "\x0b", "User:", "**User:**",
    "\n**Assistant:** ", "## User", "\n# Title", "<!-- memviz: {\"role\": \"user\"} -->", "\n<!-- memviz: {}",
    "\\<!-- memviz:", "-->", "--", "\n---\n",
    "|", "{", "[", "]", "sep=;", "role,content", "<b>", "👩\u200d👧", "中", "\ud800", "\\ud83d",
])  # fmt: skip
CONTENTS = st.lists(PIECES | st.text(st.characters(), max_size=5), max_size=6).map(
    "".join
)
LABELS = st.none() | CONTENTS
CALLS = st.builds(
    lambda id, name, arguments: ToolCall.of(
        {"id": id, "name": name, "arguments": arguments}
    ),
    CONTENTS,
    CONTENTS.filter(bool),
    CONTENTS,
)
MESSAGES = st.builds(
    Message,
    st.sampled_from(["user", "assistant", "system", "tool"]),
    CONTENTS,
    LABELS,
    st.lists(CALLS, max_size=2).map(tuple),
    LABELS,
)
TRANSCRIPTS = st.builds(
    Transcript,
    st.lists(MESSAGES, min_size=1, max_size=5).map(tuple),
    CONTENTS,
    system_prompt=LABELS.map(
        lambda text: text if text is None else Message("system", text).content
    ),
)
TRAPS = (
    "", " ", "\n", "\r", "\r\n", "a\r", "\n\na\n\n", "```\nnever closed", "~~~\n```\n", "```\n", "text\n<!-- memviz: {",
    "\\\\<!-- memviz: x", "User: hi\nAssistant: ho", "# Title\n\n**User:** x", "=1", " =1", "'=1", "''", "'", "\0",
    "trailing \0\0 \n", "\ufeff=1", "\uff20SUM", "\tx", "\rx", 'a"b', "sep=;\n", "\u2028-", "<!--", "-->",
    "\x0b", "\u0085",
)  # fmt: skip
TRAPPED = Transcript(
    tuple(Message(("user", "assistant")[n % 2], text) for n, text in enumerate(TRAPS))
)
CALLING = Transcript(
    (
        Message("user", "Where?", name="Bob <b> --> \n x"),
        Message(
            "assistant",
            "",
            tool_calls=(
                ToolCall("c", "find-it", '{"q":\n "--> `x`"}'),
                ToolCall("", "=g", "free\0"),
            ),
        ),
        Message("tool", "12:00", tool_call_id="c", name=""),
        Message("tool", "orphan", tool_call_id=""),
    )
)


def _real_files():
    folders = [
        Path(os.environ.get("MEMVIZ_TEST_DATA", "")) / folder
        for folder in ("formats", "real")
    ]
    if not os.environ.get("MEMVIZ_TEST_DATA") or not all(
        folder.is_dir() for folder in folders
    ):
        reason = (
            "set MEMVIZ_TEST_DATA to the folder with formats/ and real/ to run these"
        )
        return [pytest.param(Path(), id="files", marks=pytest.mark.skip(reason=reason))]
    return [
        pytest.param(path, id=path.name)
        for folder in folders
        for path in sorted(folder.iterdir())
    ]


SAMPLES, REAL = sample_files(), _real_files()
PARTS = 4


def assert_all_come_back(data, name):
    for transcript in load_file(data, name=name).transcripts:
        for kind in EXPORTS:
            read = again(transcript, kind)
            where = (name, kind)
            assert bare(read) == bare(transcript), where
            assert read.system_prompt == transcript.system_prompt, where
            assert without_places(read) <= without_places(transcript), where


def without_places(transcript):
    """Return the warnings without places: what was left out of a file counts in its places, and is not written."""
    return {
        re.sub(r"(?:index|line) \d+", "place", text) for text in transcript.warnings
    }


def again(transcript, kind):
    text = EXPORTS[kind].write(transcript)
    return load_transcript(text.encode())


def bare(transcript):
    return tuple(
        Message(m.role, m.content, m.name, m.tool_calls, m.tool_call_id)
        for m in transcript.messages
    )


@given(transcript=TRANSCRIPTS)
@example(transcript=TRAPPED)
@example(transcript=CALLING)
@example(transcript=Transcript(CALLING.messages, system_prompt="```\nnever closed"))
@for_each("kind", EXPORTS)
def test_every_message_comes_back(kind, transcript):
    read = again(transcript, kind)
    assert bare(read) == bare(transcript)
    assert read.system_prompt == transcript.system_prompt


@pytest.mark.parametrize("part", range(PARTS))
def test_every_conversation_of_every_format_comes_back(part):
    for name in list(SAMPLES)[part::PARTS]:
        assert_all_come_back(SAMPLES[name], name)


@pytest.mark.slow
@pytest.mark.parametrize("path", REAL)
def test_real_conversations_come_back(path):
    assert_all_come_back(path.read_bytes(), path.name)


def test_a_system_message_of_the_conversation_stays_one():
    transcript = Transcript(
        (Message("system", "Speak French."), Message("user", "Hi")),
        system_prompt="Be brief.",
    )
    for kind in EXPORTS:
        read = again(transcript, kind)
        assert (bare(read), read.system_prompt) == (bare(transcript), "Be brief.")
    read = again(replace(transcript, system_prompt=None), "openai")
    assert (bare(read), read.system_prompt) == (bare(transcript), None)


def test_a_system_prompt_with_a_name_of_its_own_is_a_message():
    listed = [
        {"role": "system", "name": "guide", "content": "Be brief."},
        {"role": "user", "content": "Hi"},
    ]
    assert len(load_transcript(json.dumps(listed).encode()).messages) == 2


@for_each(
    ("kind", "format"),
    [
        ("memviz", "memviz"),
        ("openai", "openai_messages"),
        ("markdown", "markdown"),
        ("csv", "csv"),
    ],
)
def test_it_is_recognised_as_what_it_is(kind, format):
    assert again(CALLING, kind).format == format


def test_markdown_keeps_what_is_known_about_the_conversation():
    transcript = Transcript(
        TRAPPED.messages,
        "A <b>title</b> -- # *x*",
        description="Two\nlines",
        language="pt",
    )
    read = again(transcript, "markdown")
    assert (read.title, read.description, read.language) == (
        transcript.title,
        "Two\nlines",
        "pt",
    )
    assert read.warnings == ()


@settings(deadline=None)
@given(TRANSCRIPTS)
@example(TRAPPED)
@example(CALLING)
def test_no_cell_can_be_run_as_a_formula(transcript):
    for row in csv.reader(io.StringIO(EXPORTS["csv"].write(transcript), newline="")):
        assert len(row) == 6
        for cell in row:
            assert not cell.startswith(("\t", "\r", "\n"))
            seen = unicodedata.normalize(
                "NFKC", cell.strip(" \t\r\n\0\ufeff\u200e\u2028\u3000")
            )
            assert not seen.startswith(("=", "+", "-", "@"))


def test_every_cell_is_in_quotation_marks():
    text = EXPORTS["csv"].write(Transcript((Message("user", "a, b"),)))
    assert text == (
        '"position","role","name","content","tool_calls","tool_call_id"\r\n"0","user","","a, b","",""\r\n'
    )


def test_apostrophes_of_other_tables_stay():
    (message,) = load_transcript(b"role,content\nuser,'=1").messages
    assert message.content == "'=1"


def test_a_sorted_table_is_put_in_order_again():
    head, *rows = EXPORTS["csv"].write(CALLING).split("\r\n")
    assert bare(load_transcript("\r\n".join([head, *reversed(rows)]).encode())) == bare(
        CALLING
    )


@settings(deadline=None)
@given(TRANSCRIPTS)
@example(CALLING)
def test_json_is_strict_and_a_row_is_one_line(transcript):
    def refuse(name):
        raise AssertionError(name)

    row = EXPORTS["finetuning"].write(transcript)
    assert len(row.splitlines()) == 1
    assert json.loads(row, parse_constant=refuse) == {
        "messages": json.loads(
            EXPORTS["openai"].write(transcript), parse_constant=refuse
        )
    }


def test_meta_is_not_sent_along():
    message = Message("user", "hi", meta={"secret": float("nan")})
    assert all(
        "secret" not in EXPORTS[kind].write(Transcript((message,)))
        for kind in EXPORTS
        if kind != "memviz"
    )


def test_markdown_shows_names_and_calls_and_closes_what_is_left_open():
    transcript = Transcript(
        (
            Message("user", "See:\n```py\nx = 1", name="a*b"),
            Message(
                "assistant", "", tool_calls=(ToolCall("c", "find", '{"q": "`x`"}'),)
            ),
        ),
        title="My [chat]",
    )
    shown = [
        line
        for line in EXPORTS["markdown"].write(transcript).split("\n")
        if line and not line.startswith("<!--")
    ]
    assert shown == [
        r"# My \[chat\]",
        r"**User (a\*b):**",
        "See:",
        "```py",
        "x = 1",
        "```",
        '**Assistant:** calls `` find({"q": "`x`"}) ``',
    ]


def test_markdown_that_was_checked_out_with_other_line_ends():
    text = EXPORTS["markdown"].write(
        Transcript((Message("user", "a\nb\n"), Message("assistant", "c")))
    )
    read = load_transcript(text.replace("\n", "\r\n").encode())
    assert [message.content for message in read.messages] == ["a\nb\n", "c"]


def test_markdown_that_was_cut_off_says_so():
    text = EXPORTS["markdown"].write(
        Transcript((Message("user", "a"), Message("assistant", "b ZZ")))
    )
    read = load_transcript(text[: text.index(" ZZ")].encode())
    assert [message.content for message in read.messages] == ["a", "b"]
    assert read.warnings == (
        "the text ends before its end, so the last message may be cut off.",
    )


def test_a_marker_that_was_edited_is_named_with_its_line():
    text = EXPORTS["markdown"].write(
        Transcript((Message("user", "a"), Message("assistant", "b")))
    )
    read = load_transcript(text.replace('"role": "user"', "role: user").encode())
    assert [message.content for message in read.messages] == ["b"]
    assert "line 4 has a marker of memviz that cannot be read" in read.warnings[0]


@for_each("kind", EXPORTS)
def test_what_utf_8_cannot_hold_is_replaced(kind):
    call = ToolCall("\ud800", "f\udfff", "\ud800")
    transcript = Transcript(
        (Message("assistant", "", tool_calls=(call,)),), title="\ud800"
    )
    EXPORTS[kind].write(transcript).encode()


def test_each_export_has_a_title_a_suffix_and_a_media_type():
    for title, suffix, mime, write in EXPORTS.values():
        assert title
        assert suffix.startswith(".")
        assert "/" in mime
        assert callable(write)
    assert list(EXPORTS) == ["memviz", "openai", "finetuning", "markdown", "csv"]


def test_no_text_can_close_the_comment_that_it_is_kept_in():
    hostile = "x --><script>alert(1)</script><!-- --!> -"
    call = ToolCall(hostile, hostile, hostile)
    message = Message(
        "assistant", "", name=hostile, tool_calls=(call,), tool_call_id=hostile
    )
    text = EXPORTS["markdown"].write(
        Transcript((message,), title=hostile, description=hostile)
    )
    comments = [line for line in text.split("\n") if line.startswith("<!-- memviz: ")]
    assert len(comments) == 3
    for comment in comments:
        inside = comment.removeprefix("<!-- ").removesuffix(" -->")
        assert not set("<>-") & set(inside)
