"""Lists of messages in the shape of the OpenAI chat API, its requests and its responses, and rows of such requests."""

from collections.abc import Mapping, Sequence
from typing import Any

from memviz.core.translation import Said, noop
from memviz.transcripts.base import Transcript
from memviz.transcripts.builder import TranscriptBuilder
from memviz.transcripts.chat_messages import content_text, read_saved_prompt
from memviz.transcripts.document import Document, PlacedValue, Reader, mismatch_error
from memviz.transcripts.import_notes import Refusal
from memviz.transcripts.readers.json_access import (
    list_at,
    object_at,
    objects_at,
    value_at,
)
from memviz.transcripts.readers.json_rows import (
    RowReader,
    add_messages,
    add_places,
    place_inside,
    tool_schemas,
)
from memviz.transcripts.readers.memviz_json import read_saved_texts
from memviz.transcripts.readers.role_lists import (
    FOREIGN_KEYS,
    are_messages,
    has_openai_message,
)
from memviz.transcripts.times import meta_with_time, moment, parse_first_moment

EXPECTED = noop("an object with a list of messages")
EXPECTED_LIST = noop("a list of messages, or one message a line,")


class OpenAIMessages(Reader):
    """A list of messages, or one message a line, with roles, tool calls or content that only this API knows."""

    name = "openai_messages"
    title = noop("OpenAI chat messages")

    def recognise(self, document: Document) -> bool:
        """A list of which at least half are messages with a role, and one has what only this API knows."""
        items = _find_items(document)
        return are_messages(items) and has_openai_message(items)

    def conversations(self, document: Document) -> Sequence[list[PlacedValue]]:
        """One conversation: all items."""
        if not _find_items(document):
            raise mismatch_error(EXPECTED_LIST, document)
        return [document.lines]

    def read(self, piece: list[PlacedValue], builder: TranscriptBuilder) -> Transcript:
        """The conversation that the items are, in order."""
        prompt = read_saved_prompt(piece[0][0]) if piece else None
        for item, place in piece[0 if prompt is None else 1 :]:
            builder.add_json(item, place)
        return builder.build(system_prompt=prompt)


class RoleContent(OpenAIMessages):
    """A list of messages with nothing but role and content, as many programs write it; or a list of such lists."""

    name = "role_content"
    title = noop("List of role and content")

    def recognise(self, document: Document) -> bool:
        """A list of which at least half are messages with a role, and nothing that only the OpenAI API knows; or a
        list of lists of messages."""
        items = _find_items(document)
        if items and all(isinstance(item, list) for item in items):
            return all(are_messages(item) for item in items)
        return are_messages(items) and not has_openai_message(items)

    def conversations(self, document: Document) -> Sequence[list[PlacedValue]]:
        """One conversation, or one for each inner list."""
        ((*items,),) = super().conversations(document)
        if not all(isinstance(item, list) for item, _ in items):
            return [items]
        return [add_places(inner, f"{place}, index") for inner, place in items]


def _find_items(document: Document) -> Sequence[Any]:
    """The items of a list or of lines; a file with a single message is one line."""
    return document.items or ([document.object] if "role" in document.object else [])


# What an object has beside its messages where it is of another kind: whatever there is under these keys,
OTHER_KINDS = frozenset(
    {
        "probes", "custom_id", "response", "chosen", "rejected", "preferred_output", "role", "agent_type",
        "projectHash", "loglines",
    }
)  # fmt: skip
# and a list or an object under these, as other values are settings of a request ("store": true).
OTHER_HOLDERS = frozenset(
    {
        "choices", "agents", "chat_messages", "chat_memory", "chat_store", "store", "chat", "mapping", "conversations",
        "history", "traj", "trajectory", "threads", "simulations",
    }
)  # fmt: skip
TIME_KEYS = ("held_at", "created_at", "created", "timestamp")


def is_request(row: Mapping[str, Any]) -> bool:
    """Return whether an object has messages in the shape of the OpenAI chat API, maybe none yet, and is nothing
    else."""
    messages = row.get("messages")
    if not isinstance(messages, list) or not OTHER_KINDS.isdisjoint(row):
        return False
    if any(isinstance(row.get(key), (list, dict)) for key in OTHER_HOLDERS):
        return False
    if "max_tokens" in row and isinstance(row.get("system"), (str, list)):
        return False  # it is of Anthropic's API
    is_sharegpt = isinstance(row.get("conversation"), list)
    return not is_sharegpt and (not messages or are_messages(messages))


