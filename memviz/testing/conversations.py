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
from memviz.transcripts.loading import load_transcripts

Conversations = Any
"""The path of a file, or of a folder with all files in it and below it, a :class:`memviz.Transcript`, a list of
messages, or a list of any of these."""


def read_conversations(given: Conversations) -> tuple[Transcript, ...]:
    """Return every conversation of ``given``, those of a folder in the order of its file names.

    Raises :class:`memviz.TranscriptError` for a file that cannot be read, and :class:`memviz.MessageError` where there
    is no conversation.
    """
    transcripts = tuple(_transcripts(given))
    if not transcripts:
        raise MessageError(
            "There is no conversation to replay: give a file, a folder of files, or messages."
        )
    return transcripts


def _transcripts(given: Conversations) -> Iterator[Transcript]:
    if isinstance(given, Transcript):
        yield given
    elif isinstance(given, str | Path):
        yield from _of_path(Path(given))
    elif isinstance(given, Log) or _is_conversation(given):
        yield Transcript(tuple(as_log(given)))
    elif isinstance(given, list | tuple):
        for conversation in given:
            yield from _transcripts(conversation)
    else:
        raise MessageError(
            f"The conversations are {type_of(given)}; they have to be a path, a Transcript, a list of messages, "
            "or a list of these."
        )


def _of_path(path: Path) -> Iterator[Transcript]:
    files = list_folder(path) if path.is_dir() else [path]
    for file in files:
        yield from load_transcripts(file)


def _is_conversation(given: Any) -> bool:
    """Return whether ``given`` is a list of messages, of memviz, of dictionaries or of another library."""
    if not isinstance(given, list | tuple) or not given:
        return False
    first = given[0]
    if isinstance(first, Transcript | Log | str | Path | list | tuple):
        return False
    return isinstance(first, Message | Mapping) or hasattr(first, "content")
