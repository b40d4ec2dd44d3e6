"""The shelf of a class: copies of conversations that a visitor shares with the others, or a teacher with everybody.

A database of its own, with that of no visitor. Nothing on it leads to the library that a conversation came from, and
whoever opens it takes a copy: so what is shared is read, and never written, by anybody else.
"""

from __future__ import annotations

import json
import secrets
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import asdict, dataclass, replace

from memviz.core.errors import AccessError
from memviz.core.storage_errors import FullLibraryError, StorageError
from memviz.core.translation import _
from memviz.models.class_door import Visitor
from memviz.models.recordings.files import SUFFIX, write_recording
from memviz.models.recordings.recording import conversation_digest
from memviz.storage.conversations import Added
from memviz.storage.limits import Limits
from memviz.storage.store import Store
from memviz.storage.workspace import Workspace
from memviz.transcripts.base import Transcript

MOST_OF_ONE_VISITOR = 20
MOST_BYTES_OF_ONE_CONVERSATION = 5_000_000
"""With the recordings that play over it."""
OF_THE_SHELF = Limits(conversations=500, bytes=1_000_000_000)
_TOKEN_BYTES = 16


@dataclass(frozen=True)
class SharedConversation:
    """A conversation on the shelf."""

    token: str
    """The part of its link that nobody guesses."""
    conversation_id: str
    """Its id in the library of the shelf, which is no id of the sharer's library."""
    sharer_id: str
    sharer_name: str
    """The name at the door, empty for who gave none."""
    is_published: bool
    """A teacher shares it with everybody of the class; others are seen by whoever has the link."""

    def may_be_withdrawn_by(self, visitor: Visitor) -> bool:
        """Return whether a visitor may take it off the shelf: the sharer, and any teacher."""
        return self.sharer_id == visitor.id or visitor.is_teacher


