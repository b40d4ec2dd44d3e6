"""The content blocks of Anthropic's Messages API, which its products write to files as well."""

from collections.abc import Mapping

from memviz.transcripts.builder import TranscriptBuilder
from memviz.transcripts.chat_messages import Note, stand_in
from memviz.transcripts.readers.blocks import (
    Block,
    Part,
    Result,
    Text,
    Thought,
    Vocabulary,
    add_parts,
    make_result,
    read_call_block,
    show_json,
    show_kind,
    show_nothing,
)
from memviz.transcripts.readers.citations import meta_of_citations
from memviz.transcripts.readers.json_access import (
    as_list,
    first_text,
    first_under,
    join_lines,
    json_text,
    object_at,
    text_at,
    value_at,
)

CALLS = frozenset({"tool_use", "server_tool_use", "mcp_tool_use"})
THOUGHTS = frozenset({"thinking", "redacted_thinking"})
MARKS = frozenset({"token_budget", "flag", "fallback"})
"""Blocks in which a program notes something for itself."""
FILES = {
    "image": "image",
    "document": "file",
    "container_upload": "file",
    "local_resource": "file",
}
COMPACTION = "compaction"
"""A block with the summary that stands for all messages before it."""
RESULT_ENDING = "_tool_result"
"""The ending of results of the API's own tools, such as ``web_search_tool_result``."""
OWN_KINDS = (
    CALLS
    | THOUGHTS
    | {
        "tool_result",
        "document",
        "search_result",
        "container_upload",
        COMPACTION,
    }
)
"""The kinds that only this API has."""


def is_own_block(block: object) -> bool:
    """Return whether a content block is of a kind that only this API has."""
    kind = text_at(block, "type")
    return kind in OWN_KINDS or kind.endswith(RESULT_ENDING)


def _read_file(block: Block, note: Note, words: Vocabulary) -> str:
    """Return a stand-in such as "[file: plan.pdf]" with the file's text, where that is there, and what was written
    beside it."""
    name = first_under(block, "title", "file_name", "name")
    source = object_at(block, "source")
    content = source.get("content")
    if source.get("type") == "text":
        content = source.get("data")
    text = ""
    if isinstance(content, (str, list)):
        text = words.text(content, note)
    label = stand_in(FILES[words.kind_of(block)], name)
    return join_lines([label, text, text_at(block, "context")])


def _read_other(block: Block, note: Note, words: Vocabulary) -> str:
    """Return the text of a block of an unknown kind; of one without a text the kind in brackets."""
    has_text = isinstance(block.get("text"), str)
    if has_text or isinstance(block.get("content"), (str, list, dict)):
        return Text()(block, note, words)
    if words.kind_of(block):
        return show_kind(block, note, words)
    return show_json(block, note, words)


OUTPUT = Text(("stdout", "stderr"))
TITLED = Text(("title", "url"))
RESULT = Result("tool_use_id", "content", ("is_error", True))


def _read_result(block: Block, note: Note, words: Vocabulary) -> list[Part]:
    """Return the result of a tool; threads of Amp have it as ``{"toolUseID": ..., "run": {"result": ...}}``."""
    if "run" not in block:
        return RESULT(block, note, words)
    result = value_at(block, "run", "result")
    error = value_at(block, "run", "error")
    content = first_text(result, "content", "output") or json_text(result)
    text = content or first_text(error, "message") or json_text(error)
    failed = True if error else None
    return [make_result(block.get("toolUseID"), text, is_error=failed)]


BLOCKS = Vocabulary(
    {
        "text": Text(),
        **dict.fromkeys(CALLS, read_call_block),
        **dict.fromkeys(THOUGHTS, Thought(("thinking",))),
        "tool_result": _read_result,
        **dict.fromkeys(FILES, _read_file),
        **dict.fromkeys(MARKS, show_nothing),
        "web_search_result": TITLED,
        "web_search_tool_result_error": Text(("error_code",)),
        "search_result": Text(("title", "source")),
        "knowledge": TITLED,
        "tool_reference": Text(("tool_name",)),
        "rich_link": TITLED,
        "voice_note": Text(("title",)),
        "code_execution_result": OUTPUT,
        "bash_code_execution_result": OUTPUT,
    },
    endings={RESULT_ENDING: RESULT},
    other=_read_other,
)


def _is_compaction(block: object) -> bool:
    return text_at(block, "type") == COMPACTION


def add_blocks(
    role: str,
    content: object,
    builder: TranscriptBuilder,
    place: str,
    meta: Mapping[str, str],
    more: str = "",
) -> None:
    """Add a message of content blocks, with ``more`` text that came with it.

    In a reply, a block of compaction is an event before the message, and the sources that blocks cite are kept beside
    it.
    """
    note = builder.note_at(place)
    blocks = as_list(content)
    beside = {}
    if role == "assistant":
        beside = meta_of_citations(blocks, note)
        compactions = list(filter(_is_compaction, blocks))
        for block in compactions:
            builder.add_event("compaction", text_at(block, "content"))
        if compactions:
            blocks = [block for block in blocks if not _is_compaction(block)]
    parts = BLOCKS.parts(blocks, note, role)
    if more:
        parts.append(Part("text", more))
    add_parts(builder, role, parts, place, meta=meta, beside=beside)
