"""The conversations that a test replays, whatever they are given as."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from memviz.core.bounds import type_of
from memviz.core.conversation import Log
from memviz.core.errors import MessageError
from memviz.core.messages import Message
from memviz.engine.replay import as_log
from memviz.transcripts.base import Transcript
from memviz.transcripts.fleet.addresses import list_folder
from memviz.transcripts.loading import load_file

Conversations = Any
"""The path of a file, or of a folder with all files in it and below it, a :class:`memviz.Transcript`, a list of
messages, or a list of any of these."""


def read_conversations(conversations: Conversations) -> tuple[Transcript, ...]:
    """Return every conversation of ``conversations``, those of a folder in the order of its file names.

    Raises :class:`memviz.TranscriptError` for a file, or a conversation in it, that cannot be read, and
    :class:`memviz.MessageError` where there is no conversation.
    """
    transcripts = tuple(_read_transcripts(conversations))
    if not transcripts:
        raise MessageError(
            "There is no conversation to replay: give a file, a folder of files, or messages."
        )
    return transcripts


def _read_transcripts(source: Conversations) -> Iterator[Transcript]:
    if isinstance(source, Transcript):
        yield source
    elif isinstance(source, str | Path):
        yield from _read_path(Path(source))
    elif isinstance(source, Log) or _is_conversation(source):
        yield Transcript(tuple(as_log(source)))
    elif isinstance(source, list | tuple):
        for conversation in source:
            yield from _read_transcripts(conversation)
    else:
        raise MessageError(
            f"The conversations are {type_of(source)}; they have to be a path, a Transcript, a list of messages, "
            "or a list of these."
        )


def _read_path(path: Path) -> Iterator[Transcript]:
    files = list_folder(path) if path.is_dir() else [path]
    for file in files:
        loaded = load_file(file)
        # A test must not lose what it guards without a word.
        for failure in loaded.failures:
            raise failure
        for number in range(len(loaded.transcripts)):
            yield loaded.whole(number)


def _is_conversation(value: Any) -> bool:
    """Return whether ``value`` is a list of messages, of memviz, of dictionaries or of another library."""
    if not isinstance(value, list | tuple) or not value:
        return False
    first = value[0]
    if isinstance(first, Transcript | Log | str | Path | list | tuple):
        return False
    return isinstance(first, Message | Mapping) or hasattr(first, "content")
