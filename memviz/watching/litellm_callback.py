"""A callback for litellm that keeps what a program's own calls said."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import Any

from litellm.integrations.custom_logger import CustomLogger

from memviz.transcripts.times import time_text
from memviz.watching.exchanges import Exchange
from memviz.watching.model_apis import APIS, read_wire
from memviz.watching.own_process import (
    BackgroundRecorder,
    find_conversation_id,
    write_json,
)

_API_OF_CALL = {
    "completion": "/chat/completions",
    "acompletion": "/chat/completions",
    "responses": "/responses",
    "aresponses": "/responses",
}


class LitellmCallback(CustomLogger):
    """Keeps the calls of litellm in the library: ``litellm.callbacks =
    [LitellmCallback()]``.

    A conversation is told by ``metadata={"session_id": ...}`` of a call, otherwise by its
    history. Nothing here raises: what cannot be kept is logged once.
    """

    def __init__(self, database: str | Path | None = None) -> None:
        """``database`` is the library's file: that of ``MEMVIZ_DB``, or ``memviz.db``
        here, unless it is given."""
        super().__init__()
        self._background = BackgroundRecorder("litellm", database)

    def log_success_event(
        self, kwargs: Any, response_obj: Any, start_time: Any, end_time: Any
    ) -> None:
        """Keep a call that was answered."""
        try:
            self._take(kwargs, response_obj, _time_of(start_time), _time_of(end_time))
        except Exception as error:
            self._background.complaints.tell(error)

    async def async_log_success_event(
        self, kwargs: Any, response_obj: Any, start_time: Any, end_time: Any
    ) -> None:
        """Keep a call that was answered."""
        self.log_success_event(kwargs, response_obj, start_time, end_time)

    def wait(self) -> None:
        """Return when everything so far is kept."""
        self._background.wait()

    def _take(
        self, call: Mapping[str, Any], response: Any, asked_at: str, answered_at: str
    ) -> None:
        ending = _API_OF_CALL.get(str(call.get("call_type")))
        if ending is None or response is None or call.get("cache_hit"):
            return
        options = call.get("optional_params") or {}
        asked = {**options, "model": call.get("model")}
        asked["messages"] = call.get("messages")
        asked["input"] = call.get("input")
        litellm_params = call.get("litellm_params") or {}
        conversation = find_conversation_id(litellm_params.get("metadata"))
        trace = str(call.get("litellm_call_id") or "")
        request = write_json(asked)
        reply = write_json(response)

        def read() -> Exchange:
            exchange = read_wire(APIS[ending], request, reply, "application/json")
            return replace(
                exchange,
                conversation=conversation,
                trace=trace,
                asked_at=asked_at,
                answered_at=answered_at,
            )

        self._background.keep(read, len(request) + len(reply))


def _time_of(moment: object) -> str:
    """Return a time of litellm, which is that of this machine without a zone, as ISO text;
    empty where it is none."""
    return time_text(moment.timestamp()) if isinstance(moment, datetime) else ""
