"""Stores what running programs say in the library, as ordinary conversations.

All receivers end here: ``recorder`` appends messages of exchanges (:meth:`Keeper.append`), the
readers of session files write what a file has more (:meth:`Keeper.write`). Secrets are
concealed first. The library decides in one transaction what is new, so several processes
may watch the same session.
"""

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, replace
from hashlib import blake2b
from pathlib import Path
from typing import Any

from memviz.core.messages import Message, clean_text
from memviz.models.base import Usage
from memviz.storage.store import Store
from memviz.storage.watched import Growth, WatchedConversation, WatchState
from memviz.transcripts.base import RecordedEvent
from memviz.watching.secrets import Secrets

RECENT_KEYS = 512
"""The number of newest messages that are recognised when they are given once more."""
MAX_MESSAGE_CHARS = 5_000_000
"""The rest of a longer message is cut off: no model reads that much."""
MAX_KEY_CHARS = 300
TITLE_CHARS = 80
AnyMessage = Message | Mapping[str, Any]


class Keeper:
    """Keeps what running programs say in one library.

    Threads and processes may share a library: each batch is one transaction, whole or
    not at all, and what was given before is not added again.
    """

    def __init__(self, store: Store, redact: Sequence[str] = ()) -> None:
        """``redact`` are regular expressions of what is concealed beside the known
        shapes of keys and passwords. Raises :class:`memviz.ConfigError`."""
        self.store = store
        self._secrets = Secrets(redact)

    def append(
        self,
        source: str,
        conversation_id: str,
        messages: Iterable[AnyMessage],
        *,
        keys: Sequence[str] | None = None,
        usage: Usage | None = None,
        compaction: RecordedEvent | None = None,
        title: str = "",
        system_prompt: str | None = None,
        tools: Sequence[str] = (),
        model: str = "",
    ) -> WatchedConversation | None:
        """Append the new ones of ``messages`` to the conversation that ``source`` calls
        ``conversation_id``, and begin it if there is none.

        Args:
            source: The program or the way it came: "otlp", "proxy", "codex".
            conversation_id: The conversation's name there; any text.
            messages: In order. They may begin with messages that were given before, as
                each request to a model does: the newest 512 are recognised, and the
                messages behind the last of them are new.
            keys: The id of each message, if the source has ids; otherwise a message is
                recognised by its role, its text and its calls.
            usage: The tokens of the last request, as the provider counted them.
            compaction: The program compacted its memory before the new messages; the
                library sets its position.
            title, system_prompt, tools, model: Facts about the conversation. Those that
                are left out stay as they are.

        Returns:
            The stored conversation, ``None`` if its user deleted it.

        Raises:
            StorageError: The library cannot be written; nothing was added.
            MessageError: One of the values is no message; nothing was added.
        """
        concealed = [self.conceal_message(Message.of(message)) for message in messages]
        known_by = list(map(digest_of, concealed)) if keys is None else list(keys)
        about = self._conceal_about(
            {"title": title, "system_prompt": system_prompt, "tools": tools}
        )
        facts: WatchState = {}
        if usage is not None:
            facts["usage"] = asdict(usage)
        if model:
            facts["model"] = model[:MAX_KEY_CHARS]

        def plan(kept: WatchedConversation | None) -> Growth | None:
            recent: list[str] = list(kept.state.get("keys", ())) if kept else []
            start = find_first_new(recent, known_by)
            has_news = start < len(concealed) or facts or about
            if kept is not None and not has_news:
                return None
            count = kept.message_count if kept else 0
            new = known_by[start:]
            state: WatchState = {**facts, "source": source}
            if new:
                state["keys"] = [*recent, *new][-RECENT_KEYS:]
            events = []
            if compaction is not None and (new or not kept):
                event = self.conceal_event(compaction)
                events.append(replace(event, after_message=count))
            return Growth(count, concealed[start:], state, events, about=about)

        return self.store.grow_watched(key_of(source, conversation_id), plan)

    def write(
        self, key: str, growth: Growth, offset: int
    ) -> WatchedConversation | None:
        """Add what was read of a file up to byte ``offset`` to the conversation of this
        key. A second process that has read less of the file changes nothing."""
        concealed = self._conceal_growth(growth)

        def plan(kept: WatchedConversation | None) -> Growth | None:
            place = kept.state.get("place", {}) if kept else {}
            is_same_file = place.get("file") == growth.state["place"]["file"]
            if is_same_file and place.get("end", -1) >= offset:
                return None
            return concealed

        return self.store.grow_watched(key, plan)

    def write_rows(self, key: str, growth: Growth) -> WatchedConversation | None:
        """Add what was read of a source that changes in place (a database, a rewritten
        file) to the conversation of this key."""
        concealed = self._conceal_growth(growth)
        return self.store.grow_watched(key, lambda kept: concealed)

    def _conceal_growth(self, growth: Growth) -> Growth:
        messages = list(map(self.conceal_message, growth.messages))
        events = list(map(self.conceal_event, growth.events))
        about = self._conceal_about(growth.about)
        return replace(growth, messages=messages, events=events, about=about)

    def key_of_session(
        self,
        program: str,
        name: str,
        path: Path,
        begins_alike: Callable[[WatchedConversation], bool],
    ) -> str:
        """Return the key of a session: its program and name, and also its folder if the
        library has another session of that name.

        Two sessions of one name are the same if their folders are equal, or if
        ``begins_alike`` says so of the stored one: the folder may have been moved.
        """
        key = key_of(program, name)
        watched = self.store.find_watched(key)
        folder = folder_of(path)
        if (
            watched is None
            or watched.state.get("folder") == folder
            or begins_alike(watched)
        ):
            return key
        return key_of(program, f"{name} ({folder})")

    def digests_of(self, kept: WatchedConversation, start: int, stop: int) -> list[str]:
        """Return the digests of the messages that the library has at these positions."""
        return list(map(digest_of, self.store.said(kept.id, start, stop)))

    def conceal_message(self, message: Message) -> Message:
        """Return the message without secrets, and cut if it is very long."""
        # A key that is cut in half would not be recognised, so secrets go first.
        message = self._secrets.conceal_in(message)
        if len(message.content) > MAX_MESSAGE_CHARS:
            cut = f"{message.content[:MAX_MESSAGE_CHARS]} […]"
            message = replace(message, content=cut)
        return message

    def conceal_event(self, event: RecordedEvent) -> RecordedEvent:
        """Return the event without secrets."""
        return replace(event, text=self._secrets.conceal(event.text))

    def _conceal_about(self, about: Mapping[str, Any]) -> dict[str, Any]:
        """Return the fields of a transcript that have a value, without secrets."""
        filled_fields = {name: value for name, value in about.items() if value}
        conceal = self._secrets.conceal
        if "title" in filled_fields:
            title = conceal(_shorten_title(filled_fields["title"]))
            filled_fields["title"] = title[:TITLE_CHARS]
        if "system_prompt" in filled_fields:
            filled_fields["system_prompt"] = conceal(filled_fields["system_prompt"])
        if "tools" in filled_fields:
            filled_fields["tools"] = tuple(map(conceal, filled_fields["tools"]))
        return filled_fields


