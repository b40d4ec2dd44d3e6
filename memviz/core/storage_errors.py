"""Errors of the database in which conversations and runs are kept."""

from memviz.core import page_titles
from memviz.core.errors import MemvizError
from memviz.core.translation import _


class StorageError(MemvizError):
    """The database cannot be opened, read or written."""


class FullLibraryError(StorageError):
    """A library may not become larger on this server. Nothing of what would have made it so was saved."""


class ConversationChangedError(StorageError):
    """A stored conversation is no longer as it was when it was read: another program or tab wrote."""


class DatabaseGoneError(StorageError):
    """The database is not where it was. What is made meanwhile can be looked at, and is saved once there is one."""


class DatabaseAwayError(DatabaseGoneError):
    """The server of the database says nothing, or lets nobody in. ``reason`` is what the way to it says."""

    def __init__(self, address: str, reason: str) -> None:
        super().__init__(
            _(
                "{address} cannot be reached ({reason}). What was just to be saved may be missing; try again when the "
                "server answers.",
                address=address,
                reason=reason,
            )
        )


class DatabaseMovedError(DatabaseGoneError):
    """The database file was removed or replaced while it was open. ``problem`` is a sentence that says which."""

    def __init__(self, problem: str) -> None:
        self.problem = problem
        super().__init__(
            _(
                "{problem} Nothing was saved. The pages of the dashboard offer to write everything to a new file; "
                "a command can be given again.",
                problem=problem,
            )
        )


class UnreadableConversationError(StorageError):
    """A value that is stored of a conversation cannot be read.

    Attributes: the conversation's ``title`` and ``conversation_id``, the ``problem``, and the ``sentence`` of them.
    """

    def __init__(self, title: str, conversation_id: str, problem: str) -> None:
        self.title = title
        self.conversation_id = conversation_id
        self.problem = problem
        self.sentence = _(
            "Conversation '{title}' (id {conversation_id}) cannot be read: {problem}.",
            title=title,
            conversation_id=conversation_id,
            problem=problem,
        )
        super().__init__(
            _(
                "{sentence} It is left aside, and all others work. "
                "The {library} offers its stored rows as a file, and to delete it.",
                sentence=self.sentence,
                library=_(page_titles.LIBRARY),
            )
        )


class DamagedRunError(StorageError):
    """The stored records of a run cannot be read; its conversation can.

    Attributes: ``what``, which names the run, and the ``problem``.
    """

    def __init__(self, what: str, problem: str) -> None:
        self.what = what
        self.problem = problem
        super().__init__(
            _(
                "{what} is damaged ({problem}). Run it again.",
                what=what,
                problem=problem,
            )
        )
