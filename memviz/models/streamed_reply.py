"""A reply put together from the chunks of a litellm stream."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any
from uuid import uuid4

from memviz.core.bounds import is_whole_number
from memviz.core.messages import ToolCall, clean_text
from memviz.core.model_errors import (
    BadRequestError,
    MalformedReplyError,
    ModelError,
    ServerError,
)
from memviz.core.translation import _, noop
from memviz.models.base import Reply, Usage
from memviz.models.prices import price
from memviz.models.redaction import AlteredSecrets

MOST_HELD_CHARS = 4096
"""The most text that is held back: one that begins like a key over and over is shown all the same, concealed."""

HALF_A_CALL = noop(
    "Model {model} reached its output limit before it completed a tool call: allow it more output tokens."
)
NO_TEXT = noop(
    "Model {model} reached its output limit before it wrote any text: allow it more output tokens."
)


class ConcealedStream:
    """Gives a text as it arrives, without ``secrets``. What may be the beginning of one is held back until it is known
    whether it is, in ordinary texts next to nothing."""

    def __init__(self, secrets: AlteredSecrets) -> None:
        self._secrets = secrets
        self._shown_letters = ""
        """The last letters that were shown: a secret may have begun in them."""
        self._held = ""
        """The text that is held back."""

    def add(self, piece: str) -> str:
        """Take in one more piece; return what may be shown by now."""
        self._held += piece
        if len(self._held) > MOST_HELD_CHARS:
            return self._show(len(self._held))
        return self._show(self._secrets.open_from(self._shown_letters, self._held))

    def rest(self) -> str:
        """The text that was held back, concealed, now that nothing follows."""
        return self._show(len(self._held))

    def _show(self, end: int) -> str:
        visible_text = self._secrets.conceal(
            self._held[:end], before=self._shown_letters
        )
        letters = self._shown_letters + self._secrets.letters(self._held[:end])
        longest = self._secrets.longest
        self._shown_letters = letters[-longest:] if longest else ""
        self._held = self._held[end:]
        return visible_text


_NO_SECRETS = AlteredSecrets(())
_BREAKS_OFF = frozenset({"length", "content_filter"})
"""Finish reasons of a model that was stopped wherever it was, if need be within a tool call."""


@dataclass(slots=True)
class _StreamedCall:
    """One tool call, as far as it has arrived."""

    index: int
    id: str = ""
    name: str = ""
    arguments: str = ""

    def add(self, piece: Any) -> None:
        """A call comes in pieces: its id and name with the first of them, its arguments bit by bit."""
        self.id = self.id or piece.id or ""
        self.name = self.name or piece.function.name or ""
        self.arguments += piece.function.arguments or ""

    def ends_before(self, piece: Any) -> bool:
        """Return whether ``piece``, though it has the index of this call, begins another one."""
        # Without a name a new id tells nothing: some servers make one up for each piece.
        if not (self.name and piece.function.name):
            return False
        if self.id or piece.id:
            return bool(self.id and piece.id and self.id != piece.id)
        return bool(self.name != piece.function.name) or self.is_whole

    @property
    def is_whole(self) -> bool:
        """True if the arguments are complete JSON."""
        try:
            json.loads(self.arguments)
        except (ValueError, RecursionError):
            return False
        return True


class _StreamedCalls(list[_StreamedCall]):
    """The tool calls of a reply, in the order in which they began."""

    def add(self, piece: Any) -> None:
        """Put ``piece`` where it belongs. Compatible servers are loose with the index: some give every call
        the same one or none, which litellm makes 0, so the id and the name have a say too."""
        same_index = [call for call in self if call.index == piece.index]
        same_id = [call for call in same_index if piece.id and call.id == piece.id]
        call = next(reversed(same_id or same_index), None)
        if call is None or call.ends_before(piece):
            call = _StreamedCall(piece.index)
            self.append(call)
        call.add(piece)

    def finished(self) -> Iterator[ToolCall]:
        """The calls, each with an id of its own: results are paired with them by id alone."""
        ids: set[str] = set()
        for call in self:
            id = clean_text(call.id)
            if not id or id in ids:
                # Nine letters and digits: the only shape that Mistral takes, and good for all.
                id = uuid4().hex[:9]
            ids.add(id)
            arguments = clean_text(call.arguments) if call.arguments.strip() else "{}"
            yield ToolCall(id, clean_text(call.name), arguments)


class StreamedReply:
    """The reply of ``model``, as far as it has arrived. ``text`` grows with every chunk
    that is added. A server may repeat ``secrets`` that it was sent: they are concealed
    in all that is handed on."""

    def __init__(self, model: str, secrets: AlteredSecrets = _NO_SECRETS) -> None:
        self.model = model
        self._secrets = secrets
        self._arriving = ConcealedStream(secrets)
        self._pieces: list[str] = []
        self._calls = _StreamedCalls()
        self._finish_reason: str | None = None
        self._last_usage: Any = None
        self._billed = False
        self._disbelieved = 0

    @property
    def text(self) -> str:
        """The text so far."""
        return "".join(self._pieces)

    def add(self, chunk: Any) -> str | None:
        """Take one chunk in and return its text: the empty text while the model thinks, ``None`` where there is none.

        A stream that gives nothing while the model thinks could not be left before the answer begins."""
        self._last_usage = getattr(chunk, "usage", None) or self._last_usage
        if not chunk.choices:
            return None
        choice = chunk.choices[0]
        self._finish_reason = choice.finish_reason or self._finish_reason
        for call in choice.delta.tool_calls or ():
            self._calls.add(call)
        piece = self._arriving.add(clean_text(choice.delta.content or ""))
        self._pieces.append(piece)
        thinks = bool(getattr(choice.delta, "reasoning_content", None))
        return piece if piece or thinks else None

    def rest(self) -> str:
        """The end of the text, which was held back because a key might have begun in it."""
        self._pieces.append(self._arriving.rest())
        return self._pieces[-1]

    def end(self, stream: Any) -> ModelError | None:
        """Take in what only the finished litellm ``stream`` tells. Returns why this is no reply, or ``None``."""
        # litellm makes up what the server did not send: a finish reason "stop" and an estimated usage. What came from
        # the server stands in these attributes alone.
        received = getattr(stream, "received_finish_reason", "stop")
        intermittent = getattr(stream, "intermittent_finish_reason", "stop")
        if not (received or intermittent):
            self._finish_reason = None
        chunks = getattr(stream, "chunks", ())
        self._billed = any(getattr(chunk, "usage", None) for chunk in chunks)
        return self._find_problem()

    def _find_problem(self) -> ModelError | None:
        """Return why what arrived is no whole reply, or ``None``."""
        model = self.model
        has_content = bool(self._calls or self.text.strip())
        # A server that went away gave no reason for the end.
        if has_content and self._finish_reason is None:
            return ServerError(
                _(
                    "Model {model} broke off in the middle of its answer: try again.",
                    model=model,
                ),
                model=model,
            )
        # A text that was cut off can be read, while arguments of a tool that were cut off are no JSON.
        breaks_off = self._finish_reason in _BREAKS_OFF
        is_call_cut = breaks_off and not all(call.is_whole for call in self._calls)
        if has_content and not is_call_cut:
            return self._find_nameless_call()
        if self._finish_reason == "content_filter":
            return BadRequestError(
                _(
                    "The provider of model {model} withheld the answer: rephrase it.",
                    model=model,
                ),
                model=model,
            )
        if self._finish_reason == "length":
            sentence = HALF_A_CALL if is_call_cut else NO_TEXT
            cut_off = MalformedReplyError(_(sentence, model=model), model=model)
            cut_off.at_output_limit = True
            return cut_off
        return MalformedReplyError(
            _(
                "Model {model} sent an empty answer or none at all: try again, or check the base URL and the "
                "prefix.",
                model=model,
            ),
            model=model,
        )

    def _find_nameless_call(self) -> ModelError | None:
        if all(call.name for call in self._calls):
            return None
        return MalformedReplyError(
            _(
                "Model {model} called a tool with an empty name: try again, or choose another model.",
                model=self.model,
            ),
            model=self.model,
        )

    def reply(self) -> Reply:
        """The whole reply, its cost at list price."""
        calls = tuple(map(self._without_secrets, self._calls.finished()))
        finish_reason = self._secrets.conceal(self._finish_reason or "stop")
        # Some servers say one of these where OpenAI says tool_calls.
        if calls and finish_reason in ("stop", "function_call"):
            finish_reason = "tool_calls"
        usage, cache_write_tokens = self._usage()
        list_price = price(self.model)
        cost_usd = None
        if list_price and usage:
            cost_usd = list_price.cost_usd(usage, cache_write_tokens)
        return Reply(
            self.text,
            calls,
            usage,
            cost_usd,
            self.model,
            finish_reason,
            disbelieved_cached_tokens=self._disbelieved,
        )

    def _without_secrets(self, call: ToolCall) -> ToolCall:
        conceal = self._secrets.conceal
        return ToolCall(conceal(call.id), conceal(call.name), conceal(call.arguments))

    def _usage(self) -> tuple[Usage | None, int]:
        """The usage that the server billed, if it said so, and how many of its input
        tokens were written to the cache."""
        usage = self._last_usage
        if not self._billed or not usage.prompt_tokens:
            return None, 0
        details = usage.prompt_tokens_details
        input_tokens = usage.prompt_tokens
        output_tokens = usage.completion_tokens or 0
        cached_tokens = getattr(details, "cached_tokens", None) or 0
        written_tokens = getattr(details, "cache_creation_tokens", None) or 0
        numbers = (input_tokens, output_tokens, cached_tokens, written_tokens)
        # Anything else is no bill, and the tokens are counted.
        if not all(is_whole_number(tokens) and tokens >= 0 for tokens in numbers):
            return None, 0
        # No more can be read from the cache than was sent: then the whole input is billed as fresh.
        if cached_tokens + written_tokens > input_tokens:
            self._disbelieved = cached_tokens + written_tokens
            cached_tokens = 0
            written_tokens = 0
        usage_billed = Usage(input_tokens, output_tokens, cached_tokens)
        return usage_billed, written_tokens
