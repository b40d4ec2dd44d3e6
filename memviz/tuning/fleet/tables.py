"""The columns of the tables of a sweep over a fleet.

They hold numbers and hashes, and no text of a conversation; only failures have sentences.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pyarrow as pa

SCHEMA_VERSION = 1
"""Raise it when a column changes its name or its meaning."""
MARK = "memviz_batch"
"""The name of the metadata of a Parquet file that has the mark of its batch."""
PLACE = {"file": pa.int32(), "row": pa.int64(), "number": pa.int32()}
"""The number of the file (0-based, in the order in which files are read), of the row in it (1-based; 0 in a file that
is read whole), and of the conversation there (1-based)."""
CONVERSATIONS = {
    **PLACE,
    "conversation": pa.string(),
    "setting": pa.int32(),
    "messages": pa.int32(),
    "turns": pa.int32(),
    "requests": pa.int32(),
    "sent_tokens": pa.int64(),
    "peak_tokens": pa.int64(),
    "reply_tokens": pa.int64(),
    "cached_tokens": pa.int64(),
    "summarizer_tokens": pa.int64(),
    "usd": pa.float64(),
    "uncached_usd": pa.float64(),
    "main_usd": pa.float64(),
    "summarizer_usd": pa.float64(),
    "facts": pa.int32(),
    "known_facts": pa.int32(),
    "contradicted_facts": pa.int32(),
    "lost_facts": pa.int32(),
    "retention": pa.float64(),
    "final_retention": pa.float64(),
    "summarizations": pa.int32(),
    "failed_summarizations": pa.int32(),
    "over_budget_requests": pa.int32(),
    "orphaned_requests": pa.int32(),
    "refused_requests": pa.int32(),
    "thrashes": pa.bool_(),
}
"""One row a conversation and setting. ``conversation`` is a hash of its messages; facts are those known, contradicted
and lost in the last request."""
REQUESTS = {
    **PLACE,
    "setting": pa.int32(),
    "request": pa.int32(),
    "turn": pa.int32(),
    "sent_tokens": pa.int64(),
    "shared_tokens": pa.int64(),
    "reply_tokens": pa.int64(),
    "usd": pa.float64(),
    "facts": pa.int32(),
    "retained_facts": pa.int32(),
}
"""One row a request. ``shared_tokens`` are those that the request before began with as well."""
FAILURES = {**PLACE, "setting": pa.int32(), "error": pa.string()}
"""One row for each conversation that could not be read, and for each setting that could not be run over one (then
``setting`` is its number)."""
SETTINGS = {
    "setting": pa.int32(),
    "strategy": pa.string(),
    "label": pa.string(),
    "parameters": pa.string(),
}
"""One row a setting, its parameters as JSON."""
TABLES = {
    "conversations": CONVERSATIONS,
    "requests": REQUESTS,
    "failures": FAILURES,
    "settings": SETTINGS,
}


def make_table(
    name: str, rows: Sequence[Mapping[str, Any]], mark: str = ""
) -> pa.Table:
    """Return ``rows`` as the table of this name, with the mark of its batch.

    Columns that a row lacks, and NaN, become null, over which averages in SQL pass.
    """
    columns = TABLES[name]
    arrays = []
    for column, kind in columns.items():
        values = [row.get(column) for row in rows]
        if kind == pa.float64():
            # Only NaN is not equal to itself.
            values = [value if value == value else None for value in values]
        arrays.append(pa.array(values, kind))
    metadata = {"memviz_schema": str(SCHEMA_VERSION), MARK: mark}
    return pa.table(arrays, schema=pa.schema(columns.items(), metadata=metadata))
