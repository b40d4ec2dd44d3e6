"""The schemas of the tools that a request offers the model: they are sent, and billed, with every call."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from memviz.transcripts.readers.json_access import list_at, object_at

TOOL_LISTS = ("tools", "functions")
"""Where requests of OpenAI, Anthropic, Google and Cohere have them."""
DECLARATIONS = ("functionDeclarations", "function_declarations")
"""Where one tool of Google holds several functions."""


def tool_schemas(request: Mapping[str, Any]) -> tuple[str, ...]:
    """Each schema as compact JSON text, as it stands in ``request`` (under ``toolConfig`` for Amazon Bedrock), without
    what OpenAI wraps around a function; none where there are none. What is no object is passed over."""
    holders = (request, object_at(request.get("toolConfig")))
    listed = (
        tool
        for holder in holders
        for key in TOOL_LISTS
        for tool in list_at(holder, key)
    )
    return tuple(
        json.dumps(schema, ensure_ascii=False, separators=(",", ":"))
        for tool in listed
        for schema in _functions(tool)
    )


def _functions(tool: object) -> Iterator[dict[str, Any]]:
    found = object_at(tool)
    declared = [schema for key in DECLARATIONS for schema in list_at(found, key)]
    schemas = declared or [object_at(found, "function") or found]
    yield from (schema for schema in schemas if isinstance(schema, dict) and schema)