def has_weights(messages: object) -> bool:
    """Return whether a message says whether to learn from it, as only fine-tuning does."""
    return any("weight" in item for item in objects_at(messages))


def read_request(
    row: Mapping[str, Any], place: str, builder: TranscriptBuilder
) -> dict[str, Any]:
    """Add the messages of an object; returns what else is known of the conversation."""
    prompt = read_saved_prompt(next(iter(list_at(row, "messages")), None))
    add_messages(row.get("messages"), place, builder, start=0 if prompt is None else 1)
    fields = {"system_prompt": prompt, **read_saved_texts(dict(row))}
    if row.get("system") and fields["system_prompt"] is None:
        note = builder.note_at(place_inside(place, "system"))
        fields["system_prompt"] = content_text(row["system"], note)
    held_at = parse_first_moment(row.get(key) for key in TIME_KEYS)
    return {**fields, "held_at": held_at, "tools": tool_schemas(row)}


class FinetuningRows(RowReader):
    """JSON lines, or a list, of objects with messages. The weight of a message stays in its ``meta``."""

    name = "finetuning"
    title = noop("Fine-tuning rows with messages")
    expected = noop("one object with messages a line")
    is_row = staticmethod(is_request)
    read_row = staticmethod(read_request)

    def recognise(self, document: Document) -> bool:
        """Rows that mostly have messages; a file that is one row has a message with a weight."""
        alone = document.object
        return super().recognise(document) and (
            not alone or has_weights(alone["messages"])
        )


class ChatRequest(FinetuningRows):
    """One object with messages; title, description, language, system_prompt, model and tools may be beside them."""

    name = "chat_request"
    title = noop("OpenAI chat request")

    def recognise(self, document: Document) -> bool:
        """An object with a list of messages, which is no row of fine-tuning and no other product's."""
        return is_request(document.object) and not has_weights(
            document.object["messages"]
        )

    def conversations(self, document: Document) -> Sequence[PlacedValue]:
        """One conversation: the object."""
        if not isinstance(document.object.get("messages"), list):
            raise mismatch_error(EXPECTED, document)
        return [(document.object, "")]


OTHER_CHOICES = noop("of {number} choices only the first was imported")
NO_CHOICE = Refusal(
    noop("it has no choice with a message."), noop("Choose one with a reply.")
)


def read_page(value: Mapping[str, Any]) -> list[Any]:
    """The items of a page of a list of the OpenAI API; none for anything else."""
    is_page = value.get("object") == "list" or "has_more" in value
    return list_at(value, "data") if is_page else []


def _has_message(choice: object) -> bool:
    return isinstance(value_at(choice, "message"), dict)


def is_response(row: Mapping[str, Any]) -> bool:
    """Return whether an object has choices, and the first of them has a message."""
    if "custom_id" in row or "probes" in row or not FOREIGN_KEYS.isdisjoint(row):
        return False
    return any(map(_has_message, list_at(row, "choices")[:1]))


def read_response(
    row: Mapping[str, Any], place: str, builder: TranscriptBuilder
) -> dict[str, Any]:
    """Add the reply of a response; returns what else is known of the conversation."""
    choices = add_places(list_at(row, "choices"), place_inside(place, "choices index"))
    choices.sort(key=lambda placed: value_at(placed[0], "index") != 0)
    replies = [placed for placed in choices if _has_message(placed[0])]
    if not replies:
        raise NO_CHOICE.error(place)
    if row.get("messages") is not None:
        add_messages(row["messages"], place, builder, "messages")
    choice, where = replies[0]
    reply = choice["message"]
    meta = {**meta_with_time(row.get("created")), **object_at(reply, "meta")}
    builder.add_json({**reply, "meta": meta}, where)
    if len(replies) > 1:
        builder.note(Said(OTHER_CHOICES, number=len(replies)), place)
    return {"held_at": moment(row.get("created"))}


class ChatResponse(RowReader):
    """One response, a list, lines or a page of them. The messages that were asked may be beside the choices."""

    name = "chat_response"
    title = noop("OpenAI chat response")
    expected = noop("an object with choices")
    is_row = staticmethod(is_response)
    read_row = staticmethod(read_response)

    def recognise(self, document: Document) -> bool:
        """Objects with choices that have a message, or a page of such."""
        data = read_page(document.object)
        if data:
            return all(is_response(object_at(item)) for item in data)
        return super().recognise(document)

    def conversations(self, document: Document) -> Sequence[PlacedValue]:
        """One conversation for each response."""
        data = read_page(document.object)
        if data:
            return add_places(data, "data index")
        return super().conversations(document)
