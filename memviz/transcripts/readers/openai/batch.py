"""Files of the OpenAI batch API: the requests that go in, or the responses that come out, one a line."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from memviz.core.errors import TranscriptError
from memviz.transcripts.builder import TranscriptBuilder
from memviz.transcripts.json_text import describe
from memviz.transcripts.readers.json_access import text_at, value_at
from memviz.transcripts.readers.json_rows import RowReader, inside
from memviz.transcripts.readers.openai.chat import read_request, read_response
from memviz.transcripts.readers.openai.responses import read_exchange

# The key that shows what kind a body is, and how it is read. A response may repeat what was asked, so its keys come
# before those of requests.
READERS: dict[
    str, Callable[[Mapping[str, Any], str, TranscriptBuilder], dict[str, Any]]
] = {
    "choices": read_response,
    "output": read_exchange,
    "messages": read_request,
    "input": read_exchange,
}
AGAIN = "Send this request again."


class OpenAIBatch(RowReader):
    """Rows with a ``custom_id``, each a conversation whose title that is: requests of the chat API or the Responses
    API, or their responses."""

    name = "openai_batch"
    title = "OpenAI batch file"
    expected = "rows with a custom_id"

    def is_row(self, row: dict[str, Any]) -> bool:
        """Return whether a row has a custom_id with a response or a body."""
        if not isinstance(row.get("custom_id"), (str, int)):
            return False
        return (
            "response" in row
            or isinstance(row.get("body"), dict)
            or isinstance(row.get("error"), dict)
        )

    def read_row(
        self, row: dict[str, Any], place: str, builder: TranscriptBuilder
    ) -> dict[str, Any]:
        """Add what was asked, or what was answered. Raises :class:`TranscriptError` for a request that failed."""
        body, where = _body(row, place)
        key = next(
            (key for key in READERS if isinstance(body.get(key), (list, str))), None
        )
        if key is None:
            reason = f"its body is no conversation, found {describe(body)}."
            raise TranscriptError(
                reason,
                place=where,
                remedy="Choose the batch of a chat or of responses.",
            )
        return {
            "title": text_at(row, "custom_id"),
            **READERS[key](body, where, builder),
        }


def _body(row: Mapping[str, Any], place: str) -> tuple[dict[str, Any], str]:
    """The body of a row and where it is; a response counts before a request. Raises for one that failed."""
    answered = value_at(row, "response", "body")
    body = answered if "response" in row else row.get("body")
    error = row.get("error") or value_at(answered, "error")
    if error or not isinstance(body, dict):
        raise TranscriptError(
            f"this request has no response: {_reason(error)}.",
            place=place,
            remedy=AGAIN,
        )
    return body, inside(place, "response" if "response" in row else "body")


def _reason(error: object) -> str:
    reason = (
        error
        if isinstance(error, str)
        else text_at(error, "message") or text_at(error, "code")
    )
    return reason.strip().rstrip(".")[:200] if reason.strip() else "no reason is given"
