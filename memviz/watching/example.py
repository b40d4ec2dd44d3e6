"""A bundled conversation that grows like that of a running program, for the page Live of a
visitor who has no program to watch."""

from uuid import uuid4

from memviz.core.translation import noop
from memviz.storage.store import Store
from memviz.storage.watched import Growth, WatchedConversation
from memviz.transcripts.samples import sample

EXAMPLE = noop("example")
"""The name of the example's program."""
SAMPLE_ID = "agent"
MESSAGES_A_LOOK = 2


def begin_example(store: Store) -> str:
    """Begin an example in the library, and return its key, such as ``example/1f3a90c2``."""
    key = f"{EXAMPLE}/{uuid4().hex[:8]}"
    grow_example(store, key)
    return key


def grow_example(store: Store, key: str) -> None:
    """Add the next messages to an example. Nothing is added to the conversation of a
    program, to one that was deleted, or once all of it is there."""
    if not key.startswith(f"{EXAMPLE}/"):
        return
    transcript = sample(SAMPLE_ID)
    watched = store.find_watched(key)
    if watched is not None and watched.message_count >= len(transcript.messages):
        # A page looks again and again: nobody has to wait for a transaction then.
        return

    def next_messages(kept: WatchedConversation | None) -> Growth | None:
        start = kept.message_count if kept else 0
        messages = transcript.messages[start : start + MESSAGES_A_LOOK]
        if not messages:
            return None
        about = {
            "title": transcript.title,
            "description": transcript.description,
            "system_prompt": transcript.system_prompt,
            "tools": transcript.tools,
        }
        return Growth(start, messages, {"source": EXAMPLE}, about=about)

    store.grow_watched(key, next_messages)
