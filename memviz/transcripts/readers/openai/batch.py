"""Files of the OpenAI batch API: the requests that go in, or the responses that come out, one a line."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from memviz.errors import TranscriptError
from memviz.transcripts.base import Transcript
from memviz.transcripts.builder import TranscriptBuilder
from memviz.transcripts.document import Document, Reader
from memviz.transcripts.json_text import describe
from memviz.transcripts.readers.json_rows import Row, inside, most_rows, row_object, rows, text_of
from memviz.transcripts.readers.openai.chat_request import read_request
from memviz.transcripts.readers.openai.chat_response import read_response
from memviz.transcripts.readers.openai.response_objects import read_exchange

# What a body is told by, and how it is read; a response to what was asked has both kinds of keys.
READERS: dict[str, Callable[[Mapping[str, Any], str, TranscriptBuilder], dict[str, Any]]] = {
    "choices": read_response,
    "output": read_exchange,
    "messages": read_request,
    "input": read_exchange,
}
AGAIN = "Send this request again."


class OpenAIBatch(Reader):
    """Rows with a ``custom_id``, each a conversation whose title that is: requests of the chat API or the Responses
    API, or their responses."""

    name = "openai_batch"
    title = "OpenAI batch file"

    def recognise(self, document: Document) -> bool:
        """Rows that mostly have a custom_id with a response or a body."""
        return most_rows(document, _is_row)

    def conversations(self, document: Document) -> Sequence[Row]:
        """One conversation for each row."""
        return rows(document, "rows with a custom_id")

    def read(self, piece: Row, builder: TranscriptBuilder) -> Transcript:
        """What was asked, or what was answered. Raises :class:`TranscriptError` for a request that failed."""
        row, place = row_object(*piece), piece[1]
        body, where = _body(row, place)
        key = next((key for key in READERS if isinstance(body.get(key), (list, str))), None)
        if key is None:
            reason = f"its body is no conversation, found {describe(body)}."
            raise TranscriptError(reason, place=where, remedy="Choose the batch of a chat or of responses.")
        known = READERS[key](body, where, builder)
        return builder.build(**{"title": text_of(row, "custom_id"), **known})


def _is_row(row: Mapping[str, Any]) -> bool:
    if not isinstance(row.get("custom_id"), (str, int)):
        return False
    return "response" in row or isinstance(row.get("body"), dict) or isinstance(row.get("error"), dict)


def _body(row: Mapping[str, Any], place: str) -> tuple[dict[str, Any], str]:
    """The body of a row and where it is; a response counts before a request. Raises for one that failed."""
    response = row.get("response")
    answered = response.get("body") if isinstance(response, dict) else None
    body = answered if "response" in row else row.get("body")
    error = row.get("error") or (answered.get("error") if isinstance(answered, dict) else None)
    if error or not isinstance(body, dict):
        raise TranscriptError(f"this request has no response: {_reason(error)}.", place=place, remedy=AGAIN)
    return body, inside(place, "response" if "response" in row else "body")


def _reason(error: object) -> str:
    if isinstance(error, dict):
        error = text_of(error, "message") or text_of(error, "code")
    return error.strip().rstrip(".")[:200] if isinstance(error, str) and error.strip() else "no reason is given"
