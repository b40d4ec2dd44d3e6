"""A callback handler for LangChain that keeps what a program's own models said."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from time import time
from typing import Any
from uuid import UUID

from langchain_core.callbacks import BaseCallbackHandler

from memviz.core.messages import Message
from memviz.core.recently_used import RecentlyUsed
from memviz.transcripts.times import time_text
from memviz.watching.exchanges import (
    CACHE_READ_TOKENS,
    CACHE_WRITE_TOKENS,
    INPUT_TOKENS,
    OUTPUT_TOKENS,
    Exchange,
    read_usage,
)
from memviz.watching.own_process import (
    BackgroundRecorder,
    find_conversation_id,
    write_json,
)

MOST_OPEN = 1_000
"""Requests that were not answered yet; the oldest are forgotten."""


class LangChainHandler(BaseCallbackHandler):
    """Keeps the requests of LangChain's models in the library:
    ``model.invoke(messages, config={"callbacks": [LangChainHandler()]})``.

    A conversation is told by ``session_id``, ``thread_id`` or ``conversation_id`` among
    the metadata, otherwise by its history. Nothing here raises: what cannot be kept is
    logged once.
    """

    def __init__(self, database: str | Path | None = None) -> None:
        """``database`` is the library's file: that of ``MEMVIZ_DB``, or ``memviz.db``
        here, unless it is given."""
        self._background = BackgroundRecorder("langchain", database)
        self._open: RecentlyUsed[UUID, Exchange] = RecentlyUsed(MOST_OPEN)

    def on_chat_model_start(
        self,
        serialized: Any,
        messages: Sequence[Sequence[Any]],
        *,
        run_id: UUID,
        parent_run_id: UUID | None = None,
        metadata: Mapping[str, Any] | None = None,
        **others: Any,
    ) -> None:
        """Remember what a chat model is asked, until it has answered."""
        try:
            prompt = tuple(map(Message.of, messages[0]))
            options = others.get("invocation_params") or {}
            tools = tuple(
                write_json(tool).decode() for tool in options.get("tools") or ()
            )
            trace = str(parent_run_id or run_id)
            request = Exchange(
                prompt,
                (),
                find_conversation_id(metadata),
                trace,
                tools=tools,
                asked_at=time_text(time()),
            )
        except Exception as error:
            self._background.complaints.tell(error)
            return
        self._open.put(run_id, request)

    def on_llm_end(self, response: Any, *, run_id: UUID, **others: Any) -> None:
        """Keep what was asked and answered."""
        request = self._open.get(run_id)
        self._open.remove(run_id)
        if request is None:
            return
        try:
            answer = response.generations[0][0].message
            reply = (Message.of(answer),)
            metadata = getattr(answer, "response_metadata", None) or {}
            model = str(metadata.get("model_name") or metadata.get("model") or "")
            usage = _read_usage(getattr(answer, "usage_metadata", None) or {})
        except Exception as error:
            self._background.complaints.tell(error)
            return
        exchange = replace(
            request,
            reply=reply,
            usage=usage,
            model=model,
            answered_at=time_text(time()),
        )
        messages = (*exchange.sent, *exchange.reply)
        size_bytes = sum(len(message.content) for message in messages)
        self._background.keep(lambda: exchange, size_bytes)

    def on_llm_error(
        self, error: BaseException, *, run_id: UUID, **others: Any
    ) -> None:
        """Forget what was asked: nobody answered it."""
        self._open.remove(run_id)

    def wait(self) -> None:
        """Return when everything so far is kept."""
        self._background.wait()


def _read_usage(counts: Mapping[str, Any]) -> dict[str, int]:
    details = counts.get("input_token_details") or {}
    return read_usage(
        {
            INPUT_TOKENS: counts.get("input_tokens"),
            OUTPUT_TOKENS: counts.get("output_tokens"),
            CACHE_READ_TOKENS: details.get("cache_read"),
            CACHE_WRITE_TOKENS: details.get("cache_creation"),
        }
    )