def find_first_words(messages: Iterable[Message]) -> str:
    """Return the first words of the user; empty if there are none."""
    for message in messages:
        if message.role == "user" and message.content.strip():
            return message.content
    return ""


def _shorten_title(title: str) -> str:
    """Return the beginning of a title, up to the end of a word. It is longer than the title
    may be, which is cut once its secrets are concealed: half a key is not recognised."""
    beginning = title[: 4 * TITLE_CHARS]
    if len(title) > len(beginning):
        beginning = beginning.rpartition(" ")[0] or beginning
    return " ".join(beginning.split())


def folder_of(path: Path) -> str:
    """Return a digest of the folder that a file is in."""
    return digest_bytes(os.fsencode(path.parent.absolute()))


def digest_bytes(data: bytes) -> str:
    """Return a digest of bytes that name something, such as a folder."""
    return blake2b(data, digest_size=8).hexdigest()


def key_of(source: str, conversation_id: str) -> str:
    """Return the key of a watched conversation; a very long name is a digest of it."""
    conversation_id = clean_text(conversation_id)  # file names may be no UTF-8
    if len(conversation_id) > MAX_KEY_CHARS:
        conversation_id = blake2b(conversation_id.encode(), digest_size=16).hexdigest()
    return f"{source}/{conversation_id}"


def digest_of(message: Message) -> str:
    """Return the digest by which a message is recognised: of its role, text and calls."""
    calls = [(call.id, call.name, call.arguments) for call in message.tool_calls]
    fields_text = repr((message.role, message.content, message.tool_call_id, calls))
    return blake2b(fields_text.encode("utf-8", "replace"), digest_size=6).hexdigest()


def count_same_beginning(known: Sequence[object], given: Sequence[object]) -> int:
    """Return how many items at the beginning of both are equal: 1 for "ab" and "ac"."""
    for count, (known_item, given_item) in enumerate(zip(known, given, strict=False)):
        if known_item != given_item:
            return count
    return min(len(known), len(given))


def find_first_new(known: Sequence[str], given: Sequence[str]) -> int:
    """Return the index in ``given`` of the first new key: behind the longest run of keys
    with which ``known`` ends. ``known`` abc and ``given`` bcd: 2, as d is new.

    If the last key of ``known`` is not in ``given``, the one before it is looked for, and
    so on; 0 if none is.
    """
    places: dict[str, list[int]] = {}
    for index, key in enumerate(given):
        places.setdefault(key, []).append(index)
    for newest in range(len(known) - 1, -1, -1):
        best_length = 0
        best = 0
        for index in reversed(places.get(known[newest], ())):
            length = 0
            while (
                length <= min(newest, index)
                and known[newest - length] == given[index - length]
            ):
                length += 1
            if length > best_length:
                best_length = length
                best = index + 1
            if length > newest:
                break  # all that is known stands here
        if best:
            return best
    return 0
