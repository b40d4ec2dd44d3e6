"""The OpenAI Responses API: lists of items, pages of them, requests, and responses; and batches of any API."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from memviz.core.errors import TranscriptError
from memviz.core.translation import Said, _, noop
from memviz.transcripts.base import Transcript
from memviz.transcripts.builder import TranscriptBuilder
from memviz.transcripts.document import Document, PlacedValue, Reader, mismatch_error
from memviz.transcripts.import_notes import Refusal
from memviz.transcripts.json_text import describe, kind_of
from memviz.transcripts.readers.json_access import (
    first_text,
    object_at,
    objects_at,
    text_at,
    value_at,
)
from memviz.transcripts.readers.json_rows import (
    About,
    RowReader,
    add_places,
    are_mostly,
    place_inside,
    require_object,
    rows,
    tool_schemas,
)
from memviz.transcripts.readers.openai.chat import (
    read_page,
    read_request,
    read_response,
)
from memviz.transcripts.readers.openai.response_items import (
    MESSAGE_OBJECTS,
    RESULTS,
    ItemReader,
    are_items,
)
from memviz.transcripts.readers.role_lists import are_messages
from memviz.transcripts.times import moment

RESPONSES = frozenset({"response", "response.compaction"})
OTHER_KINDS = frozenset(
    {
        "messages",
        "custom_id",
        "preferred_output",
        "chosen",
        "rejected",
        "probes",
        "choices",
        "payload",
        "role",
        "type",
    }
)
# Keys of requests to the APIs for embeddings and speech, which have an input and a model as well.
NO_REQUEST = OTHER_KINDS | {
    "encoding_format",
    "dimensions",
    "voice",
    "response_format",
    "output",
}
ASKS = ("model", "instructions", "previous_response_id")
ABOUT = About(held_at=("created_at",), system_prompt=("instructions",))
NO_REASON = "no reason is given"
CONTINUES = noop(
    "what was said before the response that it continues is not in the file"
)
BRANCHES = noop(
    "what was said before the response that it continues is in another conversation of this file"
)
FAILED = Refusal(
    noop("this response failed: {reason}."), noop("Send the request again.")
)
NO_LIST = Refusal(
    noop("the {key} is {kind}, not a list."), noop("Correct it, or remove it.")
)
NO_RESPONSE = Refusal(
    noop("this request has no response: {reason}."), noop("Send this request again.")
)
NO_CONVERSATION = Refusal(
    noop("its body is no conversation, found {found}."),
    noop("Choose the batch of a chat or of responses."),
)
OTHER_MODELS = ("embed", "moderation", "tts")
EXPECTED = noop("a list of items, a request or a response")
ONE_PAGE = noop("this is one page of several: the others are not in the file")


class Items(NamedTuple):
    """The items of one conversation in their order, and whether the API has more of them."""

    rows: list[PlacedValue]
    has_more: bool = False


class Chain(NamedTuple):
    """Requests and responses of which each continues the one before; ``is_branch``: the first continues a response of
    another chain."""

    rows: list[PlacedValue]
    is_branch: bool


LAST_EVENTS = frozenset(
    {"response.completed", "response.incomplete", "response.failed"}
)


class OpenAIResponses(Reader):
    """Items of one conversation as a list, lines or a page; or requests and responses, each a conversation."""

    name = "openai_responses"
    title = noop("OpenAI Responses items")

    def recognise(self, document: Document) -> bool:
        """Items with types or parts that only this API knows, or objects that hold such items."""
        page = read_page(document.object)
        if page:
            return are_items(page) or are_messages(page)
        if "items" in document.object:
            return _holds_items(document.object)
        return (
            are_items(document.items)
            or are_mostly(document, _is_exchange)
            or bool(_read_streamed(document))
        )

    def conversations(self, document: Document) -> Sequence[Chain | Items]:
        """One conversation: all items; or one for each request or response, with those that continue it."""
        page = read_page(document.object)
        streamed = _read_streamed(document)
        if page:
            rows_of_page = sort_items(add_places(page, "data index"), is_page=True)
            return [Items(rows_of_page, document.object.get("has_more") is True)]
        if _holds_items(document.object):
            return [Items(add_places(document.object["items"], "items index"))]
        if streamed or are_mostly(document, _is_exchange) or document.object:
            return _chain_exchanges(streamed or rows(document, ""), document)
        if not document.items:
            raise mismatch_error(EXPECTED, document)
        return [Items(sort_items(document.placed, is_page=False))]

    def read(self, piece: Chain | Items, builder: TranscriptBuilder) -> Transcript:
        """The messages that the items make, in order."""
        if isinstance(piece, Chain):
            return builder.build(**_read_chain(piece, builder))
        if piece.has_more:
            builder.note(ONE_PAGE)
        ItemReader(builder).add_all(piece.rows)
        return builder.build()


def _chain_exchanges(placed: Sequence[PlacedValue], document: Document) -> list[Chain]:
    """Return the requests and responses of each conversation: one whose ``previous_response_id`` is the id of the last
    response of a conversation goes on with it. One that failed, or that cannot be read, is refused alone, and what
    continues it goes on with the conversation that it would belong to."""
    refused = _find_unreadable_places(placed, document)
    ids = {text_at(row, "id") for row, place in placed if place not in refused} - {""}
    chains: list[Chain] = []
    chain_after: dict[str, Chain] = {}
    for row, place in placed:
        before = text_at(row, "previous_response_id")
        has_failed = _has_failed(row)
        chain = None if has_failed else chain_after.pop(before, None)
        if place in refused:
            chains.append(Chain([(row, place)], is_branch=False))
        else:
            if chain is None:
                chain = Chain([], is_branch=before in ids)
                chains.append(chain)
            chain.rows.append((row, place))
        id = text_at(row, "id")
        if id and chain is not None:
            chain_after[id] = chain
    return chains


def _find_unreadable_places(
    placed: Sequence[PlacedValue], document: Document
) -> set[str]:
    """Return the places of requests and responses that cannot be read. Of those that neither continue another nor are
    continued the ones that failed are enough: they are read, or refused, alone."""
    continued = {text_at(row, "previous_response_id") for row, _place in placed} - {""}
    refused = set()
    for row, place in placed:
        is_linked = bool(text_at(row, "previous_response_id"))
        is_linked = is_linked or text_at(row, "id") in continued
        is_broken = is_linked and not _can_be_read(row, place, document)
        if is_broken or _has_failed(row):
            refused.add(place)
    return refused


def _can_be_read(row: object, place: str, document: Document) -> bool:
    """Return whether a request or a response is a conversation by itself."""
    builder = TranscriptBuilder(document.limits, user=document.user)
    try:
        read_exchange(require_object(row, place), place, builder)
        builder.build()
    except TranscriptError:
        return False
    return True


def _has_failed(row: object) -> bool:
    return isinstance(value_at(row, "error"), dict) and not value_at(row, "output")


def _read_chain(chain: Chain, builder: TranscriptBuilder) -> dict[str, Any]:
    """Add what was asked and answered; returns what else is known of the conversation, each from the first that says
    it."""
    fields: dict[str, Any] = {}
    for number, (row, place) in enumerate(chain.rows):
        exchange = require_object(row, place)
        if number or chain.is_branch:
            # The response that it continues is in the file.
            exchange = {**exchange, "previous_response_id": None}
        said_before = {key: value for key, value in fields.items() if value}
        fields = {**read_exchange(exchange, place, builder), **said_before}
    if chain.is_branch:
        builder.note(BRANCHES, chain.rows[0][1])
    return fields


def _is_exchange(value: Mapping[str, Any]) -> bool:
    return is_response_object(value) or is_request_object(value)


def _holds_items(value: Mapping[str, Any]) -> bool:
    """Return whether an object is what a conversation is made with: items, and nothing that a program keeps with
    them."""
    return are_items(value.get("items")) and "session" not in value


def _read_streamed(document: Document) -> list[PlacedValue]:
    """The whole responses that end the events of a stream; none for a file of anything else."""
    if not are_mostly(document, _is_event):
        return []
    return [
        (item["response"], place)
        for item, place in rows(document, "events")
        if text_at(item, "type") in LAST_EVENTS and object_at(item, "response")
    ]


def _is_event(row: Mapping[str, Any]) -> bool:
    is_event = text_at(row, "type").startswith("response.")
    return is_event and ("sequence_number" in row or "response" in row)


def sort_items(placed: list[PlacedValue], *, is_page: bool) -> list[PlacedValue]:
    """The items, oldest first. The pages of the OpenAI API come newest first unless one asks for the opposite.

    A page does not say its order. Times in the items do, and so does a call with its result; where neither is there,
    the page is newest first, but for plain messages of the chat API, which come oldest first.
    """
    objects = objects_at([item for item, _ in placed])
    newest_first = _is_newest_first_by_times(objects)
    if newest_first is None and is_page:
        newest_first = _is_newest_first_by_calls(objects)
    if newest_first is None and is_page:
        newest_first = any(
            "type" in item or text_at(item, "object") in MESSAGE_OBJECTS
            for item in objects
        )
    return placed[::-1] if newest_first else placed


def _is_newest_first_by_times(items: Sequence[dict[str, Any]]) -> bool | None:
    times = [moment(item.get("created_at")) for item in items]
    known_times = list(filter(None, times))
    return (
        known_times[0] > known_times[-1]
        if known_times and known_times[0] != known_times[-1]
        else None
    )


def _is_newest_first_by_calls(items: Sequence[dict[str, Any]]) -> bool | None:
    """Return whether a result stands before its call; ``None`` where no result has a call."""
    first: dict[str, bool] = {}  # id of a call -> whether its result came first
    for item in items:
        id = text_at(item, "call_id")
        is_result = text_at(item, "type") in RESULTS
        if id and first.setdefault(id, is_result) != is_result:
            return first[id]
    return None


def is_response_object(value: Mapping[str, Any]) -> bool:
    """Return whether an object is a response: it says so, or its output is items."""
    if not OTHER_KINDS.isdisjoint(value) or not isinstance(value.get("output"), list):
        return False
    return text_at(value, "object") in RESPONSES or are_items(value["output"])


def is_request_object(value: Mapping[str, Any]) -> bool:
    """Return whether an object asks for a response: an input that is text or items, with a model or instructions."""
    if not NO_REQUEST.isdisjoint(value) or not first_text(value, *ASKS):
        return False
    input = value.get("input")
    if isinstance(input, str):
        return not any(name in text_at(value, "model") for name in OTHER_MODELS)
    return are_items(input) or are_messages(input)


def read_exchange(
    value: Mapping[str, Any], place: str, builder: TranscriptBuilder
) -> dict[str, Any]:
    """Add what was asked and what was answered; returns what else is known of the conversation.

    Raises :class:`TranscriptError` for a response that failed.
    """
    items = []
    for key in ("instructions", "input", "output"):
        items += _list_items(value, key, place)
    if _has_failed(value):
        raise FAILED.error(place, reason=_reason_of_error(value["error"]))
    if text_at(value, "previous_response_id"):
        builder.note(CONTINUES, place)
    details = value.get("incomplete_details")
    if isinstance(details, dict):
        why = text_at(details, "reason")[:60] or NO_REASON
        builder.note(Said("the reply is incomplete ({reason})", reason=why), place)
    ItemReader(builder).add_all(items)
    return {**ABOUT.read(value), "tools": tool_schemas(value)}


def _list_items(value: Mapping[str, Any], key: str, place: str) -> list[PlacedValue]:
    """The items under a key, each with its place; a text is what the user asked."""
    items = value.get(key)
    if isinstance(items, str):
        message = {"role": "user", "content": items}
        return [(message, place_inside(place, key))] if key == "input" else []
    if items is None or isinstance(items, list):
        return add_places(items or [], place_inside(place, f"{key} index"))
    raise NO_LIST.error(place, key=key, kind=_(kind_of(items)))


# The key that shows what kind a body is, and how it is read. A response may repeat what was asked, so its keys come
# before those of requests.
BODIES: dict[
    str, Callable[[Mapping[str, Any], str, TranscriptBuilder], dict[str, Any]]
] = {
    "choices": read_response,
    "output": read_exchange,
    "messages": read_request,
    "input": read_exchange,
}


class OpenAIBatch(RowReader):
    """Rows with a ``custom_id``, each a conversation whose title that is: requests of the chat API or the Responses
    API, or their responses."""

    name = "openai_batch"
    title = noop("OpenAI batch file")
    expected = noop("rows with a custom_id")

    def is_row(self, row: dict[str, Any]) -> bool:
        """Return whether a row has a custom_id with a response or a body."""
        if not isinstance(row.get("custom_id"), (str, int)):
            return False
        return "response" in row or any(
            isinstance(row.get(key), dict) for key in ("body", "error")
        )

    def read_row(
        self, row: dict[str, Any], place: str, builder: TranscriptBuilder
    ) -> dict[str, Any]:
        """Add what was asked, or what was answered. Raises :class:`TranscriptError` for a request that failed."""
        kind = "response" if "response" in row else "body"
        answered = value_at(row, "response", "body")
        body = answered if kind == "response" else row.get("body")
        error = row.get("error") or value_at(answered, "error")
        if error or not isinstance(body, dict):
            raise NO_RESPONSE.error(place, reason=_reason_of_error(error))
        for key, read_body in BODIES.items():
            if isinstance(body.get(key), (list, str)):
                fields = read_body(body, place_inside(place, kind), builder)
                return {"title": text_at(row, "custom_id"), **fields}
        raise NO_CONVERSATION.error(place_inside(place, kind), found=describe(body))


def _reason_of_error(error: object) -> str:
    reason = error if isinstance(error, str) else first_text(error, "message", "code")
    return reason.strip().rstrip(".")[:200] or NO_REASON