class ClassShelf:
    """The conversations that visitors of one class share. Safe to share between threads."""

    def __init__(self, store: Store) -> None:
        self.store = store
        self.store.limits = OF_THE_SHELF
        self._read: dict[str, SharedConversation] = {}

    def shared(self) -> list[SharedConversation]:
        """Return everything on the shelf, the newest first."""
        tokens = self.store.kept_keys("shared")
        for token in tokens:
            # What is kept under a token never changes, so that it is read once.
            if token not in self._read:
                text = self.store.kept("shared", token)
                if text is not None:
                    self._read[token] = SharedConversation(**json.loads(text))
        return [self._read[token] for token in tokens if token in self._read]

    def published(self) -> list[SharedConversation]:
        """Return what teachers share with everybody, the newest first."""
        return [shared for shared in self.shared() if shared.is_published]

    def shared_by_link(self) -> list[SharedConversation]:
        """Return what visitors share by a link, the newest first."""
        return [shared for shared in self.shared() if not shared.is_published]

    def find(self, token: str) -> SharedConversation | None:
        """Return the conversation of a link; ``None`` for one that was withdrawn, or never was."""
        for shared in self.shared():
            if shared.token == token:
                return shared
        return None

    def publish(
        self, visitor: Visitor, library: Workspace, conversation_id: str
    ) -> SharedConversation:
        """Share a conversation of a teacher's library with everybody. Raises :class:`memviz.core.errors.AccessError`
        for a visitor who is no teacher, and :class:`memviz.core.storage_errors.FullLibraryError` as :meth:`share`."""
        if not visitor.is_teacher:
            raise AccessError(_("Only a teacher shares something with everybody."))
        return self._put(visitor, library, conversation_id, is_published=True)

    def share(
        self, visitor: Visitor, library: Workspace, conversation_id: str
    ) -> SharedConversation:
        """Share a conversation of a visitor's library, as it is now, with whoever of the class has its link. Raises
        :class:`memviz.core.storage_errors.FullLibraryError` where it is too large, or too many are shared."""
        return self._put(visitor, library, conversation_id, is_published=False)

    def _put(
        self,
        visitor: Visitor,
        library: Workspace,
        conversation_id: str,
        *,
        is_published: bool,
    ) -> SharedConversation:
        transcript, _log = library.conversation(conversation_id)
        title = library.store.entry(conversation_id).title
        recordings = dict(_recordings_of(library, transcript))
        self._expect_room(visitor, transcript, recordings)
        token = secrets.token_hex(_TOKEN_BYTES)
        copy_id = ""
        try:
            (copy_id,) = self.store.add_conversations(
                [replace(transcript, title=title)]
            )
            for name, text in recordings.items():
                self.store.keep("recording", f"{token}/{name}", text)
            shared = SharedConversation(
                token, copy_id, visitor.id, visitor.name, is_published
            )
            # Last: what is on the shelf is there whole.
            self.store.keep("shared", token, json.dumps(asdict(shared)))
        except StorageError as error:
            # A part of it would take room for good, and nobody could withdraw it.
            with suppress(StorageError):
                self._forget(token, copy_id)
            if not isinstance(error, FullLibraryError):
                raise
            raise FullLibraryError(
                _(
                    "The shelf of this class is full. There is room when somebody withdraws what they share."
                )
            ) from None
        return shared

    def _expect_room(
        self, visitor: Visitor, transcript: Transcript, recordings: dict[str, str]
    ) -> None:
        count = sum(shared.sharer_id == visitor.id for shared in self.shared())
        if count >= MOST_OF_ONE_VISITOR:
            raise FullLibraryError(
                _(
                    "You share {most:,} conversations, the most there can be. Withdraw one first.",
                    most=MOST_OF_ONE_VISITOR,
                )
            )
        requests = [message.to_request() for message in transcript.messages]
        size = len(json.dumps(requests)) + sum(map(len, recordings.values()))
        if size > MOST_BYTES_OF_ONE_CONVERSATION:
            raise FullLibraryError(
                _(
                    "This conversation is larger than {megabytes:,} MB with its recordings, the most that can be "
                    "shared.",
                    megabytes=MOST_BYTES_OF_ONE_CONVERSATION // 1_000_000,
                )
            )

    def withdraw(self, visitor: Visitor, token: str) -> None:
        """Take a conversation off the shelf, so that its link is dead at once. Copies that others took stay theirs.
        Raises :class:`memviz.core.errors.AccessError` for a visitor who may not."""
        shared = self.find(token)
        if shared is None:
            return
        if not shared.may_be_withdrawn_by(visitor):
            raise AccessError(
                _("Only whoever shares a conversation, or a teacher, withdraws it.")
            )
        self._forget(shared.token, shared.conversation_id)

    def withdraw_all_of(self, visitor_id: str) -> None:
        """Take everything off the shelf that a visitor shares, and published."""
        for shared in self.shared():
            if shared.sharer_id == visitor_id:
                self._forget(shared.token, shared.conversation_id)

    def _forget(self, token: str, conversation_id: str) -> None:
        # First: from now on nobody finds it.
        self.store.forget("shared", token)
        for key in self._recording_keys(token):
            self.store.forget("recording", key)
        self.store.delete(conversation_id)
        self.store.purge(0)

    def _recording_keys(self, token: str) -> list[str]:
        keys = self.store.kept_keys("recording")
        return [key for key in keys if key.startswith(f"{token}/")]

    def copy(
        self, shared: SharedConversation, library: Workspace, source: str
    ) -> Added:
        """Copy a conversation, with its probes and recordings, into a library; ``source`` is a sentence that its
        description begins with. Of one that is there already only the recordings are copied. Raises
        :class:`memviz.core.storage_errors.FullLibraryError` where the library has no room."""
        transcript = self.store.conversation(shared.conversation_id)
        description = f"{source} {transcript.description}".strip()
        (added,) = library.add_once([replace(transcript, description=description)])
        for key in self._recording_keys(shared.token):
            text = self.store.kept("recording", key)
            if text is not None:
                name = key.partition("/")[2]
                _copy_recording(library, name, text, shared.token)
        return added


def _recordings_of(
    library: Workspace, transcript: Transcript
) -> Iterator[tuple[str, str]]:
    """Yield the name and the text of each recording that a library has of this conversation, and of no other: what is
    said in another one is not shared with it."""
    digest = conversation_digest(
        transcript.messages, transcript.system_prompt, transcript.tools
    )
    for name, recording in library.recordings.opened.items():
        settings = recording.settings.values()
        conversations = {setting.conversation for setting in settings}
        if conversations == {digest}:
            yield name, write_recording(recording)


def _copy_recording(library: Workspace, name: str, text: str, token: str) -> None:
    """Open a recording in a library, beside one of another content that has its name there."""
    same_name = library.recordings.opened.get(name)
    if same_name is not None and write_recording(same_name) == text:
        return
    own_name = name if same_name is None else f"{name} ({token[:4]})"
    library.open_recording(text.encode(), own_name + SUFFIX)
