"""The conversations of a file as a table, from which those to import are chosen."""

from collections.abc import Sequence
from typing import Any

import pandas as pd
import streamlit as st

from memviz.core.conversation import Log
from memviz.core.counters import DEFAULT_COUNTER
from memviz.core.translation import _
from memviz.dashboard.guide.glossary import tooltip
from memviz.transcripts.loading import LoadedFile


def table_of(loaded: LoadedFile, tokens: Sequence[int]) -> pd.DataFrame:
    """Return a row a conversation."""
    held_at = [transcript.held_at for transcript in loaded.transcripts]
    logs = [Log(transcript.messages) for transcript in loaded.transcripts]
    turns = [log.turn_count for log in logs]
    requests = [log.request_count for log in logs]
    columns: dict[str, Any] = {
        "title": [transcript.title for transcript in loaded.transcripts]
    }
    if any(held_at):
        columns["date"] = pd.Series(held_at, dtype="datetime64[us, UTC]")
    columns["turns"] = turns
    if requests != turns:
        columns["requests"] = requests
    columns["messages"] = [len(each.messages) for each in loaded.transcripts]
    columns["tokens"] = tokens
    columns["notes"] = [len(each.warnings) for each in loaded.transcripts]
    return pd.DataFrame(columns)


def columns_of_table() -> dict[str, Any]:
    """Return the heads of its columns, and how their values are shown."""
    number = st.column_config.NumberColumn
    return {
        "title": st.column_config.TextColumn(_("Title"), width="large"),
        "date": st.column_config.DatetimeColumn(_("Date"), format="YYYY-MM-DD"),
        "turns": number(_("Turns"), format="localized", help=tooltip("turn")),
        "requests": number(
            _("Requests"),
            format="localized",
            help=_("Calls of the model: several in a turn with tools."),
        ),
        "messages": number(_("Messages"), format="localized", help=tooltip("message")),
        "tokens": number(
            _("Tokens"),
            format="localized",
            help=_(
                "{tokens} With tool calls, counted by {counter}.",
                tokens=tooltip("token"),
                counter=DEFAULT_COUNTER,
            ),
        ),
        "notes": number(
            _("Notes"),
            help=_(
                "What had to be repaired or left out. The notes come with the conversation."
            ),
        ),
    }
