"""What Open WebUI keeps in the text of a reply: between what was said, ``<details>`` of thoughts and tool calls."""

from __future__ import annotations

import html
import json
import re
from collections.abc import Iterator
from typing import Any, NamedTuple

from memviz.transcripts.readers.replies import Reply, json_text

KINDS = frozenset({"reasoning", "tool_calls", "code_interpreter"})
CODE_TOOL = "code_interpreter"
END = "</details>"
_START = re.compile(r"<details\b([^<>]*)>")
_ATTRIBUTE = re.compile(r'([\w-]+)="([^"]*)"')
_SUMMARY = re.compile(r"\A\s*<summary>[^<]*</summary>")
_FENCE = re.compile(r"\A```\w*\n|\n?```\Z")


class Details(NamedTuple):
    """One element that Open WebUI wrote: its attributes, and the text in it without the summary."""

    attributes: dict[str, str]
    body: str


def pieces(content: str) -> Iterator[str | Details]:
    """The texts and the elements of a reply in order. Any other markup is text."""
    said_from = at = 0
    while start := _START.search(content, at):
        attributes = dict(_ATTRIBUTE.findall(start[1]))
        end = content.find(END, start.end())
        if end < 0:
            break
        at = start.end()
        if attributes.get("type") in KINDS:
            yield content[said_from : start.start()]
            yield Details(attributes, html.unescape(_SUMMARY.sub("", content[start.end() : end])).strip())
            said_from = at = end + len(END)
    yield content[said_from:]


def read_content(content: str, reply: Reply) -> None:
    """Give a reply what its text holds. Calls with nothing but white space between them are of one step."""
    found = list(pieces(content))
    is_parallel = False
    for piece in found:
        if isinstance(piece, str):
            text = piece if len(found) == 1 else piece.strip()
            reply.text(text)
            is_parallel = is_parallel and not text
        elif piece.attributes["type"] == "reasoning":
            reply.think(_unquoted(piece.body))
            is_parallel = False
        else:
            _read_call(piece, reply, is_parallel)
            is_parallel = True


def _read_call(details: Details, reply: Reply, is_parallel: bool) -> None:
    values = {key: _decoded(html.unescape(value)) for key, value in details.attributes.items()}
    id, is_done = details.attributes.get("id"), details.attributes.get("done") != "false"
    if details.attributes["type"] == CODE_TOOL:
        reply.call(id, CODE_TOOL, {"code": _FENCE.sub("", details.body)}, is_parallel=is_parallel)
        result, name = values.get("output"), CODE_TOOL
    else:
        name = html.unescape(details.attributes.get("name", ""))
        reply.call(id, name, values.get("arguments") or {}, is_parallel=is_parallel)
        result = values["result"] if "result" in values else _decoded(details.body)
    if is_done and name:
        reply.result(id, json_text(result), name)


def _decoded(text: str) -> Any:
    """The value of a JSON text; any other text is itself."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return text


def _unquoted(text: str) -> str:
    """Lines without the marks of a quotation."""
    return "\n".join(re.sub(r"^> ?", "", line) for line in text.split("\n"))
