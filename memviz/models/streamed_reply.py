"""A reply put together from the chunks of a litellm stream."""

from __future__ import annotations

from typing import Any

from memviz.conversation import ToolCall, clean_text
from memviz.errors import BadRequestError, MalformedReplyError, ModelError, ServerError
from memviz.models.base import Reply, Usage
from memviz.models.prices import price


class StreamedReply:
    """What has arrived of the reply of ``model``. ``text`` grows with every chunk that is added."""

    def __init__(self, model: str) -> None:
        self.model = model
        self._pieces: list[str] = []
        self._calls: dict[int, dict[str, str]] = {}
        self._finish_reason: str | None = None
        self._last_usage: Any = None
        self._billed = False

    @property
    def text(self) -> str:
        """The text so far."""
        return "".join(self._pieces)

    def add(self, chunk: Any) -> str:
        """Take one chunk in and return its text."""
        self._last_usage = getattr(chunk, "usage", None) or self._last_usage
        if not chunk.choices:
            return ""
        choice = chunk.choices[0]
        self._finish_reason = choice.finish_reason or self._finish_reason
        for call in choice.delta.tool_calls or ():
            self._add_call(call)
        piece = clean_text(choice.delta.content or "")
        self._pieces.append(piece)
        return piece

    def _add_call(self, piece: Any) -> None:
        """A call comes in pieces: its id and name with the first of them, its arguments bit by bit."""
        call = self._calls.setdefault(piece.index, {"id": "", "name": "", "arguments": ""})
        call["id"] = call["id"] or piece.id or ""
        call["name"] = call["name"] or piece.function.name or ""
        call["arguments"] += piece.function.arguments or ""

    def end(self, stream: Any) -> ModelError | None:
        """Take in what only the finished litellm ``stream`` tells. Returns why this is no reply, or ``None``."""
        # litellm makes up what the server did not send: a finish reason "stop" and an estimated usage.
        marks = (getattr(stream, name, "stop") for name in ("received_finish_reason", "intermittent_finish_reason"))
        if not any(marks):
            self._finish_reason = None
        self._billed = any(getattr(chunk, "usage", None) for chunk in getattr(stream, "chunks", ()))
        return self._problem()

    def _problem(self) -> ModelError | None:
        model, something = self.model, bool(self._calls or self.text.strip())
        if something and self._finish_reason is None:
            return ServerError(f"Model {model} broke off in the middle of its answer: try again.", model=model)
        if something and all(call["name"] for call in self._calls.values()):
            return None
        if self._finish_reason == "content_filter":
            return BadRequestError(f"The provider of model {model} withheld the answer: rephrase it.", model=model)
        if self._finish_reason == "length":
            return MalformedReplyError(
                f"Model {model} reached its output limit before it wrote any text: allow it more output tokens.",
                model=model,
            )
        return MalformedReplyError(
            f"Model {model} sent an empty answer or none at all: try again, or check the base URL and the prefix.",
            model=model,
        )

    def reply(self) -> Reply:
        """The whole reply, its cost at list price."""
        calls = (
            ToolCall(clean_text(call["id"]), clean_text(call["name"]), clean_text(call["arguments"]) or "{}")
            for _, call in sorted(self._calls.items())
        )
        usage, cache_write_tokens = self._usage()
        known = price(self.model)
        cost_usd = known.cost_usd(usage, cache_write_tokens) if known and usage else None
        return Reply(self.text, tuple(calls), usage, cost_usd, self.model, self._finish_reason or "stop")

    def _usage(self) -> tuple[Usage | None, int]:
        """What the server billed, if it said so, and how many of its input tokens were written to the cache."""
        usage = self._last_usage
        if not self._billed or not usage.prompt_tokens:
            return None, 0
        details = usage.prompt_tokens_details
        cached = getattr(details, "cached_tokens", None) or 0
        written = getattr(details, "cache_creation_tokens", None) or 0
        return Usage(usage.prompt_tokens, usage.completion_tokens or 0, cached), written
